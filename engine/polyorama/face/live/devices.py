"""Microphones of this machine, by PortAudio."""

from __future__ import annotations

import importlib
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from polyorama.errors import UnavailableError

__all__ = ["HELD", "InputDevice", "microphones", "portaudio", "rescan"]

HELD = threading.RLock()
"""PortAudio knows no threads: who asks it about devices, opens one or starts it anew holds this."""


@dataclass(frozen=True, slots=True)
class InputDevice:
    """A microphone.

    Parameters
    ----------
    number
        PortAudio's; it may change when devices come and go.
    name
        For people.
    rate
        Its own samples in a second, Hz.
    chosen
        Whether it is the system's own choice.
    """

    number: int
    name: str
    rate: int
    chosen: bool = False


def portaudio() -> Any:
    """The package sounddevice.

    Raises
    ------
    UnavailableError
        If it, or the library PortAudio, is not installed.
    """
    try:
        return importlib.import_module("sounddevice")
    except ImportError as error:
        raise UnavailableError(
            "Microphones need the package sounddevice: pip install 'polyorama[face]'."
        ) from error
    except OSError as error:
        raise UnavailableError(
            "Microphones need the library PortAudio; on Debian and Ubuntu: "
            "sudo apt install libportaudio2."
        ) from error


def rescan() -> None:
    """Look for devices that were plugged in since the program began.

    PortAudio only looks when it is started, and starting it anew closes every stream of this
    process: there must be none that still matters.

    Raises
    ------
    UnavailableError
        If it cannot be started again.
    """
    sounddevice = portaudio()
    with HELD:
        # The package offers no other way; both names are in its documentation of this case.
        with suppress(sounddevice.PortAudioError):
            sounddevice._terminate()  # it refuses where an earlier start failed
        try:
            sounddevice._initialize()
        except sounddevice.PortAudioError as error:
            raise UnavailableError(f"The sound system does not start ({error}).") from error


def microphones() -> tuple[InputDevice, ...]:
    """Microphones, the system's own choice first.

    Raises
    ------
    UnavailableError
        If the package that finds them is not installed, or the sound system does not answer.
    """
    sounddevice = portaudio()
    try:
        with HELD:
            devices = list(sounddevice.query_devices())
            chosen = int(sounddevice.default.device[0])
            apis = sounddevice.query_hostapis()
    except sounddevice.PortAudioError as error:
        raise UnavailableError(f"The sound system does not answer ({error}).") from error
    if chosen < 0:
        inputs = (int(api["default_input_device"]) for api in apis)
        chosen = next((number for number in inputs if number >= 0), -1)
    found = [
        InputDevice(number, str(d["name"]), round(d["default_samplerate"]), number == chosen)
        for number, d in enumerate(devices)
        if d["max_input_channels"] > 0
    ]
    return tuple(sorted(found, key=lambda d: not d.chosen))
