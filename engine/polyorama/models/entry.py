"""What is known beforehand about a model: its files, its licence, and where it is had."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Carrier", "Entry", "ModelFile"]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model.

    Parameters
    ----------
    name
        Its name in the folder of the model.
    address
        Where it is downloaded from; "" where a package carries it.
    bytes
        Its size; None where it is not known beforehand.
    sha256
        Its hash, hexadecimal; None where its publisher's is not known beforehand.
    limit
        The most bytes that are taken for it while `bytes` is not known.
    """

    name: str
    address: str
    bytes: int | None
    sha256: str | None
    limit: int

    @property
    def most(self) -> int:
        """The most bytes that it may have."""
        return self.limit if self.bytes is None else self.bytes


@dataclass(frozen=True, slots=True)
class Carrier:
    """A package that carries a model inside.

    Parameters
    ----------
    package
        The name that it is imported by.
    folder
        Where the files lie in it; "" for its top.
    install
        The command that brings it.
    """

    package: str
    folder: str
    install: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A model.

    Parameters
    ----------
    id
        The word that it is called by.
    title
        Its name among people.
    purpose
        What it is for, in a few words.
    licence
        Its licence, in words.
    source
        The page of those who publish it.
    files
        What it consists of, the weights first.
    size
        How large it is in words, where the sizes of its files are not known beforehand; may be "".
    carrier
        The package that it comes with; None where it is downloaded.
    """

    id: str
    title: str
    purpose: str
    licence: str
    source: str
    files: tuple[ModelFile, ...]
    size: str = ""
    carrier: Carrier | None = None

    @property
    def bytes(self) -> int | None:
        """The size of all files together; None where one is not known."""
        sizes = [file.bytes for file in self.files if file.bytes is not None]
        return sum(sizes) if len(sizes) == len(self.files) else None
