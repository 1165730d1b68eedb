"""The head on its stage: pictures of the face at the playhead, turned with the hand."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from polyorama.face.take import TRAINED_ON
from polyorama.scene.contents import LightRig
from polyorama.scene.document import Document, Node
from polyorama.scene.faces.actor import Actor
from polyorama.scene.faces.performance import Performance
from polyorama_studio.governor import Governor, Quality
from polyorama_studio.guard import guards
from polyorama_studio.orbit import OrbitView
from polyorama_studio.stage import Stage
from polyorama_studio.theme import Metrics, font
from polyorama_studio.viewport.backdrop import paint_empty_stage
from polyorama_studio.viewport.canvas import on_pixels
from polyorama_studio.viewport.navigator import Navigator
from polyorama_studio.viewport.overlays import BusyNote, paint_halo_text
from polyorama_studio.words import local_path, tip
from polyorama_studio.workspaces.face.scripts import solo_mask
from polyorama_studio.workspaces.face.welcome import Welcome

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDropEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )

    from polyorama.scene.faces.morphs import MorphRig
    from polyorama_studio.rendering import Picture
    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["FaceStage", "Portrait", "portrait_view", "stage_of"]

_LENS = 22.0
"""Field of view of a portrait, degrees: longer lenses flatter."""
_FILLED = 0.88
"""Of the picture's height, by the head without what it stands on."""
_LIFTED, _SMALLER = 0.13, 0.76
"""The same above a card."""
_YAW, _PITCH = -14.0, 2.0
_HIGH = 0.02
"""The head stands so far above the middle, as a share of its height."""
_TURNS = 0.95
_FULL = 90_000
_COARSE = 32_000
_LIVE = 16
"""Surfels of a face that moves, fewer but larger ones."""


def portrait_view(rig: MorphRig, *, lifted: bool = False) -> OrbitView:
    """Where a head is best seen from: from a little to its side, filling the picture.

    With `lifted` there is room below it.
    """
    vertices = _head_of(rig)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle = 0.5 * (low.astype(np.float64) + high)
    tall = max(float(high[1] - low[1]), 1e-6)
    middle[1] += (_LIFTED if lifted else _HIGH) * tall
    distance = tall / (_SMALLER if lifted else _FILLED) / (2.0 * np.tan(np.radians(_LENS) / 2.0))
    # The lens stands before the face, not before the middle of the head.
    distance += 0.5 * float(high[2] - low[2])
    target = (float(middle[0]), float(middle[1]), float(middle[2]))
    return OrbitView(target=target, yaw=_YAW, pitch=_PITCH, distance=distance, fov=_LENS)


def _head_of(rig: MorphRig) -> NDArray[np.float32]:
    """(n, 3) what turns with the head, or all where nothing does."""
    vertices = rig.mesh.vertices
    for rotor in rig.rotors:
        if rotor.name == "head":
            whole = rotor.indices[rotor.amounts > _TURNS]
            if len(whole):
                return np.asarray(vertices[whole])
    return np.asarray(vertices)


def light_of(dark: bool) -> LightRig:
    """A soft key from the face's right, and the room's light."""
    if dark:
        return LightRig(
            azimuth=-36.0, elevation=36.0, strength=0.84, softness=28.0, ambient=0.36,
            key=(1.0, 0.94, 0.86), sky=(0.84, 0.90, 1.0), ground=(0.62, 0.52, 0.47),
        )  # fmt: skip
    return LightRig(
        azimuth=-30.0, elevation=40.0, strength=0.80, softness=32.0, ambient=0.48,
        key=(1.0, 0.97, 0.92), sky=(0.93, 0.96, 1.0), ground=(0.74, 0.68, 0.64),
    )  # fmt: skip


def stage_of(actor: Actor, *, dark: bool) -> Document:
    """A face alone in its light."""
    face = Node("Face", content=actor, id="face")
    return Document(nodes=(face, Node("Light", content=light_of(dark), id="light")))


class FaceStage(Stage):
    """Pictures of one face; while it moves it is made of fewer and larger surfels.

    A share of the many would leave holes.
    """

    coarse: Document | None = None
    """The same face of fewer surfels."""

    def _ask(self, *, moving: bool) -> None:
        self.disguise = self.coarse if moving else None
        super()._ask(moving=moving)


class _AllOfThem(Governor):
    """Takes pixels away, never surfels."""

    def moving(self) -> Quality:
        """Quality of the next picture while something moves."""
        return Quality(super().moving().scale, 1.0)


@guards
class Portrait(QWidget):
    """Pictures of the face; a drag turns it, the wheel comes nearer, a double click resets.

    Parameters
    ----------
    desk
        Whose face it is.
    """

    dropped = Signal(object)
    """A file was dropped: its path."""
    seen = Signal(object)
    """Weights that came live can be seen now."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("facePortrait")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.setAccessibleName(self.tr("The face"))
        words = self.tr("Drag to turn the face, roll the wheel to come nearer\n"
                        "A double click, or Home, resets the view")  # fmt: skip
        self.setToolTip(tip(words))
        self.desk, self.session = desk, desk.session
        session = self.session
        self.stage = FaceStage(session.bridge, session.theme, session.stage.loop, self)
        self.stage.governor = _AllOfThem()
        desk.stage = self.stage
        self.navigator = Navigator(session, self.stage, self)
        self.welcome = Welcome(desk, self)
        self._note = BusyNote(session, self)
        self._shown: tuple[object, ...] = ()
        self._over = False
        self._live: deque[tuple[Document, object]] = deque(maxlen=_LIVE)
        self._framed: MorphRig | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.refresh)
        self.stage.picture_ready.connect(self._on_picture)
        self.stage.picture_failed.connect(self.session.report)
        for signal in (
            desk.performed, desk.rig_changed, desk.solo_changed, desk.live_changed,
            session.theme.changed,
        ):  # fmt: skip
            signal.connect(self._soon.start)
        desk.changed.connect(self._place)
        session.stage.time_changed.connect(self._on_time)
        session.busy_changed.connect(self._note.show_busy)
        self._place()

    # What is shown

    @Slot()
    def refresh(self) -> None:
        """Show the face as the desk has it."""
        desk = self.desk
        rig = desk.rig
        if rig is None:
            return
        performance = self._performance()
        key = (id(rig), id(performance), self.session.theme.tokens.name)
        if performance is not None and key == self._shown[:3]:
            return
        self._shown = (*key, performance)
        live = desk.live_weights
        dark = self.session.theme.tokens.name == "dark"
        document = stage_of(Actor(rig=rig, performance=performance, surfels=_FULL), dark=dark)
        few = Actor(rig=rig, performance=performance, surfels=_COARSE)
        self.stage.coarse = stage_of(few, dark=dark)
        if self.stage.document is None:
            self.stage.set_document(document, self._home)
            self._framed = rig
            self.stage.set_time(desk.time, moving=False)
        else:
            moving = desk.live_weights is not None or desk.working
            (self.stage.follow if moving else self.stage.change_document)(document)
            if _differs(self._framed, rig):
                self._framed = rig
                self.reset()
        if live is not None:
            self._live.append((document, live))
        self._place()

    def _performance(self) -> Performance | None:
        """The curves as they are seen: those of regions that stand alone, or what is live."""
        desk = self.desk
        if desk.live_weights is not None:
            return Performance(desk.live_weights[None, :], 60.0)
        performance = desk.performance
        if performance is None or not desk.solo:
            return performance
        return replace(performance, weights=performance.weights * solo_mask(desk.solo))

    @Slot()
    def reset(self) -> None:
        """See all of the face again."""
        if self.desk.rig is not None:
            self.stage.frame(self._home)

    @property
    def _home(self) -> OrbitView:
        assert self.desk.rig is not None
        return portrait_view(self.desk.rig, lifted=self._invites)

    @property
    def _invites(self) -> bool:
        return not self.desk.speaks and self.desk.live_weights is None

    @Slot(bool)
    def _on_time(self, moving: bool) -> None:
        self.stage.set_time(self.desk.time, moving=moving)

    @Slot(object)
    def _on_picture(self, picture: Picture) -> None:
        self.update()
        self.desk.drawn.emit()
        for document, weights in self._live:
            if picture.request.document is document:
                self.seen.emit(weights)

    @Slot()
    def _place(self) -> None:
        """The invitation stands below the face, until it speaks."""
        invites = self._invites
        if self.welcome.isHidden() == invites:
            self.welcome.setVisible(invites)
            rig, view = self.desk.rig, self.stage.view
            untouched = rig is not None and view == portrait_view(rig, lifted=not invites)
            if self.stage.document is not None and untouched:
                self.reset()
        self.welcome.fit(self.width())
        size = self.welcome.sizeHint()
        wide = min(size.width(), self.width())
        self.welcome.setGeometry(
            (self.width() - wide) // 2, self.height() - size.height() - Metrics.space[4],
            wide, size.height(),
        )  # fmt: skip
        self._note.place()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture; what the curves were learned from, where a model made them."""
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        picture = self.stage.picture
        if picture is None or picture.image is None:
            paint_empty_stage(painter, QRectF(self.rect()), tokens)
            waiting = self.tr("Preparing the first picture")
            if self.desk.rig is None:
                waiting = self.tr("Building the puppet")
            painter.setFont(font(Metrics.body))
            painter.setPen(tokens.color("quiet"))
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, waiting)
        else:
            exact = (picture.image.width(), picture.image.height()) == self._pixels()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not exact)
            area = on_pixels(painter, picture.image) if exact else QRectF(self.rect())
            painter.drawImage(area, picture.image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words = self.learned_from
        if words:
            painter.setFont(font(Metrics.label, medium=True))
            wide = painter.fontMetrics().horizontalAdvance(words)
            top = self.height() - Metrics.row - Metrics.space[0]
            foot = QRectF(Metrics.space[2], top, wide, Metrics.row)
            paint_halo_text(
                painter, foot, words, Metrics.label, tokens.color("quiet"), tokens.color("stage")
            )
        if self._over or self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            color = tokens.color("accent")
            color.setAlphaF(1.0 if self._over else 0.55)
            painter.setPen(color)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    @property
    def learned_from(self) -> str:
        """What is said of the model's results, "" where no model made them."""
        take = self.desk.take
        by_model = take is not None and take.provenance.source in ("model", "mix")
        if take is not None and take.provenance.training:
            return take.provenance.training
        return TRAINED_ON if by_model or self.desk.live_weights is not None else ""

    def _pixels(self) -> tuple[int, int]:
        ratio = self.devicePixelRatioF()
        return round(self.width() * ratio), round(self.height() * ratio)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the new size."""
        self.navigator.resize(self.size())
        self.stage.set_size(*self._pixels())
        self._place()

    # The hand

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the face."""
        if self.navigator.press(event):
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn it."""
        self.navigator.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self.navigator.release()
        self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Back to where it is best seen from."""
        self.reset()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Come nearer."""
        self.navigator.wheel(event)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows turn the face, Home resets the view."""
        if event.key() == Qt.Key.Key_Home:
            self.reset()
        elif not self.navigator.key(event):
            super().keyPressEvent(event)

    # Files

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A file may be dropped."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self._over = True
            self.update()

    def dragLeaveEvent(self, event: QEvent) -> None:
        """It went away."""
        self._over = False
        self.update()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take it."""
        self._over = False
        self.update()
        urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
        if urls:
            event.acceptProposedAction()
            self.dropped.emit(local_path(urls[0]))


def _differs(one: MorphRig | None, other: MorphRig) -> bool:
    """Whether two faces are of another make, so that the view of one does not fit the other."""
    return one is None or len(one.mesh.vertices) != len(other.mesh.vertices)
