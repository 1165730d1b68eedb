"""What the workspace asks of the engine of faces, as plain data and one protocol.

`polyorama_studio.workspaces.face.engine` answers with the real engine, tests with stand-ins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.take import Take
    from polyorama.scene.contents import Audio
    from polyorama.scene.faces.actor import Trait
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.phones import PhoneTrack
    from polyorama.scene.faces.script import FaceScript

__all__ = [
    "BEYOND", "Device", "EmotionPlan", "Exporter", "Feeling", "LiveFigures", "LiveLine",
    "LiveSettings", "Places", "Stage", "Voice", "Works",
]  # fmt: skip

BEYOND = 0.08
"""So far a field of emotions reaches beyond the map on each side."""


@dataclass(frozen=True, slots=True, eq=False)
class Voice:
    """A recording that was listened to.

    Parameters
    ----------
    sound, text, phones
        What it is, and what was said, as far as it could be told.
    name
        Of the file.
    source
        What can move a face to it: "model", or "rules" where there is no model.
    notes
        Why something is missing, a sentence each.
    feeling
        Strengths of `EMOTIONS` to begin with; empty where the voice is asked.
    """

    sound: Audio
    text: str
    phones: PhoneTrack
    name: str
    source: str = "model"
    notes: tuple[str, ...] = ()
    feeling: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Feeling:
    """How a clip or a take feels.

    Parameters
    ----------
    features
        (T, D) float32 at 25 Hz.
    name
        What it was taken from.
    """

    features: NDArray[np.float32]
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class EmotionPlan:
    """The joint space of sound and motion as a map; places are 0..1, y downwards.

    Parameters
    ----------
    points
        (N, 2) float32.
    emotions
        (N,) index into `EMOTIONS`.
    motion
        (N,) bool: from a motion, else from a sound.
    strengths
        (H, W, 8) strengths of emotions over all of the map and `BEYOND` it, or None.
    """

    points: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    emotions: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    motion: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    strengths: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where a take goes on the map.

    Parameters
    ----------
    trail
        (T, 2) places of what it follows, over its time.
    sound, motion
        (N, 2) and (M, 2): how its voice sounds, and how its face looks.
    """

    trail: NDArray[np.float32]
    sound: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    motion: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 2), np.float32))


@dataclass(frozen=True, slots=True)
class Device:
    """A microphone: what it is called, and by what the system knows it."""

    title: str
    id: str


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """What a live session is started with.

    Parameters
    ----------
    device
        Of a `Device`.
    lookahead_ms
        20 or 60.
    live_link, osc
        Where values are sent, ``host:port``, or "".
    """

    device: str = ""
    lookahead_ms: int = 20
    live_link: str = ""
    osc: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the way from the microphone to the picture, ms."""

    title: str
    median: float
    p95: float


@dataclass(frozen=True, slots=True, eq=False)
class LiveFigures:
    """How a live session goes.

    Parameters
    ----------
    weights
        (55,) the face now, or None before the first.
    level
        Of the microphone, dB below full.
    stages
        In the order in which sound goes through them.
    total
        From sound to picture.
    lost
        Blocks of sound that were lost.
    state
        "running", "waiting" for a device that was unplugged, or "ended".
    note
        What is wrong, or "".
    """

    weights: NDArray[np.float32] | None = None
    level: float = -120.0
    stages: tuple[Stage, ...] = ()
    total: Stage | None = None
    lost: int = 0
    state: str = "running"
    note: str = ""


class LiveLine(Protocol):
    """A live session that was started."""

    def figures(self) -> LiveFigures:
        """How it goes; quick, from any thread."""
        ...

    def presented(self, weights: NDArray[np.float32]) -> None:
        """The face that `figures` gave can be seen now."""
        ...

    def set_recording(self, recording: bool) -> None:
        """Keep what comes, from now on."""
        ...

    def recorded(self) -> FaceScript | None:
        """What was kept, ready for the timeline."""
        ...

    def close(self) -> None:
        """End it."""
        ...


@dataclass(frozen=True, slots=True)
class Exporter:
    """A format that a take can be written in."""

    id: str
    title: str
    ending: str


class Works(Protocol):
    """The engine of faces. All but the properties are called on worker threads."""

    @property
    def exporters(self) -> tuple[Exporter, ...]:
        """Formats, as a menu shows them."""
        ...

    @property
    def rig_endings(self) -> tuple[str, ...]:
        """Endings of files that hold rigs."""
        ...

    def identity(self, traits: Mapping[str, Trait] | None = None) -> Any:
        """The puppet as it comes, or with a project's traits: a dataclass with parameters."""
        ...

    def head(self, identity: Any) -> MorphRig:
        """The puppet with an identity."""
        ...

    def rig(self, path: Path) -> MorphRig:
        """A rig of a file or folder."""
        ...

    def fitted(self, path: Path) -> Job[MorphRig]:
        """A mesh of a file, given all shapes."""
        ...

    def voice(self, path: Path) -> Job[Voice]:
        """Read a recording and listen to it."""
        ...

    def heard(self, sound: Audio, name: str) -> Job[Voice]:
        """Listen to a sound that was read already."""
        ...

    def sample(self) -> Job[Voice]:
        """The recording that ships with the program."""
        ...

    def aligned(self, sound: Audio, text: str) -> Job[tuple[str, PhoneTrack]]:
        """When each phone is said; without a text it is recognised."""
        ...

    def performed(self, script: FaceScript) -> Take:
        """Carry out a script; what did not change since is not computed again."""
        ...

    def tried(self, script: FaceScript) -> Take:
        """Carry out a script without forgetting the one that is worked on."""
        ...

    def conflicts(self, script: FaceScript) -> dict[str, str]:
        """Regions and channels that two sources claim, and in words which."""
        ...

    def feeling_of(self, path: Path) -> Feeling:
        """How a sound, or a take of a file, feels."""
        ...

    def plan(self) -> EmotionPlan:
        """The map of emotions."""
        ...

    def placed(self, script: FaceScript, take: Take) -> Places:
        """Where a script and what came of it go on the map."""
        ...

    def weights_at(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """(N, 8) strengths of emotions at (N, 2) places of the map."""
        ...

    def export(self, take: Take, rig: MorphRig, path: Path, kind: str) -> Job[Path]:
        """Write a take."""
        ...

    def devices(self) -> Sequence[Device]:
        """Microphones, the system's own choice first."""
        ...

    def live(self, settings: LiveSettings, may_rescan: Callable[[], bool]) -> LiveLine:
        """Begin to listen to a microphone; see `Microphone` for `may_rescan`."""
        ...
