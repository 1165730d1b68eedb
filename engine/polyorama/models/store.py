"""Where models lie on this machine, and whether they are whole; nothing here takes long."""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import platformdirs

from polyorama.core.text import bytes_of, quoted
from polyorama.errors import FileFormatError, OutputError, UnavailableError, UsageError
from polyorama.models import catalog
from polyorama.models.pins import Pin, read_pins

if TYPE_CHECKING:
    from polyorama.models.entry import Entry, ModelFile

__all__ = [
    "VARIABLE", "FileStanding", "Standing", "State", "check_space", "folder", "made_place",
    "part_of", "path", "place", "plain_size", "standing",
]  # fmt: skip

VARIABLE = "POLYORAMA_MODELS"
"""Environment variable with the folder of models, where it is not the usual one."""

State = Literal["present", "begun", "missing", "damaged"]


@dataclass(frozen=True, slots=True)
class FileStanding:
    """How a file of a model stands on this machine.

    Parameters
    ----------
    file
        What is known of it beforehand.
    path
        Where it lies, or would; None where its package is not installed.
    state
        "present", "begun" (a part of it is there), "missing" or "damaged".
    bytes
        What is there of it.
    pin
        What it was when it came; None where that was not written down.
    note
        What is wrong with it, for the person; "" where nothing is.
    """

    file: ModelFile
    path: Path | None
    state: State
    bytes: int
    pin: Pin | None
    note: str = ""

    @property
    def sha256(self) -> str | None:
        """The hash that it is held to; None where there is none yet."""
        return self.file.sha256 or (self.pin.sha256 if self.pin else None)

    @property
    def origin(self) -> str:
        """Where that hash comes from, a key of `pins.ORIGINS`; "" where there is none yet."""
        return "known" if self.file.sha256 else self.pin.origin if self.pin else ""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a model stands on this machine.

    Parameters
    ----------
    entry
        What is known of it beforehand.
    place
        The folder of its files; None where its package is not installed.
    files
        How they stand, in the order of the entry.
    """

    entry: Entry
    place: Path | None
    files: tuple[FileStanding, ...]

    @property
    def state(self) -> State:
        """As of a file: of all of them, else "begun" where some of it is there."""
        states = {file.state for file in self.files}
        if "damaged" in states:
            return "damaged"
        return states.pop() if len(states) == 1 else "begun"

    @property
    def note(self) -> str:
        """What is wrong with the first file that is damaged; "" where none is."""
        return next((file.note for file in self.files if file.note), "")


def folder() -> Path:
    """The folder of all models that are downloaded or added; it need not exist."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_data_path("polyorama") / "models"


def place(entry: Entry) -> Path | None:
    """The folder of a model's files; None where it comes with a package that is not installed."""
    carrier = entry.carrier
    if carrier is None:
        return folder() / entry.id
    # Of a name without dots this imports nothing.
    spec = importlib.util.find_spec(carrier.package)
    roots = spec.submodule_search_locations if spec is not None else None
    return next((Path(root) / carrier.folder for root in roots or ()), None)


def made_place(entry: Entry) -> Path:
    """The folder of a model that no package carries, made where it is not there yet.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    target = folder() / entry.id
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"Cannot make the folder ({error.strerror}); set {VARIABLE} to one that you may write "
            f"to: {target}"
        ) from error
    return target


def part_of(target: Path) -> Path:
    """Where a file lies while it is not whole."""
    return target.with_name(f"{target.name}.part")


def standing(entry: Entry) -> Standing:
    """How a model stands: whether its files are there, by their sizes; no hash is computed."""
    where = place(entry)
    if where is None:
        files = tuple(FileStanding(file, None, "missing", 0, None) for file in entry.files)
        return Standing(entry, None, files)
    try:
        pins = {} if entry.carrier else read_pins(where, entry)
    except FileFormatError as error:
        files = tuple(
            FileStanding(file, where / file.name, "damaged", 0, None, str(error))
            for file in entry.files
        )
        return Standing(entry, where, files)
    stand = (_file_standing(file, where / file.name, pins.get(file.name)) for file in entry.files)
    return Standing(entry, where, tuple(stand))


def path(model_id: str, name: str = "") -> Path:
    """Where a model lies, for those who load it.

    Parameters
    ----------
    model_id
        Its id.
    name
        One of its files; "" for its only file, or the folder where it has several.

    Raises
    ------
    UsageError
        If there is no such model, or it has no such file.
    UnavailableError
        If it is not here, or not whole; the text holds the command that gets it.
    """
    entry = catalog.entry(model_id)
    names = [file.name for file in entry.files]
    if name and name not in names:
        raise UsageError(f"{entry.id} has no file {quoted(name)}; it has {', '.join(names)}.")
    found = standing(entry)
    if found.place is None or found.state != "present":
        raise UnavailableError(_lacking(found))
    if name or len(names) == 1:
        return found.place / (name or names[0])
    return found.place


def plain_size(target: Path) -> int | None:
    """Size in bytes of a plain file; None where there is none."""
    try:
        status = target.stat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def check_space(target: Path, needed: int, name: str) -> None:
    """Refuse what does not fit on the disk.

    Parameters
    ----------
    target
        The folder that it will lie in; it exists.
    needed
        Bytes that will be written.
    name
        What will be written.

    Raises
    ------
    OutputError
        If less is free.
    """
    try:
        free = shutil.disk_usage(target).free
    except OSError as error:
        raise OutputError(f"Cannot look at the disk ({error.strerror}): {target}") from error
    if needed > free:
        raise OutputError(
            f"There is not enough space for {name}: {bytes_of(needed)} more are needed, "
            f"{bytes_of(free)} are free; make room, or set {VARIABLE} to a folder on another disk: "
            f"{target}"
        )


def _file_standing(file: ModelFile, target: Path, pin: Pin | None) -> FileStanding:
    size = plain_size(target)
    if size is None:
        begun = plain_size(part_of(target))
        return FileStanding(file, target, "begun" if begun else "missing", begun or 0, pin)
    right = file.bytes or (pin.bytes if pin else None)
    if size == 0 or (right is not None and size != right):
        told = f"{right:,}" if right is not None else "more"
        note = f"{file.name} has {size:,} bytes where it should have {told}"
        return FileStanding(file, target, "damaged", size, pin, note)
    return FileStanding(file, target, "present", size, pin)


def _lacking(found: Standing) -> str:
    entry = found.entry
    if entry.carrier is not None:
        if found.state == "missing":
            what = "is not here; it comes with a package"
        else:
            what = f"is not whole ({found.note or 'files are missing'})"
        return f"The model {entry.id} {what}; install it with: {entry.carrier.install}"
    command = f"polyorama models get {entry.id}"
    if found.state == "damaged":
        return f"The model {entry.id} is damaged ({found.note}); mend it with: {command}"
    if found.state == "begun":
        return f"The model {entry.id} is only partly here; get the rest with: {command}"
    return f"The model {entry.id} ({entry.title}) is not here; get it with: {command}"
