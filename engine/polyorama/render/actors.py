"""Faces that are nodes of a document: surfels on a rig, posed and lit at each moment."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.color import linear_from_display
from polyorama.core.compile import core_count, parallel_for
from polyorama.core.types import unit_vector
from polyorama.errors import UsageError
from polyorama.render.caches import lets_go
from polyorama.render.eye_shade import EyeShade, eye_shades
from polyorama.render.occlusion import Occluders
from polyorama.render.posing import light, pose
from polyorama.render.relighting import sky_openness
from polyorama.render.shading import SHOULDER
from polyorama.render.surfels import Surfels, surfels_from_mesh
from polyorama.scene.faces.channels import CHANNEL_INDEX
from polyorama.scene.rotations import rotation_matrices
from polyorama.scene.splats import SplatCloud, concatenate, sh_from_colors
from polyorama.scene.transform import affine_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.render.shading import LightRig
    from polyorama.scene.faces.actor import Actor
    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["actor_cloud", "parted"]

_FEWEST = 200
_RIGS, _FRAMES = 4, 4
"""How many rigs are kept as surfels, and how many posed clouds."""
_OPEN = {
    "jawOpen": 0.7, "mouthUpperUpLeft": 0.7, "mouthUpperUpRight": 0.7,
    "mouthLowerDownLeft": 0.7, "mouthLowerDownRight": 0.7,
}  # fmt: skip
"""The pose in which the sky is seen from inside the mouth: lips out of the way of the teeth."""
_PARTED = 0.1
"""Lips that are so far apart, over the mouth's width, let in all the light that is ever let in."""
_HIDDEN = 0.25
"""What sees less of the sky at rest lies inside the mouth."""
_BOUNCED = 0.3
_FINE, _DENSITY = ("lips", "leftEye", "rightEye", "leftLids", "rightLids", "lashes", "glints",
                   "upperTeeth", "lowerTeeth", "tongue", "brows"), 5.0  # fmt: skip
"""Regions that are looked at, and how many times as densely as the rest they are covered."""
_SKIN = np.array([0.55, 0.27, 0.18])
"""By how much skin widens a light in red, green and blue, as the sine of a radius: scattering
carries red about three times as far as blue."""


@dataclass(frozen=True, slots=True, eq=False)
class _Covered:
    """A rig as surfels: where they are bound, and what they see at rest and with an open mouth."""

    rig: MorphRig
    surfels: Surfels
    axes: NDArray[np.float64]
    softness: NDArray[np.float32]
    closed: NDArray[np.float32]
    opened: NDArray[np.float32]
    eyes: tuple[EyeShade, ...]


_covered: OrderedDict[tuple[int, int], _Covered] = OrderedDict()
_posed: OrderedDict[tuple[int, int, bytes, bytes, LightRig], tuple[MorphRig, SplatCloud]]
_posed = OrderedDict()
_lock, _covering_lock = threading.Lock(), threading.Lock()
"""The first is held for a moment only; the second while a rig is covered, which takes seconds, so
that two views of one face do not both do it."""


@lets_go
def _forget() -> None:
    with _lock:
        _covered.clear()
        _posed.clear()


def actor_cloud(actor: Actor, world: NDArray[np.float64], rig: LightRig, time: float) -> SplatCloud:
    """An actor as surfels in its own space, posed at a time and lit as it stands in the world.

    Where the same face was asked for a moment ago, the same cloud is given.

    Parameters
    ----------
    actor
        The face.
    world
        (4, 4), the face to the world.
    rig
        The lights, in the world; lamps are not among them.
    time
        On the timeline, s.

    Raises
    ------
    UsageError
        If the rig's mesh shows nothing, or the matrix flattens it.
    UnavailableError
        If open3d is not installed.
    """
    weights = np.zeros(len(CHANNEL_INDEX), np.float32)
    if actor.performance is not None:
        weights = actor.performance.at(time - actor.start)
    linear = affine_matrix(world)[:3, :3]
    linear = np.round(linear / np.cbrt(abs(np.linalg.det(linear))), 9) + 0.0
    key = (id(actor.rig), actor.surfels, weights.tobytes(), linear.tobytes(), rig)
    with _lock:
        kept = _posed.get(key)
        if kept is not None and kept[0] is actor.rig:
            _posed.move_to_end(key)
            return kept[1]
    with _covering_lock:
        covered = _cover(actor.rig, actor.surfels)
    cloud = _pose(covered, weights, linear, rig)
    with _lock:
        _posed[key] = (actor.rig, cloud)
        while len(_posed) > _FRAMES:
            _posed.popitem(last=False)
    return cloud


def _cover(rig: MorphRig, count: int) -> _Covered:
    key = (id(rig), count)
    with _lock:
        kept = _covered.get(key)
        if kept is not None and kept.rig is rig:
            _covered.move_to_end(key)
            return kept
    mesh = rig.mesh
    surfels = _covering(rig, count)
    wide = replace(mesh, vertices=rig.posed(_OPEN))
    closed, opened = (
        sky_openness(surfels, shape.vertices, Occluders(shape)) for shape in (mesh, wide)
    )
    # Wet and bright, the mouth lights itself: what is hidden at rest gets bounced light, too.
    hidden = np.clip(1.0 - closed / _HIDDEN, 0.0, 1.0)
    opened = opened + hidden * (opened**_BOUNCED - opened)
    soft = np.array([material.softness for material in mesh.materials], np.float32)
    ids = mesh.material_ids
    of = np.zeros(len(mesh.triangles), np.int32) if ids is None else ids
    made = _Covered(
        rig, surfels, rotation_matrices(surfels.cloud.quats), soft[of[surfels.triangle_ids]],
        closed, opened, tuple(eye_shades(rig, surfels, closed)),
    )  # fmt: skip
    with _lock:
        _covered[key] = made
        while len(_covered) > _RIGS:
            _covered.popitem(last=False)
    return made


def _covering(rig: MorphRig, count: int) -> Surfels:
    """The mesh of a rig as surfels, more of them where a face is looked at; in even order."""
    mesh = rig.mesh
    looked_at = np.zeros(len(mesh.vertices), bool)
    for name in _FINE:
        looked_at[rig.regions.get(name, np.zeros(0, np.int32))] = True
    fine = looked_at[mesh.triangles].all(axis=1)
    corners = mesh.vertices[mesh.triangles].astype(np.float64)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    weights = np.linalg.norm(cross, axis=1) * np.where(fine, _DENSITY, 1.0)
    share = float(weights[fine].sum() / max(weights.sum(), 1e-30))
    counts = {True: round(count * share), False: count - round(count * share)}
    if min(counts.values()) < _FEWEST:
        return surfels_from_mesh(mesh, count, rig=None, keep_buried=True, sides="one")
    pieces, triangles = [], []
    for kind, number in counts.items():
        chosen = np.flatnonzero(fine == kind).astype(np.int32)
        ids = None if mesh.material_ids is None else mesh.material_ids[chosen]
        part = replace(mesh, triangles=mesh.triangles[chosen], material_ids=ids)
        pieces.append(surfels_from_mesh(part, number, rig=None, keep_buried=True, sides="one"))
        triangles.append(chosen[pieces[-1].triangle_ids])
    # Each piece is in an order of which any beginning is spread evenly; so is their mixture.
    place = np.concatenate([(np.arange(len(p)) + 0.5) / len(p) for p in pieces])
    order = np.argsort(place, kind="stable")

    def mixed(name: str) -> NDArray[np.float32]:
        return np.asarray(np.concatenate([getattr(piece, name) for piece in pieces])[order])

    return Surfels(
        concatenate([piece.cloud for piece in pieces]).subset(order),
        np.concatenate(triangles)[order], mixed("barycentrics"), mesh, mixed("normals"),
        mixed("albedo"), mixed("emission"), mixed("openness"), False, pieces[0].spacing,
    )  # fmt: skip


def _pose(
    covered: _Covered, weights: NDArray[np.float32], linear: NDArray[np.float64], rig: LightRig
) -> SplatCloud:
    if rig.points:
        raise UsageError("Faces are lit by a key light and the sky, not by lamps.")
    surfels, cloud = covered.surfels, covered.surfels.cloud
    moved = covered.rig.posed(weights)
    means, scales, quats = (np.empty_like(a) for a in (cloud.means, cloud.scales, cloud.quats))
    normals, colors = np.empty_like(surfels.normals), np.empty_like(surfels.albedo)
    share = np.float32(parted(covered.rig, moved, weights))
    openness = covered.closed + share * (covered.opened - covered.closed)
    for eye in covered.eyes:
        openness[eye.rows] = eye.seen(weights)
    suns = rig.directional
    toward = np.array([unit_vector(sun.direction) for sun in suns]).reshape(-1, 3)
    strengths = np.array(
        [sun.strength * linear_from_display(sun.color) for sun in suns], np.float64
    ).reshape(-1, 3)
    widths = np.sin(np.radians([min(sun.softness, 90.0) for sun in suns]))
    sky, ground = (
        rig.ambient * linear_from_display(color).astype(np.float64)
        for color in (rig.sky, rig.ground)
    )
    up, back = unit_vector(rig.up), np.linalg.inv(linear)

    def task(_: int, start: int, stop: int) -> None:
        pose(
            surfels.mesh.vertices, moved, surfels.mesh.triangles, surfels.triangle_ids,
            surfels.barycentrics, covered.axes, cloud.scales, surfels.normals, means, quats,
            scales, normals, start, stop,
        )  # fmt: skip
        light(
            surfels.albedo, surfels.emission, normals, openness, covered.softness, back, up, sky,
            ground, toward, strengths, widths, _SKIN, rig.exposure, SHOULDER, colors, start, stop,
        )  # fmt: skip

    parallel_for(task, len(cloud), 4 * core_count())
    return replace(
        cloud, means=means, quats=quats, scales=scales, sh=sh_from_colors(colors)[:, None, :]
    )


def parted(rig: MorphRig, vertices: NDArray[np.float32], weights: NDArray[np.float32]) -> float:
    """How much light the lips let in, 0..1: by their distance, else by how far the jaw is open.

    Parameters
    ----------
    rig
        The face.
    vertices, weights
        (V, 3) where its vertices are, and (55,) as `CHANNELS`.
    """
    upper, lower = rig.landmarks.get("innerLipUpper"), rig.landmarks.get("innerLipLower")
    width = rig.mouth_width
    if upper is None or lower is None or len(upper) != len(lower) or width == 0.0:
        return float(np.clip(weights[CHANNEL_INDEX["jawOpen"]] / 0.4, 0.0, 1.0))
    gap = float(np.linalg.norm(vertices[upper] - vertices[lower], axis=1).max()) / width
    return min(gap / _PARTED, 1.0)
