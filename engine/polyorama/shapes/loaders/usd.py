"""USD scenes (usd, usda, usdc, usdz), read with OpenUSD; only for the loading process.

All meshes that a render would show at the first moment: purpose default or render, visible,
instances and point instancers laid out, subsets with their own materials. Looks are those of
UsdPreviewSurface; where a mesh has none, its displayColor. Both are linear in USD.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.text import count_of
from polyorama.errors import FileFormatError
from polyorama.io.mesh_parts import MAX_CORNERS, Part, fan
from polyorama.shapes.loaders.parcel import Found
from polyorama.shapes.loaders.usd_looks import Looks, flattened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read"]

_MAX_NESTED = 4
"""Point instancers within the prototypes of others."""
_MAX_SHOWN = 200_000
"""Places of meshes in a scene."""
_TOO_MANY = f"The scene shows more than {_MAX_SHOWN:,} meshes; join them first"


def read(path: Path) -> Found:
    """All triangles of a scene, in metres.

    Raises
    ------
    FileFormatError
        If OpenUSD does not understand it, or it is too large.
    """
    from pxr import Tf, Usd, UsdGeom

    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        reason = str(error).rstrip().rpartition(": ")[2].strip(" '\n.")[:150]
        raise FileFormatError(
            f"The USD file cannot be read ({' '.join(reason.split())}); export it again"
        ) from error
    reader = _Reader(stage, path)
    for prim, world in reader.shown(stage.GetPseudoRoot(), np.eye(4), ()):
        reader.add(prim, world)
    scale = float(UsdGeom.GetStageMetersPerUnit(stage))
    scale = scale if np.isfinite(scale) and scale > 0.0 else 1.0
    parts = [
        Part(
            part.vertices * np.float32(scale), part.triangles, part.colors, part.uvs, part.material
        )
        for part in reader.parts
    ]
    up = "z" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z else "y"
    return Found(parts, reader.looks.surfaces, up, reader.notes)


class _Reader:
    def __init__(self, stage: Any, path: Path) -> None:
        from pxr import Usd, UsdGeom

        self._time = Usd.TimeCode.EarliestTime()
        self._places = UsdGeom.XformCache(self._time)
        self.looks = Looks(self._time, path)
        self.parts: list[Part] = []
        self._shapes: dict[str, list[Part]] = {}
        self._corners = 0
        self._shown = 0
        self._left_out = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        notes = list(self.looks.notes)
        if self._left_out:
            notes.append(
                f"{count_of(self._left_out, 'shape')} that no mesh describes (spheres, curves "
                "and the like) left out"
            )
        return tuple(notes)

    # --- the scene ---------------------------------------------------------------------------

    def shown(
        self, root: Any, base: NDArray[np.float64], around: tuple[str, ...]
    ) -> Iterator[tuple[Any, NDArray[np.float64]]]:
        """Each mesh at or below a prim, and where it stands: (4, 4) for row vectors.

        Parameters
        ----------
        base
            From the stage's space to where the tree stands.
        around
            Paths of the point instancers that this tree is a prototype of.
        """
        from pxr import Usd, UsdGeom

        walk = iter(Usd.PrimRange(root, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)))
        for prim in walk:
            if not prim.IsA(UsdGeom.Imageable):
                continue
            imageable = UsdGeom.Imageable(prim)
            if imageable.GetVisibilityAttr().Get(self._time) == UsdGeom.Tokens.invisible:
                walk.PruneChildren()
                continue
            if imageable.ComputePurpose() not in (UsdGeom.Tokens.default_, UsdGeom.Tokens.render):
                continue
            if prim.IsA(UsdGeom.PointInstancer):
                # Its prototypes may lie below it; by themselves they are not shown.
                walk.PruneChildren()
                yield from self._instanced(prim, base, around)
            elif prim.IsA(UsdGeom.Mesh):
                yield prim, self._world(prim) @ base
            elif prim.IsA(UsdGeom.Gprim):
                self._left_out += 1

    def _world(self, prim: Any) -> NDArray[np.float64]:
        return np.array(self._places.GetLocalToWorldTransform(prim), np.float64)

    def _instanced(
        self, prim: Any, base: NDArray[np.float64], around: tuple[str, ...]
    ) -> Iterator[tuple[Any, NDArray[np.float64]]]:
        from pxr import UsdGeom

        path = str(prim.GetPath())
        if path in around or len(around) >= _MAX_NESTED:
            raise FileFormatError(
                "The scene has an instancer that holds itself, or too many of them"
            )
        instancer = UsdGeom.PointInstancer(prim)
        numbers = instancer.GetProtoIndicesAttr().Get(self._time)
        targets = instancer.GetPrototypesRel().GetForwardedTargets()
        if not numbers or not targets:
            return
        places = instancer.ComputeInstanceTransformsAtTime(
            self._time, self._time, UsdGeom.PointInstancer.ExcludeProtoXform,
            UsdGeom.PointInstancer.IgnoreMask,
        )  # fmt: skip
        mask = instancer.ComputeMaskAtTime(self._time)
        world = self._world(prim) @ base
        prototypes: dict[int, list[tuple[Any, NDArray[np.float64]]]] = {}
        for k, (number, place) in enumerate(zip(numbers, places, strict=False)):
            if (mask and not mask[k]) or not 0 <= number < len(targets):
                continue
            if number not in prototypes:
                prototypes[number] = self._prototype(prim, targets[number], (*around, path))
                if len(prototypes[number]) * len(numbers) > _MAX_SHOWN:
                    raise FileFormatError(_TOO_MANY)
            moved = np.array(place, np.float64) @ world
            for shape, own in prototypes[number]:
                yield shape, own @ moved

    def _prototype(
        self, instancer: Any, target: Any, around: tuple[str, ...]
    ) -> list[tuple[Any, NDArray[np.float64]]]:
        """Meshes of a prototype; it keeps its own transform, but not those above it."""
        root = instancer.GetStage().GetPrimAtPath(target)
        if not root:
            return []
        above = self._world(root.GetParent()) if root.GetParent() else np.eye(4)
        return list(self.shown(root, np.asarray(np.linalg.pinv(above), np.float64), around))

    # --- meshes ------------------------------------------------------------------------------

    def add(self, prim: Any, world: NDArray[np.float64]) -> None:
        """Add a mesh where it stands."""
        self._shown += 1
        if self._shown > _MAX_SHOWN:
            raise FileFormatError(_TOO_MANY)
        # An instance shares the mesh of its prototype.
        source = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        key = str(source.GetPath())
        if key not in self._shapes:
            self._shapes[key] = self._shape(prim)
        mirrored = np.linalg.det(world[:3, :3]) < 0.0
        for shape in self._shapes[key]:
            self._count(len(shape.vertices), len(shape.triangles))
            with np.errstate(all="ignore"):
                vertices = (shape.vertices @ world[:3, :3] + world[3, :3]).astype(np.float32)
            triangles = shape.triangles[:, ::-1] if mirrored else shape.triangles
            self.parts.append(Part(vertices, triangles, shape.colors, shape.uvs, shape.material))

    def _count(self, vertices: int, triangles: int) -> None:
        self._corners += max(3 * triangles, vertices)
        if self._corners > MAX_CORNERS:
            raise FileFormatError(
                f"The scene has more than {MAX_CORNERS:,} triangle corners; decimate it first"
            )

    def _shape(self, prim: Any) -> list[Part]:
        """A mesh in its own space, a part for each material."""
        from pxr import UsdGeom

        mesh = UsdGeom.Mesh(prim)
        points = mesh.GetPointsAttr().Get(self._time)
        sizes = mesh.GetFaceVertexCountsAttr().Get(self._time)
        order = mesh.GetFaceVertexIndicesAttr().Get(self._time)
        if not points or not sizes or not order:
            return []
        vertices = np.array(points, np.float32)
        corners, counts = np.array(order, np.int64), np.array(sizes, np.int64)
        if counts.min() < 0 or counts.sum() != len(corners):
            raise FileFormatError("A mesh of the USD file has faces that do not fit its corners")
        if corners.min() < 0 or corners.max() >= len(vertices):
            raise FileFormatError("A mesh of the USD file names a vertex that is not there")
        picks, owners = fan(counts)
        holes = mesh.GetHoleIndicesAttr().Get(self._time)
        if holes:
            solid = ~np.isin(owners, np.array(holes, np.int64))
            picks, owners = picks[solid], owners[solid]
        if mesh.GetOrientationAttr().Get(self._time) == UsdGeom.Tokens.leftHanded:
            picks = picks[:, ::-1]
        parts = []
        for material, faces in self._by_material(prim, len(counts)):
            chosen = faces[owners]
            if chosen.any():
                parts.append(
                    self._part(prim, material, vertices, corners, picks[chosen], owners[chosen])
                )
        return parts

    def _by_material(self, prim: Any, faces: int) -> Iterator[tuple[Any, NDArray[np.bool_]]]:
        """Each material of a mesh, and which of its faces have it."""
        from pxr import UsdGeom, UsdShade

        rest = np.ones(faces, bool)
        for subset in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets():
            if subset.GetElementTypeAttr().Get() != UsdGeom.Tokens.face:
                continue
            listed = np.array(subset.GetIndicesAttr().Get(self._time) or (), np.int64)
            inside = np.zeros(faces, bool)
            inside[listed[(listed >= 0) & (listed < faces)]] = True
            yield self.looks.material_of(subset.GetPrim()), inside & rest
            rest &= ~inside
        yield self.looks.material_of(prim), rest

    def _part(
        self, prim: Any, material: Any, vertices: NDArray[np.float32],
        corners: NDArray[np.int64], picks: NDArray[np.int64], owners: NDArray[np.int64],
    ) -> Part:  # fmt: skip
        """Some faces of a mesh; where colours or textures belong to corners, so do vertices."""
        surface, uv_name, turn = self.looks.surface(material)
        colors, uvs = self.looks.colors(prim, surface), None
        if surface.name or surface.picture:
            uvs = self.looks.uvs(prim, uv_name, turn)
        flat = picks.reshape(-1)
        points = corners[flat]
        values = [
            None if value is None else flattened(value, points, flat, np.repeat(owners, 3))
            for value in (colors, uvs)
        ]
        by_corner = any(v is not None and v[0] != "vertex" for v in (colors, uvs))
        if by_corner:
            triangles = np.arange(len(flat)).reshape(-1, 3)
            return Part(vertices[points], triangles, values[0], values[1], surface.material)
        used, first, inverse = np.unique(points, return_index=True, return_inverse=True)
        colors_used, uvs_used = (None if v is None else v[first] for v in values)
        return Part(vertices[used], inverse.reshape(-1, 3), colors_used, uvs_used, surface.material)
