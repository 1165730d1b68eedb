"""MakeHuman's base mesh (hm08) with sparse `.target` files: its head."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.face.rigs.building import MAX_SHAPES, Plan, built, check_counts
from polyorama.face.rigs.names import joined_shapes
from polyorama.face.rigs.obj import obj_groups, obj_vertices
from polyorama.face.rigs.parts import TURN, sphere_of
from polyorama.face.rigs.seal import with_seal
from polyorama.io.files import reading
from polyorama.io.limits import read_bytes
from polyorama.scene.mesh import Mesh

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["makehuman_rig", "target_offsets"]

_COUNT = 19_158
_CREDIT = "MakeHuman base mesh, CC0; shapes as their folder says"
_EYES = ("helper-l-eye", "helper-r-eye")
_PARTS = {"upperTeeth": "helper-upper-teeth", "lowerTeeth": "helper-lower-teeth",
          "tongue": "helper-tongue"}  # fmt: skip
_CUT = 5.92
"""Height, decimetres, below which the body is left out."""
_CHIN = 6.25
_MAX_TARGET = 4 << 20
_LOOK = {"upperTeeth": (0.93, 0.90, 0.83), "lowerTeeth": (0.93, 0.90, 0.83),
         "tongue": (0.72, 0.36, 0.36)}  # fmt: skip


def makehuman_rig(folder: str | os.PathLike[str]) -> MorphRig:
    """Read the head of MakeHuman's base mesh and its shapes, its lips mended to close.

    Parameters
    ----------
    folder
        Where `base.obj` and the `.target` files lie; a target's name is its shape's.

    Returns
    -------
    The rig, decimetres.

    Raises
    ------
    FileFormatError
        If the base mesh is missing or another one, a file is damaged, or there are no targets.
    """
    home = Path(folder)
    base = obj_vertices(home / "base.obj")
    groups = obj_groups(home / "base.obj", len(base))
    needed = {"body", *_EYES, *_PARTS.values()}
    if len(base) != _COUNT or not needed <= set(groups):
        raise FileFormatError(
            f"This is not MakeHuman's base mesh hm08 with {_COUNT:,} vertices: {home / 'base.obj'}"
        )
    with reading(home):
        targets = sorted(home.glob("*.target"))
    if not targets:
        raise FileFormatError(f"There are no .target files beside base.obj: {home}")
    if len(targets) > MAX_SHAPES:
        raise FileFormatError(f"There are {len(targets):,} .target files, too many: {home}")
    check_counts(len(base), len(targets), home)
    body = groups["body"]
    body = body[(base[body, 1] > _CUT).all(axis=1)]
    faces = np.concatenate([body, *(groups[name] for name in (*_EYES, *_PARTS.values()))])
    kept = np.unique(faces)
    place = np.full(len(base), -1, np.int64)
    place[kept] = np.arange(len(kept))
    rest = (base[kept] * TURN).astype(np.float32)
    dense = ((p.stem, target_offsets(p, len(base))[kept] * TURN) for p in targets)
    shapes = joined_shapes((name, offsets.astype(np.float32)) for name, offsets in dense)
    left, right = (np.unique(place[groups[name]]) for name in _EYES)
    regions = {region: np.unique(place[groups[name]]) for region, name in _PARTS.items()}
    regions["skin"] = np.unique(place[body])
    colors = np.empty((len(kept), 3), np.float32)
    colors[:] = (0.80, 0.60, 0.50)
    for region, color in _LOOK.items():
        colors[regions[region]] = color
    for ids in (left, right):
        ahead = rest[ids] - sphere_of(rest[ids])[0]
        angle = np.arctan2(np.hypot(ahead[:, 0], ahead[:, 1]), ahead[:, 2])
        colors[ids] = (0.93, 0.92, 0.90)
        colors[ids[angle < 0.55]] = (0.30, 0.22, 0.15)
        colors[ids[angle < 0.12]] = (0.03, 0.03, 0.03)
    mesh = Mesh(rest, place[faces], colors=colors, name="MakeHuman")
    rig = built(Plan(
        mesh=mesh, shapes=shapes, left_eye=left, right_eye=right, chin=-_CHIN, neck=-_CUT,
        regions=regions, name="MakeHuman", credit=_CREDIT,
    ))  # fmt: skip
    return with_seal(rig) if "jawOpen" in rig.channels else rig


def target_offsets(path: Path, count: int) -> NDArray[np.float32]:
    """(count, 3) float32 offsets of a `.target` file: a vertex and how far it goes on every line.

    Raises
    ------
    FileFormatError
        If a line cannot be understood or names a vertex that is not there.
    """
    dense = np.zeros((count, 3), np.float32)
    with reading(path):
        if path.stat().st_size == 0:  # the shape of silence moves nothing
            return dense
    lines = [line.split() for line in read_bytes(path, _MAX_TARGET).splitlines()]
    lines = [words for words in lines if words and not words[0].startswith(b"#")]
    try:
        rows = np.array(lines, np.float64).reshape(-1, 4)
    except ValueError as error:
        raise FileFormatError(f"A line of the target is not 'vertex dx dy dz': {path}") from error
    numbers = rows[:, 0]
    if not (np.isfinite(rows).all() and ((numbers >= 0) & (numbers < count)).all()):
        raise FileFormatError(f"The target names a vertex that the base mesh has not: {path}")
    dense[numbers.astype(np.int64)] = rows[:, 1:]
    return dense
