"""What the mouth does in each phone: how far the jaw drops, how round and how shut the lips are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.scene.faces.phones import PHONES, viseme_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CURVES", "PHONE_CURVES", "smoothed"]

CURVES: tuple[str, ...] = ("jaw", "rounding", "closure")
"""Curves that are heard directly, each 0..1."""

_JAW = {"sil": 0.0, "PP": 0.0, "FF": 0.1, "TH": 0.2, "DD": 0.2, "kk": 0.15, "CH": 0.2, "SS": 0.1,
        "nn": 0.15, "RR": 0.2, "aa": 0.6, "E": 0.35, "I": 0.2, "O": 0.35, "U": 0.15}  # fmt: skip
_ROUNDING = {"CH": 0.4, "RR": 0.4, "O": 0.7, "U": 1.0}
_CLOSURE = {"PP": 1.0}

PHONE_CURVES: NDArray[np.float32] = np.array(
    [[table.get(viseme_of(p), 0.0) for table in (_JAW, _ROUNDING, _CLOSURE)] for p in PHONES],
    np.float32,
)
"""(40, 3) value of each of `CURVES` in each of `PHONES`."""
PHONE_CURVES.flags.writeable = False


def smoothed(curves: NDArray[Any], rate: float, seconds: float = 0.11) -> NDArray[np.float32]:
    """Curves under a Hann window, as mouths move; ends are held.

    Parameters
    ----------
    curves
        (T, C).
    rate
        Rows a second.
    seconds
        Length of the window.
    """
    half = max(1, int(seconds * rate / 2.0))
    window = 0.5 + 0.5 * np.cos(2.0 * np.pi * np.arange(-half, half + 1) / (seconds * rate))
    window /= window.sum()
    padded = np.pad(np.asarray(curves, np.float64), ((half, half), (0, 0)), mode="edge")
    columns = [np.convolve(column, window, mode="valid") for column in padded.T]
    return np.stack(columns, axis=1).astype(np.float32)
