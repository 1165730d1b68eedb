"""Where the files of packages lie that carry weights; nothing of the packages is imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from polyorama.errors import UnavailableError

__all__ = ["packaged_file"]

_INSTALL = "pip install 'polyorama[shapes]'"


def packaged_file(package: str, *parts: str) -> Path:
    """The path of a file inside an installed package.

    Raises
    ------
    UnavailableError
        If the package or the file is not there; the text says how to get it.
    """
    spec = importlib.util.find_spec(package)
    folders = None if spec is None else spec.submodule_search_locations
    for folder in folders or ():
        path = Path(folder).joinpath(*parts)
        if path.is_file():
            return path
    raise UnavailableError(
        f"The package {package.replace('_', '-')}, which carries {parts[-1]}, is not installed; "
        f"{_INSTALL} brings it."
    )
