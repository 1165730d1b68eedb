"""Latency of the live face on a sink that nobody hears, stage by stage, against its goals.

    python -m tests.bench.face_live                  # 60 s with each look-ahead
    python -m tests.bench.face_live --seconds 10 --play

A voice is played into the sink again and again; the live face, in a process of its own without
drawing, listens to the sink's monitor. Then what the jaw did is compared with what it does where
the same sound is heard offline, with nothing to hurry, and what the face does on voices whose
phones are known with the rules that know them beforehand: that is the lag which `FOLLOW_S` states.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from polyorama.face.corpus.flite import flite_speaks
from polyorama.face.corpus.voices import Voice
from polyorama.face.live.clock import VirtualClock
from polyorama.face.live.follower import FOLLOW_S
from polyorama.face.live.session import LiveSession
from polyorama.face.live.settings import LiveSettings
from polyorama.face.live.sources import FileSource
from polyorama.face.motion.teacher import perform
from polyorama.face.speech.prosody import prosody
from polyorama.scene.faces.channels import CHANNEL_INDEX
from tests.face_live_stage import TEXT, SoundServer, missing, speak

GOALS = {"20": 100.0, "60": 140.0}
TEXTS = (TEXT, "Bob moved the map above the table, then Pam put five of them away.",
         "Where were you when the warm water flowed over the wall?")  # fmt: skip
JAW = CHANNEL_INDEX["jawOpen"]


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for each look-ahead (60)")
    parser.add_argument("--play", action="store_true", help="let it play the voice too")
    options = parser.parse_args()
    if missing():
        sys.exit(f"This cannot be measured: {missing()}.")
    with tempfile.TemporaryDirectory() as folder, SoundServer() as server:
        clip = Path(folder) / "clip.wav"
        speak(clip, " ".join(TEXTS))
        for lookahead, goal in GOALS.items():
            found = heard(server, clip, lookahead, options)
            figures = json.loads(str(found["figures"]))
            print(f"\nLook-ahead {lookahead} ms, {figures['seconds']:.0f} s, "
                  f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")  # fmt: skip
            print(f"{'':<14}{'median':>10}{'95 %':>10}")
            for name, median, p95 in figures["stages"]:
                print(f"{name:<14}{median:>7.1f} ms{p95:>7.1f} ms")
            total = figures["stages"][-1]
            print(f"{'Goal':<14}{goal:>7.0f} ms   {'held' if total[2] < goal else 'missed'}")
            print(f"lost blocks {figures['lost']}, filled in {figures['concealed']:.3f} s, "
                  f"processor {100 * figures['cpu']:.0f} % of a core")  # fmt: skip
            if options.play:
                print(f"voice played {1000 * figures['delay']:.1f} ms later")
            same, lag = likeness(found, lookahead)
            print(f"jaw against the same sound offline: r {same:.3f}, lag {lag:.0f} ms")
            lags = 1000.0 * FOLLOW_S + np.array(trailing(lookahead))
            print(f"lips trail those of rules that know the phones by {np.median(lags):.0f} ms "
                  f"(quartiles {np.quantile(lags, 0.25):.0f} to {np.quantile(lags, 0.75):.0f}; "
                  f"{1000.0 * FOLLOW_S:.0f} ms are counted as Movement)")  # fmt: skip


def heard(server: SoundServer, clip: Path, lookahead: str, options: argparse.Namespace) -> Any:
    """What came of a live face that heard a clip again and again."""
    out = clip.parent / f"out{lookahead}.npz"
    more = ["--play"] if options.play else []
    with server.listen(
        out, "--seconds", str(options.seconds), "--lookahead", lookahead, *more
    ) as process:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "running":
            sys.exit("The live face did not begin; is ALSA's plug-in for PulseAudio installed?")
        while process.poll() is None:
            player = server.play(clip)
            while player.poll() is None and process.poll() is None:
                try:
                    player.wait(0.5)
                except subprocess.TimeoutExpired:
                    continue
            player.terminate()
            player.wait()
    return np.load(out)


def likeness(found: Any, lookahead: str) -> tuple[float, float]:
    """Correlation and lag, ms, of the live jaw with that of the same sound offline."""
    offline = offline_take(found["sound"], lookahead)
    live = found["weights"][:, JAW]
    return _best(live, np.interp(0.02 * np.arange(len(live)), times_of(offline), offline[:, JAW]))


def trailing(lookahead: str) -> list[float]:
    """By how much, ms, jaw, rounding and closures trail those of rules that know the phones."""
    lags = []
    for voice in ("slt", "rms", "kal16"):
        for text in TEXTS:
            said = flite_speaks(text, Voice("flite", voice))
            rules = perform(said.track(), prosody(said.samples), np.zeros(8),
                            seconds=said.seconds, seed=0, fps=50.0)  # fmt: skip
            rows = offline_take(said.samples, lookahead)
            times = 0.02 * np.arange(len(rules))
            lags += [
                _best(
                    rows[:, CHANNEL_INDEX[name]],
                    np.interp(times_of(rows), times, rules.channel(name)),
                )[1]
                for name in ("jawOpen", "mouthPucker", "mouthClose")
            ]
    return lags


def offline_take(sound: np.ndarray, lookahead: str) -> np.ndarray:
    """(T, 55) weights of a live face that heard a sound with nothing to hurry."""
    session = LiveSession(
        FileSource(sound, clock=VirtualClock()), LiveSettings(lookahead=lookahead)
    )
    session.record()
    session.run()
    return session.recorded().performance.weights


def times_of(rows: np.ndarray) -> np.ndarray:
    """When what each row of `offline_take` shows was in the sound, s."""
    return 0.02 * np.arange(len(rows)) + 0.01 - FOLLOW_S


def _best(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """The best correlation of curves at 50 Hz, and by how much the first is later, ms."""
    fine = np.arange(0.0, min(len(one), len(other)) - 1.0, 0.05)
    a = np.interp(fine, np.arange(len(one)), one)
    b = np.interp(fine, np.arange(len(other)), other)
    shifts = range(-200, 201)
    scores = [
        np.corrcoef(a[max(s, 0) : len(a) + min(s, 0)], b[max(-s, 0) : len(b) - max(s, 0)])[0, 1]
        for s in shifts
    ]
    best = int(np.argmax(scores))
    return float(scores[best]), float(shifts[best])


if __name__ == "__main__":
    main()
