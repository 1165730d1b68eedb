"""Sliders: what a style does to weights, whatever source they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS, HEAD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.faces.script import FaceStyle

__all__ = ["limited", "styled"]

_SHAPED = ("mouthFunnel", "mouthPucker", "mouthStretch", "mouthRoll", "mouthShrug", "mouthUpperUp",
           "mouthLowerDown", "mouthDimple")  # fmt: skip
"""What lips do to speak; smiles and frowns belong to feelings."""
_GROUPS = {
    "jaw": ("jawOpen", "mouthClose"),
    "lips": _SHAPED,
    "brows": ("brow",),
    "lids": ("eyeSquint", "eyeWide"),
    "cheeks": ("cheek", "nose"),
    "tongue": ("tongue",),
}
_COLUMNS = {
    field: np.array([i for i, name in enumerate(CHANNELS) if name.startswith(stems)], np.int64)
    for field, stems in _GROUPS.items()
}
_SIDES = {
    side: np.array(
        [i for i, name in enumerate(CHANNELS)
         if name.endswith(side) and not name.startswith(("eyeLook", "eyeBlink"))
         and name not in ("jawLeft", "jawRight", "mouthLeft", "mouthRight")], np.int64)
    for side in ("Left", "Right")
}  # fmt: skip
_BLINKS = [CHANNEL_INDEX["eyeBlinkLeft"], CHANNEL_INDEX["eyeBlinkRight"]]
_WIDES = [CHANNEL_INDEX["eyeWideLeft"], CHANNEL_INDEX["eyeWideRight"]]
_PARTS = [CHANNEL_INDEX[n] for n in ("mouthUpperUpLeft", "mouthUpperUpRight",
                                     "mouthLowerDownLeft", "mouthLowerDownRight")]  # fmt: skip
_PRESSES = [CHANNEL_INDEX["mouthPressLeft"], CHANNEL_INDEX["mouthPressRight"]]
_SHAPES = len(CHANNELS) - len(HEAD)


def styled(weights: NDArray[np.float64], style: FaceStyle, asymmetry: float = 0.0) -> None:
    """Apply strengths of regions, asymmetry and offsets to (n, 55) weights, in place.

    `asymmetry` is added to that of the style: a person's own.
    """
    for field, columns in _COLUMNS.items():
        gain = float(getattr(style, field))
        if gain != 1.0:
            weights[:, columns] *= gain
    skew = float(np.clip(style.asymmetry + asymmetry, -1.0, 1.0))
    if skew != 0.0:
        weights[:, _SIDES["Left"]] *= 1.0 + 0.6 * skew
        weights[:, _SIDES["Right"]] *= 1.0 - 0.6 * skew
    if style.lid_offset != 0.0:
        weights[:, _BLINKS] += max(-style.lid_offset, 0.0)
        weights[:, _WIDES] += max(style.lid_offset, 0.0)
    if style.lip_offset != 0.0:
        weights[:, _PARTS] += max(style.lip_offset, 0.0)
        weights[:, _PRESSES] += max(-style.lip_offset, 0.0)


def limited(weights: NDArray[np.float64]) -> None:
    """Hold the shapes of (n, 55) weights to 0..1, in place."""
    np.clip(weights[:, :_SHAPES], 0.0, 1.0, out=weights[:, :_SHAPES])
