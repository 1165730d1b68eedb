"""Microphones and loudspeakers, with stand-ins for the package that opens them."""

from __future__ import annotations

import importlib
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.errors import UnavailableError
from polyorama.face.live.clock import VirtualClock
from polyorama.face.live.devices import microphones, portaudio
from polyorama.face.live.loudspeaker import Loudspeaker
from polyorama.face.live.microphone import Microphone


class PortAudioError(Exception):
    pass


def until(happened, seconds: float = 30.0) -> None:
    """Wait for what another thread does."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.005)


class FakeStream:
    """A stream that hands over what a test gives it."""

    latency = 0.008

    def __init__(self, package, **asked) -> None:
        self.asked, self.open = asked, False
        package.streams.append(self)
        if package.refuses(asked):
            raise PortAudioError("Invalid sample rate")

    def start(self) -> None:
        self.open = True

    def abort(self, ignore_errors=True) -> None:
        self.open = False

    def close(self, ignore_errors=True) -> None:
        self.open = False

    def give(self, samples: np.ndarray, overflow: bool = False) -> None:
        times = SimpleNamespace(currentTime=7.0, inputBufferAdcTime=6.99)
        status = SimpleNamespace(input_overflow=overflow)
        data = samples.astype(np.int16).tobytes()
        self.asked["callback"](data, len(samples), times, status)


class FakePackage:
    """What is used of the package sounddevice."""

    PortAudioError = PortAudioError

    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.streams: list[FakeStream] = []
        self.default = SimpleNamespace(device=[-1, -1])
        self.refuses = lambda asked: False
        self.scans = 0
        self.starts = True
        self.up = True

    def query_devices(self, device=None, kind=None):
        if not self.up:
            raise PortAudioError("PortAudio not initialized")
        found = [
            {"name": name, "max_input_channels": 2, "default_samplerate": 48000.0}
            for name in self.names
        ]
        if kind == "output":
            if not found:
                raise PortAudioError("Error querying device -1")
            return found[0]
        return [*found, {"name": "Speakers", "max_input_channels": 0, "default_samplerate": 44100}]

    def query_hostapis(self):
        return [{"default_input_device": len(self.names) - 1}]

    def RawInputStream(self, **asked):
        return FakeStream(self, **asked)

    def OutputStream(self, **asked):
        return FakeStream(self, **asked)

    def _terminate(self) -> None:
        if not self.up:
            raise PortAudioError("PortAudio not initialized")
        self.up = False

    def _initialize(self) -> None:
        self.scans += 1
        if not self.starts:
            raise PortAudioError("Host error")
        self.up = True


@pytest.fixture
def package(monkeypatch):
    fake = FakePackage("Webcam", "USB Headset")
    for place in ("devices", "microphone", "loudspeaker"):
        monkeypatch.setattr(f"polyorama.face.live.{place}.portaudio", lambda: fake)
    return fake


def test_microphones_are_listed_with_the_systems_choice_first(package, capsys):
    assert [(d.number, d.name, d.rate, d.chosen) for d in microphones()] == [
        (1, "USB Headset", 48000, True), (0, "Webcam", 48000, False),
    ]  # fmt: skip
    package.default.device[0] = 0
    assert microphones()[0].name == "Webcam"
    assert main(["face", "live", "--devices"]) == 0
    assert "Webcam, 48000 Hz  (chosen by the system)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "number"), [(None, 1), (0, 0), ("0", 0), ("webcam", 0), ("headset", 1)]
)
def test_a_microphone_is_found_by_number_or_name(package, asked, number):
    microphone = Microphone(asked)
    microphone.start()
    opened = package.streams[-1].asked
    assert opened["device"] == number
    assert (opened["samplerate"], opened["channels"], opened["dtype"]) == (16000, 1, "int16")
    assert (opened["blocksize"], opened["latency"]) == (0, "low")
    microphone.close()
    assert not package.streams[-1].open


def test_no_device_ends_in_a_sentence_and_2(package, capsys):
    assert main(["face", "live", "--device", "Studio"]) == 2
    assert "no microphone 'Studio'; there are 1 USB Headset, 0 Webcam" in capsys.readouterr().err
    package.names.clear()
    assert main(["face", "live"]) == 2
    assert "plug one in" in capsys.readouterr().err
    assert main(["face", "live", "--devices"]) == 0
    assert "No microphone" in capsys.readouterr().err
    with pytest.raises(UnavailableError, match="loudspeaker"):
        Loudspeaker().start(lambda *_: np.zeros(1), VirtualClock())


@pytest.mark.parametrize(
    ("error", "words"),
    [(ImportError("no"), r"polyorama\[face\]"), (OSError("PortAudio library"), "libportaudio2")],
)
def test_what_is_missing_is_said_with_what_to_do(monkeypatch, error, words):
    def fail(name):
        raise error

    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(UnavailableError, match=words):
        portaudio()


def test_a_device_without_16_khz_is_opened_as_it_likes(package):
    package.refuses = lambda asked: asked["samplerate"] == 16000 or asked["channels"] == 1
    microphone = Microphone()
    microphone.start()
    stream = package.streams[-1]
    assert (stream.asked["samplerate"], stream.asked["channels"]) == (48000, 2)
    stream.give(np.array([[3276, 0]] * 480))
    (block,) = microphone.read()
    assert block.rate == 48000
    assert block.stated == 0.008
    np.testing.assert_allclose(block.samples, 0.05, atol=1e-4)
    assert block.arrived - block.adc == pytest.approx(0.01)
    package.refuses = lambda asked: True
    with pytest.raises(UnavailableError, match="cannot be opened"):
        Microphone().start()


def test_a_device_that_is_unplugged_is_opened_again_when_it_is_back(package, monkeypatch):
    monkeypatch.setattr("polyorama.face.live.microphone._RETRY_S", 0.01)
    microphone = Microphone("Headset")
    microphone.start()
    first = package.streams[-1]
    first.give(np.zeros(160), overflow=True)
    (block,) = microphone.read()
    assert block.overflow
    package.names = ["Webcam"]
    first.asked["finished_callback"]()
    assert microphone.read() == []
    assert microphone.state == "waiting"
    assert "USB Headset is gone" in microphone.note
    until(lambda: package.scans)
    package.names = ["USB Headset"]
    until(lambda: microphone.state != "waiting")
    assert microphone.note == ""
    again = package.streams[-1]
    assert again is not first
    assert again.asked["device"] == 0
    again.give(np.zeros(160))
    assert len(microphone.read()) == 1
    microphone.close()
    assert microphone.state == "ended"
    assert not again.open


def test_a_sound_system_that_does_not_start_is_tried_again(package, monkeypatch):
    monkeypatch.setattr("polyorama.face.live.microphone._RETRY_S", 0.001)
    microphone = Microphone("Headset")
    microphone.start()
    package.names, package.starts = [], False
    package.streams[-1].asked["finished_callback"]()
    microphone.read()
    until(lambda: package.scans >= 3)
    assert microphone.state == "waiting"
    with pytest.raises(UnavailableError, match="does not answer"):
        microphones()
    package.names, package.starts = ["USB Headset"], True
    until(lambda: microphone.state == "running")
    microphone.close()


def test_nothing_waits_for_a_device_after_the_end(package, monkeypatch):
    monkeypatch.setattr("polyorama.face.live.microphone._RETRY_S", 60.0)
    microphone = Microphone("Headset")
    microphone.start()
    package.names = []
    package.streams[-1].asked["finished_callback"]()
    microphone.read()
    microphone.close()
    assert microphone.state == "ended"
    assert "microphone" not in [thread.name for thread in threading.enumerate()]


def test_a_device_that_sends_nothing_is_given_up_and_tried_with_larger_blocks(package, monkeypatch):
    monkeypatch.setattr("polyorama.face.live.microphone._RETRY_S", 0.01)
    microphone = Microphone()
    clock = VirtualClock()
    microphone.clock = clock
    microphone.start()
    clock.sleep(2.9)
    microphone.read()
    assert microphone.state == "running"  # sound servers take their time at first
    clock.sleep(0.2)
    microphone.read()
    until(lambda: microphone.state != "waiting")
    assert package.streams[-1].asked["latency"] == "high"
    package.streams[-1].give(np.zeros(160))
    microphone.read()
    clock.sleep(0.6)
    microphone.read()
    until(lambda: len(package.streams) == 3)
    microphone.close()


def test_devices_are_not_looked_for_anew_where_that_would_do_harm(package, monkeypatch):
    monkeypatch.setattr("polyorama.face.live.microphone._RETRY_S", 0.001)
    asked = threading.Semaphore(0)

    def may() -> bool:
        asked.release()
        return False

    microphone = Microphone("Headset", may_rescan=may)
    microphone.start()
    package.names = []
    package.streams[-1].asked["finished_callback"]()
    microphone.read()
    for _ in range(3):
        assert asked.acquire(timeout=30.0)
    microphone.close()
    assert package.scans == 0


def test_a_loudspeaker_says_when_its_samples_are_heard(package):
    clock = VirtualClock(3.0)
    found = []

    def fill(count, rate, dac):
        found.append((count, rate, dac))
        return np.full(count, 0.5, np.float32)

    speaker = Loudspeaker()
    speaker.start(fill, clock)
    stream = package.streams[-1]
    out = np.zeros((64, 1), np.float32)
    times = SimpleNamespace(currentTime=10.0, outputBufferDacTime=10.02)
    stream.asked["callback"](out, 64, times, None)
    assert found == [(64, 48000.0, pytest.approx(3.02))]
    assert (out == 0.5).all()
    assert speaker.note == ""
    stream.asked["finished_callback"]()
    assert "loudspeaker is gone" in speaker.note
    speaker.close()
    assert not stream.open


def test_a_loudspeaker_that_is_ended_is_not_gone(package):
    speaker = Loudspeaker()
    speaker.start(lambda count, *_: np.zeros(count, np.float32), VirtualClock())
    speaker.close()
    package.streams[-1].asked["finished_callback"]()
    assert speaker.note == ""
