"""Microphones of this machine, by PortAudio."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from polyorama.errors import UnavailableError

__all__ = ["InputDevice", "microphones", "portaudio", "rescan"]


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
    """
    sounddevice = portaudio()
    # The package offers no other way; both names are in its documentation of this case.
    sounddevice._terminate()
    sounddevice._initialize()


def microphones() -> tuple[InputDevice, ...]:
    """Microphones, the system's own choice first.

    Raises
    ------
    UnavailableError
        If the package that finds them is not installed.
    """
    sounddevice = portaudio()
    try:
        devices = list(sounddevice.query_devices())
        chosen = int(sounddevice.default.device[0])
        if chosen < 0:
            chosen = next(
                (
                    api["default_input_device"]
                    for api in sounddevice.query_hostapis()
                    if api["default_input_device"] >= 0
                ),
                -1,
            )
    except sounddevice.PortAudioError:
        return ()
    found = [
        InputDevice(number, str(d["name"]), round(d["default_samplerate"]), number == chosen)
        for number, d in enumerate(devices)
        if d["max_input_channels"] > 0
    ]
    return tuple(sorted(found, key=lambda d: not d.chosen))
