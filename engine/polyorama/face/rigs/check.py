"""What is wrong with a rig, measured, and what to do about it."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.face.rigs.closest import vertex_normals
from polyorama.face.rigs.mouth import Mouth, find_mouth, lip_gaps, skin_of
from polyorama.face.rigs.parts import sphere_of
from polyorama.scene.faces.channels import ARKIT, mirrored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["SEALED", "Intersection", "RigReport", "Seal", "check_rig"]

SEALED = 0.02
"""Lips are closed where the gap is below this share of the mouth's width."""

_PIERCED = 0.03
_OPENINGS = tuple(i / 10 for i in range(11))
_LOPSIDED = 1.25
_TINY = 1e-4


@dataclass(frozen=True, slots=True)
class Seal:
    """How well lips close at one opening of the jaw, mouthClose being as large.

    Parameters
    ----------
    opening
        jawOpen, 0..1.
    gap, overlap
        The widest gap, and how far one lip lies over the other at most, as shares of the mouth's
        width.
    """

    opening: float
    gap: float
    overlap: float


@dataclass(frozen=True, slots=True)
class Intersection:
    """Two parts of a face that go through each other.

    Parameters
    ----------
    parts
        Which, in words.
    pose
        When, in words.
    amount
        How deep lids lie in an eyeball, as a share of its radius; or which share of the teeth is
        bare though the lips are closed.
    """

    parts: str
    pose: str
    amount: float


@dataclass(frozen=True, slots=True)
class RigReport:
    """What `check_rig` found.

    Parameters
    ----------
    name
        Of the rig.
    vertices, shapes
        How many.
    missing
        Channels of ARKit that do nothing.
    empty
        Shapes that move nothing to speak of.
    lopsided
        Channels whose two sides differ in size by more than a quarter.
    huge
        Shapes that move something farther than the head is high.
    seals
        How the lips close; empty where there is no jaw.
    intersections
        The deepest of each kind.
    unchecked
        What could not be looked at, and why.
    """

    name: str
    vertices: int
    shapes: int
    missing: tuple[str, ...]
    empty: tuple[str, ...]
    lopsided: tuple[str, ...]
    huge: tuple[str, ...]
    seals: tuple[Seal, ...]
    intersections: tuple[Intersection, ...]
    unchecked: tuple[str, ...]

    @property
    def sealed(self) -> bool:
        """Whether the lips close at every opening."""
        return bool(self.seals) and all(seal.gap < SEALED for seal in self.seals)

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, a sentence each; empty where nothing is wrong."""
        said = []
        if self.seals and not self.sealed:
            said.append(
                "Mend the lips with with_seal, or raise mouthClose in the modelling program."
            )
        if any(seal.overlap > _PIERCED for seal in self.seals):
            said.append("The lips go over each other when they close; with_seal lets them meet.")
        if {"jawOpen", "mouthClose"} & set(self.missing):
            said.append(
                "Without jawOpen and mouthClose it cannot speak; carry them over from a rig."
            )
        elif self.missing:
            said.append("Missing shapes can be carried over from another rig with fitted_rig.")
        if self.empty:
            said.append("Remove the empty shapes, or export them again.")
        if self.lopsided:
            said.append("Compare the two sides of the uneven channels.")
        if self.huge:
            said.append("Shapes that move farther than the head were exported in another unit.")
        if any(found.parts == "lids and eyeball" for found in self.intersections):
            said.append("Move the lids out, or make the eyeballs smaller.")
        if any(found.parts == "teeth and lips" for found in self.intersections):
            said.append("Set the teeth back, so that closed lips cover them.")
        return tuple(said)

    def lines(self) -> tuple[str, ...]:
        """The report for a terminal, a line each."""
        known = len(ARKIT) - len(self.missing)
        text = [
            f"{self.name or 'Rig'}  {self.vertices:,} vertices, {known} of ARKit's {len(ARKIT)} "
            f"movements, by {self.shapes} shapes and by parts that turn"
        ]
        text.append(_listed("Missing", self.missing))
        for label, names in (("Empty", self.empty), ("Uneven sides", self.lopsided),
                             ("Too large", self.huge)):  # fmt: skip
            if names:
                text.append(_listed(label, names))
        if self.seals:
            text.append("Lips at jawOpen = mouthClose, shares of the mouth's width")
            text += [
                f"  {s.opening:3.1f}  gap {s.gap:6.1%}  overlap {s.overlap:6.1%}  "
                f"{'closed' if s.gap < SEALED else 'OPEN'}"
                for s in self.seals
            ]
        for found in self.intersections:
            text.append(f"Intersection  {found.parts} at {found.pose}, {found.amount:.1%}")
        text += [f"Not checked  {what}" for what in self.unchecked]
        text += [f"Advice  {sentence}" for sentence in self.advice] or ["Nothing to mend"]
        return tuple(text)


def _listed(label: str, names: tuple[str, ...]) -> str:
    return f"{label}  {', '.join(names) if names else 'none'}"


def check_rig(rig: MorphRig) -> RigReport:
    """Measure how a rig's lips close, what goes through what, and which shapes are off.

    Raises
    ------
    UsageError
        If the jaw opens no mouth.
    UnavailableError
        If scipy is not installed.
    """
    unchecked: list[str] = []
    rest = rig.mesh.vertices
    height = float(np.ptp(rest[:, 1])) or 1.0
    most = {
        name: float(np.linalg.norm(rig.shapes.entries(name)[1], axis=1).max(initial=0.0))
        for name in rig.shapes.names
    }
    mouth = find_mouth(rig) if "jawOpen" in rig.channels else None
    seals: tuple[Seal, ...] = ()
    intersections: list[Intersection] = []
    if mouth is None:
        unchecked.append("lips, as there is no jawOpen")
    else:
        seals = tuple(_seal(rig, mouth, opening) for opening in _OPENINGS)
        intersections += _teeth(rig, unchecked)
    for side in ("Left", "Right"):
        intersections += _lids(rig, side, unchecked)
    return RigReport(
        name=rig.name,
        vertices=len(rest),
        shapes=len(rig.shapes),
        missing=tuple(name for name in rig.missing if name in ARKIT),
        empty=tuple(name for name, size in most.items() if size < _TINY * height),
        lopsided=_lopsided(rig),
        huge=tuple(name for name, size in most.items() if size > height),
        seals=seals,
        intersections=tuple(intersections),
        unchecked=tuple(unchecked),
    )


def _seal(rig: MorphRig, mouth: Mouth, opening: float) -> Seal:
    posed = rig.posed({"jawOpen": opening, "mouthClose": opening}, head=False)
    gaps = lip_gaps(mouth, posed) / mouth.width
    return Seal(
        opening,
        max(float(np.nanmax(gaps, initial=0.0)), 0.0),
        max(float(np.nanmax(-gaps, initial=0.0)), 0.0),
    )


def _lopsided(rig: MorphRig) -> tuple[str, ...]:
    found = []
    for name in rig.shapes.names:
        other = mirrored(name)
        if not name.endswith("Left") or name not in ARKIT or other not in rig.shapes.names:
            continue
        sizes = [
            float(np.linalg.norm(rig.shapes.entries(n)[1], axis=1).sum()) for n in (name, other)
        ]
        if max(sizes) > _LOPSIDED * min(sizes):
            found += [name, other]
    return tuple(found)


def _lids(rig: MorphRig, side: str, unchecked: list[str]) -> list[Intersection]:
    """How deep lids lie in the eyeball, taken as the sphere it is, as they close."""
    eye, name = rig.regions.get(f"{side.lower()}Eye"), f"eyeBlink{side}"
    if eye is None or len(eye) < 4 or name not in rig.shapes.names:
        unchecked.append(f"the {side.lower()} lid, as there is no eyeball or no {name}")
        return []
    centre, radius = sphere_of(rig.mesh.vertices[eye])
    moved = np.intersect1d(rig.shapes.entries(name)[0], skin_of(rig))
    worst = Intersection("lids and eyeball", "", 0.0)
    for weight in (0.0, 0.25, 0.5, 0.75, 1.0):
        posed = rig.posed({name: weight}, head=False)
        lid = posed[moved] - centre
        # The skin before the eye; the lining of the lids, which faces the ball, may touch it.
        outside = (vertex_normals(posed, rig.mesh.triangles)[moved] * lid).sum(
            axis=1
        ) > 0.3 * radius
        before = (lid[:, 2] > 0.5 * radius) & (np.hypot(lid[:, 0], lid[:, 1]) < 0.8 * radius)
        lid = lid[outside & before]
        depth = float((radius - np.linalg.norm(lid, axis=1)).max(initial=0.0)) / radius
        if depth > worst.amount:
            worst = Intersection("lids and eyeball", f"{name} {weight:g}", depth)
    return [worst] if worst.amount > _PIERCED else []


def _teeth(rig: MorphRig, unchecked: list[str]) -> list[Intersection]:
    """Whether closed lips cover the teeth: a ray forward from a tooth must meet skin."""
    ids = [rig.regions[name] for name in ("upperTeeth", "lowerTeeth") if name in rig.regions]
    teeth = np.concatenate([np.zeros(0, np.int32), *ids])
    if not len(teeth):
        unchecked.append("teeth, as the rig names none")
        return []
    if importlib.util.find_spec("open3d") is None:
        unchecked.append("teeth, as the package open3d is not installed")
        return []
    inside = np.zeros(len(rig.mesh.vertices), bool)
    inside[skin_of(rig)] = True
    skin = rig.mesh.triangles[inside[rig.mesh.triangles].all(axis=1)]
    worst = Intersection("teeth and lips", "", 0.0)
    for opening in (0.0, 0.3, 0.6, 1.0):
        posed = rig.posed({"jawOpen": opening, "mouthClose": opening}, head=False)
        bare = teeth[_uncovered(posed, skin, posed[teeth])]
        if len(bare) > worst.amount * len(teeth):
            pose = "rest" if opening == 0.0 else f"jawOpen and mouthClose {opening:g}"
            worst = Intersection("teeth and lips", pose, len(bare) / len(teeth))
    return [worst] if worst.amount > 0.0 else []


def _uncovered(
    vertices: NDArray[np.float32], triangles: NDArray[np.int32], points: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """(n,) whether a ray from a point forward meets no triangle."""
    open3d: Any = importlib.import_module("open3d")
    scene = open3d.t.geometry.RaycastingScene()
    tensor = open3d.core.Tensor
    scene.add_triangles(tensor(vertices), tensor(np.ascontiguousarray(triangles, np.uint32)))
    rays = np.zeros((len(points), 6), np.float32)
    rays[:, :3], rays[:, 5] = points, 1.0
    return np.asarray(np.isinf(scene.cast_rays(tensor(rays))["t_hit"].numpy()), np.bool_)
