"""The loudspeaker on which a live face's voice is heard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from polyorama.errors import UnavailableError
from polyorama.face.live.devices import HELD, portaudio

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.face.live.clock import Clock

    Fill = Callable[[int, float, float], NDArray[np.float32]]

__all__ = ["Loudspeaker", "Speaker"]


_LATENCY_S = 0.03
"""The voice is played later than that anyway, so the device need not be hurried."""


class Speaker(Protocol):
    """Plays what it is given."""

    @property
    def note(self) -> str:
        """Why nothing is heard any more, in a sentence, or ""."""
        ...

    def start(self, fill: Fill, clock: Clock) -> None:
        """Ask for samples from now on: how many, how many a second, and when they are heard.

        Raises
        ------
        UnavailableError
            If nothing can be heard.
        """
        ...

    def close(self) -> None:
        """End."""
        ...


class Loudspeaker:
    """A loudspeaker of this machine.

    Parameters
    ----------
    device
        Its number or a part of its name; None is the system's own choice.
    """

    def __init__(self, device: int | str | None = None) -> None:
        self._device = device
        self._stream: Any = None
        self.note = ""

    def start(self, fill: Fill, clock: Clock) -> None:
        """Play from now on.

        Raises
        ------
        UnavailableError
            If there is no such loudspeaker, or the package that opens it is missing.
        """
        sounddevice = portaudio()

        def call(out: Any, count: int, times: Any, _status: Any) -> None:
            dac = clock.now() + max(times.outputBufferDacTime - times.currentTime, 0.0)
            out[:] = fill(count, rate, dac)[:, None]

        def finished() -> None:
            if self._stream is not None:
                self.note = (
                    "The loudspeaker is gone: the face goes on, its voice is not heard; start "
                    "again once it is back."
                )

        try:
            with HELD:
                found = sounddevice.query_devices(self._device, kind="output")
                rate = float(found["default_samplerate"])
                self._stream = sounddevice.OutputStream(
                    samplerate=rate, channels=1, dtype="float32", device=self._device,
                    latency=_LATENCY_S, callback=call, finished_callback=finished,
                )  # fmt: skip
                self._stream.start()
        except (sounddevice.PortAudioError, ValueError) as error:
            raise UnavailableError(
                f"The voice cannot be played ({error}); leave playing off, or plug in a "
                "loudspeaker."
            ) from error

    def close(self) -> None:
        """Be silent."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.abort(ignore_errors=True)
            stream.close(ignore_errors=True)
