"""One file from a server into a part file, that a later try goes on with."""

from __future__ import annotations

import contextlib
import errno
import http.client
import json
import os
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from polyorama.core.jobs import Progress
from polyorama.core.text import bytes_of, reason_of
from polyorama.errors import OutputError, UnavailableError
from polyorama.models.checks import BLOCK
from polyorama.models.store import check_space, plain_size
from polyorama.models.web import connect

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator
    from pathlib import Path

    from polyorama.core.jobs import Job
    from polyorama.models.entry import ModelFile

__all__ = ["discard", "transfer", "write_all"]

_TRIES = 5
"""How often a connection may break in one download, each time after something came."""
_MOST_MARK = 10_000
_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")


@dataclass(frozen=True, slots=True)
class _Mark:
    """Which file a part is of.

    Parameters
    ----------
    address
        Where it comes from.
    validator
        What the server calls this version of it (ETag, or when it was changed); may be "".
    """

    address: str
    validator: str


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What an answer holds: the byte it begins with, and those of the whole file (None unknown)."""

    start: int
    total: int | None


class _Cut(Exception):
    """The connection broke, or the part was of another file; the next try goes on."""

    def __init__(self, reason: str, gained: bool) -> None:
        super().__init__(reason)
        self.gained = gained


def transfer(file: ModelFile, address: str, part: Path, sha256: str) -> Job[str]:
    """Download a file into `part`, going on with what is there, as a job that counts bytes.

    A part that was begun is gone on with where the server still has the same file, and begun anew
    where it has another or does not give parts. A connection that breaks is taken up again as long
    as something comes. The part stays when the job is closed or fails on the way.

    Parameters
    ----------
    file
        What it should be; its size bounds what is taken.
    address
        Where it is.
    part
        Where it is written to; a mark beside it says which file it is of.
    sha256
        The hash that it must have, or "" where that is not known.

    Returns
    -------
    stated
        The hash that the server states, or "". Whether the file has it is not looked at here.

    Raises
    ------
    UnavailableError
        If the server cannot be reached, does not have it, has another, or the connection breaks.
    OutputError
        If there is no space, or it cannot be written.
    """
    for _ in range(_TRIES):
        try:
            return (yield from _tried(file, address, part, sha256))
        except _Cut as cut:
            reason = str(cut)
            if not cut.gained:
                break
    raise UnavailableError(
        f"The connection broke while {file.name} came ({reason}); {_kept(part)}: {address}"
    )


def discard(part: Path) -> None:
    """Remove a part and its mark."""
    part.unlink(missing_ok=True)
    _mark_of(part).unlink(missing_ok=True)


def write_all(out: io.FileIO, block: bytes) -> None:
    """Write all of a block to an unbuffered file.

    Raises
    ------
    OSError
        If the system refuses, as where the disk is full.
    """
    view = memoryview(block)
    while view:
        view = view[out.write(view) :]


def _tried(file: ModelFile, address: str, part: Path, sha256: str) -> Job[str]:
    """One request and what comes of it."""
    mark, have = _begun(part, address, sha256)
    headers = {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if mark.validator:
            headers["If-Range"] = mark.validator
    yield Progress(have, file.bytes or 0, f"Asking for {file.name}")
    response, stated = connect(address, headers)
    with contextlib.closing(response):
        if stated and sha256 and stated != sha256:
            raise UnavailableError(
                f"The server has another {file.name}, with the hash {stated[:12]}... where it "
                f"should be {sha256[:12]}...; nothing was downloaded: {address}"
            )
        if response.status == 416:
            if have and have == _whole_of(response):
                return stated
            discard(part)
            raise _Cut("what was there was of another file", True)
        found = _stretch(response, file, have, mark, part)
        _check_sizes(file, found, part, address)
        if found.start == 0:
            discard(part)
            _write_mark(part, _Mark(address, _validator(response)))
        yield from _poured(response, file, found, part, address)
    return stated


def _poured(
    response: http.client.HTTPResponse,
    file: ModelFile,
    found: _Stretch,
    part: Path,
    address: str,
) -> Job[None]:
    """Write what comes behind what is there, until it ends or is too much."""
    done, total = found.start, file.bytes if found.total is None else found.total
    note = f"Getting {file.name}"
    with _writing(part), part.open("ab", buffering=0) as out:
        while total is None or done < total:
            # One byte more than may come shows that too much does.
            wanted = min(BLOCK, (file.most + 1 if total is None else total) - done)
            try:
                block = response.read1(wanted)
            except (OSError, http.client.HTTPException) as error:
                raise _Cut(reason_of(error), done > found.start) from error
            if not block:
                break
            done += len(block)
            if done > file.most:
                discard(part)
                raise UnavailableError(
                    f"The server sends more for {file.name} than the {bytes_of(file.most)} that it "
                    f"may have; what came was removed: {address}"
                )
            write_all(out, block)
            yield Progress(done, total or 0, note)
        os.fsync(out.fileno())
    if total is not None and done < total:
        raise _Cut(f"{done:,} of {total:,} bytes came", done > found.start)


def _begun(part: Path, address: str, sha256: str) -> tuple[_Mark, int]:
    """The mark of a part and how much of it there is; 0 where it must be begun anew."""
    try:
        with _mark_of(part).open("rb") as file:
            text = file.read(_MOST_MARK)
        mark = _Mark(**json.loads(text))
    except (OSError, ValueError, TypeError, RecursionError):
        return _Mark(address, ""), 0  # begun by nobody we know
    # Without a name of its version, only its hash tells in the end whether the rest fits.
    sure = _is_header(mark.validator) or (mark.validator == "" and sha256)
    if mark.address != address or not sure:
        return _Mark(address, ""), 0
    return mark, plain_size(part) or 0


def _stretch(
    response: http.client.HTTPResponse, file: ModelFile, have: int, mark: _Mark, part: Path
) -> _Stretch:
    if response.headers.get("Content-Encoding", "identity") != "identity" and not (
        file.name.endswith(".gz")  # some servers call what is in such a file its encoding
    ):
        raise UnavailableError(
            f"The server sends {file.name} packed, which was not asked for: {mark.address}"
        )
    if response.status == 200:
        length = response.headers.get("Content-Length", "")
        return _Stretch(0, int(length) if re.fullmatch(r"\d{1,18}", length) else None)
    match = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    same = not mark.validator or _validator(response) in ("", mark.validator)
    if match is None or int(match[1]) != have or not same:
        discard(part)
        raise _Cut("the server sent another stretch than it was asked for", True)
    return _Stretch(have, int(match[3]))


def _check_sizes(file: ModelFile, found: _Stretch, part: Path, address: str) -> None:
    total = found.total
    if file.bytes is not None and total is not None and total != file.bytes:
        raise UnavailableError(
            f"The server has another {file.name}, with {total:,} bytes where it should have "
            f"{file.bytes:,}; nothing was downloaded: {address}"
        )
    if total is not None and total > file.most:
        raise UnavailableError(
            f"The server's {file.name} has {bytes_of(total)}, more than the {bytes_of(file.most)} "
            f"that it may have; nothing was downloaded: {address}"
        )
    known = file.bytes if total is None else total
    if known is not None:
        # What is there is gone on with, or makes room for what comes in its place.
        check_space(part.parent, known - (plain_size(part) or 0), file.name)


def _whole_of(response: http.client.HTTPResponse) -> int | None:
    """Bytes of the whole file, as the answer says that has no bytes behind those asked for."""
    match = re.fullmatch(r"bytes \*/(\d{1,18})", response.headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def _validator(response: http.client.HTTPResponse) -> str:
    """What this version of the file is called: a strong ETag, else when it was changed, else ""."""
    etag: str = response.headers.get("ETag", "")
    if etag.startswith('"') and _is_header(etag):
        return etag
    changed: str = response.headers.get("Last-Modified", "")
    return changed if not etag and _is_header(changed) else ""


def _is_header(text: object) -> bool:
    """Whether a text can be sent back as it is."""
    return isinstance(text, str) and re.fullmatch(r"[\x20-\x7e]{1,1000}", text) is not None


def _mark_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _write_mark(part: Path, mark: _Mark) -> None:
    with _writing(part):
        _mark_of(part).write_text(json.dumps(asdict(mark)), encoding="utf-8")


@contextlib.contextmanager
def _writing(part: Path) -> Iterator[None]:
    """Turn errors of the system into one that says what stays."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(
                f"The disk became full; make room, then the same command goes on: {_kept(part)}: "
                f"{part}"
            ) from error
        raise OutputError(f"Cannot write ({error.strerror or error}): {part}") from error


def _kept(part: Path) -> str:
    have = plain_size(part) or 0
    if not have:
        return "nothing came, try again"
    return f"the {bytes_of(have)} that came stay, and the same command goes on from there"
