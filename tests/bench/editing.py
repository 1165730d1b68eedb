"""Figures of editing: millions of splats selected, deleted, dragged, asked; the studio."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import Camera
from polyorama.edit.editor import Editor
from polyorama.io.formats import write_splats
from polyorama.render.resolve import flatten
from polyorama.scene.document import Document, Node
from polyorama.scene.regions import Region
from polyorama.scene.selection import BitSet
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["editing", "studio"]

MANY = 5_000_000
QUERY = "opacity < 0.1 and max(scale) > 0.2 and hue in 80..140"


def many_splats(count: int = MANY, degree: int = 0) -> SplatCloud:
    """A ball of splats of all sizes and colours."""
    random = np.random.default_rng(0)
    bands = (degree + 1) ** 2
    return SplatCloud(
        random.normal(size=(count, 3)).astype(np.float32),
        np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
        np.exp(random.normal(-3, 1, (count, 3))).astype(np.float32),
        random.random(count, np.float32),
        random.normal(0, 1, (count, bands, 3)).astype(np.float32),
    )


def best(work: Callable[[], Any], rounds: int = 7) -> float:
    """Milliseconds of the quickest of several runs, after one that warms up."""
    work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(1000.0 * (time.perf_counter() - start))
    return min(times)


def editing(table: Any, folder: Path) -> None:
    """Section by section what an artist waits for."""
    doc = Editor(Document((Node("many", many_splats(), id="many"),)))
    camera = Camera.look_at((0, 0, -6), (0, 0, 0), size=(1200, 800))
    rect = Region.rect(camera, 300, 200, 900, 600)
    angle = np.linspace(0.0, 2.0 * np.pi, 400)
    waves = 300.0 * (1.0 + 0.3 * np.sin(7.0 * angle))
    loop = np.stack([600 + waves * np.cos(angle), 400 + waves * np.sin(angle)], axis=1)
    lasso = Region(kind="polygon", camera=camera, points=tuple(loop.ravel()))
    table.row("5M splats: rectangle selection", best(lambda: doc.select_region(rect)), "ms", 40)
    table.row("5M splats: lasso selection", best(lambda: doc.select_region(lasso)), "ms", 80)
    table.row("5M splats: query over three properties", best(lambda: doc.select(QUERY)), "ms", 150)
    doc.select_region(rect)
    doc.delete()
    undo = []
    for _ in range(7):
        start = time.perf_counter()
        doc.undo()
        undo.append(1000.0 * (time.perf_counter() - start))
        doc.redo()
    table.row("5M splats: undo of a delete", max(undo), "ms", 20)
    drag(table)
    history(table)
    opening(table, folder)


def drag(table: Any) -> None:
    """A selection of a million splats, moved step by step."""
    count = 2_000_000
    doc = Editor(Document((Node("many", many_splats(count), id="many"),)))
    half = BitSet.of_mask(np.arange(count) % 2 == 0)
    doc.add_modifier(node="many", kind="transform", id="move", mask=half)
    before = flatten(doc.document)
    names = ("means", "quats", "scales", "opacities", "sh")
    times, rewritten = [], 0
    for step in range(10):
        doc.set("many/move/translation", (0.01 * (step + 1), 0.0, 0.0))
        start = time.perf_counter()
        now = flatten(doc.document)
        times.append(1000.0 * (time.perf_counter() - start))
        rewritten += sum(getattr(now.cloud, n) is not getattr(before.cloud, n) for n in names)
    table.row("drag of a million splats: arrays rewritten", rewritten, "", 0)
    table.row("drag of a million splats: a step", min(times), "ms", None)


def history(table: Any) -> None:
    """A hundred selections of half a scene."""
    doc = Editor(Document((Node("many", many_splats(), id="many"),)))
    random = np.random.default_rng(1)
    for _ in range(100):
        doc.select_bits({"many": BitSet.of_mask(random.random(MANY, np.float32) < 0.5)})
    table.row("a hundred selections of 5M splats", doc.history.nbytes / 1e6, "MB", 100)


def opening(table: Any, folder: Path) -> None:
    """Peak memory of a fresh process that opens a capture, over its arrays."""
    path = folder / "million.ply"
    cloud = many_splats(1_000_000, 3)
    write_splats(cloud, path)
    if not Path("/proc/self/status").exists():
        print("opening a capture: memory is counted on Linux alone")
        return
    # The kernel's high-water mark begins anew with the program, unlike getrusage's.
    code = (
        "import re, sys\n"
        "import polyorama as po\n"
        "import polyorama.verbs.open, polyorama.scene.upright, polyorama.io.ply\n"
        "def peak():\n"
        "    status = open('/proc/self/status').read()\n"
        "    return 1024 * int(re.search(r'VmHWM:\\s+(\\d+)', status)[1])\n"
        "before = peak()\n"
        "document = po.open(sys.argv[1])\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    share = int(done.stdout) / cloud.nbytes
    table.row("opening a million splats, SH 3: memory over arrays", share, "times", 1.6)


def studio(table: Any, plant: str) -> None:
    """The window from a warm start, and how smoothly it turns the plant."""
    variables = dict(os.environ)
    if not variables.get("DISPLAY") and sys.platform.startswith("linux"):
        variables["QT_QPA_PLATFORM"] = "offscreen"
    figures: dict[str, float] = {}
    for _ in range(2):  # the first start fills caches
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.studio_probe", plant, repr(time.time())],
            capture_output=True, text=True, check=True, env=variables,
        )  # fmt: skip
        figures = json.loads(done.stdout.splitlines()[-1])
    table.row("studio: window visible", figures["window_s"], "s", 2.5)
    table.row("studio: plant, 1200x800, orbiting", figures["fps"], "per s", 20, True)
    table.row("studio: plant, full quality after a move", figures["full_s"], "s", 0.25)
    table.row("studio: longest wait of the GUI thread", figures["stall_ms"], "ms", 50)
