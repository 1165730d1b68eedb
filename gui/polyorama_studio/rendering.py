"""Latest-wins rendering: one picture in flight, one waiting, everything older forgotten."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

from polyorama.errors import PolyoramaError, UnavailableError
from polyorama.render.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job, Progress
    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.render.rasterizers import Rasterizer
    from polyorama.scene.document import Document
    from polyorama_studio.governor import Quality
    from polyorama_studio.orbit import OrbitView

__all__ = ["Picture", "RenderLoop", "Request", "to_image"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What to draw. Requests of an older `generation` are of no interest any more."""

    generation: int
    document: Document
    view: OrbitView
    camera: Camera
    quality: Quality
    limit: int | None
    backdrop: tuple[float, float, float]
    moving: bool = False
    time: float = 0.0
    highlight: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A request and what came of it: an image ready to paint, or an error."""

    request: Request
    image: QImage | None = None
    depth: NDArray[np.float32] | None = None
    milliseconds: float = 0.0
    backend: str = ""
    error: BaseException | None = None


def to_image(rgba8: NDArray[np.uint8]) -> QImage:
    """A QImage of an opaque (H, W, 4) uint8 picture, in the format that is quickest to paint."""
    pixels = np.ascontiguousarray(rgba8)
    height, width = pixels.shape[:2]
    wrapped = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
    return wrapped.convertToFormat(QImage.Format.Format_RGB32)


class RenderLoop:
    """A thread that draws the newest request.

    Parameters
    ----------
    make_rasterizer
        A job that ends with the rasterizer; run once, on the render thread.
    deliver
        Called on the render thread with each `Picture`.
    progress
        Called on the render thread while the rasterizer is made; at its end with None.
    """

    def __init__(
        self,
        make_rasterizer: Callable[[], Job[Rasterizer]],
        deliver: Callable[[Picture], None],
        progress: Callable[[Progress | None], None],
    ) -> None:
        self._make_rasterizer = make_rasterizer
        self._deliver = deliver
        self._progress = progress
        self._rasterizer: Rasterizer | None = None
        self._pending: Request | None = None
        self._in_flight = False
        self._closed = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @property
    def idle(self) -> bool:
        """Whether nothing is drawn and nothing waits."""
        with self._changed:
            return self._pending is None and not self._in_flight

    def submit(self, request: Request) -> None:
        """Draw this next; a request that still waits is forgotten."""
        with self._changed:
            if self._closed:
                return
            self._pending = request
            self._changed.notify()
        self.start()

    def start(self) -> None:
        """Make the rasterizer ready, before the first request comes."""
        with self._changed:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="render", daemon=True)
                self._thread.start()

    def close(self, timeout: float = 5.0) -> None:
        """Stop after the picture in flight."""
        with self._changed:
            self._closed = True
            self._pending = None
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        try:
            self._rasterizer = self._prepared()
        except Exception:  # the next request tries again, and its picture tells
            if not self._closed:
                log.exception("The renderer could not be made ready.")
        while True:
            with self._changed:
                while self._pending is None and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                request, self._pending = self._pending, None
                self._in_flight = True
            assert request is not None
            picture = self._draw(request)
            with self._changed:
                self._in_flight = False
                closed = self._closed
            if not closed:
                self._deliver(picture)

    def _prepared(self) -> Rasterizer:
        job = self._make_rasterizer()
        try:
            while True:
                progress = next(job)
                if self._closed:
                    job.close()
                    raise UnavailableError("The renderer was closed.")
                self._progress(progress)
        except StopIteration as stop:
            return stop.value
        finally:
            self._progress(None)

    def _draw(self, request: Request) -> Picture:
        start = time.perf_counter()
        # Depth is for pointing at things, which is done in still pictures.
        outputs = {"rgba8"} if request.moving else {"rgba8", "depth"}
        try:
            if self._rasterizer is None:
                self._rasterizer = self._prepared()
            state = resolve(
                request.document, request.camera,
                background=request.backdrop, limit=request.limit,
                time=request.time, highlight=request.highlight,
            )  # fmt: skip
            frame: Frame = self._rasterizer.render(state, outputs)
            assert frame.rgba8 is not None
            image = to_image(frame.rgba8)
        except Exception as error:
            if not isinstance(error, PolyoramaError):
                log.exception("A picture could not be drawn.")
            return Picture(request, error=error)
        elapsed = (time.perf_counter() - start) * 1000.0
        return Picture(request, image, frame.median_depth, elapsed, frame.backend)
