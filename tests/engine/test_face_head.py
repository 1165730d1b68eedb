"""The puppet: whole, symmetric, sealed at the lips, never pierced at the eyes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.params import parameters_of
from polyorama.errors import UsageError
from polyorama.face.rigs.head import HAIR_STYLES, HeadIdentity, build_head
from polyorama.face.rigs.head.hair import make_hair
from polyorama.face.rigs.head.plan import Plan
from polyorama.face.rigs.head.sculpt import Sculpt
from polyorama.face.rigs.head.template import delaunay
from polyorama.scene.faces.channels import ARKIT, CHANNELS, HEAD, mirrored

if TYPE_CHECKING:
    from polyorama.scene.faces.morphs import MorphRig

BALD = HeadIdentity(hair="none")
OPENING = {"jawOpen", "mouthFunnel", "tongueOut", "mouthClose"} | {
    f"{name}{side}" for name in ("mouthLowerDown", "mouthUpperUp") for side in ("Left", "Right")
}
"""Shapes that are there to part the lips."""


@pytest.fixture(scope="module")
def rig() -> MorphRig:
    return build_head(BALD)


def _extremes() -> list[HeadIdentity]:
    sliders = [p for p in parameters_of(HeadIdentity) if p.kind == "number"]
    low = HeadIdentity(hair="none", **{p.name: p.low for p in sliders})
    high = HeadIdentity(hair="none", **{p.name: p.high for p in sliders})
    odd = {p.name: (p.low if k % 2 else p.high) for k, p in enumerate(sliders)}
    return [low, high, HeadIdentity(hair="none", **odd)]


def _gap(rig: MorphRig, weights: dict[str, float]) -> float:
    """Largest distance of paired points of the inner lips, over the mouth's width."""
    points = rig.posed(weights).astype(float)
    upper, lower = (points[rig.landmarks[f"innerLip{side}"]] for side in ("Upper", "Lower"))
    return float(np.linalg.norm(upper - lower, axis=1).max() / rig.mouth_width)


def test_names_all_channels_regions_and_landmarks(rig: MorphRig) -> None:
    assert rig.channels == CHANNELS
    assert rig.missing == ()
    for name in ("lips", "upperLip", "lowerLip", "leftEye", "rightEye", "upperTeeth",
                 "lowerTeeth", "tongue", "upperFace", "skin"):  # fmt: skip
        assert len(rig.regions[name]) > 20, name
    for one, other in (("innerLipUpper", "innerLipLower"), ("upperLidLeft", "lowerLidLeft"),
                       ("upperLidRight", "lowerLidRight")):  # fmt: skip
        first, second = rig.mesh.vertices[rig.landmarks[one]], rig.landmarks[other]
        assert len(first) == len(second) > 20
        # From the face's right, which is +x, to its left.
        assert (np.diff(first[:, 0]) < 0).all()
        assert (np.diff(rig.mesh.vertices[second][:, 0]) < 0).all()
    right, left = rig.mesh.vertices[rig.landmarks["mouthCorners"]]
    assert right[0] > 0.03 > 0 > -0.03 > left[0]


def test_is_as_large_as_a_head_and_light(rig: MorphRig) -> None:
    assert 4000 < len(rig.mesh.vertices) < 11_000
    skin = rig.mesh.vertices[rig.regions["skin"]]
    chin = skin[skin[:, 2] > 0.05][:, 1].max()
    assert 0.20 < chin - skin[:, 1].min() < 0.26
    assert skin[:, 2].max() > 0.10  # the nose looks along +z


def test_skin_is_whole(rig: MorphRig) -> None:
    """Every edge has two sides, but for the neck's end and the two rims under the lids."""
    mine = np.isin(rig.mesh.triangles, rig.regions["skin"]).all(axis=1)
    triangles = rig.mesh.triangles[mine].astype(np.int64)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    codes, backs = edges @ [100_000, 1], edges @ [1, 100_000]
    assert len(np.unique(codes)) == len(codes)
    rim = edges[~np.isin(codes, backs)]
    assert len(rim) == 36 + 2 * 44
    points = rig.mesh.vertices[rim[:, 0]]
    eye = np.array(Plan.of(BALD).eye)
    own = np.column_stack([-np.abs(points[:, 0]), points[:, 1:]])
    hidden = np.linalg.norm(own - eye, axis=1) < 0.035
    assert (hidden | (points[:, 1] > 0.15)).all()


@pytest.mark.parametrize("name", ARKIT)
def test_every_shape_is_seen(rig: MorphRig, name: str) -> None:
    moved = np.linalg.norm(rig.posed({name: 1.0}) - rig.mesh.vertices, axis=1)
    seen = np.concatenate([rig.regions["skin"], rig.regions["tongue"], rig.regions["leftEye"],
                           rig.regions["rightEye"], rig.regions["leftLids"],
                           rig.regions["rightLids"]])  # fmt: skip
    assert (moved[seen] > 0.002).sum() > 15
    assert moved.max() < 0.06
    assert np.isfinite(moved).all()


def test_lips_are_closed_at_rest_and_at_any_jaw(rig: MorphRig) -> None:
    assert _gap(rig, {}) == 0.0
    for jaw in np.linspace(0.05, 1.0, 9):
        assert _gap(rig, {"jawOpen": jaw, "mouthClose": jaw}) < 1e-4
        assert _gap(rig, {"jawOpen": jaw}) > 0.25 * jaw


def test_closed_lips_stay_closed_under_all_shapes_that_do_not_part_them(rig: MorphRig) -> None:
    names = [name for name in ARKIT if name.startswith(("mouth", "jaw", "cheek", "nose"))]
    names = [name for name in names if name not in OPENING]
    for name in names:
        assert _gap(rig, {name: 1.0}) < 1e-4, name
    rng = np.random.default_rng(1)
    for _ in range(25):
        jaw = rng.uniform()
        mixed = {name: rng.uniform() for name in names} | {"jawOpen": jaw, "mouthClose": jaw}
        assert _gap(rig, mixed) < 1e-4


def test_lower_lip_meets_the_teeth_for_f(rig: MorphRig) -> None:
    from polyorama.face.rigs.head.build import F_AND_V

    points = rig.posed(F_AND_V)
    lip, edge = points[rig.landmarks["lowerLipTop"]], points[rig.landmarks["upperTeethEdge"]]
    apart = np.linalg.norm(lip[:, None] - edge[None], axis=2).min(axis=1)
    assert apart.max() < 0.0025
    assert _gap(rig, F_AND_V) > 0.05  # the upper lip is away from it


def _mirror_map(rig: MorphRig) -> np.ndarray:
    points = np.round(rig.mesh.vertices.astype(float) * 1e5).astype(np.int64)
    place = {tuple(p): k for k, p in enumerate(points.tolist())}
    found = np.full(len(points), -1)
    for k, (x, y, z) in enumerate(points.tolist()):
        for dx, dy, dz in product((0, 1, -1), repeat=3):
            other = place.get((-x + dx, y + dy, z + dz))
            if other is not None:
                found[k] = other
                break
    return found


def test_sides_are_mirror_images(rig: MorphRig) -> None:
    other = _mirror_map(rig)
    felt = np.concatenate([rig.regions["skin"], rig.regions["brows"]])
    felt = felt[other[felt] >= 0]
    assert len(felt) > 2900
    count = len(rig.mesh.vertices)
    # Lips that meet lie in one place: there, either may be the other's image.
    lips = np.isin(
        felt, np.concatenate([rig.landmarks["innerLipUpper"], rig.landmarks["innerLipLower"]])
    )
    felt = felt[~lips]
    for name in rig.shapes.names:
        if mirrored(name) not in rig.shapes.names:
            continue
        mine = rig.shapes.dense(name, count)
        its = rig.shapes.dense(mirrored(name), count) * np.array([-1.0, 1.0, 1.0])
        assert np.abs(mine[felt] - its[other[felt]]).max() < 3e-4, name


def _to_ball(rig: MorphRig, weights: dict[str, float], side: str) -> tuple[float, float]:
    """Least distance of lid vertices from the eyeball's middle, over its radius."""
    rotor = next(r for r in rig.rotors if r.name == f"{side}Eye")
    points = rig.posed(weights).astype(float)
    radius = np.linalg.norm(points[rotor.indices] - rotor.pivot, axis=1)
    lids = np.linalg.norm(points[rig.regions[f"{side}Lids"]] - rotor.pivot, axis=1)
    return float(lids.min() / radius.mean()), float(np.ptp(radius) / radius.mean())


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_a_blink_closes_and_never_pierces(rig: MorphRig, side: str) -> None:
    upper, lower = rig.landmarks[f"upperLid{side}"], rig.landmarks[f"lowerLid{side}"]
    rest = rig.mesh.vertices
    wide = np.linalg.norm(rest[upper[0]] - rest[upper[-1]])
    closed = rig.posed({f"eyeBlink{side}": 1.0})
    assert np.linalg.norm(closed[upper] - closed[lower], axis=1).max() < 0.01 * wide
    assert np.linalg.norm(rest[upper] - rest[lower], axis=1).max() > 0.4 * wide
    channels = [f"{name}{side}" for name in ("eyeBlink", "eyeWide", "eyeSquint", "eyeLookUp",
                                             "eyeLookDown", "browDown", "cheekSquint")]  # fmt: skip
    for weights in product((0.0, 0.5, 1.0), repeat=3):
        for chosen in (channels[:3], channels[3:6], [channels[0], channels[4], channels[6]]):
            least, uneven = _to_ball(rig, dict(zip(chosen, weights, strict=True)), side.lower())
            assert least > 1.01
            assert uneven < 1e-3


def test_gaze_turns_the_balls_but_not_their_painted_light(rig: MorphRig) -> None:
    for side, out in (("left", -1.0), ("right", 1.0)):
        Side = side.capitalize()
        rotor = next(r for r in rig.rotors if r.name == f"{side}Eye")
        pupil = rotor.indices[0]
        for channel, axis, sign, least in (
            ("eyeLookOut", 0, out, 27.0),
            ("eyeLookIn", 0, -out, 27.0),
            ("eyeLookUp", 1, -1.0, 21.0),
            ("eyeLookDown", 1, 1.0, 21.0),
        ):
            gaze = rig.posed({f"{channel}{Side}": 1.0})[pupil] - rotor.pivot
            assert np.degrees(np.arcsin(sign * gaze[axis] / np.linalg.norm(gaze))) > least
        glints = rig.regions["glints"]
        turned = rig.posed({f"eyeLookOut{Side}": 1.0, f"eyeLookUp{Side}": 1.0})
        assert (turned[glints] == rig.mesh.vertices[glints]).all()
        # The lid follows the gaze.
        lid = rig.landmarks[f"upperLid{Side}"]
        for channel, way in (("eyeLookUp", -1.0), ("eyeLookDown", 1.0)):
            moved = (rig.posed({f"{channel}{Side}": 1.0}) - rig.mesh.vertices)[lid]
            assert way * moved[len(lid) // 2, 1] > 0.002


def _inside_teeth(points: np.ndarray, teeth: np.ndarray, slack: float) -> int:
    """How many points lie behind a tooth's front and before its back, closer than a column."""
    count = 0
    for point in points:
        near = teeth[(np.abs(teeth[:, 0] - point[0]) < 0.0016)]
        if len(near) == 0 or not near[:, 1].min() + slack < point[1] < near[:, 1].max() - slack:
            continue
        row = near[np.abs(near[:, 1] - point[1]) < 0.0016]
        if len(row) > 1 and row[:, 2].min() + slack < point[2] < row[:, 2].max() - slack:
            count += 1
    return count


@pytest.mark.parametrize(
    "name", [n for n in ARKIT if n.startswith(("mouth", "jaw", "tongue", "cheekP"))]
)
def test_lips_and_tongue_keep_off_the_teeth(rig: MorphRig, name: str) -> None:
    """At each full shape; mouthClose, which has no meaning without jawOpen, together with it."""
    weights = {name: 1.0} | ({"jawOpen": 1.0} if name == "mouthClose" else {})
    points = rig.posed(weights)
    for row in ("upperTeeth", "lowerTeeth"):
        teeth = points[rig.regions[row]]
        lips = points[rig.regions["lips"]]
        assert _inside_teeth(lips, teeth, 0.0003) == 0
        pressed = lips - np.array([0.0, 0.0, 0.007], np.float32)
        assert name != "mouthPressLeft" or _inside_teeth(pressed, teeth, 0.0003) > 5
        assert _inside_teeth(points[rig.regions["tongue"]], teeth, 0.0003) == 0


def test_head_turns_on_its_neck(rig: MorphRig) -> None:
    crown = rig.regions["skin"][rig.mesh.vertices[rig.regions["skin"], 1].argmin()]
    nose = rig.regions["skin"][rig.mesh.vertices[rig.regions["skin"], 2].argmax()]
    for channel, vertex, axis, sign in ((HEAD[0], nose, 0, -1), (HEAD[1], nose, 1, -1),
                                        (HEAD[2], crown, 0, -1)):  # fmt: skip
        moved = rig.posed({channel: 0.3}) - rig.mesh.vertices
        assert sign * moved[vertex, axis] > 0.02, channel
        assert (moved[rig.regions["bust"]] == 0.0).all()
    points = rig.mesh.vertices[[crown, nose]].astype(float)
    turned = rig.posed({"headYaw": 1.0})[[crown, nose]].astype(float)
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(
        np.linalg.norm(turned[0] - turned[1]), rel=1e-4
    )


@pytest.mark.parametrize("number", range(3))
def test_identities_share_topology_and_keep_their_promises(rig: MorphRig, number: int) -> None:
    other = build_head(_extremes()[number])
    assert np.array_equal(other.mesh.triangles, rig.mesh.triangles)
    assert other.missing == ()
    assert np.isfinite(other.mesh.vertices).all()
    assert np.abs(other.mesh.vertices - rig.mesh.vertices).max() > 0.003
    rng = np.random.default_rng(number)
    for jaw in (0.3, 1.0):
        mixed = {f"mouth{name}": rng.uniform() for name in ("SmileLeft", "FrownRight", "Pucker",
                 "PressLeft", "RollLower", "RollUpper", "ShrugUpper")}  # fmt: skip
        assert _gap(other, mixed | {"jawOpen": jaw, "mouthClose": jaw}) < 1e-4
    for side in ("Left", "Right"):
        closed = other.posed({f"eyeBlink{side}": 1.0})
        upper, lower = other.landmarks[f"upperLid{side}"], other.landmarks[f"lowerLid{side}"]
        wide = np.linalg.norm(closed[upper[0]] - closed[upper[-1]])
        assert np.linalg.norm(closed[upper] - closed[lower], axis=1).max() < 0.01 * wide
        for weight in (0.0, 0.5, 1.0):
            assert _to_ball(other, {f"eyeBlink{side}": weight}, side.lower())[0] > 1.01
    for name in ("mouthRollLower", "mouthRollUpper", "mouthPucker", "jawOpen", "tongueOut"):
        points = other.posed({name: 1.0})
        teeth = points[other.regions["upperTeeth"]]
        assert _inside_teeth(points[other.regions["lips"]], teeth, 0.0003) == 0, name


def _hangs_before_the_face(hair: np.ndarray) -> bool:
    before = (np.abs(hair[:, 0]) < 0.06) & (hair[:, 1] > -0.035) & (hair[:, 2] > 0.06)
    return bool(before.any())


@pytest.mark.parametrize("style", HAIR_STYLES)
def test_hair_lies_on_the_head(style: str) -> None:
    sculpt = Sculpt(Plan.of(HeadIdentity()))
    made = make_hair(sculpt, style)
    if style == "none":
        assert made is None
        return
    assert made is not None
    assert 1000 < len(made.points) < 12_000
    assert not _hangs_before_the_face(made.points)
    assert sculpt.distance(made.points).max() < 0.06


def test_hair_turns_with_the_head_and_leaves_the_rest_alone(rig: MorphRig) -> None:
    made = build_head(HeadIdentity(hair="bob"))
    assert "hair" not in rig.regions
    hair = made.mesh.vertices[made.regions["hair"]]
    count = len(rig.mesh.vertices)
    assert np.array_equal(made.mesh.vertices[:count], rig.mesh.vertices)
    assert not _hangs_before_the_face(hair)
    turned = made.posed({"headYaw": 0.2})[made.regions["hair"]]
    assert np.abs(turned - hair).max() > 0.01


def test_bad_identities_are_told() -> None:
    with pytest.raises(UsageError, match="between -1 and 1"):
        HeadIdentity(width=3.0)
    with pytest.raises(UsageError, match="hair"):
        HeadIdentity(hair="wig")
    with pytest.raises(UsageError, match="freckles"):
        HeadIdentity(freckles=float("nan"))


def test_a_head_is_kept() -> None:
    assert build_head(BALD) is build_head(replace(BALD))


def test_delaunay_circles_are_empty() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(60, 2))
    triangles = delaunay(points)
    area = 0.0
    for a, b, c in points[triangles]:
        twice = np.cross(np.append(b - a, 0.0), np.append(c - a, 0.0))[2]
        assert twice > 0.0
        area += 0.5 * twice
        u, v = b - a, c - a
        centre = np.array([v[1] * (u @ u) - u[1] * (v @ v), u[0] * (v @ v) - v[0] * (u @ u)]) / (
            2 * twice
        )
        away = np.linalg.norm(points - a - centre, axis=1)
        assert (away > np.linalg.norm(centre) * (1 - 1e-9)).all()
    assert area > 0.8 * np.ptp(points[:, 0]) * np.ptp(points[:, 1]) * 0.5


def test_plan_grows_with_its_sliders() -> None:
    assert Plan.of(HeadIdentity(eye_size=1.0)).ball > Plan.of(HeadIdentity()).ball
    assert Plan.of(HeadIdentity(lip_fullness=-1.0)).lips < Plan.of(HeadIdentity()).lips
