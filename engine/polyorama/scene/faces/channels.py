"""The channels of a face: ARKit's 52 shapes and three rotations of the head."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ARKIT", "CHANNELS", "CHANNEL_INDEX", "EMOTIONS", "HEAD", "LIVE_LINK", "REGIONS", "mirrored",
    "region_of",
]  # fmt: skip

ARKIT: tuple[str, ...] = (
    "eyeBlinkLeft", "eyeLookDownLeft", "eyeLookInLeft", "eyeLookOutLeft", "eyeLookUpLeft",
    "eyeSquintLeft", "eyeWideLeft",
    "eyeBlinkRight", "eyeLookDownRight", "eyeLookInRight", "eyeLookOutRight", "eyeLookUpRight",
    "eyeSquintRight", "eyeWideRight",
    "jawForward", "jawLeft", "jawRight", "jawOpen",
    "mouthClose", "mouthFunnel", "mouthPucker", "mouthLeft", "mouthRight",
    "mouthSmileLeft", "mouthSmileRight", "mouthFrownLeft", "mouthFrownRight",
    "mouthDimpleLeft", "mouthDimpleRight", "mouthStretchLeft", "mouthStretchRight",
    "mouthRollLower", "mouthRollUpper", "mouthShrugLower", "mouthShrugUpper",
    "mouthPressLeft", "mouthPressRight", "mouthLowerDownLeft", "mouthLowerDownRight",
    "mouthUpperUpLeft", "mouthUpperUpRight",
    "browDownLeft", "browDownRight", "browInnerUp", "browOuterUpLeft", "browOuterUpRight",
    "cheekPuff", "cheekSquintLeft", "cheekSquintRight", "noseSneerLeft", "noseSneerRight",
    "tongueOut",
)  # fmt: skip
"""ARKit's blendshapes, 0..1, in the order in which Live Link sends them. Left is the face's own."""

HEAD: tuple[str, ...] = ("headYaw", "headPitch", "headRoll")
"""Rotations of the head about the neck, radians: yaw turns the face to its own left, pitch lifts
the chin, roll tips the crown of the head towards the face's own left shoulder."""

CHANNELS: tuple[str, ...] = ARKIT + HEAD
"""All 55, the columns of a performance."""

CHANNEL_INDEX: Mapping[str, int] = MappingProxyType({name: i for i, name in enumerate(CHANNELS)})
"""Column of each channel."""

_EYES = ("LeftEyeYaw", "LeftEyePitch", "LeftEyeRoll",
         "RightEyeYaw", "RightEyePitch", "RightEyeRoll")  # fmt: skip

LIVE_LINK: tuple[str, ...] = (
    *(name[0].upper() + name[1:] for name in ARKIT), "HeadYaw", "HeadPitch", "HeadRoll", *_EYES,
)  # fmt: skip
"""The 61 values of Live Link Face, in the order of its packets."""

EMOTIONS: tuple[str, ...] = (
    "neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised",
)  # fmt: skip
"""The eight emotions, in RAVDESS's order."""


def _region(name: str) -> str:
    if name.startswith("brow"):
        return "brows"
    if name.startswith("eyeLook"):
        return "gaze"
    if name.startswith("eye"):
        return "lids"
    if name.startswith(("cheek", "nose")):
        return "cheeks"
    if name.startswith("jaw"):
        return "jaw"
    if name.startswith("mouth"):
        return "mouth"
    return "tongue" if name.startswith("tongue") else "head"


_ORDER = ("brows", "lids", "gaze", "cheeks", "mouth", "jaw", "tongue", "head")

REGIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {region: tuple(n for n in CHANNELS if _region(n) == region) for region in _ORDER}
)
"""Channels by region of the face, from top to bottom; each channel is in exactly one."""


def region_of(channel: str) -> str:
    """The region that a channel belongs to.

    Raises
    ------
    KeyError
        If there is no such channel.
    """
    if channel not in CHANNEL_INDEX:
        raise KeyError(channel)
    return _region(channel)


def mirrored(channel: str) -> str:
    """The same channel of the other side; itself where it has no side."""
    for one, other in (("Left", "Right"), ("Right", "Left")):
        if channel.endswith(one):
            return channel[: -len(one)] + other
    return channel
