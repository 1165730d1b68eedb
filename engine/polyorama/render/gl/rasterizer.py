"""The protocol around the painter: projecting, the thread that owns OpenGL, availability."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from polyorama.errors import PolyoramaError, UnavailableError, UsageError
from polyorama.render.frame import OUTPUTS, Frame
from polyorama.render.gl.context import open_context
from polyorama.render.rasterizers import Availability

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from polyorama.render.gl.painter import Painter
    from polyorama.render.state import RenderState

__all__ = ["GlRasterizer", "availability", "create", "is_software", "promising"]

T = TypeVar("T")

_SOFTWARE = re.compile(
    r"llvmpipe|lavapipe|softpipe|swrast|swiftshader|software rasterizer|software renderer"
    r"|microsoft basic render|gdi generic",
    re.IGNORECASE,
)
"""Names of drivers that draw on the processor."""

_PLANES = frozenset({"depth", "features"})
"""Outputs that fixed blending cannot make: the cpu's kernels draw them meanwhile."""


def is_software(renderer: str) -> bool:
    """Whether a GL_RENDERER draws on the processor."""
    return _SOFTWARE.search(renderer) is not None


class _Owner:
    """The one thread on which the context is current; every call of OpenGL runs there."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="polyorama-gl")
        self._painter: Painter | None = None
        self._failure = ""

    def submit(self, task: Callable[[Painter], T]) -> Future[T]:
        """Run `task` on the owner's thread.

        The future raises UnavailableError where there is no context, and for whatever the driver
        refuses.
        """
        return self._thread.submit(self._run, task)

    def _run(self, task: Callable[[Painter], T]) -> T:
        try:
            return task(self._ready())
        except PolyoramaError:
            raise
        except (RuntimeError, OSError, ValueError) as error:
            words = " ".join(str(error).split())[:300]
            raise UnavailableError(
                f"The OpenGL driver failed ({words}); draw with --backend cpu, or update the "
                "driver."
            ) from error

    def _ready(self) -> Painter:
        """The painter, made at first use; a failure is remembered, not tried again."""
        if self._failure:
            raise UnavailableError(self._failure)
        if self._painter is None:
            try:
                self._painter = _new_painter()
            except UnavailableError as error:
                self._failure = str(error)
                raise
            except Exception as error:
                self._failure = f"OpenGL could not be started: {' '.join(str(error).split())[:300]}"
                raise UnavailableError(self._failure) from error
        return self._painter


def _new_painter() -> Painter:
    """A painter on a context of its own, which is given back where no painter can be made of it."""
    context = open_context()
    try:
        # Here, so that the rest of the engine never loads vispy.
        from polyorama.render.gl.painter import Painter

        return Painter(context)
    except BaseException:
        context.close()
        raise


@functools.cache
def _owner(_process: int) -> _Owner:
    """One owner a process: threads and contexts do not survive a fork."""
    return _Owner()


class GlRasterizer:
    """Draws instanced quads with OpenGL, off screen.

    Splats are projected and sorted by the cpu's own kernels, so both backends draw the same
    records in the same order. Pictures come from the GPU. Depths, ids and features need what fixed
    blending does not have, the transmittance in front of each splat; the cpu's kernels draw those
    meanwhile, exactly as `cpu` does and in its time.
    """

    name = "gl"

    def render(self, state: RenderState, outputs: Iterable[str] = ("rgba8",)) -> Frame:
        """Draw `state`; see `polyorama.render.rasterizers.Rasterizer`.

        Raises
        ------
        UsageError
            If an output is unknown, or features are asked for and there are none.
        UnavailableError
            If there is no OpenGL 3.3, or the driver fails.
        """
        from polyorama.render.cpu import CpuRasterizer

        wanted = frozenset(outputs)
        if not wanted <= OUTPUTS:
            raise UsageError(
                f"Unknown outputs {sorted(wanted - OUTPUTS)}; choose from {sorted(OUTPUTS)}."
            )
        if "features" in wanted and state.gaussians.features is None:
            raise UsageError("The scene has no feature channels to draw.")
        if not wanted & _PLANES:
            return self._pictures(state, wanted).result()
        drawing = self._pictures(state, wanted - _PLANES) if wanted - _PLANES else None
        frame = CpuRasterizer().render(state, wanted & _PLANES)
        pictures = drawing.result() if drawing else Frame()
        timing = {**pictures.timing, "depth": sum(frame.timing.values())}
        counts = {**frame.counts, **pictures.counts}
        return replace(
            frame, rgba8=pictures.rgba8, color=pictures.color, timing=timing, counts=counts,
            backend=self.name,
        )  # fmt: skip

    def _pictures(self, state: RenderState, wanted: frozenset[str]) -> Future[Frame]:
        """Project here, draw on the owner's thread."""
        rows, laps = _sorted_rows(state)
        camera = state.camera
        size = (camera.height, camera.width, 4)
        rgba8 = np.empty(size, np.uint8) if "rgba8" in wanted else None
        color = np.empty(size, np.float32) if "color" in wanted else None

        def draw(painter: Painter) -> Frame:
            timing: dict[str, float] = dict(laps)
            last = time.perf_counter()
            painter.upload(rows)
            timing["upload"] = 1e3 * (time.perf_counter() - last)
            last = time.perf_counter()
            painter.draw(
                len(rows), camera.width, camera.height, state.constants.alpha_cap,
                state.background, rgba8, color,
            )  # fmt: skip
            timing["draw"] = 1e3 * (time.perf_counter() - last)
            return Frame(
                rgba8=rgba8, color=color, timing=timing, counts={"visible": len(rows)},
                backend=self.name,
            )  # fmt: skip

        return _owner(os.getpid()).submit(draw)


def _sorted_rows(state: RenderState) -> tuple[NDArray[np.float32], Mapping[str, float]]:
    """Projected splats from near to far, (n, 12) float32, and how long the steps took."""
    from polyorama.core.compile import core_count, parallel_for
    from polyorama.render.cpu.placed import project_state

    begun = time.perf_counter()
    projected, _, _ = project_state(state)
    middle = time.perf_counter()
    projected = projected.sorted()
    rows = np.empty((len(projected.order), projected.records.shape[1]), np.float32)

    def gather(_: int, start: int, stop: int) -> None:
        np.take(projected.records, projected.order[start:stop], axis=0, out=rows[start:stop],
                mode="clip")  # fmt: skip

    if len(rows):
        parallel_for(gather, len(rows), core_count())
    end = time.perf_counter()
    return rows, {"project": 1e3 * (middle - begun), "sort": 1e3 * (end - middle)}


def promising() -> bool:
    """Whether there may be a GPU here, told without loading a driver, in well under a millisecond.

    `auto` asks this first: a machine without a GPU shall not spend its first picture on finding
    that out.
    """
    if importlib.util.find_spec("vispy") is None:
        return False
    if sys.platform != "linux":
        return True
    nodes = [*Path("/dev/dri").glob("renderD*"), *Path("/dev").glob("nvidia[0-9]*")]
    return any(os.access(node, os.R_OK | os.W_OK) for node in nodes) or Path("/dev/dxg").exists()


def availability() -> Availability:
    """Whether OpenGL 3.3 can be had; opens a context at the first call, which is then kept."""
    if importlib.util.find_spec("vispy") is None:
        return Availability.missing(
            "The package vispy is missing; install it with: pip install 'polyorama[gui]'"
        )
    try:
        renderer, version = _owner(os.getpid()).submit(_describe).result()
    except UnavailableError as error:
        return Availability.missing(str(error))
    if not is_software(renderer):
        return Availability(True, f"{renderer}, OpenGL {version}")
    return Availability(
        True, f"{renderer}, on the processor, so auto passes it over{_locked()}", hardware=False
    )


def _describe(painter: Painter) -> tuple[str, str]:
    return painter.renderer, painter.version


def _locked() -> str:
    """Why the driver is a software one where the system shows a GPU that may not be used."""
    nodes = sorted(Path("/dev/dri").glob("renderD*"))
    shut = [node for node in nodes if not os.access(node, os.R_OK | os.W_OK)]
    if not shut:
        return ""
    return f"; there is a GPU at {shut[0]} that this user may not open (add the group 'render')"


def create() -> GlRasterizer:
    """Make the rasterizer; all of a process share one context."""
    return GlRasterizer()
