"""Latest-wins rendering: one picture in flight, one waiting a view, everything older forgotten."""

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
from polyorama_studio.marks import NO_MARKS, Marks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job, Progress
    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.render.rasterizers import Rasterizer
    from polyorama.render.state import Gaussians
    from polyorama.scene.document import Document
    from polyorama_studio.governor import Quality
    from polyorama_studio.orbit import OrbitView

__all__ = ["Channel", "Picture", "RenderLoop", "Request", "to_image"]

log = logging.getLogger(__name__)

_SOLID = 0.4
"""Opacity from which a pixel shows a thing."""


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
    marks: Marks = NO_MARKS
    disguise: Document | None = None
    through: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A request and what came of it: an image ready to paint, or an error.

    Still pictures tell what is where: `depth` (H, W) along the view and `ids` (H, W), rows of
    `gaussians`, -1 where nothing is.
    """

    request: Request
    image: QImage | None = None
    depth: NDArray[np.float32] | None = None
    ids: NDArray[np.int32] | None = None
    gaussians: Gaussians | None = None
    milliseconds: float = 0.0
    backend: str = ""
    error: BaseException | None = None


def to_image(rgba8: NDArray[np.uint8]) -> QImage:
    """A QImage of an opaque (H, W, 4) uint8 picture, in the format that is quickest to paint."""
    pixels = np.ascontiguousarray(rgba8)
    height, width = pixels.shape[:2]
    wrapped = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
    return wrapped.convertToFormat(QImage.Format.Format_RGB32)


class Channel:
    """One view's way to the render thread: its newest request waits, older ones are forgotten.

    Parameters
    ----------
    loop
        Draws the requests of all its channels, one at a time.
    deliver
        Called on the render thread with each `Picture`.
    """

    def __init__(self, loop: RenderLoop, deliver: Callable[[Picture], None]) -> None:
        self._loop = loop
        self.deliver = deliver

    def submit(self, request: Request) -> None:
        """Draw this next; a request of this view that still waits is forgotten."""
        self._loop.submit(request, self)

    def close(self) -> None:
        """Forget what waits, and deliver nothing more."""
        self._loop.forget(self)


class RenderLoop:
    """A thread that draws the newest request of each channel.

    Parameters
    ----------
    make_rasterizer
        A job that ends with the rasterizer; run once, on the render thread.
    deliver
        Called on the render thread with each `Picture` of the main channel.
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
        self._progress = progress
        self._rasterizer: Rasterizer | None = None
        self.main = Channel(self, deliver)
        self._pending: dict[Channel, Request] = {}
        self._closed = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def submit(self, request: Request, channel: Channel | None = None) -> None:
        """Draw this next; a request of its channel that still waits is forgotten."""
        with self._changed:
            if self._closed:
                return
            self._pending[channel or self.main] = request
            self._changed.notify()
        self.start()

    def forget(self, channel: Channel) -> None:
        """Drop what a channel waits for; what is being drawn for it is not delivered."""
        with self._changed:
            self._pending.pop(channel, None)
            channel.deliver = _nobody

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
            self._pending.clear()
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
                while not self._pending and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                channel = self._next()
                request = self._pending.pop(channel)
            picture = self._draw(request)
            if not self._closed:
                channel.deliver(picture)

    def _next(self) -> Channel:
        """What moves goes first: its next picture is wanted soonest."""
        for channel, request in self._pending.items():
            if request.moving:
                return channel
        return next(iter(self._pending))

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
                request.disguise or request.document, request.camera,
                background=None if request.marks.floor else request.backdrop, limit=request.limit,
                time=request.time, highlight=request.highlight,
            )  # fmt: skip
            frame = _solid(self._rasterizer.render(state, outputs))
            image = to_image(_marked(request, frame, state.gaussians))
        except Exception as error:
            if not isinstance(error, PolyoramaError):
                log.exception("A picture could not be drawn.")
            return Picture(request, error=error)
        elapsed = (time.perf_counter() - start) * 1000.0
        return Picture(
            request, image, frame.median_depth, frame.ids, state.gaussians, elapsed, frame.backend
        )


def _solid(frame: Frame) -> Frame:
    """The frame with depth and ids only where something is that one would point at, no haze."""
    if frame.alpha is None or frame.median_depth is None or frame.ids is None:
        return frame
    haze = frame.alpha < _SOLID
    frame.median_depth[haze] = 0.0
    frame.ids[haze] = -1
    return frame


def _marked(request: Request, frame: Frame, gaussians: Gaussians) -> NDArray[np.uint8]:
    """The frame's pixels with the request's marks in them."""
    assert frame.rgba8 is not None
    pixels, marks = frame.rgba8, request.marks
    if marks is NO_MARKS:
        return pixels
    # Kernels load slowly: here, the window is there already.
    from polyorama_studio.marking import drawn_over, drawn_under

    if marks.floor is not None:
        view = request.view
        pixels = drawn_under(
            pixels, request.camera, marks.floor, request.backdrop, frame.median_depth,
            unit=view.height_in_world * request.quality.scale / request.camera.height,
            distance=view.distance,
            weight=request.quality.scale,
        )  # fmt: skip
    if marks.outline is not None and frame.ids is not None:
        pixels = drawn_over(pixels, frame.ids, gaussians, marks.outline)
    return pixels


def _nobody(picture: Picture) -> None:
    """Take a picture that nobody waits for any more."""
