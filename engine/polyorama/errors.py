"""The few kinds of errors that Polyorama raises on purpose.

Their texts are written for the person at the keyboard: one sentence that says what happened, to
which file, and what to do. The command line prints the text alone and exits with status 2; the
studio shows it as a toast.
"""

__all__ = [
    "FileFormatError",
    "OutputError",
    "PolyoramaError",
    "UnavailableError",
    "UsageError",
]


class PolyoramaError(Exception):
    """Something the user can understand and act on; the base of all deliberate errors."""


class FileFormatError(PolyoramaError):
    """An input file is missing, damaged, of another kind than its name says, or too large."""


class OutputError(PolyoramaError):
    """A result could not be written."""


class UsageError(PolyoramaError):
    """An argument is out of range or contradicts another."""


class UnavailableError(PolyoramaError):
    """A backend, model, device or optional package is not there; the text says how to get it."""
