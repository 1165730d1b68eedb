"""Live sound: its ring, its rates, its place in time, what is missing, and how loud it is."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.face.live.blocks import SoundBlock, SoundRing
from polyorama.face.live.clock import VirtualClock
from polyorama.face.live.concealment import Concealer
from polyorama.face.live.latency import DRAWING, STAGES, LatencyLog
from polyorama.face.live.level import QUIETEST, AutomaticGain, NoiseGate, decibels, power_of
from polyorama.face.live.resampling import StreamResampler
from polyorama.face.live.sources import FileSource
from polyorama.face.live.timeline import SoundTimeline
from polyorama.face.live.voice import DelayedVoice, VoiceHistory

RATE = 16000


def block(adc: float, arrived: float, count: int = 160, **more) -> SoundBlock:
    return SoundBlock(np.zeros(count, np.float32), RATE, adc, arrived, **more)


# The ring


def test_blocks_come_out_of_the_ring_as_they_went_in():
    ring = SoundRing(1000)
    rng = np.random.default_rng(0)
    whole = rng.integers(-32768, 32767, 9000).astype(np.int16)
    at, found = 0, []
    while at < len(whole):
        for _ in range(int(rng.integers(1, 5))):
            part = whole[at : at + int(rng.integers(1, 200))]
            if len(part):
                ring.put(part.tobytes(), at / 1000, at / 1000 + 0.01, at == 0)
            at += len(part)
        found += ring.take()
    np.testing.assert_array_equal(
        np.concatenate([b.samples for b in found]), whole.astype(np.float32) / 32768
    )
    assert [b.overflow for b in found] == [True] + [False] * (len(found) - 1)
    starts = np.cumsum([0] + [len(b.samples) for b in found[:-1]])
    np.testing.assert_allclose([b.adc for b in found], starts / 1000)
    assert ring.lost == 0
    assert ring.take() == []


def test_channels_are_mixed():
    ring = SoundRing(1000, 2)
    ring.put(np.array([[100, 300], [-50, 50]], np.int16).tobytes(), 0.0, 0.0, False)
    np.testing.assert_allclose(ring.take()[0].samples, np.array([200, 0]) / 32768)


def test_a_late_reader_loses_the_oldest_blocks_and_counts_them():
    ring = SoundRing(1000)
    for k in range(100):
        ring.put(np.full(100, k, np.int16).tobytes(), k / 10, k / 10, False)
    found = ring.take()
    assert len(found) + ring.lost == 100
    assert 20 <= len(found) <= 40
    assert [round(b.adc * 10) for b in found] == list(range(100 - len(found), 100))
    for b in found:
        np.testing.assert_array_equal(b.samples * 32768, round(b.adc * 10))


def test_a_writer_and_a_reader_need_not_wait_for_each_other():
    ring = SoundRing(RATE)
    count, taken = 3000, []

    def write() -> None:
        for k in range(count):
            ring.put(np.full(7, k % 1000, np.int16).tobytes(), float(k), float(k), False)

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        taken += ring.take()
    writer.join()
    taken += ring.take()
    assert len(taken) + ring.lost == count
    for b in taken:
        np.testing.assert_array_equal(b.samples * 32768, b.adc % 1000)


# Rates


@pytest.mark.parametrize("source", [8000, 44100, 48000, 22050])
def test_other_rates_become_16_khz_at_the_right_times(source):
    time = np.arange(source) / source
    tone = np.sin(2 * np.pi * 440.0 * time).astype(np.float32)
    resampler = StreamResampler(source, RATE)
    rng = np.random.default_rng(1)
    at, number = 0, 0
    heard, times = [], []
    while at < len(tone):
        part = tone[at : at + int(rng.integers(1, 700))]
        out, place = resampler.push(part)
        # The place that is told is where the sample lies on the input's own time.
        times.append((at + place) / source + np.arange(len(out)) / RATE)
        heard.append(out)
        at += len(part)
        number += len(out)
    times, heard = np.concatenate(times), np.concatenate(heard)
    np.testing.assert_allclose(times, np.arange(number) / RATE, atol=1e-9)
    inside = times > 0.01
    np.testing.assert_allclose(heard[inside], np.sin(2 * np.pi * 440.0 * times[inside]), atol=2e-3)
    assert number == pytest.approx(RATE, abs=60)


def test_what_16_khz_cannot_hold_is_taken_out():
    time = np.arange(48000) / 48000
    out, _ = StreamResampler(48000, RATE).push(
        np.sin(2 * np.pi * 11000.0 * time).astype(np.float32)
    )
    assert np.abs(out[200:]).max() < 0.01


# Time


def test_jitter_of_arrivals_does_not_move_the_line():
    rng = np.random.default_rng(2)
    line = SoundTimeline(RATE)
    for k in range(1000):
        late = 0.0 if k % 7 == 0 else rng.uniform(0, 0.02)
        assert line.place(block(5.0 + k / 100 + 0.001, 5.01 + k / 100 + late), 160) == (0, 0)
    assert line.index == 160000
    # Steady stamps say 9 ms from the air to the earliest arrival.
    assert line.time_of(150000) == pytest.approx(5.0 + 150000 / RATE + 0.001, abs=1e-3)
    assert line.index_at(line.time_of(1234.5)) == pytest.approx(1234.5)


def test_drift_is_followed():
    for slower in (1.0 + 1e-4, 1.0 - 1e-4):
        line = SoundTimeline(RATE)
        for k in range(10000):
            at = slower * k / 100
            assert line.place(block(at, at + slower * 0.01 + 0.005), 160) == (0, 0)
        assert line.time_of(line.index) == pytest.approx(slower * 100.0, abs=2e-3)


def test_impossible_stamps_give_way_to_the_latency_that_is_stated():
    line = SoundTimeline(RATE)
    for k in range(500):
        # As PulseAudio's: 0.6 s too early at first, then later than the block itself.
        adc = k / 100 + (0.004 if k > 150 else -0.6)
        line.place(block(adc, (k + 1) / 100, stated=0.008), 160)
    assert line.time_of(line.index) == pytest.approx(5.0 - 0.008, abs=1e-3)


def test_a_gap_that_the_device_tells_is_filled_at_once_with_the_right_length():
    line = SoundTimeline(RATE)
    for k in range(300):
        line.place(block(k / 100, (k + 1) / 100), 160)
    found = line.place(block(3.07, 3.08, overflow=True), 160)
    assert found[0] == pytest.approx(0.07 * RATE, abs=16)
    assert line.place(block(3.08, 3.09), 160) == (0, 0)
    assert line.time_of(line.index) == pytest.approx(3.09, abs=1e-3)


def test_a_gap_that_nobody_tells_is_found_and_a_late_hand_over_is_none():
    line = SoundTimeline(RATE)
    for k in range(200):
        line.place(block(0.0, (k + 1) / 100), 160)  # stamps that say nothing
    for _ in range(200, 220):  # a stall: all of them come at once, later
        assert line.place(block(0.0, 2.2), 160) == (0, 0)
    for k in range(220, 300):
        assert line.place(block(0.0, (k + 1) / 100), 160) == (0, 0)
    missing = [line.place(block(0.0, (k + 1) / 100 + 0.1), 160)[0] for k in range(300, 400)]
    assert sum(m > 0 for m in missing) == 1
    assert sum(missing) == pytest.approx(0.1 * RATE, abs=48)
    assert np.flatnonzero(missing)[0] <= 26


def test_what_was_filled_while_a_device_was_away_is_skipped_when_it_is_back():
    line = SoundTimeline(RATE)
    for k in range(100):
        line.place(block(k / 100, (k + 1) / 100), 160)
    assert line.fill_to(1.5) == 8000
    line.restart()
    # It is back since 1.48 s: 20 ms of that are filled already.
    assert line.place(block(1.48, 1.49), 160) == (0, 160)
    assert line.place(block(1.49, 1.50), 160) == (0, 160)
    assert line.place(block(1.50, 1.51), 160) == (0, 0)
    assert line.index == 24160
    line.restart()
    assert line.place(block(2.0, 2.01), 160)[0] == pytest.approx(0.49 * RATE, abs=2)


def test_of_a_long_pause_no_more_than_10_s_are_filled():
    """A machine that slept for a night does not live through it."""
    line = SoundTimeline(RATE)
    for k in range(100):
        line.place(block(k / 100, (k + 1) / 100), 160)
    assert line.fill_to(8 * 3600.0) == 10 * RATE
    assert line.fill_to(8 * 3600.0) == 0
    line.restart()
    missing, skipped = line.place(block(9 * 3600.0, 9 * 3600.0 + 0.01), 160)
    assert (missing, skipped) == (10 * RATE, 0)
    assert line.index == 21 * RATE + 160
    assert line.time_of(line.index) == pytest.approx(9 * 3600.0 + 0.01, abs=1e-3)


# What is missing


def test_gaps_fade_out_and_in_without_clicks():
    time = np.arange(3200) / RATE
    voice = (0.5 * np.sin(2 * np.pi * 150.0 * time)).astype(np.float32)
    concealer = Concealer()
    parts = [concealer.sounded(voice[:1600])]
    parts += [concealer.filled(count) for count in (100, 500, 1400)]
    parts.append(concealer.sounded(voice[1600:]))
    whole = np.concatenate(parts)
    assert len(whole) == 5200
    np.testing.assert_array_equal(whole[:1600], voice[:1600])
    assert np.abs(whole[1600:2000]).max() > 0.2  # a short gap is no silence
    assert not whole[2400:3600].any()
    step = 0.5 * 2 * np.pi * 150.0 / RATE
    assert np.abs(np.diff(whole)).max() < 1.5 * step
    np.testing.assert_array_equal(whole[3700:], voice[1700:])


# Loudness


def test_levels_are_decibels_of_full_scale():
    square = np.ones(320, np.float32)
    assert decibels(power_of(square)) == 0.0
    assert decibels(power_of(0.1 * square)) == pytest.approx(-20.0, abs=1e-4)
    assert decibels(power_of(np.zeros(0, np.float32))) == QUIETEST


@pytest.mark.parametrize("level", [-45.0, -35.0, -15.0])
def test_the_gain_brings_a_voice_to_one_level_and_leaves_a_room_alone(level):
    gain = AutomaticGain()
    for k in range(1500):  # half of it pauses
        gain.step(level if k % 20 < 10 else level - 35.0, 0.02)
    assert level + gain.gain == pytest.approx(-23.0, abs=2.0)
    before = gain.gain
    for _ in range(3000):
        gain.step(level - 35.0, 0.02)
    assert gain.gain == before


def test_the_gate_opens_at_once_and_closes_after_a_while():
    gate = NoiseGate()
    assert gate.step(-70.0, -60.0, 0.02) == 0.0
    assert gate.step(-50.0, -60.0, 0.02) == 1.0
    shares = [gate.step(-70.0, -60.0, 0.02) for _ in range(30)]
    assert shares[10] == 1.0
    assert shares[-1] == 0.0


# Latency


def test_latency_is_told_stage_by_stage_over_the_last_ten_seconds():
    log = LatencyLog(50.0)
    assert log.stages() == ()
    assert log.total() is None
    rng = np.random.default_rng(3)
    rows = rng.uniform(0.0, 0.01, (1200, DRAWING))
    for number, row in enumerate(rows):
        log.add(number, 7.0 + np.concatenate([[0.0], np.cumsum(row)]))
    last = 1000.0 * rows[-500:]
    stages = log.stages()
    assert [s.name for s in stages] == list(STAGES[:DRAWING])
    for k, stage in enumerate(stages):
        assert stage.median == pytest.approx(np.median(last[:, k]))
        assert stage.p95 == pytest.approx(np.quantile(last[:, k], 0.95))
    total = log.total()
    assert total.p95 == pytest.approx(np.quantile(last.sum(1), 0.95))
    log.drawn(1199, 0.008)
    log.drawn(1199, 0.8)  # only the first time counts
    log.drawn(3, 0.5)  # long forgotten
    assert log.stages()[-1].median == pytest.approx(8.0)
    assert log.total().median == pytest.approx(last[-1].sum() + 8.0)
    assert log.total(drawing=False).median == pytest.approx(total.median)


# The voice, delayed


def test_history_keeps_the_last_seconds():
    history = VoiceHistory()
    sound = np.arange(5 * RATE, dtype=np.float32)
    for at in range(0, len(sound), 1000):
        history.write(sound[at : at + 1000])
    end = history.end
    np.testing.assert_array_equal(history.read(end - 100, end), sound[-100:])
    assert not history.read(0, 100).any()
    assert not history.read(end, end + 5).any()


def test_between_samples_the_voice_is_interpolated():
    history = VoiceHistory()
    time = np.arange(4000) / RATE
    history.write(np.sin(2 * np.pi * 700.0 * time).astype(np.float32))
    places = np.linspace(1000.0, 2000.0, 777)
    np.testing.assert_allclose(
        history.between(places), np.sin(2 * np.pi * 700.0 * places / RATE), atol=2e-3
    )


def delayed(delay: float) -> tuple[DelayedVoice, VoiceHistory, np.ndarray]:
    history, line = VoiceHistory(), SoundTimeline(RATE)
    voice = DelayedVoice(history, line)
    voice.delay = delay
    line.place(block(0.0, 0.0, 0), 0)
    sound = np.sin(2 * np.pi * 200.0 * np.arange(6 * RATE) / RATE).astype(np.float32)
    return voice, history, sound


def test_a_changed_delay_is_reached_smoothly():
    voice, history, sound = delayed(0.08)
    out = []
    for k in range(600):
        history.write(sound[160 * k : 160 * k + 160])
        out.append(voice.fill(160, RATE, (k + 1) / 100))
        if k == 200:
            voice.delay = 0.09
    out = np.concatenate(out)
    steps = np.abs(np.diff(out[2000:]))
    assert steps.max() < 1.02 * 2 * np.pi * 200.0 / RATE
    assert voice.heard_at(6.0) == pytest.approx((6.0 - 0.09) * RATE, abs=8)
    assert voice.time_of(voice.heard_at(5.5)) == pytest.approx(5.5)


def test_a_voice_that_is_not_there_yet_fades_out_and_says_by_how_much():
    voice, history, sound = delayed(0.02)
    out = []
    for k in range(300):
        history.write(sound[160 * k : 160 * k + 160])
        out.append(voice.fill(160, RATE, (k + 1) / 100 + 0.03))  # it asks 30 ms ahead
    assert voice.shortfall() == pytest.approx(0.03 - 0.02 + 0.01, abs=1e-3)
    assert voice.shortfall() == 0.0
    assert not np.concatenate(out).any()
    voice.delay = 0.05
    history.write(sound[48000:48160])
    assert np.abs(voice.fill(160, RATE, 3.04)).max() > 0.1


# Files as sources


def test_a_file_is_given_out_as_its_time_passes():
    clock = VirtualClock(100.0)
    sound = np.linspace(-1.0, 1.0, 1000)
    source = FileSource(sound, clock=clock)
    assert source.read() == []
    source.start()
    clock.sleep(0.035)
    found = source.read()
    assert [len(b.samples) for b in found] == [160] * 3
    assert [b.arrived for b in found] == pytest.approx([100.01, 100.02, 100.03])
    assert [b.adc for b in found] == pytest.approx([100.0, 100.01, 100.02])
    assert source.state == "running"
    clock.sleep(1.0)
    found += source.read()
    np.testing.assert_allclose(np.concatenate([b.samples for b in found])[: len(sound)], sound)
    assert source.state == "ended"
    with pytest.raises(UsageError):
        FileSource(np.full(100, np.nan))
