"""Where one looks from: a turntable camera about a target, and the pure steps that move it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Camera
from polyorama.scene.framing import horizon

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DIRECTIONS", "MAX_PITCH", "OrbitView"]

MAX_PITCH = 90.0
DIRECTIONS = {
    "front": (0.0, 0.0),
    "back": (180.0, 0.0),
    "right": (90.0, 0.0),
    "left": (-90.0, 0.0),
    "top": (0.0, 90.0),
    "bottom": (0.0, -90.0),
}
"""Named views as (yaw, pitch), degrees."""

_NEAR = 0.01
"""The near plane of the engine's cameras, world units."""
_NEAR_SHARE = 0.01
"""The near plane as a share of the distance, for scenes of millimetres."""

Vector = tuple[float, float, float]


def _vector(values: NDArray[np.float64]) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2]))


def _unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values / np.linalg.norm(values)


@dataclass(frozen=True, slots=True)
class OrbitView:
    """A view, without a picture size.

    Parameters
    ----------
    target
        The point that the camera turns about, world units.
    yaw, pitch
        Degrees; yaw 0 is the front, 90 the side to its right, pitch 90 the top.
    distance
        From the eye to the target, world units.
    fov
        Vertical field of view, degrees.
    up
        World direction that is up.
    orthographic
        Whether lines stay parallel; the picture then is as high as the target's plane was.
    """

    target: Vector = (0.0, 0.0, 0.0)
    yaw: float = 0.0
    pitch: float = 0.0
    distance: float = 3.0
    fov: float = 45.0
    up: Vector = (0.0, -1.0, 0.0)
    orthographic: bool = False

    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Unit right, up and backward (towards the eye) of the picture, (3,) float64 each."""
        up = self._upward()
        front, side = horizon(up)
        yaw, pitch = np.radians(self.yaw), np.radians(self.pitch)
        level = np.cos(yaw) * front + np.sin(yaw) * side
        backward = np.cos(pitch) * level + np.sin(pitch) * up
        upward = np.cos(pitch) * up - np.sin(pitch) * level
        return np.cross(upward, backward), upward, backward

    def _upward(self) -> NDArray[np.float64]:
        return _unit(np.asarray(self.up, np.float64))

    @property
    def eye(self) -> NDArray[np.float64]:
        """(3,) float64, where the camera is."""
        return np.asarray(self.target) + self.distance * self.axes()[2]

    @property
    def height_in_world(self) -> float:
        """Height of what is seen of the plane through the target, world units."""
        return float(2.0 * self.distance * np.tan(np.radians(self.fov) / 2.0))

    @property
    def near(self) -> float:
        """Nearest depth that is drawn in perspective, world units: less where things are small."""
        return min(_NEAR, _NEAR_SHARE * self.distance)

    @property
    def standoff(self) -> float:
        """From the engine's camera to the target, world units.

        Parallel lines look the same from everywhere, so that camera stands far enough back that
        nothing around the target is cut by its near plane, however small all is.
        """
        return 8.0 * self.distance + _NEAR if self.orthographic else self.distance

    def camera(self, width: int, height: int) -> Camera:
        """The engine's camera for a picture of that size in pixels."""
        _, upward, backward = self.axes()
        target = np.asarray(self.target)
        eye = target + self.standoff * backward
        if self.orthographic:
            return Camera.orthographic(
                eye, target, upward, height_in_world=self.height_in_world, size=(width, height)
            )
        return Camera.look_at(
            eye, target, upward, fov=self.fov, size=(width, height), near=self.near
        )

    @classmethod
    def of_camera(cls, camera: Camera, up: Vector, pivot: NDArray[np.float64]) -> OrbitView:
        """The level view nearest to a camera, turning about the point on its axis near `pivot`."""
        here = cls(up=up)
        vertical = here._upward()
        front, side = horizon(vertical)
        backward = -camera.forward
        depth = float((np.asarray(pivot) - camera.position) @ camera.forward)
        if depth <= 1e-6:
            depth = max(float(np.linalg.norm(np.asarray(pivot) - camera.position)), 1e-3)
        pitch = np.degrees(np.arcsin(np.clip(backward @ vertical, -1.0, 1.0)))
        yaw = np.degrees(np.arctan2(backward @ side, backward @ front))
        return cls(
            target=_vector(camera.position + depth * camera.forward),
            yaw=float(yaw),
            pitch=float(pitch),
            distance=depth,
            fov=camera.fov if camera.kind == "pinhole" else here.fov,
            up=up,
        )

    def looking(self, direction: str) -> OrbitView:
        """The view from a named side (`DIRECTIONS`)."""
        yaw, pitch = DIRECTIONS[direction]
        return replace(self, yaw=yaw, pitch=pitch)

    def in_parallel(self) -> OrbitView:
        """The same view without perspective."""
        return replace(self, orthographic=True)

    def looking_along(self, direction: NDArray[np.float64]) -> OrbitView:
        """The view whose line of sight has a given world direction, (3,)."""
        up = self._upward()
        front, side = horizon(up)
        backward = -_unit(np.asarray(direction, np.float64))
        pitch = float(np.degrees(np.arcsin(np.clip(backward @ up, -1.0, 1.0))))
        if abs(pitch) > 89.9:
            # Straight down or up: turned to the nearest quarter, so that the picture is square.
            return replace(
                self, yaw=round(self.yaw / 90.0) * 90.0, pitch=float(np.sign(pitch)) * 90.0
            )
        yaw = float(np.degrees(np.arctan2(backward @ side, backward @ front)))
        return replace(self, yaw=yaw, pitch=pitch)

    def orbited(self, yaw: float, pitch: float) -> OrbitView:
        """Turned by so many degrees; the pitch stops at straight up and down."""
        turned = (self.yaw + yaw + 180.0) % 360.0 - 180.0
        return replace(
            self, yaw=turned, pitch=float(np.clip(self.pitch + pitch, -MAX_PITCH, MAX_PITCH))
        )

    def turned(self, yaw: float, pitch: float) -> OrbitView:
        """Looking elsewhere from the same place, by so many degrees."""
        fresh = self.orbited(yaw, pitch)
        return replace(fresh, target=_vector(self.eye - fresh.distance * fresh.axes()[2]))

    def shifted(self, offset: NDArray[np.float64]) -> OrbitView:
        """Eye and target moved by a world offset, (3,)."""
        return replace(self, target=_vector(np.asarray(self.target) + offset))

    def scaled(self, factor: float, anchor: NDArray[np.float64]) -> OrbitView:
        """The same picture of a world that was scaled about a point, (3,)."""
        center = np.asarray(anchor)
        target = center + factor * (np.asarray(self.target) - center)
        return replace(self, target=_vector(target), distance=self.distance * factor)

    def panned(self, dx: float, dy: float, height: int) -> OrbitView:
        """Moved so that the target's plane follows a drag of (dx, dy) pixels exactly."""
        right, upward, _ = self.axes()
        unit = self.height_in_world / height
        moved = np.asarray(self.target) - dx * unit * right + dy * unit * upward
        return replace(self, target=_vector(moved))

    def zoomed(
        self,
        factor: float,
        anchor: NDArray[np.float64] | None = None,
        *,
        reach: tuple[float, float] = (1e-6, 1e9),
    ) -> OrbitView:
        """Nearer or farther.

        Parameters
        ----------
        factor
            Of all distances to `anchor`, which stays where it is in the picture; above zero.
        anchor
            (3,), by default the target.
        reach
            The least and the greatest distance from the eye to the target, world units; a view
            that is beyond them already can only come back.
        """
        least, most = min(reach[0], self.distance), max(reach[1], self.distance)
        distance = min(max(self.distance * factor, least), most)
        # The target goes as far as the eye: stopped short, the two would drift apart.
        share = distance / self.distance
        target = np.asarray(self.target)
        center = target if anchor is None else np.asarray(anchor)
        return replace(
            self, target=_vector(target + (center - target) * (1.0 - share)), distance=distance
        )

    def retargeted(self, point: NDArray[np.float64]) -> OrbitView:
        """Turning about `point` from now on, seen from the same direction and brought to centre."""
        depth = float((self.eye - np.asarray(point)) @ self.axes()[2])
        return replace(self, target=_vector(np.asarray(point)), distance=max(depth, 1e-6))

    def point_at(
        self, x: float, y: float, width: int, height: int, depth: float | None = None
    ) -> NDArray[np.float64]:
        """World point under a pixel position, (3,) float64.

        Parameters
        ----------
        x, y
            Position in a picture of `width` by `height` pixels.
        depth
            Along the view from the eye, world units; None for the target's plane.
        """
        right, upward, backward = self.axes()
        along = self.distance if depth is None else depth
        scale = self.height_in_world / height
        if not self.orthographic:
            scale *= along / self.distance
        return np.asarray(
            self.eye
            - along * backward
            + (x - width / 2.0) * scale * right
            - (y - height / 2.0) * scale * upward
        )

    def project(self, point: Vector, width: int, height: int) -> tuple[float, float] | None:
        """Pixel position of a world point, or None behind the eye."""
        right, upward, backward = self.axes()
        offset = np.asarray(point) - self.eye
        depth = float(-offset @ backward)
        if depth <= 1e-9:
            return None
        scale = height / self.height_in_world
        if not self.orthographic:
            scale *= self.distance / depth
        return (
            width / 2.0 + float(offset @ right) * scale,
            height / 2.0 - float(offset @ upward) * scale,
        )
