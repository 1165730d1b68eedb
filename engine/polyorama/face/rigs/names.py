"""What rigs call their shapes, and which channel each of them is."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.faces.channels import ARKIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

__all__ = ["canonical", "joined_shapes"]

_BY_FOLDED = {name.lower(): name for name in ARKIT}

# One channel that rigs split into two sides which are moved together.
_SPLIT = ("browInnerUp", "cheekPuff")

# Names of VRM, VRoid and of avatars of game engines that mean what a channel means.
_ALIASES: Mapping[str, str] = MappingProxyType({
    "blinkleft": "eyeBlinkLeft", "blinkright": "eyeBlinkRight",
    "vrcblinkleft": "eyeBlinkLeft", "vrcblinkright": "eyeBlinkRight",
    "fcleyecloseleft": "eyeBlinkLeft", "fcleyecloseright": "eyeBlinkRight",
    "winkleft": "eyeBlinkLeft", "winkright": "eyeBlinkRight",
})  # fmt: skip

# Used only where a rig has no shape of the channel's own name.
_FALLBACKS: Mapping[str, str] = MappingProxyType({
    "mouthopen": "jawOpen", "fclmtha": "jawOpen", "aa": "jawOpen", "a": "jawOpen",
    "fclmthu": "mouthPucker", "ou": "mouthPucker", "puckerlips": "mouthPucker",
    "fclbrwsurprised": "browInnerUp",
})  # fmt: skip

_SIDE = re.compile(r"[_.\- ](l|r|left|right)$", re.IGNORECASE)


def _folded(name: str) -> str:
    """A name without case, separators and what exporters put before it, its side spelt out."""
    text = name.rsplit(".", 1)[-1] if re.search(r"\.\w{3,}$", name) else name
    side = _SIDE.search(text)
    if side:
        text = text[: side.start()] + ("left" if side[1][0] in "lL" else "right")
    return re.sub(r"[^a-z0-9]", "", text.lower())


def canonical(name: str) -> str:
    """The channel of ARKit that a shape's name means, or "" where it means none.

    Understood are ARKit's names in any case, Live Link's, those with `_L` and `_R`, with separators
    or with the name of a mesh and a point before them, and some of VRM and VRoid. The two halves of
    a channel that has no sides, such as browInnerUp_L, mean that channel.
    """
    folded = _folded(name)
    if folded in _BY_FOLDED:
        return _BY_FOLDED[folded]
    for whole in _SPLIT:
        if folded in (f"{whole}left".lower(), f"{whole}right".lower()):
            return whole
    return _ALIASES.get(folded, "")


def joined_shapes(
    shapes: Iterable[tuple[str, NDArray[np.floating]]],
) -> dict[str, NDArray[np.float32]]:
    """Shapes by the channels they mean, in ARKit's order, then extras under their own names.

    Parameters
    ----------
    shapes
        Names and (V, 3) offsets. Halves of one channel are added; where a channel is there as a
        whole too, the halves stay extras.

    Returns
    -------
    (V, 3) float32 offsets by name; shapes that move nothing are left out.
    """
    given = [(n, np.asarray(d, np.float32)) for n, d in shapes if np.any(d)]
    whole = {canonical(n) for n, _ in given if _folded(n) in _BY_FOLDED}
    found: dict[str, NDArray[np.float32]] = {}
    extras: dict[str, NDArray[np.float32]] = {}
    for name, dense in given:
        channel = canonical(name)
        own = _folded(name) in _BY_FOLDED
        if not channel or (channel in whole and not own) or (own and channel in found):
            extras[_free(name, extras)] = dense
        elif channel in found and channel in _SPLIT:
            found[channel] = found[channel] + dense
        elif channel in found:
            extras[_free(name, extras)] = dense
        else:
            found[channel] = dense
    for name in list(extras):
        channel = _FALLBACKS.get(_folded(name), "")
        if channel and channel not in found:
            found[channel] = extras.pop(name)
    ordered = {name: found[name] for name in ARKIT if name in found}
    return ordered | {_free(name, ordered): dense for name, dense in extras.items()}


def _free(name: str, taken: Mapping[str, object]) -> str:
    """A name that is not taken: itself, or itself with a number."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free
