"""How finely a file holds its numbers, as its own header says."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from polyorama.io.formats import detect_format

if TYPE_CHECKING:
    import os

__all__ = ["Precision", "precision_of"]


@dataclass(frozen=True, slots=True)
class Precision:
    """The largest error that storing a value within a file's range adds; None is unknown.

    Parameters
    ----------
    position
        World units.
    log_scale
        Of the natural logarithm of a scale.
    rotation
        Degrees.
    opacity, color
        Of values from 0 to 1.
    harmonics
        SH degree, from 1, to the error of its coefficients.
    """

    position: float | None = None
    log_scale: float | None = None
    rotation: float | None = None
    opacity: float | None = None
    color: float | None = None
    harmonics: dict[int, float] = field(default_factory=dict)


EXACT = Precision(0.0, 1e-6, 1e-4, 4e-6, 4e-6, {1: 0.0, 2: 0.0, 3: 0.0})
"""Of formats that keep float32; logarithms and logits round a little."""


def precision_of(path: str | os.PathLike[str]) -> Precision:
    """How finely an existing splat file holds its numbers.

    Raises
    ------
    FileFormatError
        If it cannot be read.
    """
    entry = detect_format(path)
    if entry.name in ("ply", "gltf"):
        return EXACT
    precision: Precision = importlib.import_module(entry.module).precision(path)
    return precision
