"""The studio is killed while it works; the next start brings back all but the last gesture."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyorama as po
from polyorama.io.formats import write_splats
from tests.gui.fakes import a_cloud
from tests.gui.studio_worker import PROJECT, passed, scene_digest

ROOT = Path(__file__).parents[2]
ROUNDS = 3
STUDY_ROUNDS = 50
_PATIENCE = 180.0

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill")


def environment(home: Path) -> dict[str, str]:
    """No screen, and settings and journals of this test."""
    own = {name: str(home / "own") for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    return os.environ | own | {"QT_QPA_PLATFORM": "offscreen"}


def studio(home: Path, *words: object) -> subprocess.Popen[bytes]:
    """A studio in a process of its own."""
    line = [sys.executable, "-m", "tests.gui.studio_worker", *map(str, words)]
    return subprocess.Popen(
        line, cwd=ROOT, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def look(home: Path) -> dict[str, Any]:
    """What the next start offers."""
    out, error = studio(home, "look", home).communicate(timeout=_PATIENCE)
    lines = [line for line in out.splitlines() if line.startswith(b"{")]
    assert lines, error.decode()[-3000:]
    return json.loads(lines[-1])


def killed(home: Path, seed: int, capture: Path) -> int:
    """Let a studio work, and kill it at a random moment; the number of the last step it said."""
    rng = random.Random(seed)
    process = studio(home, "work", home, seed, capture)
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[list[str]] = []
    wanted = rng.randrange(2, 60)
    try:
        for line in process.stdout:
            said.append(line.decode().split())
            if len(said) > wanted:
                break
        assert said, process.stderr.read().decode()[-3000:]
        time.sleep(rng.random() ** 2 * 0.1)
        process.kill()
        said += [line.decode().split() for line in process.stdout.read().splitlines(True)
                 if line.endswith(b"\n")]  # fmt: skip
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    return max(int(words[1]) for words in said if words[0] != "begin")


def whole_files(home: Path) -> None:
    """What lies under a final name can be read to its end."""
    for path in sorted(home.glob("*")):
        if path.suffix in (".poly", ".sog", ".ply", ".spz") and not path.name.startswith("."):
            assert po.open(path).nodes, f"half a file: {path}"


def one_round(folder: Path, seed: int) -> bool:
    """Kill and recover once; tells whether work was offered."""
    home = folder / f"round{seed}"
    home.mkdir()
    capture = home / "thing.splat"
    write_splats(a_cloud(3000), capture)
    done = killed(home, seed, capture)
    whole_files(home)
    found = look(home)
    assert found["bad"] == []
    states = passed(po.edit(capture).document, seed, done + 1)
    now = found["found"]
    if now:
        assert found["modified"], "work that came back counts as saved"
    else:
        saved = home / PROJECT
        now = scene_digest(po.open(saved if saved.exists() else capture))
    # From where the last gesture that was said began (saving is none) to where the one after ended.
    gestures = [number for number in range(done + 1) if len(set(states[number])) > 1]
    first = gestures[-1] if gestures else 0
    allowed = [state for step in states[first : done + 2] for state in step]
    assert now in allowed, f"round {seed}: step {done} is lost"
    return bool(found["found"])


def test_killed_studios_lose_at_most_the_last_gesture(tmp_path: Path) -> None:
    offered = [one_round(tmp_path, seed) for seed in range(ROUNDS)]
    assert any(offered)


@pytest.mark.study
def test_fifty_killed_studios(tmp_path: Path) -> None:
    offered = [one_round(tmp_path, 100 + seed) for seed in range(STUDY_ROUNDS)]
    assert np.mean(offered) > 0.5
