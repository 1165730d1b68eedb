"""The linter: what is wrong, risky or wasteful in a cloud, and what to do about it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyorama.core.text import count_of
from polyorama.scene.statistics import axis_quantiles, overdraw, robust_bounds
from polyorama.scene.upright import estimate_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = [
    "Finding",
    "Severity",
    "colors_look_unconverted",
    "lint",
    "opacities_look_converted",
    "scales_look_linear",
]

Severity = Literal["error", "warning", "note"]

_LISTED = 20
_NEARLY_ALL = 0.999
_OVERDRAW_LIMIT = 60.0
_GIANT = 0.5
_NEEDLE = 100.0
_FAR = 3.0
_NUMBERED = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
_SPZ_LOG_SCALE = (-10.0, 5.94)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the linter noticed.

    Parameters
    ----------
    code
        Short, stable name for scripts.
    severity
        "error": a wrong picture or none; "warning": looks wrong or loses data somewhere; "note".
    count
        How many splats it concerns.
    indices
        The first of them, at most 20; empty where it concerns the cloud as a whole.
    text
        What was found, a sentence.
    advice
        What to do, a sentence; "" for nothing.
    """

    code: str
    severity: Severity
    count: int
    indices: tuple[int, ...]
    text: str
    advice: str = ""


def scales_look_linear(cloud: SplatCloud) -> bool:
    """Whether a file held linear scales where logarithms belong, so that all became exp(scale).

    Then no scale is below 1, and either the typical splat is larger than the scene, or the scales
    crowd closely above 1 although their logarithms are as spread out as true scales are.
    """
    scales = cloud.scales[np.isfinite(cloud.scales).all(axis=1)]
    if len(scales) == 0 or float(np.mean(scales >= np.float32(1.0))) < _NEARLY_ALL:
        return False
    low, middle, high = np.quantile(scales, [0.05, 0.5, 0.95])
    if middle > _extent(cloud):
        return True
    return bool(low > 1.0 and high / low < 0.25 * np.log(high) / np.log(low))


def opacities_look_converted(cloud: SplatCloud) -> bool:
    """Whether a file held opacities of 0 to 1 where logits belong: all are now 0.5 to 0.7311."""
    opacities = cloud.opacities[np.isfinite(cloud.opacities)]
    if len(opacities) < 8 or np.ptp(opacities) == 0.0:
        return False
    inside = (opacities >= 0.4999) & (opacities <= 0.7312)
    return float(np.mean(inside)) >= _NEARLY_ALL


def colors_look_unconverted(cloud: SplatCloud) -> bool:
    """Whether a file held colours of 0 to 1 where DC coefficients belong: all are 0.5 to 0.782."""
    colors = cloud.colors[np.isfinite(cloud.colors).all(axis=1)]
    if len(colors) < 8 or float(np.ptp(colors, axis=0).max()) == 0.0:
        return False
    inside = ((colors >= 0.4999) & (colors <= 0.7823)).all(axis=1)
    return float(np.mean(inside)) >= _NEARLY_ALL


@np.errstate(all="ignore")  # what overflows or is NaN here is what it looks for
def lint(cloud: SplatCloud) -> list[Finding]:
    """Examine a cloud; errors come first, then warnings, then notes."""
    if len(cloud) == 0:
        return [Finding("empty", "error", 0, (), "There are no splats.")]
    found = [
        *_broken(cloud),
        *_conventions(cloud),
        *_shapes(cloud),
        *_ranges(cloud),
        *_waste(cloud),
    ]
    order = {"error": 0, "warning": 1, "note": 2}
    return sorted(found, key=lambda finding: order[finding.severity])


def _rows(
    code: str, severity: Severity, mask: NDArray[np.bool_] | np.bool_, text: str, advice: str = ""
) -> list[Finding]:
    """A finding about the rows in `mask` (N,), or none; `text` follows their number.

    Words that depend on the number are written ``[one|many]``.
    """
    rows = np.flatnonzero(mask)
    if len(rows) == 0:
        return []
    listed = tuple(int(row) for row in rows[:_LISTED])
    sentence = f"{count_of(len(rows), 'splat')} {text}."
    form = 1 if len(rows) == 1 else 2
    said, told = (_NUMBERED.sub(lambda match: match[form], words) for words in (sentence, advice))
    return [Finding(code, severity, len(rows), listed, said, told)]


def _broken(cloud: SplatCloud) -> list[Finding]:
    finite_means = np.isfinite(cloud.means).all(axis=1)
    others = np.isnan(cloud.scales).any(axis=1) | np.isnan(cloud.opacities)
    others |= ~np.isfinite(cloud.quats).all(axis=1) | ~np.isfinite(cloud.sh).all(axis=(1, 2))
    squared = (cloud.quats.astype(np.float64) ** 2).sum(axis=1)
    long = (np.abs(squared - 1.0) > 2e-3) & (squared > 0.0) & np.isfinite(squared)
    drop = "Drop [it|them] with convert --repair."
    return [
        *_rows("position-not-finite", "error", ~finite_means,
               "[has|have] NaN or infinity in the position", drop),
        *_rows("value-not-finite", "error", others,
               "[has|have] NaN in scale, rotation, opacity or colour", drop),
        *_rows("scale-infinite", "error", np.isinf(cloud.scales).any(axis=1),
               "[has|have] an infinite scale", drop),
        *_rows("scale-negative", "error", (cloud.scales < 0.0).any(axis=1),
               "[has|have] a negative scale", "Drop the sign with convert --repair."),
        *_rows("opacity-range", "error", (cloud.opacities < 0.0) | (cloud.opacities > 1.0),
               "[has|have] an opacity below 0 or above 1", "Cut to 0 and 1 with convert --repair."),
        *_rows("quaternion-zero", "error", squared == 0.0, "[has|have] a rotation of length zero",
               "Set [it|them] to no rotation with convert --repair."),
        *_rows("quaternion-length", "note", long,
               "[has|have] a quaternion that is not of length one",
               "Drawing is not affected; convert --repair normalises [it|them]."),
    ]  # fmt: skip


def _conventions(cloud: SplatCloud) -> list[Finding]:
    found: list[Finding] = []
    count = len(cloud)
    if scales_look_linear(cloud):
        found.append(Finding(
            "scales-linear", "error", count, (),
            "The scales look as if the file held them linearly where logarithms belong.",
            "Convert them with convert --repair.",
        ))  # fmt: skip
    if opacities_look_converted(cloud):
        found.append(Finding(
            "opacities-converted", "error", count, (),
            "The opacities look as if the file held 0 to 1 where logits belong.",
            "Convert them with convert --repair.",
        ))  # fmt: skip
    if colors_look_unconverted(cloud):
        found.append(Finding(
            "colors-unconverted", "warning", count, (),
            "The colours look as if the file held RGB where DC coefficients belong.",
            "Convert them with convert --repair.",
        ))  # fmt: skip
    up, confidence = estimate_up(cloud)
    if cloud.up is None and confidence > 0.75 and up[1] > -0.7:
        axis = int(np.argmax(np.abs(up)))
        name = f"{'+' if up[axis] > 0 else '-'}{'xyz'[axis]}"
        found.append(Finding(
            "axes", "warning", count, (),
            f"Up seems to be {name} (confidence {confidence:.0%}); such files mostly have -y up.",
            "If viewers show it lying or upside down, use convert --up-to=-y.",
        ))  # fmt: skip
    if cloud.model != "default":
        what = {"antialiased": "with mip filtering", "2dgs": "as flat 2D Gaussians"}[cloud.model]
        found.append(Finding(
            "model", "note", count, (),
            f"It was trained {what}; formats that cannot say so will be drawn differently.",
        ))  # fmt: skip
    return found


def _shapes(cloud: SplatCloud) -> list[Finding]:
    box = robust_bounds(cloud.means, 0.05)
    extent = max(_extent(cloud), 1e-30)
    ordered = np.sort(cloud.scales, axis=1)
    needle = ordered[:, 2] > _NEEDLE * ordered[:, 1]
    visible = cloud.opacities > 1.0 / 255.0
    margin = _FAR * max(box.diagonal, 1e-30)
    outside = ((cloud.means < box.low - margin) | (cloud.means > box.high + margin)).any(axis=1)
    outside &= np.isfinite(cloud.means).all(axis=1)
    inside = ",".join(f"{value:.6g}" for value in (*(box.low - margin), *(box.high + margin)))
    giant = (3.0 * ordered[:, 2] > _GIANT * extent) & np.isfinite(ordered[:, 2]) & visible
    # Rounded down, so that the rule catches all that was found.
    largest = _rounded_down(_GIANT * extent / 3.0)
    found = [
        *_rows("giant", "warning", giant,
               f"[reaches|reach] over half of the scene (scale above {largest})",
               f'Drop [it|them] with convert --where "max(scale) > {largest}" if [it is|they are] '
               "no sky."),
        *_rows("needle", "warning", needle & visible,
               f"[is a needle|are needles], over {_NEEDLE:.0f} times longer than wide",
               f'Drop [it|them] with convert --where "needle > {_NEEDLE:.0f}" if [it shows|they '
               "show]."),
        *_rows("far", "warning", outside, "[lies|lie] far outside the scene",
               f"Drop [it|them] with convert --crop-box {inside}."),
    ]  # fmt: skip
    if not scales_look_linear(cloud):
        layers = overdraw(cloud)
        if layers > _OVERDRAW_LIMIT:
            found.append(Finding(
                "overdraw", "warning", len(cloud), (),
                f"A pixel is covered by about {layers:.0f} splats, which draws slowly.",
                "Reduce that with convert --decimate 50% or drop large, faint splats.",
            ))  # fmt: skip
    return found


def _ranges(cloud: SplatCloud) -> list[Finding]:
    logs = np.log(cloud.scales)
    dc = cloud.sh[:, 0]
    rest = np.abs(cloud.sh[:, 1:])
    flat = cloud.scales == 0.0
    spz_scale = (logs < _SPZ_LOG_SCALE[0]) | (logs > _SPZ_LOG_SCALE[1])
    zero = flat.any(axis=1) & (cloud.model != "2dgs")
    finite = np.isfinite(logs)
    return [
        *_rows("scale-zero", "warning", zero, "[has|have] a scale of zero (a logarithm of -inf)",
               "Compressed PLY, spz and sog clamp it; ours and most viewers draw it."),
        *_rows("range-position", "warning", (np.abs(cloud.means) > 2047.0).any(axis=1),
               "[lies|lie] beyond 2047 units, where spz needs coarser steps",
               "Scale the scene down with convert --scale before writing spz."),
        *_rows("range-scale", "warning", (spz_scale & finite).any(axis=1),
               "[has|have] a scale outside what spz can hold (4.5e-5 to 380)",
               "spz clamps [it|them]; other formats keep [it|them]."),
        *_rows("range-color", "warning", (np.abs(dc) > 3.34).any(axis=1),
               "[has|have] a base colour outside what spz can hold (-0.44 to 1.44)",
               "spz clamps [it|them]; PLY, GLB and sog keep [it|them]."),
        *_rows("range-sh", "warning", (rest > 1.0).any(axis=(1, 2)),
               "[has|have] harmonics above 1, which spz cuts (compressed PLY cuts above 4)",
               "Write PLY, GLB or sog to keep them."),
    ]  # fmt: skip


def _waste(cloud: SplatCloud) -> list[Finding]:
    found = _rows(
        "faint", "note", cloud.opacities < 1.0 / 255.0,
        "[is|are] fainter than 1/255 and never drawn",
        'Drop [it|them] with convert --where "opacity < 1/255".',
    )  # fmt: skip
    found += _rows(
        "duplicate",
        "note",
        _duplicates(cloud),
        "[is an exact copy|are exact copies] of an earlier one",
    )
    used = np.flatnonzero(cloud.sh.any(axis=(0, 2)))
    needed = 0 if len(used) == 0 else int(np.sqrt(used[-1]))
    if needed < cloud.sh_degree:
        found.append(Finding(
            "sh-unused", "note", len(cloud), (),
            f"The harmonics above degree {needed} are all zero.",
            f"Leave them out with convert --sh-degree {needed}.",
        ))  # fmt: skip
    return found


def _duplicates(cloud: SplatCloud) -> NDArray[np.bool_]:
    """(N,) which splats have the position, scale, rotation, opacity and colour of an earlier one.

    Rows are compared by two independent 64-bit sums of their bits, which costs no sort of rows.
    """
    columns = np.concatenate(
        [cloud.means, cloud.scales, cloud.quats, cloud.opacities[:, None], cloud.sh[:, 0]], axis=1
    )
    bits = np.ascontiguousarray(columns).view(np.uint32).astype(np.uint64)
    factors = np.random.default_rng(7).integers(1, 1 << 63, (bits.shape[1], 2), np.uint64) | 1
    keys = [(bits * factors[:, k]).sum(axis=1, dtype=np.uint64) for k in range(2)]
    order = np.lexsort((np.arange(len(cloud)), keys[1], keys[0]))
    same = (keys[0][order][1:] == keys[0][order][:-1]) & (keys[1][order][1:] == keys[1][order][:-1])
    repeated = np.zeros(len(cloud), np.bool_)
    repeated[order[1:][same]] = True
    return repeated


def _rounded_down(value: float) -> str:
    """A positive number in three digits, not above it."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return f"{math.floor(value / unit) * unit:.3g}"


def _extent(cloud: SplatCloud) -> float:
    """Diagonal of the box of the middle 90 % of the positions."""
    finite = cloud.means[np.isfinite(cloud.means).all(axis=1)]
    if len(finite) == 0:
        return 0.0
    low, high = axis_quantiles(finite, [0.05, 0.95])
    return float(np.linalg.norm(high - low))
