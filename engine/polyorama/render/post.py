"""What happens to a float picture after it was drawn: exposure, bloom, vignette, tone mapping.

All of it works on linear light premultiplied by alpha, in that order; then the picture returns to
display values. What a compositor gets (EXR) is the linear picture before tone mapping.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for
from polyorama.errors import UsageError
from polyorama.render.light import to_display

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

__all__ = ["TONES", "Grade", "aces_like", "agx_like", "bloom", "grade_light", "show", "vignette"]


def _clipped(light: NDArray[np.float32]) -> NDArray[np.float32]:
    return light


def aces_like(light: NDArray[np.float32]) -> NDArray[np.float32]:
    """A filmic curve with the anchors of the ACES standard-range output: (..., 3) linear in, out.

    y = c x^n / (x^n + s^n) for each channel, with n = 1.7214, s = 0.647 and c = 1.0041, which sends
    middle grey 0.18 to 0.10 with a slope of 1.55 (log over log), and 16.3 to 1. Before it every
    channel takes 6 % of the mean of the three, so that bright colours pale.
    """
    n, s, c = 1.7214, 0.647, 1.0041
    mixed = _toward_mean(np.maximum(light, np.float32(0.0)), 0.06)
    powered = mixed ** np.float32(n)
    return np.asarray(c * powered / (powered + np.float32(s**n)), np.float32)


def agx_like(light: NDArray[np.float32]) -> NDArray[np.float32]:
    """A soft curve that keeps colours from turning garish: (..., 3) linear in, linear out.

    Every channel takes 18 % of the mean of the three; then x is placed on a logarithmic scale from
    10 stops below middle grey (0.18) to 6.5 stops above, t in 0..1; then a curve with slope 2.4 at
    grey (t0 = 10/16.5, y0 = 0.18^(1/2.2)) bends both ends,

        y = y0 + r h(2.4 (t - t0) / r),   h(u) = u / (1 + |u|^p)^(1/p),

    with p = 2.6 above grey and p = 2 below, and r such that the ends are 1 and 0; then y^2.2 is
    linear light again, and 14 % of the mean is taken out of every channel.
    """
    mixed = _toward_mean(np.maximum(light, np.float32(0.0)), 0.18)
    stops = np.log2(np.maximum(mixed, np.float32(1e-10)) / np.float32(0.18))
    t0, y0, slope = 10.0 / 16.5, 0.18 ** (1.0 / 2.2), 2.4
    rise = slope * (np.clip((stops + 10.0) / 16.5, 0.0, 1.0) - t0)
    above = rise > 0
    power = np.where(above, 2.6, 2.0).astype(np.float32)
    room = np.where(
        above, _room(slope * (1.0 - t0), 1.0 - y0, 2.6), _room(slope * t0, y0, 2.0)
    ).astype(np.float32)
    u = rise / room
    curve = y0 + room * u / (1.0 + np.abs(u) ** power) ** (1.0 / power)
    linear = np.clip(curve, 0.0, 1.0) ** np.float32(2.2)
    mean = linear.mean(axis=-1, keepdims=True)
    return np.asarray(np.clip(mean + (linear - mean) / 0.86, 0.0, 1.0), np.float32)


def _room(run: float, rise: float, power: float) -> float:
    """The r for which r h(run / r) is `rise`."""
    return float(run / ((run / rise) ** power - 1.0) ** (1.0 / power))


def _toward_mean(light: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    mean = light.mean(axis=-1, keepdims=True, dtype=np.float32)
    return np.asarray(light + np.float32(share) * (mean - light), np.float32)


TONES: Mapping[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    "linear": _clipped,
    "aces": aces_like,
    "agx": agx_like,
}
"""Tone curves by name, linear light to linear light; "linear" only cuts off what is too bright."""

_BLOOM_SIGMAS = ((0.004, 0.40), (0.012, 0.30), (0.035, 0.20), (0.09, 0.10))
"""Widths of the glow as shares of the picture's height, and how much of it each carries."""
_BLOOM_KNEE = (0.55, 0.95)
"""Linear brightness at which glowing begins, and at which all light glows."""
_CELLS_PER_SIGMA = 6.0
_SIGMAS = 3.5
"""How far a Gaussian reaches: what lies beyond is 0.2 % of its middle."""


@dataclass(frozen=True, slots=True)
class Grade:
    """How a picture is developed.

    Parameters
    ----------
    exposure
        Stops: light is multiplied by 2 to this power, -20 to 20.
    bloom
        Strength of the glow around what is bright, 0 to 1.
    vignette
        How much darker the corners are, 0 to 1.
    tone
        "linear", "aces" or "agx".

    Raises
    ------
    UsageError
        If a number is out of range or the tone curve is unknown.
    """

    exposure: float = 0.0
    bloom: float = 0.0
    vignette: float = 0.0
    tone: str = "linear"

    def __post_init__(self) -> None:
        if not -20.0 <= self.exposure <= 20.0:
            raise UsageError(f"An exposure of {self.exposure:g} stops is not -20 to 20.")
        for name in ("bloom", "vignette"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(f"A {name} of {getattr(self, name):g} is not 0 to 1.")
        if self.tone not in TONES:
            raise UsageError(f"There is no tone curve {self.tone!r}; choose {', '.join(TONES)}.")

    @property
    def is_plain(self) -> bool:
        """Whether it changes nothing."""
        return self == Grade()


def grade_light(
    linear: NDArray[np.float32], grade: Grade, *, wraps: bool = False
) -> NDArray[np.float32]:
    """Exposure, bloom and vignette: (H, W, 4) float32 linear premultiplied, in and out.

    Parameters
    ----------
    wraps
        Whether the left edge continues at the right, as in a full panorama.
    """
    out = np.array(linear, np.float32)
    if grade.exposure:
        out[..., :3] *= np.float32(2.0**grade.exposure)
    if grade.bloom:
        out = bloom(out, grade.bloom, wraps=wraps)
    if grade.vignette:
        out = vignette(out, grade.vignette)
    return out


def show(linear: NDArray[np.float32], tone: str = "linear") -> NDArray[np.float32]:
    """Tone mapping and the way back: (H, W, 4) display values premultiplied by alpha."""
    if tone != "linear":
        alpha = linear[..., 3:]
        safe = np.where(alpha > 0.0, alpha, np.float32(1.0))
        mapped = linear.copy()
        mapped[..., :3] = TONES[tone](np.asarray(linear[..., :3] / safe, np.float32)) * alpha
        linear = mapped
    return to_display(linear)


def vignette(linear: NDArray[np.float32], strength: float) -> NDArray[np.float32]:
    """Darken towards the corners; alpha stays.

    The factor is 1 - strength w(r) / w(1), w = 1 - 1 / (1 + r^2)^2, the fourth power of the cosine
    behind a lens, with r = 1 in the corners.
    """
    height, width = linear.shape[:2]
    y = (np.arange(height) + 0.5) / height * 2.0 - 1.0
    x = (np.arange(width) + 0.5) / width * 2.0 - 1.0
    diagonal = height * height + width * width
    square = ((y * height) ** 2)[:, None] / diagonal + ((x * width) ** 2)[None, :] / diagonal
    factor = 1.0 - strength * (1.0 - (1.0 + square) ** -2) / 0.75
    out = linear.copy()
    out[..., :3] *= factor[..., None].astype(np.float32)
    return out


def bloom(
    linear: NDArray[np.float32], strength: float, *, wraps: bool = False
) -> NDArray[np.float32]:
    """Let bright light spread: four Gaussians, wide as shares of the height, added to the picture.

    Light glows from a brightness (its largest channel) of 0.55 on and wholly from 0.95. Glow that
    falls on clear pixels makes them as opaque as it is bright, so that it stays when the picture
    is laid over another.

    Parameters
    ----------
    linear
        (H, W, 4) float32, linear, premultiplied.
    strength
        0 to 1: the share of glowing light that spreads.
    wraps
        Whether the left edge continues at the right.
    """
    height = linear.shape[0]
    brightness = linear[..., :3].max(axis=-1, keepdims=True)
    low, high = _BLOOM_KNEE
    ramp = np.clip((brightness - low) / np.float32(high - low), 0.0, 1.0)
    source = linear[..., :3] * (ramp * ramp * (3.0 - 2.0 * ramp))
    glow = np.zeros_like(source)
    for share, weight in _BLOOM_SIGMAS:
        glow += np.float32(weight * strength) * _blurred(source, share * height, wraps)
    added = np.clip(glow.max(axis=-1), 0.0, 1.0)
    out = linear.copy()
    out[..., :3] += glow
    out[..., 3] = 1.0 - (1.0 - linear[..., 3]) * (1.0 - added)
    return out


def _blurred(image: NDArray[np.float32], sigma: float, wraps: bool) -> NDArray[np.float32]:
    """Gaussian blur of (H, W, 3), `sigma` in pixels; wide ones at a lower resolution.

    Pixels are shared out among coarse cells by the same tent that brings them back, so that light
    stays where it is and a glow does not jump from cell to cell when its lamp moves by a pixel.
    Beyond the picture there is no light, except where it wraps.
    """
    height, width = image.shape[:2]
    factor = max(1, int(sigma / _CELLS_PER_SIGMA))
    # Both tents blur a little already: by the mean of what they spread a pixel, twice.
    at = np.abs((np.arange(factor) + 0.5) / factor - 0.5)
    spread = 2.0 * factor * factor * float((at * (1.0 - at)).mean())
    left = float(np.sqrt(sigma * sigma - spread)) / factor if factor > 1 else sigma
    reach = int(np.ceil(_SIGMAS * left))
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(left, 1e-6)) ** 2)
    taps = (taps / taps.sum()).astype(np.float32)

    def along_rows(pixels: NDArray[np.float32], round_: bool) -> NDArray[np.float32]:
        # A cell more on each side than cover the picture: its edges lie between two.
        cells = -(-pixels.shape[0] // factor) + 2
        small = np.empty((cells + 2 * reach, *pixels.shape[1:]), np.float32)
        _over(lambda _, a, b: _reduce_rows(a, b, pixels, small, factor, reach + 1, round_),
              len(small))  # fmt: skip
        out = np.empty((cells, *pixels.shape[1:]), np.float32)
        _over(lambda _, a, b: _convolve_rows(a, b, small, taps, out), cells)
        return np.ascontiguousarray(out.transpose(1, 0, 2))

    cells = along_rows(along_rows(np.ascontiguousarray(image), False), wraps)
    out = np.empty((height, width, 3), np.float32)
    _over(lambda _, a, b: _enlarge_rows(a, b, cells, out, factor), height)
    return out


def _over(task: Callable[[int, int, int], None], rows: int) -> None:
    parallel_for(task, rows, 4 * core_count())


@kernel
def _reduce_rows(
    start: int,
    stop: int,
    image: NDArray[np.float32],
    out: NDArray[np.float32],
    factor: int,
    before: int,
    wraps: bool,
) -> None:
    """Cells of `factor` rows, each a tent two cells wide, the first `before` cells before row 0."""
    height = image.shape[0]
    for cell in range(start, stop):
        center = (cell - before + 0.5) * factor - 0.5
        out[cell] = np.float32(0.0)
        for at in range(int(np.ceil(center - factor)), int(np.floor(center + factor)) + 1):
            weight = np.float32((1.0 - abs(at - center) / factor) / factor)
            inside = 0 <= at < height
            if weight <= np.float32(0.0) or not (inside or wraps):
                continue
            y = at if inside else at % height
            for x in range(image.shape[1]):
                for c in range(3):
                    out[cell, x, c] += weight * image[y, x, c]


@kernel
def _convolve_rows(
    start: int,
    stop: int,
    image: NDArray[np.float32],
    taps: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    for y in range(start, stop):
        for x in range(image.shape[1]):
            for c in range(3):
                out[y, x, c] = taps[0] * image[y, x, c]
        for k in range(1, len(taps)):
            for x in range(image.shape[1]):
                for c in range(3):
                    out[y, x, c] += taps[k] * image[y + k, x, c]


@kernel
def _enlarge_rows(
    start: int, stop: int, small: NDArray[np.float32], out: NDArray[np.float32], factor: int
) -> None:
    """Bilinear; out pixel i lies at (i + 0.5) / factor + 0.5 of the cells, see `_blurred`."""
    for y in range(start, stop):
        v = (y + 0.5) / factor + 0.5
        top = int(v)
        below, fy = top + 1, np.float32(v - top)
        for x in range(out.shape[1]):
            u = (x + 0.5) / factor + 0.5
            left = int(u)
            right, fx = left + 1, np.float32(u - left)
            for c in range(3):
                upper = small[top, left, c] + fx * (small[top, right, c] - small[top, left, c])
                lower = small[below, left, c] + fx * (
                    small[below, right, c] - small[below, left, c]
                )
                out[y, x, c] = upper + fy * (lower - upper)
