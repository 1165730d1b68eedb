"""Pictures a second and the longest stall of the studio while each experiment plays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from polyorama.lab.catalog import experiment_ids

FPS = 30.0
STALL_MS = 50.0


def probe(experiment_id: str) -> dict[str, float]:
    """What the probe says of an experiment, in a process of its own without a screen."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.lab_probe", experiment_id],
        capture_output=True, text=True, check=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(table: Any) -> None:
    """Print the figures of the Lab; see `tests.bench.run.Table`."""
    for experiment_id in experiment_ids():
        figures = probe(experiment_id)
        table.row(f"{experiment_id}: pictures a second", figures["fps"], "FPS", FPS, True)
        table.row(f"{experiment_id}: longest stall", figures["stall_ms"], "ms", STALL_MS)
        table.row(f"{experiment_id}: longest work in one go", figures["work_ms"], "ms", STALL_MS)
        table.row(f"{experiment_id}: stalls, 99 of 100", figures["stall_ms_99"], "ms", None)
        table.row(f"{experiment_id}: GUI thread a picture", figures["gui_ms"], "ms", None)
        table.row(f"{experiment_id}: steps a second", figures["steps_per_s"], "per s", None)
