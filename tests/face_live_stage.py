"""A sound server of one's own with a sink that nobody hears, and a live face that listens to it.

What the live face plays itself goes to another sink, so that it does not hear itself.

Run as a program, in the variables of a `SoundServer`, it is the live face:
``python -m tests.face_live_stage OUT.npz --seconds 5``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

TOOLS = ("pulseaudio", "pactl", "paplay", "flite")
TEXT = "My mother baked a big pumpkin pie, and we ate it by the open window."
_SINK = ("module-null-sink", "sink_name=stage")


def missing() -> str:
    """What the stage needs and is not here, in words, or ""."""
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    return f"{', '.join(absent)} not installed" if absent else ""


class SoundServer:
    """A PulseAudio that nobody else uses; its sink's monitor is the microphone."""

    def __init__(self) -> None:
        # Sockets have short paths.
        self.folder = Path(tempfile.mkdtemp(prefix="stage"))
        run = self.folder / "run"
        run.mkdir(mode=0o700)
        (self.folder / ".asoundrc").write_text(
            "pcm.!default { type pulse }\nctl.!default { type pulse }\n"
        )
        self.variables = {
            **os.environ, "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(run),
            "PULSE_RUNTIME_PATH": str(run), "PULSE_SINK": "hall",
            "PULSE_SOURCE": "stage.monitor",
        }  # fmt: skip
        self._log = (self.folder / "log").open("w")
        self.process = subprocess.Popen(
            ["pulseaudio", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "-n",
             f"--load={' '.join(_SINK)}",
             "--load=module-null-sink sink_name=hall", "--load=module-native-protocol-unix"],
            env=self.variables, stdout=self._log, stderr=self._log,
        )  # fmt: skip

    def __enter__(self) -> SoundServer:
        for _ in range(300):
            if self._pactl("info").returncode == 0:
                return self
            time.sleep(0.1)
        self.close()
        raise RuntimeError("PulseAudio does not answer.")

    def __exit__(self, *_: object) -> None:
        self.close()

    def _pactl(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pactl", *words], env=self.variables, capture_output=True, text=True, check=False
        )

    def play(self, path: Path) -> subprocess.Popen[bytes]:
        """Let a recording be heard."""
        return subprocess.Popen(["paplay", "--device=stage", str(path)], env=self.variables)

    def unplug(self) -> None:
        """Take the sink away, and with it the microphone."""
        for line in self._pactl("list", "short", "modules").stdout.splitlines():
            number, *words = line.split()
            if "sink_name=stage" in words:
                self._pactl("unload-module", number)

    def plug_in(self) -> None:
        """Put it back."""
        self._pactl("load-module", *_SINK)

    def listen(self, out: Path, *options: str) -> subprocess.Popen[str]:
        """Begin a live face in a process of its own: each change of state is a line.

        It ends after its seconds, or when its input is closed.
        """
        return subprocess.Popen(
            [sys.executable, "-m", "tests.face_live_stage", str(out), *options],
            env=self.variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def speak(path: Path, text: str = TEXT) -> None:
    """Let flite say something into a file."""
    subprocess.run(["flite", "-voice", "slt", "-t", text, "-o", str(path)], check=True)


def main() -> None:
    """Listen, and write what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--lookahead", default="20")
    parser.add_argument("--play", action="store_true")
    options = parser.parse_args()

    from polyorama.face.live.devices import microphones
    from polyorama.face.live.loudspeaker import Loudspeaker
    from polyorama.face.live.microphone import Microphone
    from polyorama.face.live.session import LiveSession
    from polyorama.face.live.settings import LiveSettings

    if not microphones():
        _tell("no microphone")
        return
    session = LiveSession(
        Microphone(), LiveSettings(lookahead=options.lookahead),
        speaker=Loudspeaker() if options.play else None,
    )  # fmt: skip
    shown: list[tuple[float, float]] = []
    state = ""
    with session:
        while session.latest() is None:
            time.sleep(0.02)
        session.record()
        begun, cpu = time.monotonic(), time.process_time()
        end = begun + options.seconds
        closed = threading.Thread(target=os.read, args=(0, 1), daemon=True)
        closed.start()
        while time.monotonic() < end and closed.is_alive():
            if session.state != state:
                state = session.state
                _tell(state)
            frame = session.latest()
            assert frame is not None
            shown.append((time.perf_counter(), frame.time))
            time.sleep(0.01)
        status = session.status
        take = session.recorded()
    assert take.sound is not None
    figures: dict[str, Any] = {
        "lost": status.lost, "concealed": status.concealed, "seconds": status.seconds,
        "delay": status.delay, "cpu": (time.process_time() - cpu) / (time.monotonic() - begun),
        "stages": [(s.name, s.median, s.p95) for s in session.latency()],
    }  # fmt: skip
    np.savez(
        options.out, weights=take.performance.weights, sound=take.sound.samples[:, 0],
        shown=np.array(shown), figures=np.array(json.dumps(figures)),
    )  # fmt: skip
    _tell("ended")


def _tell(words: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(words + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
