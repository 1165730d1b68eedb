"""What is said of models of which only the name is known: the name, and colours that are seen."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING

import numpy as np

from polyorama.render.shading import albedo_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["captions_of", "color_name", "color_words"]

_LEAST_SHARE = 0.3
"""Of the surface, from which a colour is worth naming."""
_SAMPLES = 2000
_HUES = (
    (15, "red"), (42, "orange"), (68, "yellow"), (165, "green"), (200, "turquoise"), (260, "blue"),
    (292, "purple"), (335, "pink"), (361, "red"),
)  # fmt: skip


def color_name(rgb: NDArray[np.floating]) -> str:
    """The plain English name of a display RGB colour, 0..1."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*(float(c) for c in rgb))
    value = float(max(rgb))
    chroma = value - float(min(rgb))
    if value < 0.17:
        return "black"
    if chroma < 0.09 or saturation < 0.12:
        return "white" if lightness > 0.83 else "dark grey" if lightness < 0.35 else "grey"
    degrees = hue * 360.0
    if (12 <= degrees < 45 and (value < 0.68 or saturation < 0.42)) or (
        degrees < 12 and value < 0.45
    ):
        return "brown" if lightness < 0.6 else "beige"
    return next(name for limit, name in _HUES if degrees < limit)


def color_words(mesh: Mesh) -> tuple[str, ...]:
    """At most two colours that cover much of a surface, the commonest first."""
    corners = mesh.vertices[mesh.triangles].astype(np.float64)
    areas = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    total = float(np.nan_to_num(areas).sum())
    if total <= 0.0:
        return ()
    generator = np.random.default_rng(0)
    ids = generator.choice(len(areas), _SAMPLES, p=np.nan_to_num(areas) / total).astype(np.int32)
    weights = generator.dirichlet((1.0, 1.0, 1.0), _SAMPLES).astype(np.float32)
    colors, _, _ = albedo_at(mesh, ids, weights)
    names, counts = np.unique([color_name(color) for color in colors], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:2]
    return tuple(str(names[i]) for i in order if counts[i] >= _LEAST_SHARE * _SAMPLES)


def captions_of(name: str, colors: tuple[str, ...]) -> tuple[str, ...]:
    """Phrases for a name in plain words and the colours that were seen, the bare name often."""
    phrases = [name, name, f"a {name}", f"3D model of a {name}", f"low poly {name}"]
    if colors:
        phrases += [f"{colors[0]} {name}", f"a {colors[0]} {name}"]
    if len(colors) > 1:
        phrases.append(f"a {name}, {colors[0]} and {colors[1]}")
    words = name.split()
    if len(words) > 1:
        # Names go from the general to the special or back: each end alone is half true.
        phrases.append(words[-1] if len(words[-1]) > 3 else name)
    return tuple(phrases)
