"""Takes as USD: a UsdSkel mesh with blend shapes and a head joint, and their animation.

y is up, the face looks along +z, time codes are frames at the take's rate. The animation holds all
52 of ARKit's shapes, also those that the rig does not have. A sound lies beside as a WAV file that
a SpatialAudio names; textures lie beside as PNG. Provenance and phones are in the layer's
customLayerData, as JSON under ``polyorama``.
"""

from __future__ import annotations

import io
import json
import wave
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import linear_from_display
from polyorama.errors import OutputError, UnavailableError
from polyorama.face.exports.baked import baked, head_vectors, quaternions_of, target_weights
from polyorama.face.exports.gltf import own_words, png_bytes
from polyorama.face.exports.words import writer
from polyorama.io.atomic import atomic_write_all

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.face.exports.baked import BakedRig
    from polyorama.face.take import Take
    from polyorama.scene.contents import Audio
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.mesh import Material, Mesh

__all__ = ["need_usd", "quiet", "wav_bytes", "write_take_usd"]

_JOINTS = ("neck", "neck/head")


def need_usd() -> None:
    """Make sure that OpenUSD is there.

    Raises
    ------
    UnavailableError
        If it is not installed.
    """
    try:
        import pxr.Usd  # noqa: F401
    except ImportError as error:
        raise UnavailableError(
            "USD files need OpenUSD, which is not installed: pip install 'polyorama[face]'"
        ) from error


def write_take_usd(take: Take, rig: MorphRig, path: str | os.PathLike[str]) -> None:
    """Write a .usd, .usda or .usdc file, and its sound and textures beside it.

    Parameters
    ----------
    take
        What is performed. Its emotion has no place in USD.
    rig
        What performs.
    path
        Where to. A sound becomes ``<name>.take.wav`` in the same folder, 16 bits.

    Raises
    ------
    OutputError
        If the head turns by half a turn, OpenUSD refuses, or the system does.
    UnavailableError
        If OpenUSD is not installed.
    UsageError
        If the rig's head cannot be one joint.
    """
    need_usd()
    target = Path(path)
    ready = baked(rig)
    beside: dict[str, bytes] = {}
    if take.sound is not None:
        beside[f"{target.stem}.take.wav"] = wav_bytes(take.sound)
    for number, material in enumerate(rig.mesh.materials):
        if material.texture is not None:
            beside[_texture_name(target, number)] = png_bytes(material.texture)
    ends = [target.with_name(name) for name in beside]
    with atomic_write_all([*ends, target]) as temporaries:
        for temporary, data in zip(temporaries, beside.values(), strict=False):
            temporary.write_bytes(data)
        with quiet(), _saying(target):
            stage = _stage(take, rig, ready, target)
            # OpenUSD names no reason where it cannot write.
            if not stage.GetRootLayer().Export(str(temporaries[-1])):
                raise OutputError(f"OpenUSD cannot write the file: {target}")


def wav_bytes(sound: Audio) -> bytes:
    """A sound as a WAV file of 16 bits, its gain in it."""
    samples = np.clip(sound.samples * np.float32(sound.gain), -1.0, 1.0)
    stream = io.BytesIO()
    with wave.open(stream, "wb") as out:
        out.setnchannels(samples.shape[1])
        out.setsampwidth(2)
        out.setframerate(sound.rate)
        whole = np.clip(np.rint(samples * 32768.0), -32768, 32767)
        out.writeframes(whole.astype("<i2").tobytes())
    return stream.getvalue()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep OpenUSD's remarks from the terminal; its errors are raised all the same."""
    from pxr import UsdUtils

    listening = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    finally:
        listening.TakeUncoalescedDiagnostics()


@contextmanager
def _saying(target: Path) -> Iterator[None]:
    from pxr import Tf

    try:
        yield
    except Tf.ErrorException as error:
        reason = " ".join(str(error).split())[-150:]
        raise OutputError(f"OpenUSD cannot write the file ({reason}): {target}") from error


def _texture_name(target: Path, number: int) -> str:
    return f"{target.stem}.texture{number}.png"


def _stage(take: Take, rig: MorphRig, ready: BakedRig, target: Path) -> Any:
    from pxr import Sdf, Tf, Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.CreateInMemory()
    performance = take.performance
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(performance.fps)
    stage.SetFramesPerSecond(performance.fps)
    stage.SetStartTimeCode(0.0)
    stage.SetEndTimeCode(float(len(performance) - 1))
    layer = stage.GetRootLayer()
    layer.comment = f"Written by {writer()}. {take.provenance.training}".rstrip()
    layer.customLayerData = {"polyorama": json.dumps(own_words(take, ready.turns))}
    root = UsdSkel.Root.Define(stage, "/Face")
    stage.SetDefaultPrim(root.GetPrim())
    if rig.credit:
        root.GetPrim().SetMetadata("documentation", rig.credit)
    tokens = _tokens(ready.targets, Tf.MakeValidIdentifier)
    skeleton = _skeleton(stage, ready)
    _animation(stage, take, ready, tokens, target)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(
        [Sdf.Path("/Face/Skeleton/Take")]
    )
    prim = _mesh(stage, rig.mesh, ready, tokens)
    _looks(stage, prim, rig.mesh, target)
    if take.sound is not None:
        _sound(stage, take.sound, target)
    return stage


def _tokens(names: tuple[str, ...], valid: Any) -> list[str]:
    """Names as USD allows them, each once."""
    tokens: list[str] = []
    for name in names:
        token = base = valid(name)
        while token in tokens:
            token = f"{base}_{len(tokens)}"
        tokens.append(token)
    return tokens


def _matrix(pivot: NDArray[np.float64]) -> Any:
    from pxr import Gf

    return Gf.Matrix4d(1.0).SetTranslate(Gf.Vec3d(*pivot.tolist()))


def _skeleton(stage: Any, ready: BakedRig) -> Any:
    from pxr import UsdSkel, Vt

    skeleton = UsdSkel.Skeleton.Define(stage, "/Face/Skeleton")
    pivot, nowhere = _matrix(ready.pivot), _matrix(np.zeros(3))
    skeleton.CreateJointsAttr(Vt.TokenArray(_JOINTS))
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray([pivot, pivot]))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([pivot, nowhere]))
    return skeleton


def _animation(stage: Any, take: Take, ready: BakedRig, tokens: list[str], target: Path) -> None:
    from pxr import Gf, UsdSkel, Vt

    animation = UsdSkel.Animation.Define(stage, "/Face/Skeleton/Take")
    animation.CreateJointsAttr(Vt.TokenArray(_JOINTS))
    animation.CreateBlendShapesAttr(Vt.TokenArray(tokens))
    pivot = Gf.Vec3f(*ready.pivot.tolist())
    animation.CreateTranslationsAttr(Vt.Vec3fArray([pivot, Gf.Vec3f(0.0)]))
    animation.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1.0)] * 2))
    turned = animation.CreateRotationsAttr()
    shaped = animation.CreateBlendShapeWeightsAttr()
    still = Gf.Quatf(1.0)
    quats = quaternions_of(head_vectors(ready, take.performance, target)).tolist()
    weights = target_weights(ready, take.performance)
    for frame, ((x, y, z, w), row) in enumerate(zip(quats, weights, strict=True)):
        turned.Set(Vt.QuatfArray([still, Gf.Quatf(w, x, y, z)]), frame)
        shaped.Set(Vt.FloatArray.FromNumpy(row), frame)


def _mesh(stage: Any, mesh: Mesh, ready: BakedRig, tokens: list[str]) -> Any:
    from pxr import Gf, Sdf, UsdGeom, UsdSkel, Vt

    face = UsdGeom.Mesh.Define(stage, "/Face/Mesh")
    face.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(ready.vertices))
    face.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(mesh.triangles.reshape(-1)))
    face.CreateFaceVertexCountsAttr(Vt.IntArray(len(mesh.triangles), 3))
    face.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(ready.normals))
    face.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    face.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    face.CreateDoubleSidedAttr(True)
    low, high = ready.vertices.min(axis=0), ready.vertices.max(axis=0)
    face.CreateExtentAttr(Vt.Vec3fArray([Gf.Vec3f(*low.tolist()), Gf.Vec3f(*high.tolist())]))
    primvars = UsdGeom.PrimvarsAPI(face)
    if mesh.uvs is not None:
        uvs = primvars.CreatePrimvar(
            "st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.vertex
        )
        uvs.Set(Vt.Vec2fArray.FromNumpy(mesh.uvs))
    if mesh.colors is not None:
        light = linear_from_display(np.clip(mesh.colors, 0.0, 1.0))
        color = face.CreateDisplayColorPrimvar(UsdGeom.Tokens.vertex)
        color.Set(Vt.Vec3fArray.FromNumpy(light))
    binding = UsdSkel.BindingAPI.Apply(face.GetPrim())
    binding.CreateSkeletonRel().SetTargets([Sdf.Path("/Face/Skeleton")])
    shares = np.stack([1.0 - ready.head_share, ready.head_share], axis=1).astype(np.float32)
    joints = np.tile(np.array([0, 1], np.int32), len(shares))
    binding.CreateJointIndicesPrimvar(False, 2).Set(Vt.IntArray.FromNumpy(joints))
    binding.CreateJointWeightsPrimvar(False, 2).Set(Vt.FloatArray.FromNumpy(shares.reshape(-1)))
    used = []
    for token, (indices, offsets) in zip(tokens, ready.offsets, strict=True):
        if not len(indices):
            continue
        path = face.GetPath().AppendChild(token)
        shape = UsdSkel.BlendShape.Define(stage, path)
        shape.CreateOffsetsAttr(Vt.Vec3fArray.FromNumpy(offsets))
        shape.CreatePointIndicesAttr(Vt.IntArray.FromNumpy(indices))
        used.append((token, path))
    binding.CreateBlendShapesAttr(Vt.TokenArray([token for token, _ in used]))
    binding.CreateBlendShapeTargetsRel().SetTargets([path for _, path in used])
    return face


def _looks(stage: Any, face: Any, mesh: Mesh, target: Path) -> None:
    from pxr import UsdGeom, UsdShade, Vt

    looks = [
        _look(stage, number, material, mesh, target)
        for number, material in enumerate(mesh.materials)
    ]
    if mesh.material_ids is None:
        UsdShade.MaterialBindingAPI.Apply(face.GetPrim()).Bind(looks[0])
        return
    for number in np.unique(mesh.material_ids).tolist():
        faces = np.flatnonzero(mesh.material_ids == number).astype(np.int32)
        subset = UsdGeom.Subset.CreateGeomSubset(
            face, f"part{number}", UsdGeom.Tokens.face, Vt.IntArray.FromNumpy(faces),
            "materialBind",
        )  # fmt: skip
        UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(looks[number])


def _look(stage: Any, number: int, material: Material, mesh: Mesh, target: Path) -> Any:
    from pxr import Gf, Sdf, UsdShade

    path = f"/Face/Looks/look{number}"
    look = UsdShade.Material.Define(stage, path)
    surface = UsdShade.Shader.Define(stage, f"{path}/surface")
    surface.CreateIdAttr("UsdPreviewSurface")
    color = np.clip(np.array(material.color, np.float64), 0.0, 1.0)
    glow = linear_from_display(np.clip(np.array(material.emission, np.float64), 0.0, 1.0))
    diffuse = surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    diffuse.Set(Gf.Vec3f(*linear_from_display(color[:3]).tolist()))
    surface.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(0.6)
    surface.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(float(color[3]))
    surface.CreateInput("emissiveColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*glow.tolist()))
    if material.texture is not None:
        picture = _read(stage, f"{path}/picture", "UsdUVTexture", "file",
                        Sdf.AssetPath(f"./{_texture_name(target, number)}"),
                        Sdf.ValueTypeNames.Asset)  # fmt: skip
        picture.CreateInput("sourceColorSpace", Sdf.ValueTypeNames.Token).Set("sRGB")
        picture.CreateInput("scale", Sdf.ValueTypeNames.Float4).Set(
            Gf.Vec4f(*linear_from_display(color[:3]).tolist(), 1.0)
        )
        places = _read(stage, f"{path}/places", "UsdPrimvarReader_float2", "varname", "st",
                       Sdf.ValueTypeNames.String)  # fmt: skip
        picture.CreateInput("st", Sdf.ValueTypeNames.Float2).ConnectToSource(
            places.CreateOutput("result", Sdf.ValueTypeNames.Float2)
        )
        diffuse.ConnectToSource(picture.CreateOutput("rgb", Sdf.ValueTypeNames.Float3))
    elif mesh.colors is not None:
        painted = _read(stage, f"{path}/painted", "UsdPrimvarReader_float3", "varname",
                        "displayColor", Sdf.ValueTypeNames.String)  # fmt: skip
        diffuse.ConnectToSource(painted.CreateOutput("result", Sdf.ValueTypeNames.Float3))
    look.CreateSurfaceOutput().ConnectToSource(
        surface.CreateOutput("surface", Sdf.ValueTypeNames.Token)
    )
    return look


def _read(stage: Any, path: str, kind: str, name: str, value: Any, type_: Any) -> Any:
    """A shader node that reads something."""
    from pxr import UsdShade

    node = UsdShade.Shader.Define(stage, path)
    node.CreateIdAttr(kind)
    node.CreateInput(name, type_).Set(value)
    return node


def _sound(stage: Any, sound: Audio, target: Path) -> None:
    from pxr import Sdf, UsdMedia

    audio = UsdMedia.SpatialAudio.Define(stage, "/Face/Voice")
    audio.CreateFilePathAttr(Sdf.AssetPath(f"./{target.stem}.take.wav"))
    audio.CreateAuralModeAttr(UsdMedia.Tokens.nonSpatial)
    audio.CreatePlaybackModeAttr(UsdMedia.Tokens.onceFromStart)
    audio.CreateStartTimeAttr(Sdf.TimeCode(sound.start * stage.GetTimeCodesPerSecond()))
