"""A microphone as a source of live sound: it may be unplugged, and is waited for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from polyorama.errors import UnavailableError
from polyorama.face.live.blocks import SoundRing
from polyorama.face.live.clock import SteadyClock
from polyorama.face.live.devices import HELD, microphones, portaudio, rescan
from polyorama.face.speech.prosody import RATE

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.face.live.blocks import SoundBlock
    from polyorama.face.live.clock import Clock

__all__ = ["Microphone"]

_SILENT_S = 0.5
"""A device that hands nothing over for this long is away."""
_FIRST_S = 3.0
"""The first block may take longer: sound servers wake their devices."""
_RETRY_S = 1.0
_LETS_GO_S = 5.0
"""A device that is being opened is waited for this long at the end: drivers may hang."""


class Microphone:
    """A microphone of this machine.

    The device's callback only copies into a ring and notes the time; `read` looks whether blocks
    still come. A device that is away is opened again, once a second, until it is back.

    Parameters
    ----------
    device
        Its number, or a part of its name; None is the system's own choice.
    may_rescan
        Whether the list of devices may be read anew while it is away, which closes all other
        streams of sound of this process.
    """

    def __init__(
        self, device: int | str | None = None, *, may_rescan: Callable[[], bool] = lambda: True
    ) -> None:
        self._device = device
        self._may_rescan = may_rescan
        self.clock: Clock = SteadyClock()
        self.name = "" if device is None else str(device)
        self.state, self.note = "running", ""
        self._ring: SoundRing | None = None
        self._stream: Any = None
        self._finished = threading.Event()
        self._closed = threading.Event()
        self._waiter: threading.Thread | None = None
        self._lock = threading.Lock()
        self._seen_at = 0.0
        self._patience = _FIRST_S
        self._latency = "low"
        self._lost = 0

    @property
    def lost(self) -> int:
        """Blocks that came and were overwritten before they were read."""
        return self._lost + (0 if self._ring is None else self._ring.lost)

    def start(self) -> None:
        """Open it.

        Raises
        ------
        UnavailableError
            If there is no such microphone, or the package that opens it is missing.
        """
        self._open()

    def read(self) -> list[SoundBlock]:
        """Blocks that came since the last call."""
        ring = self._ring
        if self.state == "waiting" or ring is None:
            return []
        found = ring.take()
        now = self.clock.now()
        if found:
            self._seen_at, self._patience = now, _SILENT_S
        elif self._finished.is_set() or now - self._seen_at > self._patience:
            self._lose()
        return found

    def close(self) -> None:
        """End."""
        self._closed.set()
        self._shut()
        if self._waiter is not None:
            self._waiter.join(_LETS_GO_S)
        self.state = "ended"

    def _open(self) -> None:
        sounddevice = portaudio()
        found = _found(self._device)
        last: Exception | None = None
        # What the listener wants, and else what the device has.
        for rate, channels in ((RATE, 1), (found.rate, 1), (found.rate, 2)):
            try:
                self._begin(sounddevice, found.number, rate, channels)
            except (sounddevice.PortAudioError, ValueError) as error:
                last = error
                continue
            self.name = found.name
            return
        raise UnavailableError(
            f"The microphone {found.name} cannot be opened ({last}); see whether another program "
            "holds it, or name another by --device."
        ) from last

    def _begin(self, sounddevice: Any, number: int, rate: int, channels: int) -> None:
        ring = SoundRing(rate, channels)
        now = self.clock.now

        def call(data: Any, _count: int, times: Any, status: Any) -> None:
            arrived = now()
            adc = arrived - (times.currentTime - times.inputBufferAdcTime)
            ring.put(data, adc, arrived, status.input_overflow)

        finished = threading.Event()
        with HELD:
            stream = sounddevice.RawInputStream(
                samplerate=rate, channels=channels, dtype="int16", device=number, blocksize=0,
                latency=self._latency, callback=call, finished_callback=finished.set,
            )  # fmt: skip
            try:
                stream.start()
                ring.stated = max(float(stream.latency), 0.0)
            except sounddevice.PortAudioError:
                stream.close(ignore_errors=True)
                raise
        with self._lock:
            self._lost = self.lost
            self._ring, self._stream, self._finished = ring, stream, finished
            self._seen_at, self._patience = now(), _FIRST_S

    def _lose(self) -> None:
        """Wait for it, on a thread of its own: opening may take a second."""
        if self._patience == _FIRST_S:
            # Never a block: some devices only work with larger ones.
            self._latency = "high"
        self.note = f"The microphone {self.name} is gone; plug it in again, it is waited for."
        self.state = "waiting"
        self._waiter = threading.Thread(target=self._wait, name="microphone", daemon=True)
        self._waiter.start()

    def _wait(self) -> None:
        self._shut()
        rescans = False
        while not self._closed.is_set():
            try:
                if rescans and self._may_rescan():
                    rescan()
                self._open()
            except UnavailableError:
                rescans = True  # it is away still, which `note` says
                self._closed.wait(_RETRY_S)
            else:
                self.note = ""
                self.state = "running"
                break
        if self._closed.is_set():
            self._shut()

    def _shut(self) -> None:
        with self._lock:
            stream, self._stream = self._stream, None
        if stream is not None:
            stream.abort(ignore_errors=True)
            stream.close(ignore_errors=True)


def _found(device: int | str | None) -> Any:
    known = microphones()
    if not known:
        raise UnavailableError(
            "No microphone was found; plug one in, or let a recording move the face (--file)."
        )
    if device is None:
        return known[0]
    text = str(device).strip().lower()
    for candidate in known:
        if text == str(candidate.number) or text == candidate.name.lower():
            return candidate
    for candidate in known:
        if text and text in candidate.name.lower():
            return candidate
    names = ", ".join(f"{d.number} {d.name}" for d in known)
    raise UnavailableError(f"There is no microphone {str(device)!r}; there are {names}.")
