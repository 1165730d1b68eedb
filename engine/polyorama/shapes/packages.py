"""Packages that networks need and the engine does without."""

from __future__ import annotations

import importlib.util

from polyorama.errors import UnavailableError

__all__ = ["need_packages"]


def need_packages(who: str, *packages: str) -> None:
    """Make sure that packages can be imported, without doing so.

    Parameters
    ----------
    who
        What needs them, for the error.
    packages
        The names that they are imported by.

    Raises
    ------
    UnavailableError
        If one is not installed; the text says how to get it.
    """
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise UnavailableError(
                f"The package {package}, which {who} needs, is not installed; "
                f"pip install 'polyorama[shapes]' brings it."
            )
