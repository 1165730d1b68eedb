"""The 52 shapes, written as functions of a few handles and baked to offsets.

What a mouth's shape does to the seal depends on the place along the mouth alone, not on the lip,
in all shapes but those that are there to open it (jawOpen, mouthFunnel, mouthLowerDown,
mouthUpperUp, tongueOut). So lips that are closed stay closed, and mouthClose, which brings both
lips half of the jaw's way, closes them exactly at the same weight as jawOpen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.head.body import FLIP, Body
from polyorama.face.rigs.head.parts import tooth_front
from polyorama.face.rigs.head.plan import smoothstep

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["JAW_TURN", "TONGUE_JAW", "both_sides", "central_shapes", "paired_shapes"]

JAW_TURN = 0.37
"""How far jawOpen turns the jaw, rad."""
TONGUE_JAW = 0.40
"""Share of jawOpen that is in tongueOut: a tongue needs an open mouth."""
_MM = 1e-3
_ROLL = -7.4 * _MM
"""How far a roll takes the seal out of the face."""


def _by(weight: NDArray[np.float64], x: float, y: float, z: float) -> NDArray[np.float64]:
    """(V, 3) a weighted push, millimetres."""
    return np.asarray(weight[:, None] * (np.array([x, y, z]) * _MM))


def _turned(
    points: NDArray[np.float64], pivot: tuple[float, float, float], angle: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Points turned about the x axis through a pivot: the jaw goes down for angles above 0."""
    y, z = points[:, 1] - pivot[1], points[:, 2] - pivot[2]
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.column_stack([
        points[:, 0], pivot[1] + y * cosine + z * sine, pivot[2] + z * cosine - y * sine
    ])  # fmt: skip


def _closing(body: Body) -> NDArray[np.float64]:
    """The jaw's share where both lips take one half, wherever the lips' pull reaches."""
    pull = body.near_mouth(0.030)
    return np.asarray(body.jaw() * (1.0 - pull) + 0.5 * pull)


def jaw_open(body: Body) -> NDArray[np.float64]:
    moved = _turned(body.points, body.plan.jaw_pivot, JAW_TURN * body.jaw()) - body.points
    narrow = body.near_mouth(0.030) * np.clip(body.along, -1.0, 1.0) ** 3
    return np.asarray(moved + _by(narrow, -2.6, 0.0, 0.0))


def mouth_close(body: Body) -> NDArray[np.float64]:
    pivot = body.plan.jaw_pivot
    closed = _turned(body.points, pivot, JAW_TURN * _closing(body))
    return np.asarray(closed - _turned(body.points, pivot, JAW_TURN * body.jaw()))


def _with_jaw(x: float, y: float, z: float) -> Callable[[Body], NDArray[np.float64]]:
    return lambda body: _by(_closing(body), x, y, z)


def pucker(body: Body) -> NDArray[np.float64]:
    near = body.near_mouth(0.046)
    moved = np.zeros_like(body.points)
    moved[:, 0] = -0.50 * near * body.points[:, 0]
    moved = body.slide(moved)
    lips = body.near_mouth(0.016)
    rise = body.points[:, 1] - body.seal[:, 1]
    moved[:, 1] += 0.22 * lips * rise * (body.depth < 1.001)
    moved += _by(body.near_mouth(0.034), 0.0, 0.0, 1.0) * (8.5 - 3.0 * np.abs(
        np.clip(body.along, -1, 1)[:, None]))  # fmt: skip
    return np.asarray(moved)


def funnel(body: Body) -> NDArray[np.float64]:
    near = body.near_mouth(0.044)
    moved = np.zeros_like(body.points)
    moved[:, 0] = -0.40 * near * body.points[:, 0]
    moved = body.slide(moved)
    open_ = body.near_mouth(0.026) * body.within() ** 0.7
    side = 2.0 * body.upper - 1.0
    moved[:, 1] -= open_ * side * np.where(side > 0, 5.2, 6.4) * _MM
    moved += _by(body.near_mouth(0.032), 0.0, 0.0, 8.0)
    return np.asarray(moved)


def _roll(body: Body, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """One lip rolls in over the teeth; the seal goes back with it, on both lips alike."""
    lips = (body.from_lips == 0.0) & (body.depth > 0.0)
    back = _ROLL * body.within()[:, None] * body.out
    rows = np.interp(body.depth, [0.0, 0.3, 0.75, 1.0], [0.16, 0.45, 0.85, 1.0])
    goal = np.where(lips[:, None], body.seal + back - body.points, 0.0)
    tucked = rows[:, None] * goal * share[:, None]
    inner = body.depth >= 0.999
    fade = 1.0 - smoothstep((body.depth - 1.0) / 1.1)
    tucked[inner] = (fade[:, None] * back)[inner]
    # Of the other lip the seal alone, and what is next to it, follows.
    other = (1.0 - share)[:, None] * smoothstep((body.depth - 0.72) / 0.28)[:, None] * back
    moved = np.where(inner[:, None], tucked, tucked + other * lips[:, None])
    rim = body.near_mouth(0.014) * ~lips
    inward = 0.16 * (body.seal + back - body.points) * np.minimum(1.0, share)[:, None]
    moved += rim[:, None] * inward * body.within()[:, None] ** 0.5
    return _before_teeth(body, moved * body.felt[:, None])


def _before_teeth(body: Body, moved: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lips that would run into the upper teeth stop before them."""
    lips = (body.depth > 0.0) & (body.depth < 2.01)
    ends = body.points + moved
    stop = tooth_front(body.plan, _front(body), ends[:, 0], upper=True) + 0.0008
    deep = lips & (ends[:, 2] < stop)
    found = moved.copy()
    found[deep, 2] = np.maximum(moved[deep, 2], np.minimum(stop - body.points[:, 2], 0.0)[deep])
    return found


def _front(body: Body) -> float:
    return float(body.seal[:, 2].max())


def roll_lower(body: Body) -> NDArray[np.float64]:
    return _roll(body, 1.0 - body.upper)


def roll_upper(body: Body) -> NDArray[np.float64]:
    return _roll(body, body.upper)


def roll_both(body: Body) -> NDArray[np.float64]:
    """Both rolls would take the seal back twice: this gives one half back."""
    fade = (1.0 - smoothstep((body.depth - 1.0) / 1.1)) * smoothstep((body.depth - 0.72) / 0.28)
    back = _ROLL * (fade * body.within() * body.felt)[:, None] * body.out
    return -_before_teeth(body, back)


def shrug_lower(body: Body) -> NDArray[np.float64]:
    middle = np.exp(-((body.along / 0.75) ** 2))
    moved = _by(body.near_mouth(0.014) * middle, 0.0, -3.4, 1.4)
    moved += _by(body.near_mouth(0.018) * middle * (1.0 - body.upper) * (body.depth < 1.0)
                 * (1.0 - body.depth), 0.0, -1.6, 3.4)  # fmt: skip
    chin = body.spot((0.0, body.plan.mouth[1] + 0.034, 0.085), (0.030, 0.020, 0.03))
    return np.asarray(moved + _by(chin, 0.0, -5.0, 2.0))


def shrug_upper(body: Body) -> NDArray[np.float64]:
    middle = np.exp(-((body.along / 0.8) ** 2))
    moved = _by(body.near_mouth(0.016) * middle, 0.0, -2.4, 1.2)
    moved += _by(body.near_mouth(0.020) * middle * body.upper * np.clip(1.0 - body.depth, 0, 1),
                 0.0, -1.6, 3.6)  # fmt: skip
    return np.asarray(moved)


def cheek_puff(body: Body) -> NDArray[np.float64]:
    moved = np.zeros_like(body.points)
    w = body.plan.width
    for x in (-1.0, 1.0):
        at = (x * 0.056 * w, body.plan.mouth[1] - 0.010, 0.052)
        push = body.spot(at, (0.036, 0.036, 0.046))
        moved += push[:, None] * np.array([x * 9.0, 0.0, 5.0]) * _MM
    moved += _by(body.near_mouth(0.022) * body.within() ** 0.5, 0.0, 0.0, 2.4)
    return moved


def brow_inner_up(body: Body) -> NDArray[np.float64]:
    moved = np.zeros_like(body.points)
    ey = body.plan.eye[1]
    for x in (-1.0, 1.0):
        push = body.spot((x * 0.014, ey - 0.046, 0.080), (0.034, 0.034, 0.060))
        moved += _by(push, -x * 0.8, -11.0, 0.0)
        outer = body.spot((x * 0.066, ey - 0.040, 0.060), (0.030, 0.030, 0.060))
        moved += _by(outer, 0.0, 2.4, 0.0)
    return body.slide(moved)


def tongue_out(body: Body, tongue: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The tongue over the lower lip, with a share of the open jaw in the skin."""
    moved = TONGUE_JAW * jaw_open(body)
    points = body.points[tongue]
    z = points[:, 2]
    s = (z - z.min()) / (z.max() - z.min())
    ahead = 33.0 * s**0.75
    lift = -5.5 * smoothstep(s / 0.5) + 4.0 * smoothstep((s - 0.7) / 0.3)
    thin = (
        (np.interp(s, [0.0, 1.0], [0.0, -0.12]))[:, None]
        * (points - points.mean(axis=0))
        * [1, 0, 0]
    )
    push = np.column_stack([np.zeros_like(s), lift, ahead]) * _MM + thin
    moved[tongue] += push
    return np.asarray(moved)


def smile(body: Body) -> NDArray[np.float64]:
    corner = body.corner() * body.near_mouth(0.040)
    moved = body.slide(_by(corner, -9.0, -11.0, 0.0))
    # The lips are drawn thin over the teeth.
    lips = body.near_mouth(0.012) * body.left() * body.within() * (body.depth < 1.0)
    moved[:, 1] -= 0.22 * lips * (body.points[:, 1] - body.seal[:, 1])
    moved += _by(lips * np.sin(np.pi * np.clip(body.depth, 0, 1)), 0.0, 0.0, -1.2)
    w = body.plan.width
    apple = body.spot((-0.047 * w, 0.026, 0.070), (0.030, 0.024, 0.040))
    moved += _by(apple, -1.6, -5.0, 4.2)
    fold = body.spot((-0.058 * w, body.plan.mouth[1] - 0.004, 0.058), (0.015, 0.026, 0.030))
    return np.asarray(moved + _by(fold, -2.0, -1.0, 1.5))


def frown(body: Body) -> NDArray[np.float64]:
    corner = body.corner() * body.near_mouth(0.034)
    moved = body.slide(_by(corner, -1.5, 10.0, 0.0))
    middle = np.exp(-((body.along / 0.5) ** 2)) * body.left() * body.near_mouth(0.016)
    return np.asarray(moved + _by(middle, 0.0, -1.4, 0.8))


def dimple(body: Body) -> NDArray[np.float64]:
    corner = body.corner() ** 1.5 * body.near_mouth(0.024)
    moved = body.slide(_by(corner, -6.5, -1.5, 0.0))
    return np.asarray(moved + _by(corner, 0.6, 0.0, -2.6))


def stretch(body: Body) -> NDArray[np.float64]:
    corner = body.corner() ** 0.8 * body.near_mouth(0.038)
    moved = body.slide(_by(corner, -9.0, 5.0, 0.0))
    neck = body.spot((-0.030, 0.100, 0.030), (0.03, 0.03, 0.04))
    return np.asarray(moved + _by(neck, -1.5, 1.5, 0.0))


def press(body: Body) -> NDArray[np.float64]:
    side = body.left() * body.near_mouth(0.015)
    rise = body.points[:, 1] - body.seal[:, 1]
    moved = np.zeros_like(body.points)
    outer = body.depth < 1.0
    moved[:, 1] = -0.42 * side * outer * rise
    flat = np.sin(np.pi * np.clip(body.depth, 0.0, 1.0)) * outer
    moved += (side * flat * body.within())[:, None] * -2.0 * _MM * body.out
    corner = body.corner() * body.near_mouth(0.020)
    return np.asarray(moved + _by(corner, -1.5, 0.0, -1.5))


def mouth_left(body: Body) -> NDArray[np.float64]:
    near = body.near_mouth(0.042)
    return body.slide(_by(near, -10.0, 0.0, 0.0) + _by(near * body.corner(), -1.0, -2.0, 0.0))


def lower_down(body: Body) -> NDArray[np.float64]:
    side = smoothstep(0.5 - body.along / 1.3) * body.within() ** 0.75
    weight = side * (1.0 - body.upper) * body.near_mouth(0.024)
    return _by(weight, 0.0, 8.0, 0.8)


def upper_up(body: Body) -> NDArray[np.float64]:
    side = smoothstep(0.5 - body.along / 1.3) * body.within() ** 0.75
    weight = side * body.upper * body.near_mouth(0.022)
    crease = body.spot((-0.024, 0.030, 0.085), (0.018, 0.018, 0.03)) * body.upper
    return _by(weight, 0.0, -7.0, 1.2) + _by(crease * (body.depth < 1.0), -0.5, -2.2, 1.0)


def brow_down(body: Body) -> NDArray[np.float64]:
    ey = body.plan.eye[1]
    inner = body.spot((-0.020, ey - 0.044, 0.080), (0.040, 0.028, 0.060))
    outer = body.spot((-0.050, ey - 0.044, 0.070), (0.036, 0.026, 0.060))
    return body.slide(_by(inner, 3.4, 11.5, 0.0) + _by(outer, 0.8, -0.8, 0.0)) + _by(
        inner, 0, 0, 1.2
    )


def brow_outer_up(body: Body) -> NDArray[np.float64]:
    ey = body.plan.eye[1]
    push = body.spot((-0.060, ey - 0.044, 0.055), (0.042, 0.036, 0.060))
    return body.slide(_by(push, 0.0, -10.0, 0.0))


def cheek_squint(body: Body) -> NDArray[np.float64]:
    x, y, _ = body.plan.eye
    push = body.spot((x * 1.08, y + 0.042, 0.070), (0.032, 0.022, 0.040))
    return _by(push, -0.8, -5.5, 3.2)


def nose_sneer(body: Body) -> NDArray[np.float64]:
    wing = body.spot((-0.014, 0.026, 0.096), (0.016, 0.018, 0.024))
    root = body.spot((-0.009, -0.012, 0.088), (0.012, 0.016, 0.026))
    fold = body.spot((-0.026, 0.034, 0.084), (0.020, 0.022, 0.030))
    brow = body.spot((-0.016, body.plan.eye[1] - 0.040, 0.080), (0.026, 0.024, 0.05))
    moved = _by(wing * (1.0 - 0.4 * smoothstep(body.points[:, 0] / 0.01 + 0.5)), -1.2, -5.6, 1.2)
    moved += _by(root, 0.0, -1.5, 2.0) + _by(fold * (body.depth < 0.01), -0.6, -3.0, 2.2)
    lip = smoothstep(0.5 - body.along / 1.3) * body.upper * body.near_mouth(0.022)
    moved += _by(lip * body.within() * np.clip(1.0 - body.depth, 0.0, 1.0), 0.0, -3.4, 1.4)
    return np.asarray(moved + body.slide(_by(brow, 0.8, 2.4, 0.0)))


def eye_wide(body: Body) -> NDArray[np.float64]:
    x, y, z = body.plan.eye
    push = body.spot((x, y - 0.036, z + 0.02), (0.040, 0.024, 0.05))
    return body.slide(_by(push, 0.0, -2.2, 0.0))


def eye_squint(body: Body) -> NDArray[np.float64]:
    x, y, z = body.plan.eye
    below = body.spot((x, y + 0.034, z + 0.02), (0.038, 0.020, 0.05))
    above = body.spot((x, y - 0.034, z + 0.02), (0.038, 0.018, 0.05))
    return _by(below, 0.0, -2.6, 1.6) + body.slide(_by(above, 0.0, 1.2, 0.0))


def eye_blink(body: Body) -> NDArray[np.float64]:
    x, y, z = body.plan.eye
    above = body.spot((x, y - 0.036, z + 0.02), (0.040, 0.018, 0.05))
    below = body.spot((x, y + 0.032, z + 0.02), (0.038, 0.016, 0.05))
    return body.slide(_by(above, 0.0, 1.0, 0.0) + _by(below, 0.0, -0.8, 0.0))


def look_up(body: Body) -> NDArray[np.float64]:
    x, y, z = body.plan.eye
    return body.slide(_by(body.spot((x, y - 0.036, z + 0.02), (0.04, 0.018, 0.05)), 0, -0.8, 0))


def look_down(body: Body) -> NDArray[np.float64]:
    return -0.7 * look_up(body)


_PAIRS: dict[str, Callable[[Body], NDArray[np.float64]]] = {
    "eyeBlink": eye_blink, "eyeSquint": eye_squint, "eyeWide": eye_wide,
    "eyeLookUp": look_up, "eyeLookDown": look_down,
    "mouthSmile": smile, "mouthFrown": frown, "mouthDimple": dimple, "mouthStretch": stretch,
    "mouthPress": press, "mouthLowerDown": lower_down, "mouthUpperUp": upper_up,
    "browDown": brow_down, "browOuterUp": brow_outer_up, "cheekSquint": cheek_squint,
    "noseSneer": nose_sneer, "mouth": mouth_left, "jaw": _with_jaw(-7.5, 0.0, 0.0),
}  # fmt: skip

_CENTRAL: dict[str, Callable[[Body], NDArray[np.float64]]] = {
    "jawOpen": jaw_open, "mouthClose": mouth_close, "jawForward": _with_jaw(0.0, 0.0, 5.5),
    "mouthFunnel": funnel, "mouthPucker": pucker, "mouthRollLower": roll_lower,
    "mouthRollUpper": roll_upper, "mouthShrugLower": shrug_lower, "mouthShrugUpper": shrug_upper,
    "browInnerUp": brow_inner_up, "cheekPuff": cheek_puff, "mouthRollBoth": roll_both,
}  # fmt: skip


def both_sides(body: Body, make: Callable[[Body], NDArray[np.float64]]
               ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
    """A shape of the left, and the same of the right."""
    return make(body), make(body.mirrored()) * FLIP


def paired_shapes(body: Body) -> dict[str, NDArray[np.float64]]:
    """The shapes that there are twice, by ARKit's names."""
    found = {}
    for name, make in _PAIRS.items():
        found[f"{name}Left"], found[f"{name}Right"] = both_sides(body, make)
    return found


def central_shapes(body: Body) -> dict[str, NDArray[np.float64]]:
    """The shapes that there are once, but for the tongue's."""
    return {name: make(body) for name, make in _CENTRAL.items()}
