"""The cuda rasterizer and CLIP on a real GPU: against cpu, against raw gsplat, and how fast.

Run by hand, from the root of the checkout, on a machine with an NVIDIA GPU::

    python3 tests/gpu/check.py

It needs what the project's extra "cuda" names. It takes under four minutes once gsplat's kernels
are compiled, and prints a table. Exit status: 0 if all agrees, 1 if not, 2 where there is no GPU.
"""

# ruff: noqa: T201
from __future__ import annotations

import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engine"))

from tests.engine.capture_samples import dataset_of, sphere_cameras

from polyorama.core.jobs import run
from polyorama.core.types import Camera
from polyorama.errors import UnavailableError
from polyorama.render.accumulate import Shot
from polyorama.render.cpu import CpuRasterizer
from polyorama.render.cuda import CudaRasterizer, availability
from polyorama.render.cuda.probe import load_gsplat
from polyorama.render.panorama import Projection
from polyorama.render.shoot import Filming, drawing, finished, shoot
from polyorama.render.state import PRESETS, Gaussians, RenderState
from polyorama.render.stereo import Stereo
from polyorama.scene.document import Document
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from polyorama.render.state import Constants

CONSTANTS = PRESETS["gsplat-1.5.3"]
DEVICE = "cuda"
WIDTHS = (34, 16, 16, 16)
WITHIN = 1.05
"""How much slower than raw gsplat a picture, or one with its gradients, may be."""


class Table:
    """Prints rows as they come and remembers whether all was well."""

    def __init__(self) -> None:
        self.well = True

    def title(self, *cells: str) -> None:
        """Begin a part of the table."""
        print()
        self.row(*cells)
        print("-" * (sum(WIDTHS) + 8))

    def row(self, *cells: str, ok: bool = True) -> None:
        """One line; a line that is not ok is marked and remembered."""
        self.well &= ok
        text = "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=False))
        print(f"{text.rstrip()}{'' if ok else '   <- NO'}", flush=True)


def random_scene(seed: int, count: int, features: int = 0) -> Gaussians:
    """A ball of splats of every size, harmonics of degree 3."""
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4))
    cloud = SplatCloud(
        means=rng.normal(size=(count, 3)),
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=np.exp(rng.normal(-3.0, 0.8, (count, 3))),
        opacities=rng.uniform(0.0, 1.0, count) ** 0.5,
        sh=rng.normal(size=(count, 16, 3)) * 0.3,
    )
    return Gaussians(cloud, features=rng.normal(size=(count, features)) if features else None)


def plant_like(count: int = 113_000, seed: int = 0) -> Gaussians:
    """A pot and leaves: sheets of small flat splats, most nearly opaque, as captures have them."""
    rng = np.random.default_rng(seed)
    leaves = 60
    leaf = rng.integers(0, leaves, count)
    centers = rng.normal(size=(leaves, 3)) * (0.25, 0.2, 0.25) + (0.0, -0.25, 0.0)
    axes = np.linalg.qr(rng.normal(size=(leaves, 3, 3)))[0]
    flat = rng.uniform(-1.0, 1.0, (count, 2)) * (0.16, 0.05)
    means = centers[leaf] + np.einsum("ni,nij->nj", flat, axes[leaf, :2])
    pot = rng.random(count) < 0.3
    angle, height = rng.uniform(0, 2 * np.pi, count), rng.uniform(0.05, 0.45, count)
    wall = np.column_stack([0.18 * np.cos(angle), height, 0.18 * np.sin(angle)])
    means = np.where(pot[:, None], wall, means)
    quats = rng.normal(size=(count, 4))
    colors = np.where(pot[:, None], (0.8, 0.75, 0.7), (0.2, 0.5, 0.15))
    colors = colors + rng.normal(size=(count, 3)) * 0.08
    cloud = SplatCloud(
        means=means,
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=np.exp(rng.normal(-5.6, 0.6, (count, 3))),
        opacities=1.0 / (1.0 + np.exp(-rng.normal(2.0, 2.0, count))),
        sh=((colors - 0.5) / 0.28209479177387814)[:, None, :],
    )
    return Gaussians(cloud)


def capture_like(count: int, seed: int = 0) -> Gaussians:
    """Splats with the spread of values of a trained outdoor capture, harmonics of degree 3."""
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4)).astype(np.float32)
    sh = rng.normal(size=(count, 16, 3)).astype(np.float32) * np.float32(0.1)
    sh[:, 0] *= 8.0
    cloud = SplatCloud(
        means=(rng.normal(size=(count, 3)) * (3.0, 1.0, 3.0)).astype(np.float32),
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=np.exp(rng.normal(-4.2, 0.8, (count, 1)) + rng.normal(0.0, 0.5, (count, 3))),
        opacities=1.0 / (1.0 + np.exp(-2.5 * rng.normal(size=count))),
        sh=sh,
    )
    return Gaussians(cloud)


def compare(table: Table) -> None:
    """Pictures, depths and ids against cpu."""
    table.title("Forward against cpu", "99.9 % within", "over 2e-3", "same id")
    size = (640, 400)
    eye = Camera.look_at((1.5, -2.0, -4.0), (0, 0, 0), fov=50, size=size)
    flat = Camera.orthographic((1.5, -2.0, -4.0), (0, 0, 0), height_in_world=4.0, size=size)
    smooth = replace(CONSTANTS, antialiased=True)
    plant = Camera.look_at((0.0, -0.25, 1.5), (0, 0, 0), fov=45, size=(1280, 720))
    scene = random_scene(0, 30_000, features=8)
    over = (0.2, 0.5, 0.8)
    cases = {
        "random, 30k": (RenderState(scene, eye, over), False),
        "random, packed": (RenderState(scene, eye, over), True),
        "random, antialiased": (RenderState(scene, eye, None, smooth), False),
        "random, antialiased, packed": (RenderState(scene, eye, None, smooth), True),
        "random, orthographic": (RenderState(scene, flat, over), False),
        "random, a coarse prefix": (RenderState(scene, eye, over, limit=9_000), False),
        "plant-like, 113k, 1280x720": (RenderState(plant_like(), plant, over), False),
    }
    for name, (state, packed) in cases.items():
        outputs = {"rgba8", "color", "depth"}
        if state.gaussians.features is not None:
            outputs.add("features")
        frame = CudaRasterizer(packed=packed).render(state, outputs)
        other = CpuRasterizer().render(state, outputs)
        away = np.abs(frame.color - other.color).max(axis=-1)
        high, share = float(np.quantile(away, 0.999)), float((away > 2e-3).mean())
        same = float((frame.ids == other.ids).mean())
        bytes_off = np.abs(frame.rgba8.astype(int) - other.rgba8).max(axis=-1)
        solid = other.alpha > 0.05
        depth = np.abs(frame.expected_depth - other.expected_depth)[solid]
        ok = high < 4e-3 and share < 2e-3 and same > 0.99
        ok &= float((bytes_off > 1).mean()) < 2e-3 and float(np.median(depth)) < 1e-4
        if frame.features is not None:
            ok &= float(np.quantile(np.abs(frame.features - other.features), 0.999)) < 2e-2
        table.row(name, f"{high:.1e}", f"{100 * share:.3f} %", f"{100 * same:.2f} %", ok=ok)


def panoramas(table: Table, count: int = 10_000, height: int = 256) -> None:
    """360 degrees, a fisheye and one stereo fisheye against cpu, from within the scene."""
    table.title("Panoramas against cpu", "99.9 % within", "over 1e-2", "same id")
    document = Document.of([random_scene(0, count).cloud], ["ball"])
    level, ahead = (0.0, 0.0, -0.6), (0.0, 0.0, 1.0)
    cases = {
        "360 degrees": (Filming(Projection("equirectangular")), 2 * height),
        "fisheye": (Filming(Projection("fisheye", 200.0)), height),
        "stereo fisheye": (Filming(Projection("fisheye"), Stereo("side-by-side", 0.06)), height),
    }
    for name, (filming, width) in cases.items():
        view = Camera.look_at(level, ahead, size=(width, height))
        frame, other = (
            finished(shoot(drawing(r, document), Shot(view), filming, ("color", "depth")))
            for r in (CudaRasterizer(device=DEVICE), CpuRasterizer())
        )
        away = np.abs(frame.color - other.color).max(axis=-1)
        high, share = float(np.quantile(away, 0.999)), float((away > 1e-2).mean())
        same = float((frame.ids == other.ids).mean())
        # The margin of a face is rounded up to a whole pixel.
        ok = high < 1e-2 and share < 1e-3 and same > 0.98
        table.row(name, f"{high:.1e}", f"{100 * share:.3f} %", f"{100 * same:.2f} %", ok=ok)


def memory(table: Table, count: int = 1_000_000) -> None:
    """Depth of 1920x1080 with all the memory there is, and as if there were little."""
    import torch

    from polyorama.render.cuda import pipeline

    table.title("Memory for depth of 1920x1080", "peak", "allowed", "same id")
    state = RenderState(capture_like(count), wide_view())
    rasterizer = CudaRasterizer(device=DEVICE)
    rasterizer.render(state)
    told = pipeline._free_bytes
    whole = None
    for name, free in (("all that is free", None), ("as if 3 GiB were free", 3 * 2**30)):
        if free is not None:
            pipeline._free_bytes = lambda device, free=free: free
        try:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            allowed = pipeline._free_bytes(torch.device(DEVICE)) if free is None else free
            frame = rasterizer.render(state, ("depth",))
            peak = torch.cuda.max_memory_allocated() - before
        finally:
            pipeline._free_bytes = told
        whole = frame if whole is None else whole
        same = float((frame.ids == whole.ids).mean())
        table.row(
            name, f"{peak / 2**30:.2f} GiB", f"{allowed / 2**30:.1f} GiB", f"{100 * same:.2f} %",
            ok=peak <= allowed and same > 0.999,
        )  # fmt: skip


def fitting(table: Table, steps: int = 100, side: int = 128, count: int = 2_000) -> None:
    """A short fit on the GPU, one that is stopped and gone on with, and the same by cpu."""
    from polyorama.vision.fit.optimise import evaluate, fit
    from polyorama.vision.fit.settings import FitSettings
    from polyorama.vision.fit.start import start_from_points

    table.title("A fit against cpu", "steps", "dB", "splats")
    points = np.random.default_rng(3).normal(size=(count, 3))
    points *= 0.9 / np.linalg.norm(points, axis=1, keepdims=True)
    shell = start_from_points(points, 0.5 + 0.45 * np.sin(3.0 * points), opacity=0.95)
    dataset = dataset_of(shell, sphere_cameras(10, side, distance=3.4))
    start = start_from_points(points[::3], np.full((len(points[::3]), 3), 0.5))
    settings = FitSettings(steps=steps, sh_degree=1)

    def scored(name: str, cloud: SplatCloud, wanted: float | None) -> float:
        decibels = evaluate(cloud, dataset.views, device="cpu").psnr
        ok = wanted is None or abs(decibels - wanted) < 0.5
        table.row(name, str(steps), f"{decibels:.2f}", f"{len(cloud):,}", ok=ok)
        return decibels

    before = scored("the start", start, None)
    wanted = scored("by cpu", run(fit(dataset, start=start, settings=settings)), None)
    if wanted < before + 1.0:
        table.row("the fit teaches nothing", ok=False)
    whole = run(fit(dataset, start=start, settings=settings, device=DEVICE))
    scored("by cuda", whole, wanted)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "half.fit"
        job = fit(dataset, start=start, settings=settings, device=DEVICE, checkpoint=kept)
        for progress in job:
            if progress.done >= steps // 2:
                job.close()
                break
        resumed = run(
            fit(dataset, start=start, settings=settings, device=DEVICE, checkpoint=kept,
                resume=True)
        )  # fmt: skip
    scored("by cuda, stopped and resumed", resumed, wanted)


def gradients(table: Table, count: int = 20_000, size: tuple[int, int] = (320, 200)) -> None:
    """Gradients of one loss on the GPU and on the CPU, of every kind of picture."""
    eye = Camera.look_at((1.5, -2.0, -4.0), (0, 0, 0), fov=50, size=size)
    flat = Camera.orthographic((1.5, -2.0, -4.0), (0, 0, 0), height_in_world=4.0, size=size)
    smooth = replace(CONSTANTS, antialiased=True)
    wide = replace(CONSTANTS, jacobian_margin=1.0)
    table.title("Gradients against cpu", "relative error", "largest")
    for kind, view, constants in (
        ("plain", eye, CONSTANTS), ("antialiased", eye, smooth), ("orthographic", flat, CONSTANTS),
        ("orthographic, antialiased", flat, smooth), ("a wide margin", eye, wide),
    ):  # fmt: skip
        _gradients(table, kind, random_scene(1, count, features=4), view, constants)


def _gradients(
    table: Table, kind: str, gaussians: Gaussians, view: Camera, constants: Constants
) -> None:
    import torch

    from polyorama.render.differentiable import rasterize

    cloud = gaussians.cloud
    rng = np.random.default_rng(2)
    shape = (view.height, view.width)
    weights = [rng.normal(size=(*shape, *tail)) for tail in ((3,), (), (), (4,))]
    names = ("means", "quats", "scales", "opacities", "sh", "viewmat", "features")

    def slopes(device: str) -> list[Any]:
        arrays = (
            cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh, view.viewmat,
            gaussians.features,
        )  # fmt: skip
        leaves = [
            torch.tensor(np.asarray(a, np.float32), device=device, requires_grad=True)
            for a in arrays
        ]
        drawn = rasterize(*leaves[:6], view.lens, features=leaves[6], constants=constants)
        loss = sum(
            (plane * torch.tensor(w, dtype=torch.float32, device=device)).sum()
            for plane, w in zip(drawn[:4], weights, strict=True)
        )
        loss.backward()
        return [leaf.grad.cpu().double() for leaf in leaves]

    for name, grad, wanted in zip(names, slopes(DEVICE), slopes("cpu"), strict=True):
        error = float((grad - wanted).norm() / wanted.norm())
        largest = f"{float(wanted.abs().max()):.3g}"
        table.row(f"{kind}: {name}", f"{error:.1e}", largest, ok=error < 0.02)


def milliseconds(work: Callable[[], object], limit_s: float = 3.0, most: int = 60) -> float:
    """Median time of calls that leave nothing running on the GPU."""
    import torch

    def once() -> float:
        begun = time.perf_counter()
        work()
        torch.cuda.synchronize()
        return 1e3 * (time.perf_counter() - begun)

    for _ in range(3):
        once()
    end = time.perf_counter() + limit_s
    times = []
    while len(times) < most and (len(times) < 5 or time.perf_counter() < end):
        times.append(once())
    return statistics.median(times)


def wide_view() -> Camera:
    """The camera of the timings."""
    return Camera.look_at((0.0, -2.0, -7.0), (0, 0, 0), fov=50, size=(1920, 1080))


class Timing(NamedTuple):
    """Milliseconds of ours and of raw gsplat for the same work."""

    name: str
    ours: float
    theirs: float


def timings(gsplat: Any, sizes: tuple[int, ...] = (1_000_000, 3_000_000)) -> Iterator[Timing]:
    """Frames of 1920x1080 beside gsplat's own function, forward and backward."""
    import torch

    from polyorama.render.differentiable import rasterize

    view = wide_view()
    for count in sizes:
        gaussians = capture_like(count)
        state = RenderState(gaussians, view, (0.1, 0.1, 0.1))
        label = f"{count / 1e6:g} million"
        cloud = gaussians.cloud
        arrays = (cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
        tensors = [torch.tensor(np.array(a), device=DEVICE) for a in arrays]
        matrix = torch.tensor(view.viewmat, dtype=torch.float32, device=DEVICE)
        intrinsics = torch.tensor(view.intrinsics, dtype=torch.float32, device=DEVICE)
        under = torch.full((1, 3), 0.1, device=DEVICE)

        def raw(
            tensors=tensors, packed=False, matrix=matrix, k=intrinsics, under=under, mode="RGB"
        ) -> Any:
            colors, alphas, _ = gsplat.rasterization(
                *tensors, matrix[None], k[None], view.width, view.height, sh_degree=3,
                packed=packed, backgrounds=under, render_mode=mode,
            )  # fmt: skip
            return colors, alphas

        def fetched(raw=raw, packed=False) -> Any:
            colors, _ = raw(packed=packed)
            return (colors[0].clamp(0, 1) * 255 + 0.5).to(torch.uint8).cpu().numpy()

        for packed in (False, True):
            kind = "packed" if packed else "plain"
            ours = CudaRasterizer(packed=packed)
            with torch.inference_mode():
                theirs = milliseconds(lambda raw=raw, packed=packed: raw(packed=packed))
                to_host = milliseconds(lambda f=fetched, packed=packed: f(packed=packed))
            drawn = milliseconds(lambda ours=ours, state=state: ours.render(state, ()))
            whole = milliseconds(lambda ours=ours, state=state: ours.render(state, ("rgba8",)))
            yield Timing(f"{label}, {kind}, drawn", drawn, theirs)
            yield Timing(f"{label}, {kind}, 8 bit in memory", whole, to_host)

        def train(tensors=tensors, matrix=matrix) -> None:
            leaves = [t.detach().requires_grad_() for t in tensors]
            rasterize(*leaves, matrix, view.lens).color.sum().backward()

        def train_raw(tensors=tensors, raw=raw) -> None:
            # Ours blends depth as well, and so does theirs in this mode.
            leaves = [t.detach().requires_grad_() for t in tensors]
            raw(leaves, mode="RGB+D")[0][..., :3].sum().backward()

        yield Timing(f"{label}, with gradients", milliseconds(train), milliseconds(train_raw))
        del tensors
        gaussians.cache.clear()
        torch.cuda.empty_cache()


def speed(table: Table, gsplat: Any) -> None:
    """Our frames beside gsplat's own function, and cpu."""
    table.title("1920x1080, milliseconds", "polyorama", "raw gsplat", "ratio")
    for name, ours, theirs in timings(gsplat):
        ratio = ours / theirs
        table.row(name, f"{ours:.2f}", f"{theirs:.2f}", f"{ratio:.3f}", ok=ratio <= WITHIN)
    state = RenderState(capture_like(1_000_000), wide_view(), (0.1, 0.1, 0.1))
    cpu = CpuRasterizer()
    cpu.render(state)
    begun = time.perf_counter()
    cpu.render(state)
    table.row("1 million, by cpu", f"{1e3 * (time.perf_counter() - begun):.0f}")


def shapes(table: Table) -> None:
    """Duoduo CLIP of the paper's size, with random weights: words and twelve views, beside cpu."""
    import torch

    from polyorama.shapes.clip.config import B32
    from polyorama.shapes.clip.net import Clip

    torch.manual_seed(0)
    net = Clip(B32).eval()
    views, ids = torch.randn(2, 12, 3, 224, 224), torch.randint(1, 49406, (4, 77))
    ids[:, 9] = 49407
    table.title("Duoduo CLIP ViT-B/32", "cosine to cpu", "milliseconds")
    with torch.inference_mode():
        expected, words = net.encode_views(views)[0], net.encode_text(ids)
        net, views, ids = net.to(DEVICE), views.to(DEVICE), ids.to(DEVICE)

        def encode() -> Any:
            result = net.encode_views(views)[0]
            torch.cuda.synchronize()
            return result

        for name, got, wanted in (
            ("2 shapes of 12 views", encode(), expected), ("4 texts", net.encode_text(ids), words),
        ):  # fmt: skip
            near = torch.nn.functional.cosine_similarity(got.cpu(), wanted).min().item()
            table.row(name, f"{near:.6f}", ok=near > 0.9999)
        table.row("2 shapes, again", "", f"{milliseconds(encode):.1f}")


def main() -> int:
    """Run all checks; the exit status."""
    state = availability()
    if not state.ok:
        print(f"The cuda rasterizer cannot run here: {state}")
        return 2
    import torch

    begun = time.perf_counter()
    try:
        gsplat = load_gsplat()
    except UnavailableError as error:
        print(error)
        return 2
    ready = time.perf_counter()
    print(
        f"{state.reason}, torch {torch.__version__}, gsplat {gsplat.__version__}; "
        f"kernels ready in {ready - begun:.0f} s"
    )
    table = Table()
    compare(table)
    panoramas(table)
    gradients(table)
    fitting(table)
    memory(table)
    shapes(table)
    speed(table, gsplat)
    print(f"\n{'All well' if table.well else 'NOT all well'}, {time.perf_counter() - ready:.0f} s")
    return 0 if table.well else 1


if __name__ == "__main__":
    sys.exit(main())
