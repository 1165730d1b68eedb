"""Benchmarks: what this machine does with this version, as figures of one run.

Times are wall clock unless a name says cpu. A figure stands beside what bounds it: evaluated beside
needed pairs, nanoseconds a pair beside the multiply-add peak of the same core in the same run,
our reader beside a named peer's.
"""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, kernel
from polyorama.core.jobs import Progress
from polyorama.core.memory import require_made
from polyorama.core.simd import WIDTH, load, store
from polyorama.errors import UsageError
from polyorama.io.formats import read_splats, write_splats
from polyorama.render.cpu import CpuRasterizer
from polyorama.render.paths import orbit
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.resolve import resolve
from polyorama.scene.splats import SplatCloud
from polyorama.verbs.open import open_document

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.scene.document import Document

__all__ = ["bench_files", "bench_render", "bench_start", "multiply_add_peak", "synthetic_cloud"]

_MULTIPLY_ADDS_PER_PAIR = 20
"""Vector multiply-adds, or operations that cost the same, for one evaluated pair: exponent 4,
2^x 9, transmittance 3, colour 3, rows 1 (counted in `render/cpu/draw.py`)."""

_MOST_FRAMES = 100_000
_SPLAT_BYTES = 2000
"""Memory for a splat of degree 3 that is made and written in every format."""


def bench_render(
    path: str | os.PathLike[str],
    camera: Camera,
    *,
    target: tuple[float, float, float],
    up: tuple[float, float, float],
    frames: int = 12,
    warmup: int = 2,
    step: float = 3.0,
    backend: str = "cpu",
    sh_degree: int | None = None,
) -> Job[tuple[dict[str, Any], Frame]]:
    """Time an orbit: frame i is `camera` turned by i x `step` degrees about `up` through `target`.

    Depth order is recomputed for every frame, and a frame ends with its pixels in memory.

    Returns
    -------
    The figures (ms_per_frame is the median), and the picture from the starting camera.

    Raises
    ------
    UsageError
        If there is no frame to time, or there are too many.
    """
    if not 1 <= frames <= _MOST_FRAMES or not 0 <= warmup <= _MOST_FRAMES:
        raise UsageError(
            f"A benchmark needs at least one frame, no negative warm-up, and at most "
            f"{_MOST_FRAMES:,} of each."
        )
    begin = time.perf_counter()
    document = open_document(path)
    if sh_degree is not None:
        document = _with_degree(document, sh_degree)
    load_ms = 1000.0 * (time.perf_counter() - begin)
    rasterizer = get_rasterizer(backend)
    walls: list[float] = []
    cpus: list[float] = []
    stages: list[Mapping[str, float]] = []
    pairs: list[int] = []
    angles = [i * step for i in range(1, warmup + frames + 1)]
    for i, view in enumerate(orbit(camera, target, up, angles), start=1):
        state = resolve(document, view)
        wall, cpu = time.perf_counter(), time.process_time()
        frame = rasterizer.render(state)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        if i > warmup:
            walls.append(1000.0 * wall)
            cpus.append(1000.0 * cpu)
            stages.append(frame.timing)
            pairs.append(frame.counts.get("evaluated", 0))
        yield Progress(i, warmup + frames, "Drawing")
    state = resolve(document, camera)
    frame = rasterizer.render(state)
    result: dict[str, Any] = {
        "backend": rasterizer.name,
        "cores": core_count(),
        "splats": len(state.gaussians.cloud),
        "sh_degree": state.gaussians.cloud.sh_degree,
        "size": [camera.width, camera.height],
        "load_ms": round(load_ms, 1),
        "ms_per_frame": round(statistics.median(walls), 2),
        "min_ms": round(min(walls), 2),
        "max_ms": round(max(walls), 2),
        "cpu_ms": round(statistics.median(cpus), 2),
    }
    for name in stages[0]:
        result[f"{name}_ms"] = round(statistics.median(stage[name] for stage in stages), 2)
    if rasterizer.name == "cpu":
        draw_cpu = [
            cpu * stage["draw"] / sum(stage.values())
            for cpu, stage in zip(cpus, stages, strict=True)
        ]
        counted = CpuRasterizer(count_needed=True).render(state).counts
        per_pair = [1e6 * ms / count for ms, count in zip(draw_cpu, pairs, strict=True) if count]
        nanoseconds = statistics.median(per_pair) if per_pair else 0.0
        peak = multiply_add_peak()
        result |= {
            "pairs": counted["evaluated"],
            "needed_pairs": counted["needed"],
            "tile_pairs": counted["pairs"],
            "ns_per_pair": round(nanoseconds, 3),
            "multiply_adds_per_ns": round(peak, 2),
            "share_of_peak": round(_MULTIPLY_ADDS_PER_PAIR / (nanoseconds * peak), 3)
            if nanoseconds
            else 0.0,
        }
    return result, frame


def _with_degree(document: Document, degree: int) -> Document:
    nodes = tuple(
        node if node.splats is None
        else replace(node, content=node.splats.with_sh_degree(degree))
        for node in document.nodes
    )  # fmt: skip
    return replace(document, nodes=nodes)


@kernel
def _multiply_add(rounds: int, values: NDArray[np.float32]) -> None:
    # Twelve independent chains hide the latency of each.
    k, c = values.dtype.type(0.999), values.dtype.type(0.001)
    a0, a1, a2, a3 = load(values, 0), load(values, 8), load(values, 16), load(values, 24)
    a4, a5, a6, a7 = load(values, 32), load(values, 40), load(values, 48), load(values, 56)
    a8, a9, b0, b1 = load(values, 64), load(values, 72), load(values, 80), load(values, 88)
    for _ in range(rounds):
        a0, a1, a2, a3 = a0 * k + c, a1 * k + c, a2 * k + c, a3 * k + c
        a4, a5, a6, a7 = a4 * k + c, a5 * k + c, a6 * k + c, a7 * k + c
        a8, a9, b0, b1 = a8 * k + c, a9 * k + c, b0 * k + c, b1 * k + c
    store(values, 0, a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + b0 + b1)


def multiply_add_peak() -> float:
    """Multiply-adds a nanosecond that one core does, all lanes counted, measured now."""
    values = np.ones(12 * WIDTH, np.float32)
    _multiply_add(1, values)
    best = 0.0
    rounds = 1_000_000
    for _ in range(5):
        cpu = time.thread_time_ns()
        _multiply_add(rounds, values)
        cpu = time.thread_time_ns() - cpu
        best = max(best, 12 * WIDTH * rounds / max(cpu, 1))
    return best


def synthetic_cloud(count: int, *, sh_degree: int = 3, seed: int = 0) -> SplatCloud:
    """Random Gaussians with the spread of values of a trained capture, for timing files."""
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4)).astype(np.float32)
    bands = (sh_degree + 1) ** 2
    sh = rng.normal(size=(count, bands, 3)).astype(np.float32) * np.float32(0.1)
    sh[:, 0] *= 8.0
    scales = np.exp(rng.normal(-4.2, 0.8, (count, 1)) + rng.normal(0.0, 0.5, (count, 3)))
    opacities = 1.0 / (1.0 + np.exp(-2.5 * rng.normal(size=count)))
    return SplatCloud(
        means=(rng.normal(size=(count, 3)) * (3.0, 1.0, 3.0)).astype(np.float32),
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=scales.astype(np.float32),
        opacities=opacities.astype(np.float32),
        sh=sh,
    )


def bench_files(count: int = 1_000_000) -> Job[dict[str, Any]]:
    """Time the reading and writing of a synthetic cloud of degree 3 in every format.

    PLY is read three times from a warm cache and beside `gsply` where that package is installed;
    the peak memory of a read is measured in a process of its own.

    Raises
    ------
    UsageError
        If it is not 1 to 20 million splats, or more than memory can hold.
    """
    require_made(count, _SPLAT_BYTES, "splats")
    endings = (".ply", ".compressed.ply", ".spz", ".sog", ".glb")
    result: dict[str, Any] = {"splats": count}
    # Everything is compiled before anything is timed.
    tiny = synthetic_cloud(1000)
    with tempfile.TemporaryDirectory(prefix="polyorama-bench-") as folder:
        yield Progress(0, 2 + 2 * len(endings), "Preparing")
        for ending in endings:
            write_splats(tiny, Path(folder) / f"tiny{ending}")
            read_splats(Path(folder) / f"tiny{ending}")
        cloud = synthetic_cloud(count)
        for i, ending in enumerate(endings):
            path = Path(folder) / f"scene{ending}"
            yield Progress(1 + 2 * i, 2 + 2 * len(endings), f"Writing {ending}")
            result[f"write{ending}_s"] = round(_timed(partial(write_splats, cloud, path)), 3)
            result[f"bytes{ending}"] = path.stat().st_size
            yield Progress(2 + 2 * i, 2 + 2 * len(endings), f"Reading {ending}")
            times = [_timed(partial(read_splats, path)) for _ in range(3)]
            result[f"read{ending}_s"] = round(min(times), 3)
        ply = Path(folder) / "scene.ply"
        if importlib.util.find_spec("gsply") is not None:
            gsply = importlib.import_module("gsply")
            peer = min(_timed(partial(gsply.plyread, str(ply))) for _ in range(3))
            ours = min(_timed(partial(read_splats, ply)) for _ in range(3))
            result["gsply_read.ply_s"] = round(peer, 3)
            result["read.ply_over_gsply"] = round(ours / peer, 2)
        if sys.platform != "win32":  # which keeps no such figure for its own process at hand
            result["read.ply_peak_over_file"] = round(_peak_of_reading(ply), 2)
        yield Progress(2 + 2 * len(endings), 2 + 2 * len(endings), "Done")
    return result


def _peak_of_reading(path: Path) -> float:
    """Peak resident memory that reading adds, over the file's size, in a process of its own."""
    # Linux hands the greatest size of the parent down in ru_maxrss; VmHWM starts anew.
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from polyorama.io.formats import read_splats\n"
        "import polyorama.io.ply\n"
        "def peak():\n"
        "    status = Path('/proc/self/status')\n"
        "    if status.exists():\n"
        "        return int(status.read_text().split('VmHWM:')[1].split()[0])\n"
        "    import resource\n"
        "    scale = 1024 if sys.platform == 'darwin' else 1\n"
        "    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // scale\n"
        "before = peak()\n"
        "cloud = read_splats(sys.argv[1])\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    return 1024.0 * float(done.stdout) / path.stat().st_size


def bench_start(path: str | os.PathLike[str]) -> Job[dict[str, Any]]:
    """Time ``--help``, and a first small picture of `path`, each in a fresh process (best of 3)."""
    runs = 3
    with tempfile.TemporaryDirectory(prefix="polyorama-bench-") as folder:
        picture = str(Path(folder) / "first.png")
        commands = {
            "help_s": ["--help"],
            "first_frame_s": ["render", str(path), "--size", "640x360", "-o", picture],
        }
        result: dict[str, Any] = {}
        for i, (name, arguments) in enumerate(commands.items()):
            yield Progress(i, len(commands), "Starting")
            command = [sys.executable, "-m", "polyorama", *arguments]

            def run(command: list[str] = command) -> None:
                subprocess.run(command, capture_output=True, check=True)

            run()
            result[name] = round(min(_timed(run) for _ in range(runs)), 3)
    return result


def _timed(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin
