"""A rig for formats that know morph targets and joints alone: what they need of it, made ready.

Parts that turn with the head follow a joint, each vertex by its share. Parts that other channels
turn (eyes, the jaw's teeth) become straight offsets of those channels: exact at weight 1. Shapes
that correct others become targets whose weight is the product, frame by frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import OutputError, UsageError
from polyorama.scene.faces.channels import ARKIT, CHANNEL_INDEX, HEAD

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig, Rotor
    from polyorama.scene.faces.performance import Performance

__all__ = [
    "HEAD_AXES",
    "BakedRig",
    "baked",
    "head_vectors",
    "head_weights",
    "quaternions_of",
    "target_weights",
    "vectors_of",
]

HEAD_AXES = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
"""(3, 3) turns that yaw, pitch and roll add per radian where y is up, z forward, own left +x."""

_LUF = np.array([-1.0, -1.0, 1.0], np.float32)
"""From the document's axes to y up, z forward: half a turn about z, so nothing is mirrored."""
_LEAST = 1e-7
"""Share of the rig's extent below which an offset is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class BakedRig:
    """A rig as targets and one joint; y is up, z is forward, the face's own left is +x.

    Parameters
    ----------
    vertices, normals
        (V, 3) float32, units of the mesh.
    targets
        Name of each target: first all of ARKit's (some may move nothing), then the rig's own.
    offsets
        Of each target, ascending (n,) int32 vertices and (n, 3) float32 offsets.
    products
        Channels whose product is added to the weight of a target, by its name.
    head_share
        (V,) float32, how far each vertex follows the head, 0..1.
    pivot
        (3,) float64, about which the head turns.
    turns
        (3, 3) float64 rotation vectors, rad, that weight 1 of yaw, pitch and roll add.
    """

    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]
    targets: tuple[str, ...]
    offsets: tuple[tuple[NDArray[np.int32], NDArray[np.float32]], ...]
    products: tuple[tuple[str, tuple[str, ...]], ...]
    head_share: NDArray[np.float32]
    pivot: NDArray[np.float64]
    turns: NDArray[np.float64]


def baked(rig: MorphRig) -> BakedRig:
    """The rig as targets and one joint.

    Raises
    ------
    UsageError
        If several of its parts turn with the head, each its own way.
    """
    plain = replace(rig, correctives=())
    rest = rig.mesh.vertices
    least = _LEAST * float(np.ptp(rest, axis=0).max())
    turned = {c for rotor in rig.rotors for c in rotor.channels if c not in HEAD}
    names = [*ARKIT]
    names += [n for n in (*rig.shapes.names, *sorted(turned)) if n not in CHANNEL_INDEX]
    targets = list(dict.fromkeys(names))
    offsets = []
    for name in targets:
        moved = (plain.posed({name: 1.0}, head=False) - rest) * _LUF
        offsets.append(_sparse(moved, least))
    products = []
    for corrective in rig.correctives:
        target = corrective.shape
        if target in CHANNEL_INDEX:
            # Its own weight is the channel's; a target beside it takes the product.
            target = f"{target}Corrective"
            if target not in targets:
                targets.append(target)
                dense = rig.shapes.dense(corrective.shape, len(rest)) * _LUF
                offsets.append(_sparse(dense, least))
        products.append((target, corrective.channels))
    share, pivot, turns = _head(rig)
    return BakedRig(
        rest * _LUF, _normals(rest, rig.mesh.triangles) * _LUF, tuple(targets), tuple(offsets),
        tuple(products), share, pivot * _LUF, turns * _LUF,
    )  # fmt: skip


def _sparse(
    dense: NDArray[np.float32], least: float
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    moved = np.flatnonzero(np.linalg.norm(dense, axis=1) > least)
    return moved.astype(np.int32), np.ascontiguousarray(dense[moved], np.float32)


def _head(
    rig: MorphRig,
) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]:
    """Shares, pivot and turns in the document's axes; of a head that stands still, no share."""
    share = np.zeros(len(rig.mesh.vertices), np.float32)
    turning: list[Rotor] = [rotor for rotor in rig.rotors if set(HEAD) & set(rotor.channels)]
    if len(turning) > 1:
        names = " and ".join(rotor.name for rotor in turning)
        raise UsageError(
            f"In the face {rig.name!r} {names} both turn with the head, and such files know one "
            "joint; join them first."
        )
    if not turning:
        return share, np.zeros(3), HEAD_AXES * _LUF
    (rotor,) = turning
    share[rotor.indices] = rotor.amounts
    turns = np.array([rotor.channels.get(name, (0.0, 0.0, 0.0)) for name in HEAD], np.float64)
    return share, rotor.pivot, turns


def _normals(vertices: NDArray[np.float32], triangles: NDArray[np.int32]) -> NDArray[np.float32]:
    """(V, 3) unit normals, each the mean of its triangles' by area; +z where there is none."""
    a, b, c = (vertices[triangles[:, k]].astype(np.float64) for k in range(3))
    faces = np.cross(b - a, c - a)
    sums = np.zeros((len(vertices), 3))
    for k in range(3):
        np.add.at(sums, triangles[:, k], faces)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    unit = np.where(lengths > 0.0, sums / np.maximum(lengths, 1e-300), (0.0, 0.0, 1.0))
    return unit.astype(np.float32)


# --- animation -------------------------------------------------------------------------------


def target_weights(rig: BakedRig, performance: Performance) -> NDArray[np.float32]:
    """(T, targets) float32 weight of each target at each row."""
    rows = performance.weights
    weights = np.zeros((len(rows), len(rig.targets)), np.float32)
    places = {name: at for at, name in enumerate(rig.targets)}
    for name in ARKIT:
        weights[:, places[name]] = performance.channel(name)
    for target, channels in rig.products:
        # A product with a shape that no channel drives is 0, as in the rig.
        if all(name in CHANNEL_INDEX for name in channels):
            factors = rows[:, [CHANNEL_INDEX[name] for name in channels]]
            weights[:, places[target]] += factors.prod(axis=1)
    return weights


def head_vectors(
    rig: BakedRig, performance: Performance, path: str | os.PathLike[str]
) -> NDArray[np.float64]:
    """(T, 3) rotation vectors of the head, rad.

    Raises
    ------
    OutputError
        If it turns by half a turn or more, for which a rotation has two readings.
    """
    rows = performance.weights[:, [CHANNEL_INDEX[name] for name in HEAD]]
    vectors = rows.astype(np.float64) @ rig.turns
    if np.linalg.norm(vectors, axis=1).max() >= np.pi:
        raise OutputError(
            f"The head turns by more than 180°, which this kind of file cannot say; limit it: "
            f"{path}"
        )
    return vectors


def head_weights(
    vectors: NDArray[np.float64], turns: NDArray[np.float64]
) -> NDArray[np.float32] | None:
    """(T, 3) float32 yaw, pitch and roll, of rotation vectors; None if turns do not tell them."""
    if np.linalg.matrix_rank(turns, tol=1e-6) < 3:
        return None
    return np.asarray(vectors @ np.linalg.inv(turns), np.float32)


def quaternions_of(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """(T, 4) unit quaternions x, y, z, w of rotation vectors, rad."""
    angles = np.linalg.norm(vectors, axis=1, keepdims=True)
    # sin(a / 2) / a, which is 1 / 2 at 0.
    factors = 0.5 * np.sinc(angles / (2.0 * np.pi))
    return np.concatenate([vectors * factors, np.cos(angles / 2.0)], axis=1)


def vectors_of(quats: NDArray[np.float64]) -> NDArray[np.float64]:
    """(T, 3) rotation vectors, rad, shorter than half a turn, of quaternions x, y, z, w."""
    quats = quats / np.linalg.norm(quats, axis=1, keepdims=True)
    quats = np.where(quats[:, 3:] < 0.0, -quats, quats)
    sines = np.linalg.norm(quats[:, :3], axis=1, keepdims=True)
    angles = 2.0 * np.arctan2(sines, quats[:, 3:])
    factors = np.where(sines > 1e-12, angles / np.maximum(sines, 1e-12), 2.0)
    return np.asarray(quats[:, :3] * factors)
