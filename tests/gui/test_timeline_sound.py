"""Sound on the timeline: its waveform, its place, and how it is played."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from polyorama.scene.contents import Audio
from polyorama.scene.document import Document, Node
from polyorama.scene.timeline import Timeline
from polyorama_studio.timeline import sound as sound_module
from polyorama_studio.timeline.mixer import Mixer, Turn
from polyorama_studio.timeline.panel import TimelinePanel
from polyorama_studio.timeline.sound import Sound
from tests.gui.pointing import drag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Notice, Session

RATE = 8000


def ramp(seconds: float, channels: int = 1) -> np.ndarray:
    """(n, channels) float32: rises from 0 to 1."""
    wave = np.linspace(0.0, 1.0, round(seconds * RATE), dtype=np.float32)
    return np.repeat(wave[:, None], channels, axis=1)


class Device:
    """A sound device that plays when it is told to."""

    def __init__(self, fill: Callable[..., None]) -> None:
        self.fill = fill
        self.samplerate = float(RATE)
        self.active = False
        self.closed = False
        self.time = 100.0

    def start(self) -> None:
        self.active = True

    def close(self) -> None:
        self.active, self.closed = False, True

    def play(self, count: int, latency: float = 0.05) -> np.ndarray:
        """What comes out of the loudspeaker `latency` seconds from now."""
        out = np.full((count, 2), np.nan, np.float32)
        times = SimpleNamespace(currentTime=self.time, outputBufferDacTime=self.time + latency)
        self.fill(out, count, times, None)
        return out


@pytest.fixture
def devices() -> list[Device]:
    return []


@pytest.fixture
def sounding(session: Session) -> Session:
    """A session whose document has a sound of two seconds from second one on."""
    node = Node("voice", Audio(samples=ramp(2.0), rate=RATE, start=1.0), id="voice")
    document = Document(nodes=(node,), timeline=Timeline(duration=4.0))
    session.stage.set_document(document, None)
    session.editing.open(document)
    return session


@pytest.fixture
def sound(sounding: Session, devices: list[Device]) -> Iterator[Sound]:
    """Its sound, on a device of our own."""

    def opener(fill: Callable[..., None]) -> Device:
        devices.append(Device(fill))
        return devices[-1]

    yield Sound(sounding, sounding, opener)
    sounding.playback.set_playing(False)


# Mixing


def test_a_sound_is_read_where_it_lies() -> None:
    clip = Audio(samples=ramp(1.0, 2), rate=RATE, start=0.5, gain=0.5)
    mixer = Mixer([clip], RATE, 0.0, 1.0, Turn(0.0, 9.0, "hold"))
    heard = np.concatenate([mixer.block(1000) for _ in range(16)])
    assert not heard[: RATE // 2].any()
    assert not heard[RATE // 2 + RATE :].any()
    assert np.allclose(heard[RATE // 2 : RATE // 2 + RATE], 0.5 * clip.samples, atol=1e-5)


@pytest.mark.parametrize("rate", [RATE, 44_100.0])
@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_speed_and_the_devices_rate_are_kept(rate: float, speed: float) -> None:
    clip = Audio(samples=ramp(2.0), rate=RATE)
    mixer = Mixer([clip], rate, 0.25, speed, Turn(0.0, 9.0, "hold"))
    heard = mixer.block(round(0.5 * rate))
    times = 0.25 + speed * np.arange(len(heard)) / rate
    assert np.allclose(heard[:, 0], times / 2.0, atol=2e-4)
    assert mixer.time_of(len(heard)) == pytest.approx(0.25 + 0.5 * speed, abs=1e-3)


@pytest.mark.parametrize(
    ("end", "expected"),
    [("hold", [np.nan, np.nan, np.nan]), ("loop", [1.5, 2.5, 1.5]), ("ping-pong", [2.5, 1.5, 1.5])],
)
def test_the_end_turns_as_playback_does(sounding: Session, end: str, expected: list[float]) -> None:
    turn = Turn(1.0, 3.0, end)
    found = turn.folded(np.array([0.5, 2.0, 3.5, 4.5, 5.5]))
    assert found[:2].tolist() == [0.5, 2.0]
    assert np.array_equal(found[2:], expected, equal_nan=True)
    playback = sounding.playback
    sounding.editing.run("set_timeline", loop=end)
    playback.set_range(1.0, 3.0)
    if end != "hold":
        assert [playback.folded(t) for t in (3.5, 4.5, 5.5)] == expected


def test_loud_sounds_are_held_within_the_devices_range() -> None:
    clip = Audio(samples=ramp(1.0), rate=RATE, gain=5.0)
    heard = Mixer([clip, clip], RATE, 0.0, 1.0, Turn(0.0, 9.0, "hold")).block(RATE)
    assert heard.max() == 1.0


# Playing


def test_pictures_go_by_the_clock_of_the_sound(
    sounding: Session, sound: Sound, devices: list[Device]
) -> None:
    playback = sounding.playback
    playback.seek(1.0)
    playback.set_playing(True)
    (device,) = devices
    assert device.active
    assert playback.clock() == 1.0, "until the first block is heard"
    heard = device.play(800)
    assert heard[0, 0] == 0.0
    assert heard[-1, 0] > 0.04
    device.time += 0.05
    assert playback.clock() == pytest.approx(1.0)
    device.time += 0.03
    assert playback.clock() == pytest.approx(1.03)
    device.time += 5.0
    assert playback.clock() == pytest.approx(1.1), "no farther than what was given out"
    playback._tick()
    assert playback.time == pytest.approx(1.1)
    playback.set_playing(False)
    assert device.closed
    assert playback.clock is None


def test_a_jump_goes_on_from_there(sounding: Session, sound: Sound, devices: list[Device]) -> None:
    playback = sounding.playback
    playback.set_playing(True)
    devices[0].play(400)
    playback.seek(2.0)
    assert playback.clock() == 2.0
    assert devices[0].play(8)[0, 0] == pytest.approx(0.5, abs=1e-3)
    playback.set_speed(2.0)
    devices[0].play(800)
    devices[0].time += 0.1
    assert playback.clock() == pytest.approx(2.1, abs=1e-3)
    assert len(devices) == 1


def test_an_edit_is_heard_at_once(sounding: Session, sound: Sound, devices: list[Device]) -> None:
    sounding.playback.seek(2.0)
    sounding.playback.set_playing(True)
    assert devices[0].play(8).any()
    sounding.editing.run("set", path="voice/start", value=50.0)
    assert not devices[0].play(8).any()


def test_mute_plays_by_the_plain_clock(
    sounding: Session, sound: Sound, devices: list[Device]
) -> None:
    sound.toggle()
    sounding.playback.set_playing(True)
    assert devices == []
    assert sounding.playback.clock is None
    sound.toggle()
    assert len(devices) == 1


def test_a_silent_document_needs_no_device(session: Session, devices: list[Device]) -> None:
    document = Document(nodes=(Node("thing"),))
    session.editing.open(document)
    Sound(session, session, devices.append)
    session.playback.set_playing(True)
    assert devices == []
    session.playback.set_playing(False)


@pytest.mark.parametrize(
    ("error", "words"), [(ImportError("none"), "install"), (OSError("none"), "No sound device")]
)
def test_without_a_device_it_says_so_once_and_plays_on(
    sounding: Session, error: Exception, words: str
) -> None:
    def opener(fill: Any) -> Any:
        raise error

    told: list[Notice] = []
    sounding.notice.connect(told.append)
    Sound(sounding, sounding, opener)
    for _ in range(3):
        sounding.playback.set_playing(True)
        assert sounding.playback.playing
        assert sounding.playback.clock is None
        sounding.playback.set_playing(False)
    assert len(told) == 1
    assert words in told[0].text


def test_the_library_is_asked_for_stereo_and_its_errors_are_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class PortAudioError(Exception):
        pass

    asked: dict[str, Any] = {}

    def stream(**options: Any) -> str:
        asked.update(options)
        return "stream"

    fake = SimpleNamespace(
        PortAudioError=PortAudioError, OutputStream=stream,
        query_devices=lambda kind: {"default_samplerate": 44_100.0},
    )  # fmt: skip
    monkeypatch.setattr(sound_module.importlib, "import_module", lambda name: fake)
    assert sound_module.open_device(print) == "stream"
    assert (asked["samplerate"], asked["channels"], asked["dtype"]) == (44_100.0, 2, "float32")

    def refuse(kind: str) -> None:
        raise PortAudioError("no default device")

    fake.query_devices = refuse
    with pytest.raises(OSError, match="no default device"):
        sound_module.open_device(print)


# The row


def test_a_waveform_is_found_and_dragged(qtbot: QtBot, sounding: Session) -> None:
    panel = TimelinePanel(sounding)
    panel.resize(1000, 260)
    panel.show()
    qtbot.waitExposed(panel)
    assert not panel.compact, "a sound is there to be seen"
    before = panel.sheet.grab().toImage()
    qtbot.waitUntil(lambda: panel.waves.found("voice") is not None)
    QApplication.processEvents()
    assert panel.sheet.grab().toImage() != before
    ((row, top, height),) = panel.sheet.places.rows()
    assert row.kind == "audio"
    at = QPointF(panel.state.axis.x(2.0), top + height / 2)
    panel.state.set_snapping(False)
    steps = len(sounding.editing.editor.history.commands)
    way = QPointF(0.5 * panel.state.axis.scale, 0.0)
    drag(panel.sheet, [at, at + way / 2, at + way])
    assert sounding.editing.document.node("voice").content.start == pytest.approx(1.5, abs=0.01)
    assert len(sounding.editing.editor.history.commands) == steps + 1
    assert panel.waves.found("voice") is not None, "the samples are the same"
    panel.close()
    panel.deleteLater()
