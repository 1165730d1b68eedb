"""Open Sound Control over UDP: one message a frame, or one a channel.

A message is its address and its type tags, each ended by a zero and filled up with zeros to a
multiple of four bytes, then big-endian arguments (Open Sound Control 1.0).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.faces.channels import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["OSC_PORT", "osc_bundle", "osc_message", "read_osc"]

OSC_PORT = 9000
"""Where receivers mostly listen."""
_NOW = struct.pack(">Q", 1)
"""The time tag that means at once."""


def _padded(text: str) -> bytes:
    data = text.encode("ascii") + b"\0"
    return data + b"\0" * (-len(data) % 4)


def osc_message(address: str, values: Sequence[float] | NDArray[np.floating]) -> bytes:
    """A message with float32 arguments.

    Raises
    ------
    UsageError
        If the address does not begin with a slash or is not ASCII.
    """
    if not address.startswith("/") or not address.isascii() or "\0" in address:
        raise UsageError(f"An address of OSC begins with a slash and is ASCII, not {address!r}.")
    numbers = np.asarray(values, np.float64)
    return _padded(address) + _padded("," + "f" * len(numbers)) + numbers.astype(">f4").tobytes()


def osc_bundle(weights: NDArray[np.floating], *, address: str = "/face") -> bytes:
    """All channels at once: ``/face/jawOpen 0.4`` and so on, one message each.

    Raises
    ------
    UsageError
        If there are not 55 weights, or as `osc_message`.
    """
    if len(weights) != len(CHANNELS):
        raise UsageError(f"A face has {len(CHANNELS)} channels, not {len(weights)}.")
    parts = [_padded("#bundle"), _NOW]
    for name, weight in zip(CHANNELS, weights, strict=True):
        message = osc_message(f"{address}/{name}", [weight])
        parts += [struct.pack(">i", len(message)), message]
    return b"".join(parts)


def read_osc(data: bytes) -> list[tuple[str, tuple[float, ...]]]:
    """The messages of a packet: addresses and float arguments; bundles are taken apart.

    Raises
    ------
    UsageError
        If it is damaged, or holds other arguments than float32.
    """
    if data.startswith(b"#bundle\0"):
        found, at = [], 16
        while at < len(data):
            if at + 4 > len(data):
                raise UsageError("A bundle of OSC is cut short.")
            (size,) = struct.unpack_from(">i", data, at)
            if not 0 < size <= len(data) - at - 4 or data[at + 4 : at + 5] != b"/":
                raise UsageError("A bundle of OSC is damaged.")
            found += read_osc(data[at + 4 : at + 4 + size])
            at += 4 + size
        return found
    address, at = _text(data, 0)
    tags, at = _text(data, at)
    count = len(tags) - 1
    if not address.startswith("/") or tags != "," + "f" * count or len(data) - at < 4 * count:
        raise UsageError("A message of OSC is damaged, or holds other arguments than float32.")
    return [(address, struct.unpack_from(f">{count}f", data, at))]


def _text(data: bytes, at: int) -> tuple[str, int]:
    end = data.find(b"\0", at)
    if end < 0:
        raise UsageError("A message of OSC is cut short.")
    return data[at:end].decode("ascii", "replace"), at + (end - at) // 4 * 4 + 4
