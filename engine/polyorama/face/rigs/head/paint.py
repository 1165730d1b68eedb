"""The puppet's colours: felt with blush and freckles, lips, eyes with painted depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.head.eyes import IRIS, PUPIL
from polyorama.face.rigs.head.mouth import COLUMNS, SEAL
from polyorama.face.rigs.head.plan import Plan, bump, smoothstep
from polyorama.scene.mesh import Material

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.rigs.head.eyes import Lid
    from polyorama.face.rigs.head.identity import HeadIdentity
    from polyorama.face.rigs.head.parts import Grid
    from polyorama.face.rigs.head.skin import Skin

__all__ = ["Paint"]

_TEXTURE = 640
"""Pixels on a side of the felt's texture."""
_ROSE = np.array([0.86, 0.36, 0.32])


def _mix(a: NDArray[np.float64], b: NDArray[np.float64], share: NDArray[np.float64]
         ) -> NDArray[np.float64]:  # fmt: skip
    return np.asarray(a + (b - a) * share[:, None])


class Paint:
    """Colours of an identity.

    Parameters
    ----------
    who, plan
        Whose, and where things lie.
    """

    def __init__(self, who: HeadIdentity, plan: Plan) -> None:
        self.who, self.plan = who, plan
        self.felt = np.array(who.skin_color)
        self.hair = self._greyed(np.array(who.hair_color))

    def _greyed(self, color: NDArray[np.float64]) -> NDArray[np.float64]:
        share = 0.85 * float(smoothstep((self.who.age - 0.6) / 0.4))
        return np.asarray(color + (np.array([0.80, 0.78, 0.75]) - color) * share)

    def materials(self, names: tuple[str, ...]) -> tuple[Material, ...]:
        """Materials in the order of `names`; vertex colours carry the rest."""
        own = {
            "brow": (*(0.62 * self.hair), 1.0), "hair": (*self.hair, 1.0),
            "lash": (0.13, 0.07, 0.06, 1.0), "jumper": (*self.who.felt_color, 1.0),
        }  # fmt: skip
        # Light that felt and flesh carry inside: their shades are warm, never black.
        red, green, blue = 0.15 * self.felt * np.array([1.0, 0.68, 0.62])
        warm = (float(red), float(green), float(blue))
        glow = {
            "glint": (0.80, 0.80, 0.78), "eye": (0.12, 0.12, 0.12), "teeth": (0.24, 0.22, 0.18),
            "tongue": (0.18, 0.07, 0.07), "felt": warm, "lid": warm, "lips": warm,
        }  # fmt: skip
        soft = {"felt": 0.45, "lid": 0.45, "lips": 0.6, "tongue": 0.6, "teeth": 0.3}
        textures = {"felt": self._felt()}
        return tuple(
            Material(
                own.get(name, (1.0, 1.0, 1.0, 1.0)), textures.get(name),
                glow.get(name, (0.0, 0.0, 0.0)), soft.get(name, 0.0),
            )
            for name in names
        )  # fmt: skip

    def skin(self, skin: Skin) -> NDArray[np.float64]:
        """(n, 3) felt with blush, shade about the eyes and freckles; lips; the dark pouch."""
        points = skin.vertices
        both = points.copy()
        both[:, 0] = -np.abs(both[:, 0])
        x, y, z = self.plan.eye
        color = np.tile(self.felt, (len(points), 1))
        blush = self.felt * 0.45 + _ROSE * 0.55
        w = self.plan.width
        cheek = bump(both, (-0.052 * w, 0.027, 0.066), (0.030, 0.024, 0.045))
        nose = bump(both, (0.0, 0.024, 0.106), (0.022, 0.018, 0.026)) * 0.75
        color = _mix(color, blush, np.maximum(cheek * 0.85, nose))
        chin = bump(both, (0.0, 0.098, 0.082), (0.018, 0.014, 0.02)) * 0.30
        color = _mix(color, blush, chin)
        shade = self.felt * np.array([0.72, 0.60, 0.58])
        socket = np.linalg.norm(both - [x, y, z], axis=1)
        around = np.clip(1.0 - (socket - self.plan.socket) / 0.010, 0.0, 1.0) ** 1.6
        color = _mix(color, shade, 0.12 * np.minimum(around, 1.0))
        rows = skin.row
        lips = (rows >= 0) & (rows <= SEAL + 3)
        rouge = self.felt * np.array([0.86, 0.55, 0.52])
        rose = rouge * 0.88 + np.array([0.70, 0.25, 0.25]) * 0.12
        share = np.interp(np.maximum(rows, 0), [0, 1, 2, 4, 6, 7, 8, 10],
                          [0.25, 0.7, 0.95, 1.0, 1.0, 1.0, 1.0, 1.0])  # fmt: skip
        upper = (skin.column > 0) & (skin.column < COLUMNS // 2)
        tone = np.where(upper, 0.90, 1.0)[:, None] * rose
        inner = np.interp(rows, [5, 7, 9, 11, 13], [1.0, 0.92, 0.85, 0.70, 0.40])
        lip = color + (tone * inner[:, None] - color) * share[:, None]
        color[lips] = lip[lips]
        pouch = rows > SEAL + 3
        deep = np.interp(rows, [SEAL + 3, SEAL + 5, SEAL + 8], [1.0, 0.55, 0.28])
        color[pouch] = (np.array([0.42, 0.12, 0.13]) * deep[:, None])[pouch]
        return color

    def uvs(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 2) where the felt's texture lies, azimuthal equidistant about the front."""
        way = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-9)
        flat = np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9)
        turn = np.arctan2(flat, way[:, 2]) / (2.0 * np.pi)
        return np.column_stack([0.5 - way[:, 0] / flat * turn, 0.5 - way[:, 1] / flat * turn])

    def _felt(self) -> NDArray[np.uint8]:
        """(H, H, 3) factors of the felt: short fibres in all directions, and freckles."""
        size, strokes, steps = _TEXTURE, 26_000, 9
        rng = np.random.default_rng(4)
        x, y = rng.uniform(0.0, size, (2, strokes, 1))
        turn = rng.uniform(0.0, np.pi, (strokes, 1)) + np.linspace(-0.4, 0.4, steps) * rng.normal(
            0.0, 1.0, (strokes, 1)
        )  # fmt: skip
        along = np.linspace(-0.5, 0.5, steps) * rng.uniform(4.0, 9.0, (strokes, 1))
        column = (x + along * np.cos(turn)).astype(int) % size
        row = (y + along * np.sin(turn)).astype(int) % size
        tone = np.zeros((size, size))
        np.add.at(tone, (row, column), rng.normal(0.0, 1.0, (strokes, 1)) * np.ones(steps))
        tone = 0.97 + 0.034 * np.clip(tone / tone.std(), -2.2, 2.2)
        felt = np.repeat(tone[:, :, None], 3, axis=2)
        count = round(110 * self.who.freckles)
        place = rng.normal(0.0, 1.0, (110, 2))[:count] * np.array([0.34, 0.095])
        for (px, py), wide in zip(place, rng.uniform(0.7, 1.25, 110)[:count], strict=True):
            # Over the nose and the cheeks, a little below the horizon.
            cx = (0.5 + px / (2.0 * np.pi)) * size
            cy = (0.5 + (0.16 + py) / (2.0 * np.pi)) * size
            reach = int(6.0 * wide) + 1  # beyond it, a freckle is less than a shade of 8 bits
            left, top = max(int(cx) - reach, 0), max(int(cy) - reach, 0)
            part = felt[top : int(cy) + reach + 1, left : int(cx) + reach + 1]
            down, right = np.ogrid[top : top + len(part), left : left + part.shape[1]]
            dot = np.exp(-((right - cx) ** 2 + (down - cy) ** 2) / (2.0 * wide**2))
            part *= 1.0 - dot[:, :, None] * np.array([0.16, 0.28, 0.33])
        return np.asarray(np.clip(felt * 255.0 + 0.5, 0, 255), np.uint8)

    def lid(self, lid: Lid, upper: bool) -> NDArray[np.float64]:
        """(n, 3) lids a little rosier and darker than the face, darkest at the edge."""
        color = self.felt * (np.array([0.97, 0.94, 0.93]) if upper else np.array([1.0, 0.97, 0.96]))
        edge = np.ones(len(lid.vertices))
        per = len(lid.vertices) // 12
        edge[: 4 * per] = 0.80
        return np.asarray(color * edge[:, None])

    def ear(self, ear: Grid) -> NDArray[np.float64]:
        """(n, 3) felt, rosy in the hollow."""
        return np.asarray(self.felt * ear.shade)

    def eye(self, points: NDArray[np.float64], angle: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 3) white, limbus, iris and pupil, by degrees from the gaze; left eye, at rest.

        Depth is painted as on a glass eye: the iris is dark above, where lid and rim would throw
        their shade, and bright in a crescent below, where light that came in falls.
        """
        iris = np.array(self.who.eye_color)
        middle = np.array(self.plan.eye)
        down = (points[:, 1] - middle[1]) / self.plan.ball
        high = np.clip(0.5 + down / (2.0 * np.sin(IRIS * np.pi / 180.0)), 0.0, 1.0)
        ring = np.clip((angle - PUPIL) / (IRIS - PUPIL), 0.0, 1.0)
        bright = iris * (0.55 + 0.75 * high[:, None]) + 0.16 * (high[:, None] ** 3)
        bright = bright * (1.06 - 0.30 * ring[:, None] ** 3)
        turn = np.arctan2(points[:, 1] - middle[1], points[:, 0] - middle[0])
        rays = 1.0 + 0.10 * np.cos(turn * 18.0) * np.sin(np.pi * ring)
        color = bright * rays[:, None]
        color = _mix(color, np.array([0.035, 0.03, 0.035]), (angle < PUPIL).astype(float))
        limbus = smoothstep((angle - (IRIS - 3.2)) / 2.5) * (angle < IRIS + 0.6)
        color = _mix(color, 0.30 * iris, 0.85 * limbus)
        white = np.array([0.955, 0.94, 0.905]) * np.ones((len(points), 1))
        side = smoothstep((angle - 38.0) / 40.0)
        white = _mix(white, np.array([0.88, 0.74, 0.68]), side)
        white *= (1.0 - 0.16 * np.clip(-down, 0.0, 1.0))[:, None]
        return np.where((angle > IRIS + 0.6)[:, None], white, color)
