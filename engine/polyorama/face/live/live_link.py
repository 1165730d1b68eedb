"""Live Link Face over UDP: one packet a frame, as Unreal's Live Link takes them.

A packet is int32 little-endian version 6; "$" and a UUID as 36 letters; int32 big-endian length of
the name in bytes and the name in UTF-8; big-endian int32 frame, float32 sub-frame, int32 frames a
second, int32 denominator; uint8 61; and 61 big-endian float32 in the order of `LIVE_LINK`.
"""

from __future__ import annotations

import math
import struct
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.exports.live_link_csv import live_link_values
from polyorama.scene.faces.channels import ARKIT, CHANNEL_INDEX, CHANNELS, HEAD, LIVE_LINK
from polyorama.scene.faces.performance import Performance

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PORT", "LivePacket", "packet_of", "read_packet"]

PORT = 11111
"""Where Live Link listens unless it is told otherwise."""
_VERSION = 6
_ID = 37
_LONGEST_NAME = 1024
_TIME = struct.Struct(">ifii")
_NO_FACE = 16
"""A packet that ends at or within this many bytes after the name carries no face."""


@dataclass(frozen=True, slots=True, eq=False)
class LivePacket:
    """What a packet says.

    Parameters
    ----------
    subject
        Name of the face.
    frame
        Number of the frame, and what has passed of it (0..1).
    fps
        Frames in a second.
    weights
        (55,) float32 as `CHANNELS`; None where the packet carries no face.
    device
        UUID of the sender.
    """

    subject: str
    frame: float
    fps: float
    weights: NDArray[np.float32] | None
    device: str = ""


def packet_of(
    weights: NDArray[np.floating], *, subject: str, device: str, time: float, fps: int = 60
) -> bytes:
    """A packet of a face.

    Parameters
    ----------
    weights
        (55,) as `CHANNELS`.
    subject
        Name under which the receiver shows it, at most 1024 bytes.
    device
        A UUID of 36 letters that stays the same while sending.
    time
        s since midnight, as time codes count.
    fps
        Frames in a second.

    Raises
    ------
    UsageError
        If the name is empty or too long, the device is no UUID, or there are not 55 weights.
    """
    name = subject.encode("utf-8", "replace")
    if not 0 < len(name) <= _LONGEST_NAME:
        raise UsageError(f"The name of a face that is sent has 1 to {_LONGEST_NAME} bytes.")
    if len(weights) != len(CHANNELS):
        raise UsageError(f"A face has {len(CHANNELS)} channels, not {len(weights)}.")
    try:
        identity = str(uuid.UUID(device))
    except ValueError as error:
        raise UsageError(f"The device of a sender is a UUID, not {device!r}.") from error
    values = live_link_values(Performance(np.asarray(weights, np.float32)[None]))[0]
    part, frame = math.modf(time * fps)
    return b"".join([
        struct.pack("<i", _VERSION), b"$", identity.encode("ascii"),
        struct.pack(">i", len(name)), name,
        _TIME.pack(int(frame), part, fps, 1), bytes([len(LIVE_LINK)]),
        values.astype(">f4").tobytes(),
    ])  # fmt: skip


def read_packet(data: bytes) -> LivePacket:
    """What a packet says.

    Raises
    ------
    UsageError
        If it is no packet of Live Link Face version 6, or cut short.
    """
    head = 4 + _ID + 4
    if len(data) < head or struct.unpack_from("<i", data)[0] != _VERSION or data[4:5] != b"$":
        raise UsageError("This is no packet of Live Link Face, version 6.")
    device = data[5 : 4 + _ID].decode("ascii", "replace")
    (length,) = struct.unpack_from(">i", data, 4 + _ID)
    if not 0 <= length <= min(_LONGEST_NAME, len(data) - head):
        raise UsageError("A packet of Live Link Face has a name longer than itself.")
    subject = data[head : head + length].decode("utf-8", "replace")
    rest = data[head + length :]
    if len(rest) <= _NO_FACE:
        return LivePacket(subject, 0.0, 60.0, None, device)
    frame, part, rate, denominator = _TIME.unpack_from(rest)
    count = rest[_TIME.size]
    values = rest[_TIME.size + 1 :]
    if count != len(LIVE_LINK) or len(values) < 4 * count:
        raise UsageError(f"A packet of Live Link Face carries {count} values, or is cut short.")
    row = np.frombuffer(values, ">f4", count).astype(np.float32)
    if not np.isfinite(row).all() or not math.isfinite(part):
        raise UsageError("A packet of Live Link Face carries values that are not finite.")
    weights = np.zeros(len(CHANNELS), np.float32)
    weights[: len(ARKIT)] = np.clip(row[: len(ARKIT)], 0.0, 1.0)
    first = CHANNEL_INDEX[HEAD[0]]
    weights[first:] = row[len(ARKIT) : len(ARKIT) + len(HEAD)]
    fps = rate / denominator if denominator > 0 and rate > 0 else 60.0
    return LivePacket(subject, frame + part, fps, weights, device)
