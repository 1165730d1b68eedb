"""The whole stage: every thing a named node, lit and turned into clouds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.types import Camera
from polyorama.scene.document import Document, Node
from polyorama.scene.morton import morton_order
from polyorama.scene.rotations import quaternions
from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.verbs.theatre import cloth, glow, props, scenery, stage
from polyorama.verbs.theatre.light import Lamp, lit_colors, occluders
from polyorama.verbs.theatre.paint import hex_light
from polyorama.verbs.theatre.paper import backed, rim
from polyorama.verbs.theatre.sheets import shifted
from polyorama.verbs.theatre.stipple import Dabs, joined, stipple

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.core.jobs import Job
    from polyorama.verbs.theatre.sheets import Sheet

__all__ = ["SEED", "build_theatre", "cloud_of", "theatre_camera"]

Array = Any

SEED = 1
_OPACITY = 0.985
_FLAT = 0.12
"""Thickness of a dab over its smaller radius."""

_BACKGROUND = (0.078, 0.068, 0.125)

EYE, TARGET, FOV = (0.0, 1.82, 7.2), (0.0, 1.2, -0.35), 30.4


@dataclass(frozen=True, slots=True)
class _Thing:
    """A node to come: its name, group, sheets, how many dabs it gets, and their sizes."""

    name: str
    group: str
    make: Callable[[], list[Sheet]]
    count: int
    finest: float = 0.0044
    widest: float = 0.05
    extra: Callable[[int], Dabs] | None = None
    casters: Callable[[], list[Sheet]] = field(default=list)


def _foliage(seed: int) -> Dabs:
    return props.foliage(4800, seed)


_THINGS = (
    _Thing("sky", "scenery", scenery.sky, 4600, 0.007, 0.03),
    _Thing("moon", "scenery", scenery.moon, 2000),
    _Thing("clouds", "scenery", scenery.clouds, 6200),
    _Thing("town", "scenery", scenery.town, 12000),
    _Thing("hills", "scenery", scenery.hills, 7600),
    _Thing("forest", "scenery", scenery.forest, 10000),
    _Thing("stars", "scenery", scenery.hanging_stars, 1300),
    _Thing("floor", "house", stage.floor, 12000),
    _Thing("plinth", "house", stage.plinth, 8200),
    _Thing("wall", "house", stage.arch_wall, 13000),
    _Thing("arch", "house", stage.arch_frame, 12200),
    _Thing("columns", "house", stage.columns, 8000),
    _Thing("crest", "house", stage.crest, 4600),
    _Thing("lamp row", "house", stage.lamp_row, 1000),
    _Thing("footlights", "house", stage.foot_lamps, 2600),
    _Thing("left curtain", "curtains", lambda: cloth.curtain(-1), 8600),
    _Thing("right curtain", "curtains", lambda: cloth.curtain(1), 8600),
    _Thing("left tie-back", "curtains", lambda: cloth.tie_back(-1), 1500),
    _Thing("right tie-back", "curtains", lambda: cloth.tie_back(1), 1500),
    _Thing("valance", "curtains", cloth.valance, 9800),
    _Thing("table", "props", props.table, 7000),
    _Thing("teapot", "props", props.teapot, 4300, 0.0034),
    _Thing("cup", "props", lambda: props.cup(0), 1500, 0.0034),
    _Thing("second cup", "props", lambda: props.cup(1), 1500, 0.0034),
    _Thing("chair", "props", props.chair, 4700),
    _Thing("potted tree", "props", props.potted_tree, 3200, extra=_foliage,
           casters=props.foliage_casters),
    _Thing("sea", "props", props.sea, 4000),
    _Thing("paper boat", "props", props.paper_boat, 2000, 0.0036),
)  # fmt: skip


def _lamps() -> list[Lamp]:
    """Footlights, a warm key from the left above the seats, the moon, and blue border light."""
    feet = shifted(stage.foot_places(), 0, 0.11, -0.03)
    spread = np.array(
        [(0, 0, 0), (0.35, 0.1, 0), (-0.35, -0.1, 0), (0.1, 0.35, 0), (-0.1, -0.35, 0)]
    )
    warm = hex_light("#ffb45e")
    key, fill = np.array([-2.3, 3.0, 4.6]) + spread, np.array([2.6, 1.6, 4.4]) + spread
    moon = np.array([0.85, 3.1, -2.7]) + 0.6 * spread
    border = np.array([(x, 2.3, z) for x in (-0.7, 0.7) for z in (-0.32, -0.95)])
    violet = hex_light("#9a90e0")
    return [
        Lamp(feet, 1.3 * warm, core=0.36),
        Lamp(key, 0.56 * hex_light("#ffdcae"), falloff=False),
        Lamp(fill, 0.13 * hex_light("#b9a8ff"), falloff=False),
        Lamp(moon, 0.95 * hex_light("#8fb4ff"), falloff=False, wrap=0.3),
        Lamp(border, 2.1 * violet, core=0.5, wrap=0.4, through=0.5),
    ]


def theatre_camera() -> Camera:
    """The saved view, a little above the best seat."""
    flip = np.array([1.0, -1.0, -1.0])
    return Camera.look_at(EYE * flip, TARGET * flip, (0.0, -1.0, 0.0), fov=FOV, size=(1280, 720))


def build_theatre(seed: int = SEED) -> Job[Document]:
    """Build the sample stage, about 160,000 Gaussians; a job.

    Parameters
    ----------
    seed
        Same seed, same stage, to the last bit on one machine.

    Returns
    -------
    Document
        Groups "house", "curtains", "scenery", "props" and "light", up (0, -1, 0), a saved view.
    """
    total = len(_THINGS) + 2
    made: list[list[Sheet]] = []
    parts: list[Dabs] = []
    for i, thing in enumerate(_THINGS):
        yield Progress(i, total, f"Painting {thing.name}")
        sheets = thing.make()
        made.append(sheets + thing.casters())
        backs = [backed(sheet) for sheet in sheets if sheet.thickness > 0]
        dabs = [
            stipple(
                sheets + backs,
                thing.count,
                seed=seed * 1000 + i,
                finest=thing.finest,
                widest=thing.widest,
            )
        ]
        dabs += [edge for edge in map(rim, (s for s in sheets if s.thickness > 0.01)) if edge]
        if thing.extra is not None:
            dabs.append(thing.extra(seed * 1000 + i))
        parts.append(joined(dabs))
    yield Progress(total - 2, total, "Lighting the stage")
    standing = occluders([sheet for sheets in made for sheet in sheets])
    everything = joined(parts)
    sky = (0.10 * hex_light("#8c7fd0") * 1.6, 0.075 * hex_light("#ffb27a") * 1.6)
    colors = lit_colors(everything, standing, _lamps(), sky=sky, viewer=np.array(EYE))
    grain = np.random.default_rng(seed).normal(scale=0.011, size=(len(colors), 1))
    colors = np.clip(colors * (1 + grain) + 0.3 * grain * colors, 0.0, 1.0)
    yield Progress(total - 1, total, "Setting the stage")
    ends = np.cumsum([len(part) for part in parts])[:-1]
    clouds = [
        cloud_of(part, color) for part, color in zip(parts, np.split(colors, ends), strict=True)
    ]
    return _document(clouds)


def _document(clouds: list[SplatCloud]) -> Document:
    nodes: list[Node] = []
    groups: dict[str, str] = {}
    for group in ("house", "curtains", "scenery", "props", "light"):
        groups[group] = _id(group + " group")
        nodes.append(Node(group, id=groups[group]))
    for thing, cloud in zip(_THINGS, clouds, strict=True):
        nodes.append(Node(thing.name, cloud, parent=groups[thing.group], id=_id(thing.name)))
    for name, cloud in glow.lights().items():
        nodes.append(Node(name, cloud, parent=groups["light"], id=_id(name)))
    order = {node_id: i for i, node_id in enumerate(groups.values())}
    nodes.sort(key=lambda n: (order[n.parent or n.id], n.parent is not None))
    return Document(tuple(nodes), theatre_camera(), _BACKGROUND, (0.0, -1.0, 0.0))


def _id(name: str) -> str:
    """A node id that is the same each time."""
    return hashlib.sha256(f"sample stage: {name}".encode()).hexdigest()[:8]


def cloud_of(dabs: Dabs, colors: Array) -> SplatCloud:
    """Dabs as Gaussians in the axes of splat clouds: half a turn about x."""
    flip = np.diag([1.0, -1.0, -1.0])
    thin = _FLAT * dabs.sigmas.min(axis=1)
    order = morton_order(dabs.means)
    return SplatCloud(
        means=(dabs.means @ flip)[order].astype(np.float32),
        quats=quaternions(flip @ dabs.frames)[order].astype(np.float32),
        scales=np.column_stack([dabs.sigmas, thin])[order].astype(np.float32),
        opacities=np.full(len(dabs), _OPACITY, np.float32),
        sh=sh_from_colors(colors[order])[:, None, :],
        up=(0.0, -1.0, 0.0),
    )
