"""What meshes of a USD scene look like: UsdPreviewSurface, its textures, and displayColor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import display_from_linear
from polyorama.scene.mesh import Material
from polyorama.shapes.loaders.parcel import MAX_PICTURES, Surface

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Looks", "flattened"]

Values = tuple[str, "NDArray[np.float32]"]
"""How values lie on a mesh ("constant", "uniform", "vertex" or "faceVarying"), and their rows."""

_WIDELY_USED = ("st", "st0", "UVMap", "map1", "st_0", "uv")


class Looks:
    """Materials of a scene, each made once.

    Parameters
    ----------
    time
        The moment that is shown.
    path
        Of the file.
    """

    def __init__(self, time: Any, path: Path) -> None:
        self._time = time
        self._path = path
        self._known: dict[str, tuple[Surface, str, NDArray[np.float32] | None]] = {}
        self._bytes = 0
        self.surfaces: list[Surface] = []
        self.notes: list[str] = []

    def material_of(self, prim: Any) -> Any:
        """The material that is bound to a prim for renders, or None."""
        from pxr import UsdShade

        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        return material if material else None

    def surface(self, material: Any) -> tuple[Surface, str, NDArray[np.float32] | None]:
        """A material's look, the name of the texture coordinates, and their (2, 3) transform."""
        key = "" if material is None else str(material.GetPath())
        if key not in self._known:
            made = self._made(material) if key else (Surface(Material()), "", None)
            if made is None:
                # A network for one renderer only: the mesh is as one without a material.
                self._known[key] = self.surface(None)
            else:
                self._known[key] = made
                self.surfaces.append(made[0])
        return self._known[key]

    def colors(self, prim: Any, surface: Surface) -> Values | None:
        """Display RGB of a mesh without a material; None where the material decides."""
        from pxr import UsdGeom

        if surface is not self._known.get("", (None,))[0]:
            return None
        found = self._primvar(UsdGeom.Gprim(prim).GetDisplayColorPrimvar(), 3)
        if found is None:
            return None
        return found[0], np.asarray(
            display_from_linear(np.clip(np.nan_to_num(found[1]), 0.0, 1.0)), np.float32
        )

    def uvs(self, prim: Any, name: str, turn: NDArray[np.float32] | None) -> Values | None:
        """Texture coordinates of a mesh, v up: those the material asks for, else the usual ones."""
        from pxr import UsdGeom

        primvars = UsdGeom.PrimvarsAPI(prim)
        for tried in (name, *_WIDELY_USED):
            found = self._primvar(primvars.FindPrimvarWithInheritance(tried), 2) if tried else None
            if found is not None:
                how, rows = found
                return (how, rows) if turn is None else (how, rows @ turn[:, :2].T + turn[:, 2])
        return None

    def _primvar(self, primvar: Any, width: int) -> Values | None:
        if not primvar or not primvar.HasValue():
            return None
        values = primvar.ComputeFlattened(self._time)
        if values is None:
            return None
        rows = np.array(values, np.float32)
        if rows.ndim != 2 or rows.shape[1] != width or not len(rows):
            return None
        how = str(primvar.GetInterpolation())
        return ("vertex" if how == "varying" else how), rows

    # --- materials ---------------------------------------------------------------------------

    def _made(self, material: Any) -> tuple[Surface, str, NDArray[np.float32] | None] | None:
        """A look from UsdPreviewSurface; None where the material has none."""
        shader, *_ = material.ComputeSurfaceSource()
        if not shader or shader.GetShaderId() != "UsdPreviewSurface":
            return None
        glow = _shown(self._value(shader, "emissiveColor", 3, 0.0))
        alpha = float(np.clip(self._value(shader, "opacity", 1, 1.0)[0], 0.0, 1.0))
        texture = self._source(shader, "diffuseColor")
        if texture is None or texture.GetShaderId() != "UsdUVTexture":
            color = _shown(self._value(shader, "diffuseColor", 3, 0.18))
            return Surface(Material((*color, alpha), None, glow)), "", None
        color = _shown(self._value(texture, "fallback", 3, 0.18))
        painted = _shown(self._value(texture, "scale", 3, 1.0))
        name, picture = self._picture(texture)
        uv_name, turn = self._coordinates(texture)
        surface = Surface(Material((*color, alpha), None, glow), (*painted, alpha), name, picture)
        return surface, uv_name, turn

    def _source(self, shader: Any, name: str) -> Any:
        """The shader that an input is connected to, or None."""
        from pxr import UsdShade

        given = shader.GetInput(name)
        if not given:
            return None
        for attribute in UsdShade.Utils.GetValueProducingAttributes(given):
            found = UsdShade.Shader(attribute.GetPrim())
            if UsdShade.Utils.GetType(attribute.GetName()) == UsdShade.AttributeType.Output:
                return found if found else None
        return None

    def _value(self, shader: Any, name: str, width: int, default: float) -> NDArray[np.float64]:
        from pxr import UsdShade

        given = shader.GetInput(name)
        found = np.full(width, default)
        if given:
            for attribute in UsdShade.Utils.GetValueProducingAttributes(given):
                if UsdShade.Utils.GetType(attribute.GetName()) == UsdShade.AttributeType.Output:
                    continue
                value = np.array(attribute.Get(self._time), np.float64).reshape(-1)
                if len(value) >= width and np.isfinite(value[:width]).all():
                    found = value[:width]
        return found

    def _picture(self, texture: Any) -> tuple[str, bytes]:
        """Name and, where it lies inside a usdz file, bytes of a texture."""
        from pxr import Ar

        given = texture.GetInput("file")
        asset = given.Get(self._time) if given else None
        if asset is None or not asset.path:
            return "", b""
        resolved = str(asset.resolvedPath)
        if "[" not in resolved:
            return str(asset.path), b""
        package, _ = Ar.SplitPackageRelativePathOuter(resolved)
        inside = os.path.realpath(package) == os.path.realpath(self._path)
        opened = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(resolved)) if inside else None
        if opened is None:
            return str(asset.path), b""
        self._bytes += opened.GetSize()
        if self._bytes > MAX_PICTURES:
            self.notes.append("Textures beyond the first gigabyte are left out")
            return "", b""
        return str(asset.path), bytes(opened.GetBuffer())

    def _coordinates(self, texture: Any) -> tuple[str, NDArray[np.float32] | None]:
        """Which texture coordinates a texture uses, and their transform."""
        from pxr import UsdShade

        turn = None
        source = self._source(texture, "st")
        if source is not None and source.GetShaderId() == "UsdTransform2d":
            angle = float(np.radians(self._value(source, "rotation", 1, 0.0)[0]))
            scale = self._value(source, "scale", 2, 1.0)
            shift = self._value(source, "translation", 2, 0.0)
            c, s = np.cos(angle), np.sin(angle)
            turn = np.array(
                [[c * scale[0], -s * scale[1], shift[0]], [s * scale[0], c * scale[1], shift[1]]],
                np.float32,
            )
            source = self._source(source, "in")
        if source is None or not str(source.GetShaderId()).startswith("UsdPrimvarReader"):
            return "", turn
        given = source.GetInput("varname")
        names = UsdShade.Utils.GetValueProducingAttributes(given) if given else []
        return (str(names[0].Get() or "") if names else ""), turn


def flattened(
    values: Values, points: NDArray[np.int64], corners: NDArray[np.int64], faces: NDArray[np.int64]
) -> NDArray[np.float32] | None:
    """A row for each corner of the triangles, or None where there are too few.

    Parameters
    ----------
    values
        As they lie on the mesh.
    points, corners, faces
        (C,) which vertex, which corner of the file's list, and which face each corner is of.
    """
    how, rows = values
    index = {"vertex": points, "faceVarying": corners, "uniform": faces}.get(how)
    if index is None:
        index = np.zeros(len(points), np.int64)
    return rows[index] if int(index.max(initial=0)) < len(rows) else None


def _shown(linear: NDArray[np.float64]) -> tuple[float, float, float]:
    """Display RGB of a linear colour."""
    shown = np.asarray(display_from_linear(np.clip(linear[:3], 0.0, 1.0)), np.float64).round(6)
    return (float(shown[0]), float(shown[1]), float(shown[2]))
