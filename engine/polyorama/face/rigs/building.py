"""From offsets and a mesh to a rig: what all loaders have in common."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.face.rigs.lids import lid_pairs
from polyorama.face.rigs.mouth import find_mouth, skin_of
from polyorama.face.rigs.parts import eye_rotor, head_rotor
from polyorama.scene.faces.morphs import MorphRig, Rotor, Shapes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["LEAST", "MAX_SHAPES", "MAX_VERTICES", "Plan", "built", "check_counts"]

MAX_VERTICES = 1_000_000
"""Most vertices of a rig."""

MAX_SHAPES = 1000
"""Most shapes of a rig."""

_MAX_DENSE = 400_000_000
LEAST = 1e-6
"""Offsets below this share of a head's size are taken for rounding."""


def check_counts(vertices: int, shapes: int, path: Path) -> None:
    """Refuse a rig that would take too much memory.

    Raises
    ------
    FileFormatError
        If it has too many vertices or shapes.
    """
    if vertices > MAX_VERTICES or shapes > MAX_SHAPES or vertices * shapes > _MAX_DENSE // 12:
        raise FileFormatError(
            f"The rig has {vertices:,} vertices and {shapes:,} shapes, too many to read; "
            f"decimate it or leave shapes out: {path}"
        )


@dataclass(slots=True, kw_only=True)
class Plan:
    """What a loader knows of a rig.

    Parameters
    ----------
    mesh
        At rest, in our axes.
    shapes
        (V, 3) float32 offsets by channel or name, in our axes.
    left_eye, right_eye
        Vertices of the eyeballs, or none.
    chin, neck
        Heights (y, downwards) where the head ends and where the neck does; None where the head
        shall not turn.
    rotors
        Parts that turn besides.
    regions, landmarks
        As far as they are known; what is missing is found from the shapes where it can be.
    """

    mesh: Mesh
    shapes: dict[str, NDArray[np.float32]]
    left_eye: NDArray[np.integer] = field(default_factory=lambda: np.zeros(0, np.int32))
    right_eye: NDArray[np.integer] = field(default_factory=lambda: np.zeros(0, np.int32))
    chin: float | None = None
    neck: float | None = None
    rotors: tuple[Rotor, ...] = ()
    regions: Mapping[str, NDArray[np.integer]] = field(default_factory=dict)
    landmarks: Mapping[str, NDArray[np.integer]] = field(default_factory=dict)
    name: str = ""
    credit: str = ""


def built(plan: Plan) -> MorphRig:
    """A rig of what is known, its missing places found from how its jaw and lids move."""
    rest, shapes = plan.mesh.vertices, dict(plan.shapes)
    rotors: list[Rotor] = []
    regions = {name: np.asarray(ids, np.int32) for name, ids in plan.regions.items()}
    for left, ids in ((True, plan.left_eye), (False, plan.right_eye)):
        if len(ids) >= 4:
            rotors.append(eye_rotor(left, rest, ids, shapes))
            regions.setdefault("leftEye" if left else "rightEye", np.asarray(ids, np.int32))
    rotors += plan.rotors
    if plan.chin is not None and plan.neck is not None:
        rotors.append(head_rotor(rest, plan.chin, plan.neck))
    least = LEAST * float(np.ptp(rest, axis=0).max())
    rig = MorphRig(
        mesh=plan.mesh,
        shapes=Shapes.of_dense(shapes, least),
        rotors=tuple(rotors),
        regions=regions,
        landmarks={name: np.asarray(ids, np.int32) for name, ids in plan.landmarks.items()},
        name=plan.name,
        credit=plan.credit,
    )
    return with_places(rig)


def with_places(rig: MorphRig) -> MorphRig:
    """The rig with regions and landmarks that it lacks, as far as its shapes show them."""
    regions, landmarks = dict(rig.regions), dict(rig.landmarks)
    if "jawOpen" in rig.channels:
        regions.setdefault("skin", skin_of(rig).astype(np.int32))
        mouth = find_mouth(replace(rig, regions=regions))
        regions.setdefault("upperLip", mouth.upper)
        regions.setdefault("lowerLip", mouth.lower)
        regions.setdefault("lips", np.union1d(regions["upperLip"], regions["lowerLip"]))
        landmarks.setdefault("innerLipUpper", mouth.pairs[:, 0])
        landmarks.setdefault("innerLipLower", mouth.pairs[:, 1])
        landmarks.setdefault("mouthCorners", mouth.corners)
        middle = mouth.pairs[len(mouth.pairs) // 2]
        landmarks.setdefault("lowerLipTop", middle[1:])
        teeth = regions.get("upperTeeth")
        if teeth is not None and len(teeth):
            # The edge is lowest; of what is about as low, what lies in the middle and in front.
            at = rig.mesh.vertices[teeth].astype(np.float64)
            x = abs(at[:, 0] - rig.mesh.vertices[middle[1], 0])
            best = np.argmax(at[:, 1] + 0.5 * at[:, 2] - x)
            landmarks.setdefault("upperTeethEdge", teeth[[best]])
    for side in ("Left", "Right"):
        pairs = lid_pairs(rig, side)
        if len(pairs):
            landmarks.setdefault(f"upperLid{side}", pairs[:, 0])
            landmarks.setdefault(f"lowerLid{side}", pairs[:, 1])
    lids = [landmarks[k] for k in ("lowerLidLeft", "lowerLidRight") if k in landmarks]
    if lids and "skin" in regions:
        height = float(rig.mesh.vertices[np.concatenate(lids), 1].max())
        skin = regions["skin"]
        regions.setdefault("upperFace", skin[rig.mesh.vertices[skin, 1] < height])
    return replace(rig, regions=regions, landmarks=landmarks)
