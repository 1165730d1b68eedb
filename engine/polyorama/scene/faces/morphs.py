"""A face rig: a mesh with named shapes, parts that turn, correctives and named places."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.errors import UsageError
from polyorama.scene.faces.channels import CHANNELS, HEAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["Corrective", "MorphRig", "Rotor", "Shapes"]

_FARTHEST = 1e6
"""No shape moves a vertex farther, units of the mesh: what it makes stays within float32."""


def _frozen(array: object, dtype: type[np.generic]) -> NDArray[np.generic]:
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


def _are_within(ids: NDArray[np.int32], count: int) -> bool:
    return ids.ndim == 1 and (not len(ids) or bool(ids.min() >= 0 and ids.max() < count))


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Named shapes as sparse offsets from the mesh at rest.

    Parameters
    ----------
    names
        S names, each once: ARKit's where they mean the same, others are extras.
    starts
        (S + 1,) int64; entries starts[s] to starts[s + 1] belong to shape s.
    indices
        (K,) int32, which vertex an entry moves; no vertex twice in one shape.
    deltas
        (K, 3) float32, how far at weight 1, units of the mesh.
    """

    names: tuple[str, ...]
    starts: NDArray[np.int64]
    indices: NDArray[np.int32]
    deltas: NDArray[np.float32]

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", _frozen(self.starts, np.int64))
        object.__setattr__(self, "indices", _frozen(self.indices, np.int32))
        object.__setattr__(self, "deltas", _frozen(self.deltas, np.float32))
        count = len(self.indices)
        if len(set(self.names)) < len(self.names):
            raise UsageError("Two shapes of a face have one name.")
        flat = self.indices.ndim == 1 and self.starts.shape == (len(self.names) + 1,)
        if not flat or self.deltas.shape != (count, 3):
            raise UsageError("The shapes of a face do not fit together.")
        if self.starts[0] != 0 or self.starts[-1] != count or (np.diff(self.starts) < 0).any():
            raise UsageError("The shapes of a face do not fit together.")
        if count and self.indices.min() < 0:
            raise UsageError("A shape of a face names a vertex below 0.")
        if count and not np.abs(self.deltas).max() <= _FARTHEST:
            raise UsageError("A shape of a face has offsets that are not finite, or beyond 1e6.")

    @classmethod
    def of_dense(cls, offsets: Mapping[str, NDArray[np.floating]], least: float = 0.0) -> Shapes:
        """Shapes of (V, 3) offsets by name; offsets no longer than `least` are left out."""
        indices, deltas, starts = [], [], [0]
        for dense in offsets.values():
            moved = np.flatnonzero(np.linalg.norm(dense, axis=1) > least)
            indices.append(moved.astype(np.int32))
            deltas.append(np.asarray(dense[moved], np.float32))
            starts.append(starts[-1] + len(moved))
        return cls(
            tuple(offsets),
            np.array(starts, np.int64),
            np.concatenate([np.zeros(0, np.int32), *indices]),
            np.concatenate([np.zeros((0, 3), np.float32), *deltas]),
        )

    def __len__(self) -> int:
        return len(self.names)

    def entries(self, name: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """(n,) vertices that a shape moves, and (n, 3) how far.

        Raises
        ------
        KeyError
            If there is no such shape.
        """
        if name not in self.names:
            raise KeyError(name)
        at = self.names.index(name)
        part = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.indices[part], self.deltas[part]

    def dense(self, name: str, count: int) -> NDArray[np.float32]:
        """(count, 3) float32 offsets of a shape.

        Raises
        ------
        KeyError
            If there is no such shape.
        """
        indices, deltas = self.entries(name)
        full = np.zeros((count, 3), np.float32)
        full[indices] = deltas
        return full


@dataclass(frozen=True, slots=True)
class Corrective:
    """A shape that is added by the product of the weights of others.

    Parameters
    ----------
    shape
        Name of the shape in the rig.
    channels
        Whose weights are multiplied.
    """

    shape: str
    channels: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rotor:
    """A part that turns as a whole: an eyeball, the jaw's teeth, the head on its neck.

    Parameters
    ----------
    name
        "leftEye", "rightEye", "jaw", "head" or a name of its own.
    indices
        (n,) int32 vertices.
    amounts
        (n,) float32, share of the turn that each takes, 0..1.
    pivot
        (3,) float64, units of the mesh.
    channels
        (3,) rotation vector, rad, that weight 1 of a channel adds.
    """

    name: str
    indices: NDArray[np.int32]
    amounts: NDArray[np.float32]
    pivot: NDArray[np.float64]
    channels: Mapping[str, tuple[float, float, float]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "indices", _frozen(self.indices, np.int32))
        object.__setattr__(self, "amounts", _frozen(self.amounts, np.float32))
        object.__setattr__(self, "pivot", _frozen(self.pivot, np.float64))
        object.__setattr__(self, "channels", FrozenMap(self.channels))
        fits = self.indices.ndim == 1 and self.amounts.shape == self.indices.shape
        if self.pivot.shape != (3,) or not fits:
            raise UsageError(f"The part {self.name!r} of a face does not fit together.")
        if not (np.isfinite(self.pivot).all() and np.isfinite(self.amounts).all()):
            raise UsageError(f"The part {self.name!r} of a face turns by numbers not finite.")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class MorphRig:
    """A face that can be moved.

    Shapes are added first, then correctives, then parts turn, in their order; the head comes last.

    Parameters
    ----------
    mesh
        At rest, mouth closed and eyes open; up is -y, the face looks along +z, its own left is -x.
    shapes
        Its shapes.
    rotors
        Parts that turn.
    correctives
        Shapes that others call in.
    regions
        Vertices of named places, such as "lips", "upperLip", "lowerLip", "leftEye", "rightEye",
        "upperTeeth", "lowerTeeth", "tongue", "upperFace", "skin".
    landmarks
        Vertices in order: "innerLipUpper" and "innerLipLower" (pairs, from the face's right corner
        to its left), "mouthCorners" (right, left), "upperLidLeft" and "lowerLidLeft" (pairs) and
        the same of the right, "lowerLipTop" and "upperTeethEdge" for f and v.
    name, credit
        What it is called, and whose it is under which licence.

    Raises
    ------
    UsageError
        If something names a vertex or shape that is not there.
    """

    mesh: Mesh
    shapes: Shapes
    rotors: tuple[Rotor, ...] = ()
    correctives: tuple[Corrective, ...] = ()
    regions: Mapping[str, NDArray[np.int32]] = field(default_factory=FrozenMap)
    landmarks: Mapping[str, NDArray[np.int32]] = field(default_factory=FrozenMap)
    name: str = ""
    credit: str = ""

    def __post_init__(self) -> None:
        count = len(self.mesh.vertices)
        for name in ("regions", "landmarks"):
            places = {key: _frozen(ids, np.int32) for key, ids in getattr(self, name).items()}
            object.__setattr__(self, name, FrozenMap(places))
        named = [self.shapes.indices, *(rotor.indices for rotor in self.rotors)]
        named += [*self.regions.values(), *self.landmarks.values()]
        if not all(_are_within(ids, count) for ids in named):
            raise UsageError(f"The face {self.name!r} names vertices that it does not have.")
        known = set(self.shapes.names)
        for corrective in self.correctives:
            if corrective.shape not in known:
                raise UsageError(f"The face {self.name!r} has no shape {corrective.shape!r}.")

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels of `CHANNELS` that move it."""
        turned = {channel for rotor in self.rotors for channel in rotor.channels}
        return tuple(name for name in CHANNELS if name in self.shapes.names or name in turned)

    @property
    def missing(self) -> tuple[str, ...]:
        """The channels of `CHANNELS` that do nothing to it."""
        have = set(self.channels)
        return tuple(name for name in CHANNELS if name not in have)

    @property
    def mouth_width(self) -> float:
        """Distance of the corners of the mouth at rest, units of the mesh; 0 where not known."""
        corners = self.landmarks.get("mouthCorners")
        if corners is None or len(corners) != 2:
            return 0.0
        right, left = self.mesh.vertices[corners]
        return float(np.linalg.norm(left - right))

    def posed(
        self,
        weights: Mapping[str, float] | NDArray[np.floating],
        *,
        head: bool = True,
    ) -> NDArray[np.float32]:
        """Where the vertices are under weights.

        Parameters
        ----------
        weights
            By channel or shape, what is not named being 0; or (55,) as `CHANNELS`.
        head
            Whether the head turns.

        Returns
        -------
        (V, 3) float32, units of the mesh.
        """
        # Only here, since it brings in the compiler.
        from polyorama.scene.faces.morph_kernels import turn_part

        named = weights if isinstance(weights, Mapping) else _by_name(weights)
        vertices = self.mesh.vertices.copy()
        self._add(named, vertices)
        for rotor in self.rotors:
            vector = np.zeros(3)
            for channel, turn in rotor.channels.items():
                if head or channel not in HEAD:
                    vector += float(named.get(channel, 0.0)) * np.asarray(turn)
            if vector.any():
                turn_part(rotor.indices, rotor.amounts, rotor.pivot, vector, vertices)
        return vertices

    def _add(self, named: Mapping[str, float], vertices: NDArray[np.float32]) -> None:
        from polyorama.scene.faces.morph_kernels import add_shapes

        factors: dict[int, float] = {}
        places = {name: at for at, name in enumerate(self.shapes.names)}
        products = [(c.shape, math.prod(float(named.get(n, 0.0)) for n in c.channels))
                    for c in self.correctives]  # fmt: skip
        for name, weight in [*named.items(), *products]:
            at = places.get(name)
            if at is not None and weight != 0.0:
                factors[at] = factors.get(at, 0.0) + float(weight)
        if factors:
            shapes = self.shapes
            add_shapes(
                shapes.starts, shapes.indices, shapes.deltas,
                np.fromiter(factors, np.int64), np.fromiter(factors.values(), np.float32), vertices,
            )  # fmt: skip


def _by_name(weights: Sequence[float] | NDArray[np.floating]) -> dict[str, float]:
    if len(weights) != len(CHANNELS):
        raise UsageError(f"A face has {len(CHANNELS)} channels, not {len(weights)}.")
    return {name: float(w) for name, w in zip(CHANNELS, weights, strict=True) if w != 0.0}
