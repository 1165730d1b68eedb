"""What is on the stage: the document, the view, and the pictures made of them.

Still pictures are full; while something moves they are as coarse as the governor wants.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from polyorama.errors import PolyoramaError
from polyorama.scene.contents import CameraRig
from polyorama.scene.properties_of import at_time
from polyorama.scene.rigs import rig_camera
from polyorama.scene.subject import splat_count
from polyorama_studio.governor import FULL, Governor, fitting_size
from polyorama_studio.looking import Looking
from polyorama_studio.marks import NO_MARKS, Marks
from polyorama_studio.rendering import Channel, Picture, RenderLoop, Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QColor

    from polyorama.core.jobs import Job, Progress
    from polyorama.core.types import Camera
    from polyorama.render.rasterizers import Rasterizer
    from polyorama.scene.document import Document
    from polyorama_studio.bridge import Bridge
    from polyorama_studio.orbit import OrbitView
    from polyorama_studio.theme import Theme

__all__ = ["STILL_MS", "Stage"]

STILL_MS = 100
"""After so long without a move, the picture counts as still."""
_UNTOUCHED_BACKGROUND = (0.0, 0.0, 0.0)


def _rgb(color: QColor) -> tuple[float, float, float]:
    return (color.redF(), color.greenF(), color.blueF())


def _through(shown: Document | None, node: str, size: tuple[int, int]) -> Camera | None:
    """What a camera node sees; None where there is none, or it stands where it looks."""
    if not node or shown is None:
        return None
    try:
        return rig_camera(shown, node, size)
    except PolyoramaError:
        return None


class FrameRate:
    """Pictures in a second, of those that follow each other closely."""

    def __init__(self) -> None:
        self.fps = 0.0
        self._last = 0.0

    def forget(self) -> None:
        """Start anew."""
        self.fps = 0.0

    def count(self, moving: bool) -> None:
        """A picture came."""
        now = time.perf_counter()
        gap = now - self._last
        if moving and 0.0 < gap < 0.5:
            rate = 1.0 / gap
            self.fps = rate if self.fps == 0.0 else 0.8 * self.fps + 0.2 * rate
        self._last = now if moving else 0.0


def _is_camera(document: Document, node_id: str) -> bool:
    return any(n.id == node_id and isinstance(n.content, CameraRig) for n in document.nodes)


class Stage(Looking):
    """Holds document and view, asks for pictures, hands them on.

    Parameters
    ----------
    bridge
        Brings pictures to this thread.
    theme
        Gives the colour behind documents that have no background of their own.
    source
        A job that ends with the rasterizer, run once, on the render thread; or the loop of another
        stage, whose thread then draws for both.
    """

    document_changed = Signal()
    document_edited = Signal()
    time_changed = Signal(bool)
    marks_changed = Signal()
    picture_ready = Signal(object)
    picture_failed = Signal(object)
    preparing_changed = Signal()

    def __init__(
        self,
        bridge: Bridge,
        theme: Theme,
        source: Callable[[], Job[Rasterizer]] | RenderLoop,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._theme = theme
        self._owns_loop = not isinstance(source, RenderLoop)
        if isinstance(source, RenderLoop):
            self.loop = source
            self._channel = Channel(source, self._post_picture)
        else:
            self.loop = RenderLoop(source, self._post_picture, self._post_preparing)
            self._channel = self.loop.main
        self.document: Document | None = None
        self.size = (0, 0)
        self.picture: Picture | None = None
        self.preparing: Progress | None = None
        self.governor = Governor()
        self.time = 0.0
        self.marks = NO_MARKS
        self.bare = False
        """Whether pictures show the scene alone: neither marks nor what is selected."""
        self.disguise: Document | None = None
        self.resting = False
        """Whether nobody sees it, so that nothing is drawn."""
        self._rate = FrameRate()
        self._generation = 0
        self._asked: Request | None = None
        self._answered: Request | None = None
        self._shown: tuple[Document | None, float, Document | None] = (None, 0.0, None)
        self._still = QTimer(self)
        self._still.setSingleShot(True)
        self._still.setInterval(STILL_MS)
        self._still.timeout.connect(self._on_still)
        theme.changed.connect(self._on_theme)

    @property
    def fps(self) -> float:
        """Pictures in a second while moving, smoothed; 0 where it is not known."""
        return self._rate.fps

    @property
    def splat_count(self) -> int:
        """Splats of all visible nodes."""
        return 0 if self.document is None else splat_count(self.document)

    @property
    def moving(self) -> bool:
        """Whether the next picture is one of many."""
        return self._held or self.spinning or self._still.isActive()

    @property
    def backdrop(self) -> tuple[float, float, float]:
        """Colour behind the picture, 0..1: the document's own, else the theme's stage."""
        if self.document is not None and self.document.background != _UNTOUCHED_BACKGROUND:
            return self.document.background
        return _rgb(self._theme.tokens.color("stage"))

    def set_document(self, document: Document | None, view: OrbitView | None) -> None:
        """Show another document; pictures of the one before are dropped from now on."""
        self._generation += 1
        self.time = 0.0
        self.through = ""
        self.document = document
        self.picture = None
        self._rate.forget()
        self.governor.forget()
        if view is not None:
            self.start_from(view)
        self.document_changed.emit()
        self.view_changed.emit()
        self._ask(moving=False)

    def change_document(self, document: Document) -> None:
        """Show an edited version of the same document: the view and the picture stay meanwhile."""
        self._take(document)
        self._move() if self._held else self._ask(moving=self.moving)

    def follow(self, document: Document) -> None:
        """As `change_document`, with more to follow at once."""
        self._take(document)
        self._move()

    def _take(self, document: Document) -> None:
        counted = self.splat_count
        self.document = document
        if self.through and not _is_camera(document, self.through):
            self.through = ""
            self.view_changed.emit()
        if self.splat_count != counted:
            self.governor.forget()
        self.document_edited.emit()

    def set_time(self, seconds: float, *, moving: bool, view: OrbitView | None = None) -> None:
        """Show the document as it is at another time.

        Parameters
        ----------
        seconds
            s.
        moving
            Whether more will follow at once.
        view
            From where it is seen then, where that changes, too.
        """
        self.time = seconds
        if view is not None and view != self.view:
            self.view = view
            self.view_changed.emit()
        self.time_changed.emit(moving)
        if moving:
            self._move()
        else:
            self._ask(moving=self.spinning)

    @property
    def shown(self) -> Document | None:
        """The document as it is at the stage's time."""
        document, seconds, shown = self._shown
        if document is not self.document or seconds != self.time:
            shown = None if self.document is None else at_time(self.document, self.time)
            self._shown = (self.document, self.time, shown)
        return shown

    def camera(self, width: int, height: int) -> Camera:
        """The engine's camera for a picture of that size in pixels: the view's, or the rig's."""
        through = _through(self.shown, self.through, (width, height))
        return self.view.camera(width, height) if through is None else through

    def set_marks(self, marks: Marks, *, moving: bool = False) -> None:
        """Draw other things into the picture."""
        if marks is not self.marks:
            self.marks = marks
            self.marks_changed.emit()
            self._move() if moving else self._ask(moving=self.moving)

    def set_bare(self, bare: bool) -> None:
        """Show nothing but the scene, without marks and without what is selected, or end that."""
        if bare != self.bare:
            self.bare = bare
            self.marks_changed.emit()
            self._ask(moving=self.moving)

    def set_disguise(self, document: Document | None, *, moving: bool = False) -> None:
        """Draw another document in the place of this one, as previews do; None ends that."""
        self.disguise = document
        self.marks_changed.emit()
        self._move() if moving else self._ask(moving=self.moving)

    def set_size(self, width: int, height: int) -> None:
        """The viewport's size in device pixels; the picture's where that can be drawn."""
        if width < 1 or height < 1:
            return
        size = fitting_size(width, height)
        if size != self.size:
            first = self.size == (0, 0)
            self.size = size
            if first:
                self._ask(moving=False)
            else:
                self._move()

    def release(self) -> None:
        """A drag ends; the picture may become still."""
        self._held = False
        self._still.stop()
        if not self.spinning and not _shows_all(self):
            self._ask(moving=False)

    def is_of_now(self, picture: Picture) -> bool:
        """Whether a picture shows the present document from where one looks now."""
        request = picture.request
        # Through a camera the free view is not seen; it may change without another picture.
        same = request.through == self.through and (bool(self.through) or request.view == self.view)
        return same and request.document is self.document and request.time == self.time

    def refresh(self) -> None:
        """Draw again."""
        self._ask(moving=self.moving)

    def set_resting(self, resting: bool) -> None:
        """Draw nothing while nobody sees it; afterwards what is to be seen then."""
        if resting != self.resting:
            self.resting = resting
            if not resting:
                self._ask(moving=False)

    @property
    def drawing(self) -> bool:
        """Whether a picture is under way: waited for, drawn, or on its way to this thread."""
        return self._answered is not self._asked

    @property
    def idle(self) -> bool:
        """Whether a full picture of the present view is shown, and nothing is under way."""
        return not self.drawing and not self.moving

    def close(self) -> None:
        """Stop drawing."""
        self._still.stop()
        self.spinning = False
        drawing = self.loop if self._owns_loop else self._channel
        drawing.close()

    def _move(self) -> None:
        self._still.start()
        self._ask(moving=True)

    def _ask(self, *, moving: bool) -> None:
        if self.document is None or self.size == (0, 0) or self.resting:
            return
        quality = self.governor.moving() if moving else FULL
        self._asked = Request(
            generation=self._generation,
            document=self.document,
            view=self.view,
            camera=self.camera(*quality.size(*self.size)),
            quality=quality,
            limit=quality.limit(self.splat_count),
            backdrop=self.backdrop,
            moving=moving,
            time=self.time,
            highlight=None if self.bare else _rgb(self._theme.tokens.color("accent")),
            marks=NO_MARKS if self.bare else self.marks,
            disguise=self.disguise,
            through=self.through,
        )
        self._channel.submit(self._asked)

    def _post_picture(self, picture: Picture) -> None:
        # On the render thread.
        self._bridge.post(("picture", self._channel), self._on_picture, picture)

    def _post_preparing(self, progress: Progress | None) -> None:
        # On the render thread.
        self._bridge.post("preparing", self._on_preparing, progress)

    def _on_preparing(self, progress: Progress | None) -> None:
        self.preparing = progress
        self.preparing_changed.emit()

    def warm_up(self) -> None:
        """Make the renderer ready before there is something to draw."""
        self.loop.start()

    def _on_picture(self, picture: Picture) -> None:
        request = self._answered = picture.request
        if request.generation != self._generation:
            return
        if picture.error is not None:
            self.set_spinning(False)
            self.picture_failed.emit(picture.error)
            return
        self.picture = picture
        self.governor.learn(request.quality, picture.milliseconds)
        self._rate.count(request.moving)
        self.picture_ready.emit(picture)
        if self.spinning and not self._held:
            self.turn_on()
        elif not self.moving and request.moving and not self.drawing:
            self._ask(moving=False)

    @Slot()
    def _on_still(self) -> None:
        if self.spinning:
            return
        if not self._held or self.governor.may_refine_while_held():
            self._ask(moving=False)

    @Slot()
    def _on_theme(self) -> None:
        self.refresh()


def _shows_all(stage: Stage) -> bool:
    """Whether the picture on the screen is a full one of the present view."""
    if stage.picture is None:
        return stage.document is None
    request = stage.picture.request
    size = (request.camera.width, request.camera.height)
    return request.quality.full and size == stage.size and stage.is_of_now(stage.picture)
