"""scipy, which fitting and mending need and the rest of the engine does without."""

from __future__ import annotations

import importlib
from typing import Any

from polyorama.errors import UnavailableError

__all__ = ["sparse_tools"]


def sparse_tools(name: str) -> Any:
    """A part of scipy, such as "sparse.linalg".

    Raises
    ------
    UnavailableError
        If scipy is not installed.
    """
    try:
        return importlib.import_module(f"scipy.{name}")
    except ImportError as error:
        raise UnavailableError(
            "Rigs need the package scipy; pip install 'polyorama[face]' brings it."
        ) from error
