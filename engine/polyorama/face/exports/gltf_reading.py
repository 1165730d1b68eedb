"""Takes from glTF 2.0: the weights animation of ARKit's shapes, and how the head turns.

Whatever program wrote it: targets are known by ``extras.targetNames``, the head by the name of its
node. Nothing in a file is believed (see `polyorama.io.gltf_container`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.face.exports.baked import HEAD_AXES, head_weights, quaternions_of, vectors_of
from polyorama.face.exports.words import (
    MAX_FRAMES,
    channel_of,
    note,
    parse_phones,
    parse_provenance,
    rows_of,
    stated_rate,
    take_of,
    texts,
    uniform,
)
from polyorama.face.take import Provenance
from polyorama.io.gltf_container import GltfFile, open_gltf
from polyorama.io.gltf_nodes import node_worlds
from polyorama.io.json_fields import FieldError, numbers_of, object_of
from polyorama.scene.faces.channels import HEAD
from polyorama.scene.faces.phones import PhoneTrack

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.face.take import Take

__all__ = ["read_take_gltf"]

_MAX_BYTES = 2 << 30
_MAX_VALUES = 1 << 28
_HEAD_NAMES = ("head", "j_bip_c_head", "cc_base_head", "mixamorighead", "bip01head")


def read_take_gltf(path: str | os.PathLike[str], notes: list[str] | None = None) -> Take:
    """Read the first animation of a face in a .glb or .gltf file.

    Parameters
    ----------
    path
        The file.
    notes
        Gets a sentence on each thing that is left out or made even.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or animates no shape of ARKit.
    """
    file = open_gltf(path, limit=_MAX_BYTES, max_json=_MAX_BYTES)
    try:
        return _take(file, path, notes)
    except FieldError as error:
        raise file.damaged(str(error)) from error
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        # Wrong kinds of values in the JSON: too many places to name each.
        raise file.damaged("its JSON does not fit together; export it again") from error


def _take(file: GltfFile, path: str | os.PathLike[str], notes: list[str] | None) -> Take:
    ours = file.json["asset"].get("extras")
    ours = ours.get("polyorama") if isinstance(ours, dict) else None
    words = None if ours is None else object_of(ours, "asset.extras.polyorama")
    curves, turn = _animated(file, words is not None, notes)
    times = next(iter(curves.values()))[0]
    if any(len(t) != len(times) or (t != times).any() for t, _ in [*curves.values()]):
        times = np.unique(np.concatenate([t for t, _ in curves.values()]))
        if len(times) > MAX_FRAMES:
            raise file.error(f"Its shapes change at more than {MAX_FRAMES:,} times")
    columns = {name: np.interp(times, t, values) for name, (t, values) in curves.items()}
    turns = HEAD_AXES
    if words is not None and "headTurns" in words:
        turns = np.array(numbers_of(words["headTurns"], (3, 3), "headTurns"), np.float64)
    if words is not None and "headMat" in words:
        rows = numbers_of(words["headMat"], (len(times), 3), "headMat")
        columns |= {name: np.array([row[i] for row in rows]) for i, name in enumerate(HEAD)}
    elif turn is not None:
        vectors = vectors_of(_between(times, *turn))
        angles = head_weights(vectors, turns)
        if angles is None:
            raise FieldError("headTurns do not tell yaw, pitch and roll apart")
        columns |= {name: angles[:, i].astype(np.float64) for i, name in enumerate(HEAD)}
    fps = None if words is None else stated_rate(words)
    names = list(columns)
    even, fps = uniform(times, np.stack([columns[n] for n in names], axis=1), fps, path, notes)
    found = {name: even[:, i] for i, name in enumerate(names)}
    provenance = Provenance("glTF animation", program=str(file.json["asset"].get("generator", "")))
    phones = PhoneTrack()
    if words is not None:
        provenance = parse_provenance(words.get("provenance"))
        phones = parse_phones(words.get("phones", {}))
    return take_of(rows_of(found, len(even)), fps, provenance, path, phones=phones)


Curve = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""(n,) times, s, and values at them."""


def _animated(
    file: GltfFile, ours: bool, notes: list[str] | None
) -> tuple[dict[str, Curve], Curve | None]:
    """Curves by channel of the first animation that moves a face, and its head's rotations."""
    for number, animation in enumerate(file.items("animations")):
        curves: dict[str, Curve] = {}
        turn: Curve | None = None
        unknown: list[str] = []
        for channel in file.items("channels", animation):
            target = channel["target"]
            if target.get("node") is None:
                continue
            node = file.item("nodes", target["node"])
            if target["path"] == "weights":
                names = _target_names(file, node)
                times, values = _sampled(file, animation, channel, len(names))
                for at, name in enumerate(names):
                    known = channel_of(name)
                    if known is None or known in HEAD:
                        unknown.append(name)
                    elif known not in curves:
                        # Teeth, lashes and tongue have the same shapes as the skin.
                        curves[known] = times, values[:, at]
            elif target["path"] == "rotation" and _is_head(node) and turn is None:
                times, quats = _sampled(file, animation, channel, 4)
                turn = times, _from_rest(file, target["node"], node, quats)
        if curves:
            if unknown and not ours:
                note(notes, f"Shapes that are no channels are left out, {texts(unknown)}: "
                            f"{file.path}")  # fmt: skip
            if len(file.items("animations")) > 1:
                note(notes, f"Of its animations number {number + 1} is taken: {file.path}")
            return curves, turn
    raise file.error("There is no animation of ARKit's shapes in this glTF file")


def _target_names(file: GltfFile, node: dict[str, Any]) -> list[str]:
    mesh = file.item("meshes", node.get("mesh"))
    count = max((len(file.items("targets", p)) for p in file.items("primitives", mesh)), default=0)
    if count == 0:
        raise file.damaged("weights are animated of a mesh that has no targets")
    extras = mesh.get("extras")
    names = extras.get("targetNames") if isinstance(extras, dict) else None
    if names is None:
        # Names of accessors, as some programs write them.
        first = file.items("primitives", mesh)[0]["targets"]
        names = [str(file.item("accessors", t.get("POSITION")).get("name", "")) for t in first]
    if not isinstance(names, list) or len(names) != count:
        raise file.damaged(f"it has {count} targets, but not as many names")
    return [str(name)[:200] for name in names]


def _sampled(
    file: GltfFile, animation: dict[str, Any], channel: dict[str, Any], width: int
) -> Curve:
    """(n,) times and (n, width) values of a sampler; splines and steps as lines between keys."""
    samplers = file.items("samplers", animation)
    sampler = samplers[file.whole(channel, "sampler")]
    times = file.floats(sampler["input"], 1)[:, 0].astype(np.float64)
    kind = sampler.get("interpolation", "LINEAR")
    parts = 3 if kind == "CUBICSPLINE" else 1
    values = file.floats(sampler["output"]).reshape(-1)
    if not 1 <= len(times) <= MAX_FRAMES or len(values) != len(times) * width * parts:
        raise file.damaged("an animation has not as many values as it has times")
    if len(values) > _MAX_VALUES:
        raise file.error("An animation of the glTF file is too long")
    if not np.isfinite(values).all() or not np.isfinite(times).all():
        raise file.damaged("an animation has numbers that are not finite")
    if (np.diff(times) <= 0.0).any():
        raise file.damaged("the times of an animation do not ascend")
    keys = values.reshape(len(times), parts, width).astype(np.float64)
    if kind == "LINEAR":
        return times, keys[:, 0]
    if kind == "STEP":
        return _stepped(times, keys[:, 0])
    if kind == "CUBICSPLINE":
        return _splined(times, keys)
    raise file.damaged(f"an animation has the interpolation {str(kind)[:40]!r}")


_RATE = 60.0
"""At which curves that are not straight between keys are read."""


def _grid(times: NDArray[np.float64]) -> NDArray[np.float64]:
    count = float((times[-1] - times[0]) * _RATE)
    if count >= MAX_FRAMES:
        raise FieldError("an animation is too long")
    return np.asarray(times[0] + np.arange(int(count + 1e-6) + 1) / _RATE)


def _stepped(times: NDArray[np.float64], keys: NDArray[np.float64]) -> Curve:
    grid = _grid(times)
    rows = np.searchsorted(times, grid + 1e-9, side="right") - 1
    return grid, np.asarray(keys[rows])


def _splined(times: NDArray[np.float64], keys: NDArray[np.float64]) -> Curve:
    """Cubic Hermite splines of (n, 3, width) tangents in, values, tangents out (glTF, annex C)."""
    if len(times) == 1:
        return times, keys[:, 1]
    grid = _grid(times)
    left = np.clip(np.searchsorted(times, grid, side="right") - 1, 0, len(times) - 2)
    step = (times[left + 1] - times[left])[:, None]
    t = (grid[:, None] - times[left][:, None]) / step
    return grid, (
        (2 * t**3 - 3 * t**2 + 1) * keys[left, 1]
        + step * (t**3 - 2 * t**2 + t) * keys[left, 2]
        + (-2 * t**3 + 3 * t**2) * keys[left + 1, 1]
        + step * (t**3 - t**2) * keys[left + 1, 0]
    )


# --- the head --------------------------------------------------------------------------------


def _is_head(node: dict[str, Any]) -> bool:
    name = str(node.get("name", "")).replace(":", "").replace(" ", "").casefold()
    return name in _HEAD_NAMES


def _from_rest(
    file: GltfFile, number: int, node: dict[str, Any], quats: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turns from the pose at rest, in the scene's axes, of a joint's own rotations (x, y, z, w)."""
    lengths = np.linalg.norm(quats, axis=1, keepdims=True)
    if (lengths < 1e-6).any():
        raise file.damaged("a rotation of the head is zero")
    rest = np.array(numbers_of(node.get("rotation", [0, 0, 0, 1]), (4,), "rotation"), np.float64)
    if np.linalg.norm(rest) < 1e-6:
        raise file.damaged("a node has an impossible rotation")
    turned = _times(quats / lengths, (rest / np.linalg.norm(rest) * (-1, -1, -1, 1))[None])
    parent = next(
        (i for i, n in enumerate(file.items("nodes"))
         if isinstance(n, dict) and number in n.get("children", [])), None,
    )  # fmt: skip
    world = np.eye(4) if parent is None else node_worlds(file).get(parent, np.eye(4))
    # Scales do not turn anything.
    left, _, right = np.linalg.svd(world[:3, :3])
    vectors = vectors_of(turned) @ (left @ right).T
    return quaternions_of(vectors)


def _times(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hamilton's product of quaternions x, y, z, w."""
    av, aw, bv, bw = a[:, :3], a[:, 3:], b[:, :3], b[:, 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    scalar = aw * bw - np.sum(av * bv, axis=1, keepdims=True)
    return np.concatenate([vector, np.broadcast_to(scalar, (len(vector), 1))], axis=1)


def _between(
    times: NDArray[np.float64], at: NDArray[np.float64], quats: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Quaternions at times, between keys by straight lines on one side of the sphere."""
    flips = np.cumprod(np.where(np.sum(quats[1:] * quats[:-1], axis=1) < 0.0, -1.0, 1.0))
    steady = quats * np.concatenate([[1.0], flips])[:, None]
    return np.stack([np.interp(times, at, steady[:, k]) for k in range(4)], axis=1)
