"""One file looked at for the index: what it reads, its hash, and where that is new, its views."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.text import bytes_of, one_line, reason_of
from polyorama.errors import PolyoramaError, UsageError
from polyorama.shapes.library.scan import Scan, content_of, stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polyorama.shapes.library.asset import Described, Describer

__all__ = ["Examined", "examine"]

_TRIES = 3
_MOST_BYTES = 8 << 30
_MOST_DEPENDENCIES = 4096
_MOST_VIEWS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """A file as it was found.

    Parameters
    ----------
    path
        Which.
    stamp
        What changes when it does; "" lets the next run look again.
    depends
        What it reads.
    bytes
        Its size.
    content
        Its hash; "" where it failed.
    described
        What was seen; None where the library knows the content already, or it failed.
    reason
        Why it failed, or "".
    """

    path: str
    stamp: str
    depends: tuple[str, ...]
    bytes: int
    content: str = ""
    described: Described | None = None
    reason: str = ""


def examine(
    path: str, notes: Sequence[str], describer: Describer, known: Callable[[str], bool]
) -> Examined:
    """Look at a file; whatever is wrong with it ends in a reason, never in an error.

    Parameters
    ----------
    path
        The file.
    notes
        Manifest and licence that belong to it; they count for its stamp.
    describer
        Opens and renders it.
    known
        Whether a content needs no description.
    """
    depends: tuple[str, ...] = ()
    stamp = ""
    for _ in range(_TRIES):
        now = Scan()
        stamp, size = stamp_of(now, path, (*depends, *notes)), now.look(path)[0]
        try:
            depends = _dependencies(path, size, describer)
            stamp = stamp_of(now, path, (*depends, *notes))
            content = content_of(Path(path), [Path(name) for name in depends])
            described = None if known(content) else _checked(describer.describe(Path(path)), path)
        except PolyoramaError as error:
            failed = Examined(path, stamp, depends, size, reason=one_line(str(error)))
        except Exception as error:  # noqa: BLE001 - readers of foreign files raise anything
            reason = f"The file cannot be read ({reason_of(error)}): {one_line(path)}"
            failed = Examined(path, stamp, depends, size, reason=reason)
        else:
            if stamp_of(Scan(), path, (*depends, *notes)) == stamp:
                return Examined(path, stamp, depends, size, content, described)
            continue
        if stamp_of(Scan(), path, (*depends, *notes)) == stamp:
            return failed
    reason = f"The file changes while it is read; index again when it is whole: {one_line(path)}"
    return Examined(path, "", depends, 0, reason=reason)


def _dependencies(path: str, size: int, describer: Describer) -> tuple[str, ...]:
    if size > _MOST_BYTES:
        raise UsageError(
            f"The file has {bytes_of(size)}, more than the {bytes_of(_MOST_BYTES)} that are "
            f"indexed: {one_line(path)}"
        )
    found = sorted({str(name) for name in describer.dependencies(Path(path))})
    if len(found) > _MOST_DEPENDENCIES:
        raise UsageError(
            f"The file names {len(found):,} others, more than the {_MOST_DEPENDENCIES:,} that are "
            f"read: {one_line(path)}"
        )
    return tuple(found)


def _checked(described: Described, path: str) -> Described:
    views = described.views
    if views.ndim != 4 or not 1 <= len(views) <= _MOST_VIEWS or views.dtype != np.uint8:
        raise UsageError(f"The renderer gave no views: {one_line(path)}")
    if not all(np.isfinite(described.size)):
        raise UsageError(f"The model has no finite size: {one_line(path)}")
    return described
