"""Keys by hand: smooth curves through values, faded at the ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.faces.channels import CHANNEL_INDEX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.faces.script import ChannelKeys

__all__ = ["apply_keys", "eased", "key_curve", "key_span", "monotone"]


def monotone(
    places: NDArray[np.float64], values: NDArray[np.float64], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A smooth curve through points that never passes beyond two neighbours; held at the ends.

    Cubic Hermite pieces whose slopes are those of Fritsch and Butland 1984.
    """
    if len(places) == 1:
        return np.full(len(at), values[0])
    steps = np.diff(places)
    secants = np.diff(values) / steps
    slopes = np.zeros(len(places))
    left, right = secants[:-1], secants[1:]
    same = left * right > 0.0
    one, other = 2.0 * steps[1:] + steps[:-1], steps[1:] + 2.0 * steps[:-1]
    inner = slopes[1:-1]
    inner[same] = (one + other)[same] / (one[same] / left[same] + other[same] / right[same])
    time = np.clip(at, places[0], places[-1])
    piece = np.clip(np.searchsorted(places, time, side="right") - 1, 0, len(steps) - 1)
    h = steps[piece]
    t = (time - places[piece]) / h
    return np.asarray(
        (1.0 + 2.0 * t) * (1.0 - t) ** 2 * values[piece]
        + t * t * (3.0 - 2.0 * t) * values[piece + 1]
        + h * t * (1.0 - t) ** 2 * slopes[piece]
        + h * t * t * (t - 1.0) * slopes[piece + 1]
    )


def eased(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """0..1 to 0..1 with no slope at the ends; held beyond."""
    share = np.clip(share, 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def key_span(keys: ChannelKeys) -> tuple[float, float]:
    """From when to when keys are felt, s."""
    return keys.times[0] - keys.fade, keys.times[-1] + keys.fade


def key_curve(
    keys: ChannelKeys, times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n,) values of keys and (n,) their share, 0..1, at times, s."""
    places, values = np.array(keys.times), np.array(keys.values)
    inside = (times >= places[0]) & (times <= places[-1])
    share = inside.astype(np.float64)
    if keys.fade > 0.0:
        outside = np.maximum(places[0] - times, times - places[-1])
        share = eased(1.0 - np.maximum(outside, 0.0) / keys.fade)
    return monotone(places, values, times), share


def apply_keys(
    weights: NDArray[np.float64], keys: Sequence[ChannelKeys], times: NDArray[np.float64]
) -> None:
    """Put keys over (n, 55) weights at times, s, in place and in order."""
    for curve in keys:
        start, end = key_span(curve)
        low, high = np.searchsorted(times, [start, np.nextafter(end, np.inf)])
        if low == high:
            continue
        values, share = key_curve(curve, times[low:high])
        column = weights[low:high, CHANNEL_INDEX[curve.channel]]
        if curve.mode == "add":
            column += share * values
        else:
            column += share * (values - column)
