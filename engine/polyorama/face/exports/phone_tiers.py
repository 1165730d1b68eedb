"""A take's phones and words as Praat's TextGrid, and a take that rests of one.

Its tiers have no place for provenance, so it lies beside the file.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.face.exports.words import (
    MAX_FRAMES,
    note,
    read_sidecar,
    take_of,
    write_with_sidecar,
)
from polyorama.face.speech.textgrid import read_textgrid, write_textgrid
from polyorama.face.take import Provenance
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.channels import CHANNELS

if TYPE_CHECKING:
    import os

    from polyorama.face.take import Take

__all__ = ["read_take_textgrid", "write_take_textgrid"]

_FPS = 60.0
_MAX_BYTES = 64 << 20


def write_take_textgrid(take: Take, path: str | os.PathLike[str]) -> None:
    """Write phones and words, and provenance beside.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
        made = Path(folder) / "take.TextGrid"
        write_textgrid(made, take.phones, take.performance.seconds)
        write_with_sidecar(path, [made.read_bytes()], take, {})


def read_take_textgrid(path: str | os.PathLike[str], notes: list[str] | None = None) -> Take:
    """Read phones and words, as a take whose face rests meanwhile.

    Parameters
    ----------
    path
        The file, of whatever program.
    notes
        Gets a sentence on what is not there.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, too long, or has no phones.
    """
    track = read_textgrid(path)
    beside = read_sidecar(path, read_bytes(path, _MAX_BYTES), notes)
    count = max(round(track.seconds * _FPS), 1)
    if count > MAX_FRAMES:
        raise FileFormatError(f"The phones last too long ({track.seconds:,.0f} s): {path}")
    note(notes, f"It holds phones and no curves, so the face rests: {path}")
    return take_of(
        np.zeros((count, len(CHANNELS)), np.float32),
        _FPS,
        Provenance("TextGrid") if beside is None else beside[1],
        path,
        phones=track,
    )
