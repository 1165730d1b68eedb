"""Polyorama's own puppet, put together: pieces, colours, shapes, parts that turn, named places."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.head import shapes as moves
from polyorama.face.rigs.head.body import FLIP, Body
from polyorama.face.rigs.head.eyes import (
    LOWER_TURN,
    UPPER_TURN,
    make_ball,
    make_glint,
    make_lash,
    make_lid,
)
from polyorama.face.rigs.head.hair import make_hair, under_hair
from polyorama.face.rigs.head.identity import HeadIdentity
from polyorama.face.rigs.head.mouth import COLUMNS, HALF, SEAL
from polyorama.face.rigs.head.paint import Paint
from polyorama.face.rigs.head.parts import (
    make_brow,
    make_bust,
    make_ear,
    make_teeth,
    make_tongue,
    mirrored_piece,
)
from polyorama.face.rigs.head.plan import Plan, smoothstep
from polyorama.face.rigs.head.sculpt import Sculpt
from polyorama.face.rigs.head.skin import Skin, make_skin
from polyorama.scene.faces.channels import ARKIT
from polyorama.scene.faces.morphs import Corrective, MorphRig, Rotor, Shapes
from polyorama.scene.mesh import Material, Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["F_AND_V", "build_head"]

F_AND_V = {
    "mouthRollLower": 1.0, "jawOpen": 0.04, "mouthUpperUpLeft": 0.4, "mouthUpperUpRight": 0.4,
}  # fmt: skip
"""For f and v: the lower lip at the edge of the upper teeth."""
_LEAST = 2e-5
"""Offsets shorter than this, metres, are left out."""
_RAD = np.pi / 180.0
_SIDES = (("left", "Left", 1.0), ("right", "Right", -1.0))


@dataclass(slots=True)
class _Pieces:
    """Pieces as they are collected."""

    points: list[NDArray[np.float64]] = field(default_factory=list)
    triangles: list[NDArray[np.int32]] = field(default_factory=list)
    colors: list[NDArray[np.float64]] = field(default_factory=list)
    kinds: list[NDArray[np.int32]] = field(default_factory=list)
    materials: list[Material] = field(default_factory=list)
    ids: dict[str, NDArray[np.int32]] = field(default_factory=dict)
    count: int = 0

    def add(
        self, name: str, points: NDArray[np.float64], triangles: NDArray[np.int32],
        colors: NDArray[np.float64], material: int,
    ) -> NDArray[np.int32]:  # fmt: skip
        """Add a piece and return its vertices."""
        ids = np.arange(self.count, self.count + len(points), dtype=np.int32)
        self.points.append(points)
        self.triangles.append(triangles + self.count)
        self.colors.append(np.broadcast_to(colors, points.shape))
        self.kinds.append(np.full(len(triangles), material, np.int32))
        self.ids[name] = ids
        self.count += len(points)
        return ids


_MATERIALS = (
    "felt", "lips", "pouch", "eye", "lid", "lash", "glint", "brow", "teeth", "tongue", "hair",
    "jumper",
)  # fmt: skip
_KIND = {name: number for number, name in enumerate(_MATERIALS)}


_USUAL = HeadIdentity()


def build_head(identity: HeadIdentity = _USUAL) -> MorphRig:
    """The puppet as a rig with all 52 shapes; kept for the last few identities.

    Its mouth is closed exactly (`landmarks` innerLipUpper and innerLipLower in one place) wherever
    mouthClose equals jawOpen and no shape that opens the lips takes part. mouthClose above jawOpen
    makes the lips cross, as in any ARKit face. `F_AND_V` brings the lower lip to the edge of the
    upper teeth.

    Parameters
    ----------
    identity
        Its looks.
    """
    return _built(identity)


@lru_cache(maxsize=8)
def _built(identity: HeadIdentity) -> MorphRig:
    plan = Plan.of(identity)
    sculpt = Sculpt(plan)
    paint = Paint(identity, plan)
    skin = make_skin(plan, sculpt)
    pieces = _Pieces()
    # Scalp that a cap of hair hides for good would only waste what the head is drawn with.
    shown = ~under_hair(skin.vertices, identity.hair)[skin.triangles].all(axis=1)
    felt = pieces.add("skin", skin.vertices, skin.triangles[shown], paint.skin(skin), 0)
    pieces.kinds[0] = skin.kinds[shown]
    front = float(skin.vertices[skin.row == SEAL][:, 2].max())
    marks: dict[str, NDArray[np.int32]] = {}
    marks |= _eyes(pieces, plan, paint)
    for name, _, flip in _SIDES:
        for part, made, kind in (
            ("Brow", make_brow(plan, sculpt), "brow"), ("Ear", make_ear(plan, sculpt), "felt"),
        ):  # fmt: skip
            piece = made if flip > 0 else mirrored_piece(made)
            color = paint.ear(piece) if part == "Ear" else piece.shade
            pieces.add(f"{name}{part}", piece.points, piece.triangles, color, _KIND[kind])
    for name, upper in (("upperTeeth", True), ("lowerTeeth", False)):
        teeth, edge = make_teeth(plan, front, upper=upper)
        ids = pieces.add(name, teeth.points, teeth.triangles, teeth.shade, _KIND["teeth"])
        marks[f"{name}Edge"] = ids[edge][len(edge) // 2 - 12 : len(edge) // 2 + 13][::-1]
    tongue = make_tongue(plan, front)
    pieces.add("tongue", tongue.points, tongue.triangles, tongue.shade, _KIND["tongue"])
    bust = make_bust(plan)
    pieces.add("bust", bust.points, bust.triangles, bust.shade, _KIND["jumper"])
    hair = make_hair(sculpt, identity.hair)
    if hair is not None:
        pieces.add("hair", hair.points, hair.triangles, hair.shade, _KIND["hair"])
    marks |= _mouth_marks(skin, felt)
    body = _body(plan, sculpt, skin, pieces)
    mesh = Mesh(
        np.concatenate(pieces.points).astype(np.float32),
        np.concatenate(pieces.triangles).astype(np.int32),
        uvs=paint.uvs(np.concatenate(pieces.points)).astype(np.float32),
        colors=np.clip(np.concatenate(pieces.colors), 0.0, 1.0).astype(np.float32),
        material_ids=np.concatenate(pieces.kinds),
        materials=paint.materials(_MATERIALS),
        name="puppet",
        surfels=90_000,
    )
    return MorphRig(
        mesh,
        _shapes(body, pieces),
        rotors=_rotors(plan, body, pieces),
        correctives=(
            Corrective("mouthRollBoth", ("mouthRollLower", "mouthRollUpper")),
            Corrective("tongueSettles", ("jawOpen", "jawOpen")),
        ),
        regions=_regions(pieces, skin),
        landmarks=marks,
        name="puppet",
        credit="Polyorama's own puppet, made by code of this project.",
    )


def _eyes(pieces: _Pieces, plan: Plan, paint: Paint) -> dict[str, NDArray[np.int32]]:
    marks = {}
    for name, Name, flip in _SIDES:
        points, triangles, angle = make_ball(plan)
        colors = paint.eye(points, angle)
        if flip < 0:
            points, triangles = points * FLIP, triangles[:, ::-1]
        pieces.add(f"{name}Eye", points, triangles, colors, _KIND["eye"])
        # Painted lights lie on the same side of both eyes, where the key light is.
        for number, (across, lift, size) in enumerate(((11.0, 14.0, 6.6), (-10.0, -13.0, 3.2))):
            spot, fan = make_glint(plan, across * flip, lift, size)
            if flip < 0:
                spot, fan = spot * FLIP, fan[:, ::-1]
            pieces.add(
                f"{name}Glint{number}", spot, fan, np.full(3, 1.0 - 0.45 * number), _KIND["glint"]
            )
        for part, upper in (("Upper", True), ("Lower", False)):
            lid = make_lid(plan, upper=upper)
            points, triangles = lid.vertices, lid.triangles
            if flip < 0:
                points, triangles = points * FLIP, triangles[:, ::-1]
            ids = pieces.add(
                f"{name}{part}Lid", points, triangles, paint.lid(lid, upper), _KIND["lid"]
            )
            edge = ids[lid.edge]
            # Columns run from the nose outwards; landmarks from the face's right to its left.
            marks[f"{part.lower()}Lid{Name}"] = edge if flip > 0 else edge[::-1]
        lash = make_lash(plan)
        points, triangles = lash.vertices, lash.triangles
        if flip < 0:
            points, triangles = points * FLIP, triangles[:, ::-1]
        pieces.add(f"{name}Lash", points, triangles, np.ones(3), _KIND["lash"])
    return marks


def _mouth_marks(skin: Skin, felt: NDArray[np.int32]) -> dict[str, NDArray[np.int32]]:
    seal = np.empty(COLUMNS, np.int32)
    on = np.flatnonzero(skin.row == SEAL)
    seal[skin.column[on]] = felt[on]
    upper = seal[HALF:0:-1][1:]  # from the right corner, which is column HALF, to the left
    lower = seal[HALF + 1 :]
    middle = len(lower) // 2
    return {
        "innerLipUpper": upper, "innerLipLower": lower,
        "mouthCorners": np.array([seal[HALF], seal[0]], np.int32),
        "lowerLipTop": lower[middle - 5 : middle + 6],
    }  # fmt: skip


def _body(plan: Plan, sculpt: Sculpt, skin: Skin, pieces: _Pieces) -> Body:
    points = np.concatenate(pieces.points)
    count = len(points)
    felt = np.zeros(count)
    felt[pieces.ids["skin"]] = 1.0
    felt[pieces.ids["leftBrow"]] = felt[pieces.ids["rightBrow"]] = 1.0
    rows = skin.row
    depth = np.zeros(count)
    in_mouth = np.flatnonzero(rows > 0)
    places = np.concatenate([
        np.linspace(0.0, 1.0, SEAL + 1), [1.15, 1.4, 1.6], [1.95, 2.3, 2.6, 2.85, 2.95]
    ])  # fmt: skip
    depth[in_mouth] = places[rows[in_mouth]]
    seal_ids = np.empty(COLUMNS, int)
    on = np.flatnonzero(rows == SEAL)
    seal_ids[skin.column[on]] = on
    seals = points[seal_ids]
    out = sculpt.normal(seals)
    out[:, 1] = 0.0
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    border_ids = np.empty(COLUMNS, int)
    on = np.flatnonzero(rows == 0)
    border_ids[skin.column[on]] = on
    border = points[border_ids]
    gap = np.full(count, np.inf)
    column = np.zeros(count, int)
    for k in range(COLUMNS):
        away = np.linalg.norm(points - border[k], axis=1)
        nearer = away < gap
        gap[nearer], column[nearer] = away[nearer], k
    mouth = np.flatnonzero(skin.column >= 0)
    column[mouth] = skin.column[mouth]
    gap[mouth] = 0.0
    along = np.clip(points[:, 0] / plan.half_mouth, -1.6, 1.6)
    along[mouth] = skin.along[skin.column[mouth]]
    line = np.interp(points[:, 2], [-0.03, 0.085], [0.026, plan.mouth[1] + 0.001])
    soft = 0.007 + 0.34 * np.clip(np.abs(points[:, 0]) - 0.80 * plan.half_mouth, 0.0, 0.05)
    upper = smoothstep(0.5 + (line - points[:, 1]) / (2.0 * soft))
    # On the lips an ellipse, so that an open mouth is one; the skin passes into its own share.
    turn = np.arange(COLUMNS) / HALF
    side = np.where(turn < 1.0, 1.0, -1.0) * ((turn % 1.0) > 0.0)
    lips = 0.5 + 0.5 * side * (1.0 - np.abs(skin.along) ** 2.1) ** 0.62
    upper = lips[column] + (upper - lips[column]) * smoothstep(gap / 0.016)
    return Body(plan, sculpt, points, felt, depth, gap, along, seals[column], out[column], upper)


def _shapes(body: Body, pieces: _Pieces) -> Shapes:
    made = moves.central_shapes(body) | moves.paired_shapes(body)
    tongue = np.zeros(len(body.points), bool)
    tongue[pieces.ids["tongue"]] = True
    made["tongueOut"] = moves.tongue_out(body, tongue)
    low = np.concatenate([pieces.ids["lowerTeeth"], pieces.ids["tongue"]])
    # A tongue at rest lies up behind the teeth; an opening mouth lets it sink to its floor, soon.
    made["jawOpen"][pieces.ids["tongue"], 1] = 14e-3
    made["tongueSettles"] = np.zeros_like(body.points)
    made["tongueSettles"][pieces.ids["tongue"], 1] = -7.5e-3
    for name, push in (
        ("jawForward", (0, 0, 5.5)),
        ("jawLeft", (-7.5, 0, 0)),
        ("jawRight", (7.5, 0, 0)),
    ):
        made[name][low] = np.array(push) * 1e-3
    for offsets in made.values():
        _keep_off_eyes(body, pieces, offsets)
    order = [name for name in ARKIT if name in made and np.abs(made[name]).max() > _LEAST]
    order += [name for name in made if name not in ARKIT]
    # Paired points of the seal have the same offset, so both are kept or both left out.
    return Shapes.of_dense({name: made[name] for name in order}, _LEAST)


def _keep_off_eyes(body: Body, pieces: _Pieces, offsets: NDArray[np.float64]) -> None:
    """Skin about the eyes that a shape would press into a lid's shell slides along it instead."""
    ids = pieces.ids["skin"]
    for flip in (1.0, -1.0):
        eye = np.array(body.plan.eye) * [flip, 1.0, 1.0]
        rest = np.linalg.norm(body.points[ids] - eye, axis=1)
        close = ids[(rest < 1.6 * body.plan.ball) & (np.abs(offsets[ids]).max(axis=1) > 0.0)]
        gap = body.points[close] + offsets[close] - eye
        far = np.linalg.norm(gap, axis=1)
        least = np.minimum(np.linalg.norm(body.points[close] - eye, axis=1), 1.02 * body.plan.lid)
        gap *= (np.maximum(far, least) / far)[:, None]
        offsets[close] = eye + gap - body.points[close]


def _rotors(plan: Plan, body: Body, pieces: _Pieces) -> tuple[Rotor, ...]:
    rotors = []
    for name, Name, flip in _SIDES:
        pivot = np.array(plan.eye) * [flip, 1.0, 1.0]
        out = -0.489 * flip  # 28 degrees: out is to the own left for the left eye
        ball = pieces.ids[f"{name}Eye"]
        rotors.append(Rotor(f"{name}Eye", ball, np.ones(len(ball), np.float32), pivot, {
            f"eyeLookOut{Name}": (0.0, out, 0.0), f"eyeLookIn{Name}": (0.0, -out, 0.0),
            f"eyeLookUp{Name}": (0.384, 0.0, 0.0), f"eyeLookDown{Name}": (-0.384, 0.0, 0.0),
        }))  # fmt: skip
        upper, lower, lash = (
            make_lid(plan, upper=True),
            make_lid(plan, upper=False),
            make_lash(plan),
        )
        above = np.concatenate([pieces.ids[f"{name}UpperLid"], pieces.ids[f"{name}Lash"]])
        below = pieces.ids[f"{name}LowerLid"]
        lifting = np.concatenate([upper.amounts, lash.amounts]).astype(np.float32)
        slanting = np.concatenate([upper.slant, lash.slant]).astype(np.float32)
        for part, ids, amounts, turns in (
            ("UpperLid", above, lifting, _UPPER_LID),
            ("LidSlant", above, slanting, _SLANT),
            ("LowerLid", below, lower.amounts.astype(np.float32), _LOWER_LID),
        ):
            rotors.append(Rotor(f"{name}{part}", ids, amounts, pivot, {
                channel.format(Name): (turn * _RAD, 0.0, 0.0) for channel, turn in turns.items()
            }))  # fmt: skip
    low = np.concatenate([pieces.ids["lowerTeeth"], pieces.ids["tongue"]])
    turn = (-moves.JAW_TURN, 0.0, 0.0)
    rotors.append(Rotor("jaw", low, np.ones(len(low), np.float32), np.array(plan.jaw_pivot), {
        "jawOpen": turn, "tongueOut": (moves.TONGUE_JAW * turn[0], 0.0, 0.0),
    }))  # fmt: skip
    x, y, z = body.points.T
    axis = np.hypot(x, z + 0.022)
    turning = 1.0 - smoothstep((y - 0.112) / 0.040) * smoothstep((0.064 - axis) / 0.018)
    turning[pieces.ids["bust"]] = 0.0
    ids = np.flatnonzero(turning > 0.0).astype(np.int32)
    rotors.append(Rotor("head", ids, turning[ids].astype(np.float32), np.array(plan.neck_pivot), {
        "headYaw": (0.0, -1.0, 0.0), "headPitch": (1.0, 0.0, 0.0), "headRoll": (0.0, 0.0, -1.0),
    }))  # fmt: skip
    return tuple(rotors)


_UPPER_LID = {
    "eyeBlink{}": -UPPER_TURN, "eyeSquint{}": -9.0, "eyeWide{}": 10.0, "eyeLookUp{}": 8.0,
    "eyeLookDown{}": -17.0, "cheekSquint{}": -1.5,
}  # fmt: skip
"""Degrees by which the upper lid's middle is lifted."""
_LOWER_LID = {
    "eyeBlink{}": LOWER_TURN, "eyeSquint{}": 11.0, "eyeWide{}": -4.0, "eyeLookUp{}": 4.0,
    "eyeLookDown{}": -6.0, "cheekSquint{}": 6.0, "mouthSmile{}": 4.0,
}  # fmt: skip
_SLANT = {"browDown{}": -13.0, "browInnerUp": 8.0, "noseSneer{}": -3.0}
"""Degrees by which the inner half of the upper lid is lifted: an angry or a sorrowful eye."""


def _regions(pieces: _Pieces, skin: Skin) -> dict[str, NDArray[np.int32]]:
    ids = pieces.ids
    lips = np.flatnonzero((skin.row >= 0) & (skin.row <= SEAL + 3)).astype(np.int32)
    side = skin.column[lips]

    def lids(name: str) -> NDArray[np.int32]:
        return np.concatenate([ids[f"{name}UpperLid"], ids[f"{name}LowerLid"]])

    upper_face = np.flatnonzero(skin.vertices[:, 1] < 0.010).astype(np.int32)
    found = {
        "skin": ids["skin"], "lips": lips,
        "upperLip": lips[side <= HALF], "lowerLip": lips[(side >= HALF) | (side == 0)],
        "mouth": np.flatnonzero(skin.row > SEAL + 3).astype(np.int32),
        "upperFace": np.concatenate([upper_face, ids["leftBrow"], ids["rightBrow"],
                                     lids("left"), lids("right")]),
        "lowerFace": np.flatnonzero(skin.vertices[:, 1] >= 0.010).astype(np.int32),
        "leftLids": lids("left"), "rightLids": lids("right"),
        "brows": np.concatenate([ids["leftBrow"], ids["rightBrow"]]),
        "ears": np.concatenate([ids["leftEar"], ids["rightEar"]]),
        "glints": np.concatenate([ids[f"{n}Glint{k}"] for n, _, _ in _SIDES for k in (0, 1)]),
        "lashes": np.concatenate([ids["leftLash"], ids["rightLash"]]),
    }  # fmt: skip
    for name in ("leftEye", "rightEye", "upperTeeth", "lowerTeeth", "tongue", "bust", "hair"):
        if name in ids:
            found[name] = ids[name]
    return found
