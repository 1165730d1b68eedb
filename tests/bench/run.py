"""All of the project's speed and memory figures in one run, each beside its limit.

    python -m tests.bench.run                 # on an idle machine; some minutes
    python -m tests.bench.run --only lab      # one part alone, here the rooms of the lab
    python -m tests.bench.run --peers         # and the web renderers, interleaved with ours

Peers are timed by the harness that lies beside the checkout (``../shared/tools/peers``); without it
that part is skipped, saying so, as are those that need OpenGL or an NVIDIA GPU where there is none.
Nothing here decides whether a change is good: machines differ, so read the ratios.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from polyorama.core.compile import core_count
from polyorama.core.jobs import run as run_job
from polyorama.errors import UnavailableError
from polyorama.io.formats import read_splats, write_splats
from polyorama.render import cuda, gl
from polyorama.render.cuda.probe import load_gsplat
from polyorama.scene.splats import concatenate
from polyorama.verbs.bench import multiply_add_peak
from polyorama.verbs.face_eval import face_eval_job
from tests import bench as benches
from tests.bench import shapes_bench
from tests.bench.editing import editing, studio
from tests.gpu import check

SHARED = Path(os.environ.get("POLYORAMA_SHARED", Path(__file__).resolve().parents[3] / "shared"))
PLANT_FILE = str(SHARED / "data" / "splats" / "plant.splat")
PLANT = ["--eye", "0,-0.25,1.5", "--target", "0,0,0", "--up", "0,-1,0"]
PLANTS = ["--eye", "0.35,-0.9,2.3", "--target", "0,0.05,0", "--up", "0,-1,0"]
POLYORAMA = [sys.executable, "-m", "polyorama"]


def bench(*arguments: str, cores: int | None = None) -> dict:
    """The JSON line of one `polyorama bench` in a fresh process."""
    variables = dict(os.environ)
    if cores is not None:
        variables["POLYORAMA_CORES"] = str(cores)
    done = subprocess.run(
        [*POLYORAMA, "bench", *arguments], capture_output=True, text=True, check=True, env=variables
    )
    return json.loads(done.stdout.splitlines()[-1])


class Table:
    """Rows of measured figures and what they should be."""

    def __init__(self) -> None:
        self.missed = 0

    def row(self, name: str, value: float, unit: str, limit: float | None, above: bool = False):
        verdict = ""
        if limit is not None:
            holds = value >= limit if above else value <= limit
            self.missed += not holds
            bound = "at least" if above else "at most"
            verdict = f"{bound} {limit:g}  {'holds' if holds else 'MISSED'}"
        print(f"{name:<58} {value:>10.4g} {unit:<10} {verdict}", flush=True)


def nine_plants(folder: Path) -> Path:
    """Nine copies of the plant in a square: a million splats."""
    plant = read_splats(PLANT_FILE)
    copies = []
    for z in (-1, 0, 1):
        for x in (-1, 0, 1):
            move = np.eye(4)
            move[:3, 3] = (0.62 * x, 0.0, 0.62 * z)
            copies.append(plant.transformed(move))
    path = folder / "nine_plants.splat"
    write_splats(concatenate(copies), path)
    return path


def frames(table: Table, folder: Path) -> None:
    plants = str(nine_plants(folder))
    for name, path, view in (("plant", PLANT_FILE, PLANT), ("nine plants", plants, PLANTS)):
        figures = bench("render", path, *view, "--frames", "20")
        table.row(f"{name}, 1280x720: a frame", figures["ms_per_frame"], "ms", None)
        table.row(f"{name}: load", figures["load_ms"], "ms", None)
        for stage in ("project", "sort", "bin", "draw"):
            table.row(f"{name}: {stage}", figures[f"{stage}_ms"], "ms", None)
        table.row(f"{name}: needed pairs", figures["needed_pairs"] / 1e6, "million", None)
        table.row(f"{name}: evaluated pairs", figures["pairs"] / 1e6, "million", None)
        table.row(f"{name}: CPU time a pair", figures["ns_per_pair"], "ns", 2.4)
        table.row(f"{name}: share of multiply-add peak", figures["share_of_peak"], "", 0.12, True)
        if core_count() > 1:
            alone = bench("render", path, *view, "--frames", "20", cores=1)["ms_per_frame"]
            pair = bench("render", path, *view, "--frames", "20", cores=2)["ms_per_frame"]
            table.row(f"{name}: gain of the second core", alone / pair, "times", 1.7, True)
        deep = bench("render", path, *view, "--frames", "20", "--sh-degree", "3")
        plain = bench("render", path, *view, "--frames", "20")
        ratio = deep["ms_per_frame"] / plain["ms_per_frame"]
        table.row(f"{name}: SH degree 3 over degree 0", ratio, "times", 1.25)
    table.row("multiply-add peak of one core", multiply_add_peak(), "per ns", None)


def files(table: Table) -> None:
    figures = bench("files")
    table.row("a million splats, SH 3: PLY read", figures["read.ply_s"], "s", 0.7)
    if "read.ply_over_gsply" in figures:
        table.row("PLY read over gsply", figures["read.ply_over_gsply"], "times", 1.3)
    else:
        print("PLY read over gsply: skipped, that package is not installed")
    table.row("PLY read: peak memory over the file", figures["read.ply_peak_over_file"], "times", 3)
    table.row("compressed PLY written", figures["write.compressed.ply_s"], "s", 1.5)
    table.row("spz written", figures["write.spz_s"], "s", 4)
    table.row("sog written", figures["write.sog_s"], "s", 30)
    for ending in (".ply", ".compressed.ply", ".spz", ".sog", ".glb"):
        table.row(f"size of {ending}", figures[f"bytes{ending}"] / 1e6, "MB", None)


def start(table: Table) -> None:
    figures = bench("start", PLANT_FILE)
    table.row("polyorama --help", figures["help_s"], "s", 0.3)
    table.row("first frame of a cached install", figures["first_frame_s"], "s", 2.5)


def fit(table: Table) -> None:
    """What gradients cost, and 25 small pictures of the plant learnt from a random start."""
    figures = bench("fit", PLANT_FILE)
    for size in ("1280x720", "200x200"):
        table.row(f"plant, {size}: forward", figures[f"forward_{size}_ms"], "ms", None)
        table.row(f"plant, {size}: backward", figures[f"backward_{size}_ms"], "ms", None)
        ratio = figures[f"backward_over_forward_{size}"]
        table.row(f"plant, {size}: backward over forward", ratio, "times", 3)
    table.row("fit of the plant: steps", figures["steps"], "", None)
    table.row("fit of the plant: steps a second", figures["steps_per_s"], "per s", None)
    table.row("fit of the plant: time", figures["wall_s"], "s", 600)
    table.row("fit of the plant: pictures held out", figures["held_out_db"], "dB", 27, True)


def opengl(table: Table, folder: Path) -> None:
    """The same pictures by OpenGL and by the processor; EGL needs no X server."""
    state = gl.availability()
    if not state.ok:
        print(f"gl beside cpu: skipped, {state}")
        return
    print(f"gl draws with {state.reason}")
    times, pictures = [], []
    for name in ("gl", "cpu"):
        png = folder / f"{name}.png"
        options = ["--backend", name, "--frames", "20", "--png", str(png)]
        times.append(bench("render", PLANT_FILE, *PLANT, *options)["ms_per_frame"])
        pictures.append(np.asarray(Image.open(png).convert("RGB"), np.int16))
        table.row(f"plant, 1280x720: a frame by {name}", times[-1], "ms", None)
    table.row("plant: gl over cpu", times[0] / times[1], "times", None)
    near = (np.abs(pictures[0] - pictures[1]).max(axis=-1) <= 2).mean()
    table.row("plant: pixels of gl within 2/255 of cpu's", 100.0 * near, "%", 99.5, True)


def gpu(table: Table) -> None:
    """Frames by cuda over those of gsplat's own function."""
    state = cuda.availability()
    if not state.ok:
        print(f"cuda over raw gsplat: skipped, {state}")
        return
    try:
        gsplat = load_gsplat()
    except UnavailableError as error:
        print(f"cuda over raw gsplat: skipped, {error}")
        return
    print(f"cuda draws with {state.reason}, 1920x1080")
    for name, ours, theirs in check.timings(gsplat):
        table.row(f"{name}: raw gsplat", theirs, "ms", None)
        table.row(f"{name}: cuda", ours, "ms", None)
        table.row(f"{name}: cuda over raw gsplat", ours / theirs, "times", check.WITHIN)


def streaming(table: Table, folder: Path) -> None:
    """20 million splats converted in pieces."""
    count, block = 20_000_000, 1_000_000
    source = folder / "large.splat"
    rng = np.random.default_rng(0)
    record = np.zeros(block, np.dtype([("f", "<f4", 6), ("rgba", "u1", 4), ("quat", "u1", 4)]))
    record["f"] = rng.normal(size=(block, 6))
    record["f"][:, 3:] = 0.01
    record["rgba"] = rng.integers(1, 255, (block, 4))
    record["quat"] = rng.integers(0, 255, (block, 4))
    with source.open("wb") as file:
        for _ in range(count // block):
            record.tofile(file)
    code = (
        "import resource, sys\n"
        "from polyorama.cli import main\n"
        "status = main(sys.argv[1:])\n"
        "print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    arguments = ["convert", str(source), "--where", "opacity < 0.05", str(folder / "large.ply")]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    status, peak = done.stdout.split()[-2:]
    if status != "0":
        raise RuntimeError(done.stderr)
    table.row("20 million splats converted: peak memory", int(peak) / 2**20, "GiB", 2)


def lab(table: Table) -> None:
    """Each room of the lab: `measure` of every ``lab_*`` beside this one that is no probe."""
    for module in pkgutil.iter_modules(benches.__path__):
        if module.name.startswith("lab_") and not module.name.endswith("_probe"):
            print(f"{module.name.removeprefix('lab_').replace('_', '-')}")
            importlib.import_module(f"{benches.__name__}.{module.name}").measure(table)


def peers(table: Table, rounds: int) -> None:
    harness = SHARED / "tools" / "peers" / "bench_all.py"
    if not harness.is_file():
        print(f"web renderers: skipped, their harness is not here: {harness}")
        return
    ours = shlex.join([*POLYORAMA, "bench", "render"]) + (
        " {scene} --eye={eye} --target={target} --up={up} --fov {fov} --size {width}x{height}"
        " --frames {frames} --warmup {warmup} --step {step} --png {png}"
    )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "peers.json"
        subprocess.run(
            [
                sys.executable, str(harness), "--scenes", "plant,plants_1m", "--gl", "llvmpipe",
                "--rounds", str(rounds), "--ours", ours, "--out", str(out),
            ],
            check=True,
        )  # fmt: skip
        rows = json.loads(out.read_text())["table"]
    for scene in ("plant", "plants_1m"):
        times = {row["renderer"]: row["ms_per_frame"] for row in rows if row["scene"] == scene}
        mine = times.pop("ours")
        table.row(f"{scene}: ours", mine, "ms", None)
        for name, value in times.items():
            table.row(f"{scene}: {name}", value, "ms", None)
        table.row(
            f"{scene}: best web renderer over ours", min(times.values()) / mine, "times", 5, True
        )


def face(table: Table) -> None:
    """Speech to curves, and the film of the puppet."""
    try:
        figures = run_job(face_eval_job(["speed"]))
    except UnavailableError as error:
        print(f"face: skipped, {error}")
        return
    for figure in figures:
        least = figure.aim.startswith("at least")
        table.row(figure.name, figure.value, "", float(figure.aim.split()[-1]), least)


STEPS = (
    "frames", "files", "start", "fit", "gl", "gpu", "editing", "studio", "streaming", "lab",
    "shapes", "face", "peers",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="time the web renderers too")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=STEPS, help="one part alone")
    options = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory(prefix="polyorama-bench-") as name:
        folder = Path(name)
        steps = {
            "frames": lambda: frames(table, folder),
            "files": lambda: files(table),
            "start": lambda: start(table),
            "fit": lambda: fit(table),
            "gl": lambda: opengl(table, folder),
            "gpu": lambda: gpu(table),
            "editing": lambda: editing(table, folder),
            "studio": lambda: studio(table, PLANT_FILE),
            "streaming": lambda: streaming(table, folder),
            "lab": lambda: lab(table),
            "shapes": lambda: shapes_bench.measure(table),
            "face": lambda: face(table),
            "peers": lambda: peers(table, options.rounds),
        }
        for key, step in steps.items():
            if options.only == key or (not options.only and (key != "peers" or options.peers)):
                step()
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
