"""What a node may hold besides splats and meshes: cameras, lights, crop volumes, sound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.params import Checked, choice, color, flag, number, vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Audio", "CameraRig", "CropVolume", "LightRig"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraRig(Checked):
    """A camera and what carries it; `polyorama.scene.rigs.rig_camera` places it.

    ``free`` stands at `eye` and looks at `target`. ``orbit`` stands on an exact circle: `distance`
    from `target`, at `azimuth` and `elevation`. ``dolly`` stands between `eye` (travel 0) and
    `target` (travel 1) and looks at the target; with `hold_size` the field of view opens so that
    the target keeps its size. ``follow`` keeps `eye` as an offset from the node `follows` and looks
    at it plus `target`. All are in the node's own space, before its transform.
    """

    kind: str = choice("free", ("free", "orbit", "dolly", "follow"), help="What carries it")
    eye: tuple[float, ...] = vector((0.0, 0.0, -3.0), help="Where it stands")
    target: tuple[float, ...] = vector((0.0, 0.0, 0.0), help="What it looks at")
    roll: float = number(0.0, -3600.0, 3600.0, unit="°", soft=(-180.0, 180.0), help="Tilted")
    fov: float = number(45.0, 1.0, 170.0, unit="°", soft=(10.0, 120.0), help="Field of view")
    azimuth: float = number(0.0, -36000.0, 36000.0, unit="°", help="Round the target")
    elevation: float = number(10.0, -89.9, 89.9, unit="°", help="Above the target")
    distance: float = number(3.0, 1e-9, 1e12, help="From the target")
    travel: float = number(0.0, -10.0, 0.999, soft=(0.0, 0.95), help="From the eye to the target")
    hold_size: bool = flag(False, help="The target keeps its size while the dolly travels")
    follows: str = field(default="")
    """Id of the node that a ``follow`` rig follows."""
    near: float = number(0.01, 1e-9, 1e12, help="Nearest depth that is drawn", animated=False)
    f_stop: float = number(0.0, 0.0, 1000.0, soft=(0.0, 22.0), help="Aperture; 0 is all sharp")
    focus: float = number(3.0, 1e-9, 1e12, help="Distance that is sharp")
    shutter: float = number(0.0, 0.0, 1.0, soft=(0.0, 1.0), help="Share of a frame that blurs")
    eye_distance: float = number(0.0, 0.0, 1e9, soft=(0.0, 0.1), help="Between two eyes; 0 is mono")


@dataclass(frozen=True, slots=True, kw_only=True)
class LightRig(Checked):
    """Light on meshes: a key light and the light of the sky. Splats carry their own light."""

    azimuth: float = number(35.0, -36000.0, 36000.0, unit="°", help="Where the key light stands")
    elevation: float = number(45.0, -90.0, 90.0, unit="°", help="How high it stands")
    key: tuple[float, ...] = color((1.0, 0.96, 0.9), help="The key light's colour")
    strength: float = number(0.7, 0.0, 100.0, soft=(0.0, 2.0), help="The key light's strength")
    softness: float = number(8.0, 0.0, 90.0, unit="°", soft=(0.0, 45.0), help="Softness of shadows")
    sky: tuple[float, ...] = color((0.95, 0.97, 1.0), help="Light from above")
    ground: tuple[float, ...] = color((0.7, 0.66, 0.63), help="Light from below")
    ambient: float = number(0.36, 0.0, 100.0, soft=(0.0, 1.0), help="Strength of sky and ground")


@dataclass(frozen=True, slots=True, kw_only=True)
class CropVolume(Checked):
    """A volume that crop modifiers take their shape and place from.

    In its own space it fills the cube from -0.5 to 0.5, or the sphere in that; a plane keeps what
    is below 0 along y. The node's transform places it.
    """

    shape: str = choice("box", ("box", "sphere", "ellipsoid", "plane"), help="Its form")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audio(Checked):
    """A sound on the timeline.

    Parameters
    ----------
    samples
        (n, channels) float32, -1..1.
    rate
        Samples in a second, Hz.
    start
        Where it begins on the timeline, s.
    gain
        Linear factor.
    """

    samples: NDArray[np.float32]
    rate: int
    start: float = number(0.0, -1e6, 1e6, unit="s", help="Where it begins", animated=False)
    gain: float = number(1.0, 0.0, 100.0, soft=(0.0, 2.0), help="Louder", animated=False)

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        samples = np.ascontiguousarray(self.samples, np.float32).view()
        samples.flags.writeable = False
        object.__setattr__(self, "samples", samples)

    @property
    def seconds(self) -> float:
        """How long it lasts, s."""
        return len(self.samples) / self.rate
