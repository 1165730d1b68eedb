"""A microphone that moves a face: the engine's live session, as the live panel asks for it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.face.live.devices import microphones
from polyorama.face.live.live_link import PORT
from polyorama.face.live.microphone import Microphone
from polyorama.face.live.osc import OSC_PORT
from polyorama.face.live.senders import LiveLinkSender, OscSender, address_of
from polyorama.face.live.session import LiveSession
from polyorama.face.live.settings import LiveSettings as EngineSettings
from polyorama.scene.faces.channels import REGIONS
from polyorama.scene.faces.script import FaceScript, Owner
from polyorama_studio.workspaces.face.works import Device, LiveFigures, LiveSettings, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.face.live.latency import StageLatency
    from polyorama.face.live.senders import FaceSender
    from polyorama.face.live.session import LiveFrame
    from polyorama.face.live.sources import SoundSource
    from polyorama.face.take import Take

__all__ = ["MicrophoneLine", "devices_here", "microphone_of", "script_of_take"]

_TRACKER_FPS = 60.0
_SHOWN = 32


def devices_here() -> Sequence[Device]:
    """Microphones, the system's own choice first."""
    return [
        Device(f"{found.name} (the system's choice)" if found.chosen else found.name,
               str(found.number))
        for found in microphones()
    ]  # fmt: skip


def microphone_of(settings: LiveSettings, may_rescan: Callable[[], bool]) -> Microphone:
    """The microphone that the settings name."""
    device = int(settings.device) if settings.device.isdigit() else settings.device or None
    return Microphone(device, may_rescan=may_rescan)


def script_of_take(take: Take) -> FaceScript:
    """A script that shows a recorded take as it was seen, until somebody changes that.

    Its curves are a tracker's, which owns all regions; its sound and phones are there, so that
    rules or the model can take regions over.
    """
    return FaceScript(
        sound=take.sound,
        phones=take.phones,
        source="rules",
        emotion="keyed",
        tracker=take.performance.resampled(_TRACKER_FPS).weights,
        owners=tuple(Owner(region, "tracker") for region in REGIONS),
    )


class MicrophoneLine:
    """See `works.LiveLine`.

    Parameters
    ----------
    settings
        Look-ahead and receivers.
    source
        Where the sound comes from.
    """

    def __init__(self, settings: LiveSettings, source: SoundSource) -> None:
        senders: list[FaceSender] = []
        if settings.live_link:
            senders.append(LiveLinkSender(*address_of(settings.live_link, PORT)))
        if settings.osc:
            senders.append(OscSender(*address_of(settings.osc, OSC_PORT)))
        lookahead = EngineSettings(lookahead=str(settings.lookahead_ms))
        self._session = LiveSession(source, lookahead, senders=senders)
        self._shown: deque[LiveFrame] = deque(maxlen=_SHOWN)
        self._session.start()

    def figures(self) -> LiveFigures:
        """How it goes."""
        frame, status = self._session.latest(), self._session.status
        if frame is not None and (not self._shown or frame is not self._shown[-1]):
            self._shown.append(frame)
        return LiveFigures(
            None if frame is None else frame.weights,
            status.level,
            tuple(_stage(part) for part in status.stages),
            None if status.total is None else _stage(status.total),
            status.lost,
            status.state,
            status.note,
        )

    def presented(self, weights: NDArray[np.float32]) -> None:
        """A face of `figures` can be seen now."""
        frame = next((f for f in self._shown if f.weights is weights), None)
        if frame is not None:
            self._session.presented(frame)

    def set_recording(self, recording: bool) -> None:
        """Keep what comes, from now on."""
        if recording:
            self._session.record()

    def recorded(self) -> FaceScript | None:
        """What was kept, ready for the timeline."""
        try:
            return script_of_take(self._session.recorded())
        except UsageError:
            return None  # nothing came before it was stopped

    def close(self) -> None:
        """End it."""
        self._session.close()


def _stage(part: StageLatency) -> Stage:
    return Stage(part.name, part.median, part.p95)
