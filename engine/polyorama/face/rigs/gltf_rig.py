"""Avatars in glTF 2.0: meshes with named morph targets, such as those ready for Live Link."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.face.rigs.building import Plan, built, check_counts
from polyorama.face.rigs.names import joined_shapes
from polyorama.face.rigs.parts import TURN
from polyorama.io.gltf_container import GltfFile, open_gltf
from polyorama.io.gltf_nodes import node_worlds
from polyorama.io.mesh_gltf import read_parts
from polyorama.io.mesh_parts import Part, join

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["gltf_rig"]

_MAX_FILE = 1 << 30
_EYE = re.compile(r"eye(?!lash|brow|lid|_?occ)", re.IGNORECASE)
_NO_BALL = re.compile(r"wet|lash|brow|shadow|occlusion|tear", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A primitive that is drawn: where it lies among all vertices, and what moves it."""

    node: dict[str, Any]
    mesh: dict[str, Any]
    primitive: dict[str, Any]
    world: NDArray[np.float64]
    first: int
    count: int


def gltf_rig(path: str | os.PathLike[str]) -> MorphRig:
    """Read an avatar; its meshes are joined, and targets of one name are one shape.

    Names come from `mesh.extras.targetNames`, else from the targets' own `extras`, and are matched
    with ARKit's in any case, with `_L` and `_R`, as Live Link writes them, and as some of VRM does.
    Eyeballs are told by the names of nodes, meshes and materials; skins are taken at rest.

    Returns
    -------
    The rig in the file's units, metres by custom.

    Raises
    ------
    FileFormatError
        If the file is damaged, too large, or has no named targets.
    """
    source = Path(path)
    file = open_gltf(source, limit=_MAX_FILE, max_json=_MAX_FILE)
    try:
        pieces = _pieces(file)
        names = list(dict.fromkeys(n for piece in pieces for n in _names(piece)))
        if not names:
            raise file.error(
                "The avatar has no named morph targets; export it with shape keys and their names"
            )
        count = sum(piece.count for piece in pieces)
        check_counts(count, len(names), source)
        dense = _dense(file, pieces, names, count)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise file.damaged("its JSON does not fit together; export it again") from error
    parts = [
        Part(p.vertices, p.triangles, p.colors, p.uvs, p.material) for p in read_parts(source, [])
    ]
    mesh = join(parts, source, TURN[:, None].astype(np.float32) * np.eye(3, dtype=np.float32))
    if len(mesh.vertices) != count:
        raise file.error("Some primitives of the avatar have no triangles; remove them")
    if not np.isfinite(mesh.vertices).all():
        raise file.damaged("it has vertices at no finite place; export it again")
    shapes = joined_shapes((name, (d * TURN).astype(np.float32)) for name, d in dense.items())
    if not any(d.any() for d in shapes.values()):
        raise file.error(
            "No morph target of the avatar moves anything; export its shape keys again"
        )
    left, right = _eyes(file, pieces, mesh.vertices)
    chin = neck = None
    if {"headYaw", "headPitch"}.isdisjoint(shapes):
        bottom, top = float(mesh.vertices[:, 1].max()), float(mesh.vertices[:, 1].min())
        moved = np.any([np.abs(d).max(axis=1) > 0 for d in shapes.values()], axis=0)
        chin = float(mesh.vertices[moved, 1].max())
        neck = min(bottom, chin + 0.25 * (chin - top)) if bottom > chin else chin
    plan = Plan(
        mesh=mesh, shapes=shapes, left_eye=left, right_eye=right, chin=chin, neck=neck,
        name=source.stem, credit=str(file.json["asset"].get("copyright", ""))[:200],
    )  # fmt: skip
    return built(plan)


def _pieces(file: GltfFile) -> list[_Piece]:
    """The primitives in the order in which `read_parts` lists them."""
    nodes, worlds = file.items("nodes"), node_worlds(file)
    found: list[_Piece] = []
    first = 0
    for index, world in worlds.items():
        node = nodes[index]
        if "mesh" not in node:
            continue
        mesh = file.item("meshes", node["mesh"])
        for primitive in mesh["primitives"]:
            attributes = primitive["attributes"]
            if primitive.get("mode", 4) not in (4, 5, 6) or "POSITION" not in attributes:
                continue
            count = file.count(attributes["POSITION"])
            found.append(_Piece(node, mesh, primitive, world, first, count))
            first += count
    return found


def _names(piece: _Piece) -> list[str]:
    targets = piece.primitive.get("targets", [])
    extras = piece.mesh.get("extras") or {}
    names = extras.get("targetNames") if isinstance(extras, dict) else None
    if not isinstance(names, list):
        # VRM's first version names them at the targets.
        own = piece.primitive.get("extras") or {}
        names = own.get("targetNames", []) if isinstance(own, dict) else []
    return [str(name)[:200] for name in names[: len(targets)]]


def _dense(
    file: GltfFile, pieces: list[_Piece], names: list[str], count: int
) -> dict[str, NDArray[np.float32]]:
    """(V, 3) offsets by name, in the file's axes."""
    dense = {name: np.zeros((count, 3), np.float32) for name in names}
    for piece in pieces:
        # A skin at rest takes vertices where the skeleton has them, not where the node stands;
        # its rest pose is the bind pose, which only scales and turns as its joints' root does.
        turn = np.eye(3) if "skin" in piece.node else piece.world[:3, :3]
        for name, target in zip(_names(piece), piece.primitive["targets"], strict=False):
            if "POSITION" not in target:
                continue
            offsets = file.floats(target["POSITION"], 3)
            if len(offsets) != piece.count:
                raise file.damaged(f"the target {name!r} does not fit its mesh")
            if not np.isfinite(offsets).all():
                raise file.damaged(f"the target {name!r} has offsets that are not finite")
            part = slice(piece.first, piece.first + piece.count)
            dense[name][part] += (offsets @ turn.T).astype(np.float32)
    return dense


def _eyes(
    file: GltfFile, pieces: list[_Piece], vertices: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Vertices of the left and the right eyeball, by names, then by the side they lie on."""
    ids: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    for piece in pieces:
        words = [piece.node.get("name", ""), piece.mesh.get("name", "")]
        if "material" in piece.primitive:
            words.append(file.item("materials", piece.primitive["material"]).get("name", ""))
        text = " ".join(str(word) for word in words)
        if _EYE.search(text) and not _NO_BALL.search(text):
            ids.append(np.arange(piece.first, piece.first + piece.count))
    both = np.concatenate(ids)
    middle = 0.5 * float(vertices[:, 0].min() + vertices[:, 0].max())
    left = both[vertices[both, 0] < middle]
    return left, np.setdiff1d(both, left)
