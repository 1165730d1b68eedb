"""Takes from USD, parsed in a process of its own that may fail (see `usd_parsing`)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import polyorama
from polyorama.core.text import reason_of
from polyorama.errors import FileFormatError, UnavailableError
from polyorama.face.exports.npz import read_take_npz
from polyorama.face.exports.usd import need_usd
from polyorama.face.exports.usd_parsing import check_usd_size
from polyorama.face.exports.words import note, parse_json

if TYPE_CHECKING:
    from polyorama.face.take import Take

__all__ = ["SECONDS", "read_take_usd"]

SECONDS = 60.0
"""That one file may take."""


def read_take_usd(
    path: str | os.PathLike[str], notes: list[str] | None = None, *, seconds: float = SECONDS
) -> Take:
    """Read the first animation of a face in a USD file.

    What other files it refers to is not looked at, but for the sound that it names in its folder.

    Parameters
    ----------
    path
        The file.
    notes
        Gets a sentence on each thing that is left out or made even.
    seconds
        That it may take.

    Raises
    ------
    FileFormatError
        If it is missing, too large, no USD, animates no shape of ARKit, takes too long, or brings
        its reader down.
    UnavailableError
        If OpenUSD is not installed, or no process can be started.
    """
    need_usd()
    check_usd_size(path)
    root = str(Path(polyorama.__file__).parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    # Else OpenUSD reserves memory for every core.
    environment = {**os.environ, "PXR_WORK_THREAD_LIMIT": "1", "PYTHONPATH": os.pathsep.join(paths)}
    with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
        command = [sys.executable, "-m", "polyorama.face.exports.usd_parsing", str(path), folder]
        try:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=environment, timeout=seconds, check=False,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise FileFormatError(
                f"The file took longer than {seconds:g} s to read; export it again: {path}"
            ) from None
        except OSError as error:
            raise UnavailableError(
                f"The process that reads USD cannot be started ({reason_of(error)})."
            ) from error
        return _answer(Path(folder), path, notes)


def _answer(folder: Path, path: str | os.PathLike[str], notes: list[str] | None) -> Take:
    words = folder / "words.json"
    if not words.is_file():
        raise FileFormatError(
            f"The file brings its reader down; it is damaged, so export it again: {path}"
        )
    said = parse_json(words.read_bytes(), path, "The answer")
    if "error" in said:
        raise FileFormatError(said["error"])
    for text in said["notes"]:
        note(notes, text)
    return read_take_npz(folder / "take.npz")
