"""Benchmark of gradients and fitting: what a step costs, and what a short fit comes to."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from polyorama.core.compile import core_count
from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.render.differentiable import rasterize
from polyorama.render.paths import sphere
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.resolve import resolve
from polyorama.verbs.film import subject_center, view_of
from polyorama.verbs.open import open_document
from polyorama.vision.fit.dataset import Dataset, View
from polyorama.vision.fit.model import Natural
from polyorama.vision.fit.optimise import evaluate, fit, one_thread
from polyorama.vision.fit.settings import FitSettings
from polyorama.vision.fit.start import first_guess

if TYPE_CHECKING:
    import os

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document

__all__ = ["bench_fit"]

_SIZES = ((1280, 720), (200, 200))
_HOLD_OUT = 6


def bench_fit(
    path: str | os.PathLike[str],
    *,
    steps: int = 1000,
    views: int = 30,
    size: int = 200,
    strategy: str = "default",
    repeats: int = 7,
) -> Job[dict[str, Any]]:
    """Time forward and backward passes of a scene, then fit pictures of it from a random start.

    The pictures stand evenly on a sphere around the subject; every sixth is held out. Times of the
    passes are medians.

    Returns
    -------
    Milliseconds forward and backward and their ratio at 1280x720 and 200x200, wall and cpu; steps a
    second, PSNR in dB and SSIM on the pictures held out.

    Raises
    ------
    UsageError
        If there is nothing to time.
    """
    if repeats < 1 or views < 2 * _HOLD_OUT:
        raise UsageError(f"This benchmark needs at least one run and {2 * _HOLD_OUT} pictures.")
    settings = FitSettings(steps=steps, strategy=strategy)  # type: ignore[arg-type]
    document = open_document(path)
    result: dict[str, Any] = {"cores": core_count()}
    for width, height in _SIZES:
        yield Progress(0, steps, "Timing gradients")
        result |= _passes(document, (width, height), repeats)
    dataset = _pictures(document, views, size)
    start = first_guess(dataset, settings)
    wall, cpu = time.perf_counter(), time.process_time()
    cloud = yield from fit(dataset, start=start, settings=settings)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    scores = evaluate(cloud, dataset.held_out)
    return result | {
        "pictures": [len(dataset.views), len(dataset.held_out)],
        "size": [size, size],
        "strategy": strategy,
        "steps": steps,
        "splats": len(cloud),
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "steps_per_s": round(steps / wall, 1),
        "steps_per_cpu_s": round(steps / cpu, 1),
        "held_out_db": round(scores.psnr, 2),
        "held_out_ssim": round(scores.ssim, 4),
    }


def _passes(document: Document, size: tuple[int, int], repeats: int) -> dict[str, Any]:
    """Forward and backward of the whole scene at one size, in milliseconds."""
    camera = view_of(document.with_camera(None), size=size)
    cloud = resolve(document, camera).gaussians.baked().cloud
    arrays = (cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
    inputs = Natural(*(torch.from_numpy(array.copy()).requires_grad_() for array in arrays))
    viewmat = torch.tensor(camera.viewmat, dtype=torch.float32)
    times: list[list[float]] = [[], [], [], []]
    weights = torch.from_numpy(
        np.random.default_rng(0).normal(size=(size[1], size[0], 3)).astype(np.float32)
    )
    with one_thread():
        # The first round compiles what is not compiled yet.
        for i in range(repeats + 1):
            marks = [(time.perf_counter(), time.process_time())]
            drawn = rasterize(*inputs, viewmat, camera.lens)
            marks.append((time.perf_counter(), time.process_time()))
            drawn.color.backward(weights)  # type: ignore[no-untyped-call]
            marks.append((time.perf_counter(), time.process_time()))
            for tensor in inputs:
                tensor.grad = None
            if i > 0:
                for number, kept in enumerate(times):
                    step, clock = number // 2, number % 2
                    kept.append(1000.0 * (marks[step + 1][clock] - marks[step][clock]))
    forward, forward_cpu, backward, backward_cpu = map(statistics.median, times)
    name = f"{size[0]}x{size[1]}"
    return {
        f"forward_{name}_ms": round(forward, 2),
        f"backward_{name}_ms": round(backward, 2),
        f"backward_over_forward_{name}": round(backward / forward, 2),
        f"backward_over_forward_{name}_cpu": round(backward_cpu / max(forward_cpu, 1e-9), 2),
    }


def _pictures(document: Document, count: int, size: int) -> Dataset:
    """Pictures from all round, held out evenly."""
    first = view_of(document.with_camera(None), size=(size, size))
    center = subject_center(document)
    rasterizer = get_rasterizer("cpu")
    views = []
    for number, camera in enumerate(sphere(first, center, document.up, count)):
        state = resolve(document, camera, background=(0.0, 0.0, 0.0))
        pixels = rasterizer.render(state).rgba8
        assert pixels is not None
        views.append(View(f"view {number}", camera, np.ascontiguousarray(pixels[..., :3])))
    kept = [number % _HOLD_OUT == _HOLD_OUT // 2 for number in range(count)]
    return Dataset(
        tuple(view for view, k in zip(views, kept, strict=True) if not k),
        tuple(view for view, k in zip(views, kept, strict=True) if k),
    )
