"""A step of an edit stack, as a card."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from polyorama.core.params import parameters_of
from polyorama.scene.contents import CropVolume
from polyorama_studio import fields
from polyorama_studio.fields.link import PropertyLink
from polyorama_studio.fields.row import Label
from polyorama_studio.fields.rule import RuleField
from polyorama_studio.fields.simple import ChoiceField, SwitchField, TextField
from polyorama_studio.fields.words import python_modifier, python_node
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.jobs import Handlers
from polyorama_studio.panels.kinds import MODIFIER_ICONS, modifier_title
from polyorama_studio.panels.masks import MaskRow, StepCount, before_step, change_step
from polyorama_studio.panels.parts import FoldHead, IconButton, column_of
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from polyorama.core.jobs import Progress
    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier
    from polyorama_studio.session import Session

__all__ = ["Card", "fitting_box"]

_SHARED = ("enabled", "strength")
_PLACED = ("shape", "center", "rotation", "size")
"""What a crop takes from a volume where it has one."""
_FAINT = 0.45


def fitting_box(document: Document, node: Node) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Middle and side lengths of the box round a node's selected splats, or round all of them.

    In the node's own space, after the steps of its stack; stray splats count only where they are
    selected. `document` is at its time, and holds the node.
    """
    from polyorama.scene.stack import stacked
    from polyorama.scene.statistics import robust_bounds

    shown = stacked(document, node)
    means, bits = shown.means(), document.selection.get(node.id)
    if bits is not None and shown.in_source:
        chosen = means[bits.mask()].astype(np.float64)
        low, high = chosen.min(axis=0), chosen.max(axis=0)
    else:
        box = robust_bounds(means)
        low, high = box.low, box.high
    size = np.maximum(high - low, 1e-6)
    center = (low + high) / 2.0
    return tuple(float(v) for v in center), tuple(float(v) for v in size)


@guards
class _Grip(QWidget):
    """What a card is dragged by."""

    pulled = Signal(QPoint)
    dropped = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setFixedSize(Metrics.fold, Metrics.fold_head)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setToolTip(tip(self.tr("Drag to another place (Alt+Up, Alt+Down)")))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Six dots."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = float(Metrics.small_icon)
        place = QRectF(0.0, 0.0, side, side)
        place.moveCenter(QRectF(self.rect()).center())
        paint_icon(painter, "grip", self._session.theme.tokens.color("quiet"), place)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Hold it."""
        self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pull the card along."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.pulled.emit(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.dropped.emit()


@guards
class Card(QFrame):
    """Head with grip, name, switch and menu; below it mask, strength and parameters.

    Parameters
    ----------
    session
        Has the document.
    node_id, modifier
        Whose step it is.
    """

    menu_asked = Signal(str, QPoint)
    moved = Signal(str, int)
    pulled = Signal(str, QPoint)
    dropped = Signal(str)
    folded = Signal(str, bool)

    def __init__(
        self, session: Session, node_id: str, modifier: Modifier, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.node_id, self.id, self.kind = node_id, modifier.id, modifier.kind
        self.lifted = False
        self.grip = _Grip(session, self)
        self.head = FoldHead(session.theme, "", self, MODIFIER_ICONS[modifier.kind])
        self.head.toggled.connect(self._on_toggled)
        self.head.installEventFilter(self)
        self.enabled = PropertyLink(session, [self._path("enabled")], self)
        self.switch = SwitchField(session.theme, self.tr("Carry out this step"), self)
        self.switch.changed.connect(self.enabled.change)
        self.more = IconButton(session.theme, "more", self.tr("More"), self)
        self.more.clicked.connect(self._on_more)
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(Metrics.hair)
        top.addWidget(self.grip)
        top.addWidget(self.head, 1)
        top.addWidget(self.switch)
        top.addWidget(self.more)
        self.body = QWidget(self)
        self.content = column_of(self.body)
        self.content.setContentsMargins(Metrics.space[0], 0, 0, Metrics.space[0])
        column = column_of(self)
        side = Metrics.space[0]
        column.setContentsMargins(side, Metrics.hair, 0, Metrics.hair)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.body)
        self.mask: MaskRow | None = None
        self.rule: RuleField | None = None
        self.volume: ChoiceField | None = None
        self.rows: dict[str, QWidget] = {}
        self._fill(modifier)
        self.grip.pulled.connect(self._on_pulled)
        self.grip.dropped.connect(self._on_dropped)
        session.theme.changed.connect(self.update)
        self.refresh(modifier)

    def _path(self, name: str) -> str:
        return f"{self.node_id}/{self.id}/{name}"

    def _fill(self, modifier: Modifier) -> None:
        if modifier.kind != "decimate":
            self.mask = MaskRow(self._session, self.node_id, self.id, self.body)
            self.content.addWidget(self.mask)
        self._add_row("strength")
        if modifier.kind == "delete":
            self._add_rule()
        if modifier.kind == "crop":
            self._add_volume()
        for parameter in parameters_of(type(modifier)):
            if parameter.name not in _SHARED:
                self._add_row(parameter.name)

    def _add_row(self, name: str) -> None:
        row = fields.for_parameter(self._session, self._path(name), self.body)
        self.rows[name] = row
        self.content.addWidget(row)

    def _add_rule(self) -> None:
        self._count = StepCount(self.node_id, self.id)
        self.content.addWidget(Label(self.tr("Splats that go"), self.body))
        self.rule = RuleField(
            self._session,
            self.tr("Rule of what is deleted"),
            self._count,
            self.body,
            check=self._count.check,
        )
        self.rule.setContentsMargins(0, 0, Metrics.diamond_box, 0)
        self.rule.committed.connect(partial(self._change, "rule"))
        self.content.addWidget(self.rule)

    def _add_volume(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(Metrics.space[1])
        line.setContentsMargins(0, 0, Metrics.diamond_box, 0)
        label = Label(self.tr("Place"), self.body)
        label.setFixedWidth(Metrics.field_label)
        self.volume = ChoiceField((), self.tr("Volume that gives shape and place"), self.body)
        self.volume.setToolTip(
            tip(self.tr("Take shape and place from a crop volume of the scene, or have its own"))
        )
        self.volume.chosen.connect(partial(self._change, "volume"))
        line.addWidget(label)
        line.addWidget(self.volume, 1)
        self.content.addLayout(line)
        self.fit = QPushButton(self.tr("Fit to selection"), self.body)
        self.fit.setProperty("tight", "true")
        self.fit.setToolTip(
            tip(self.tr("Put the volume round the selected splats, or round all where none is"))
        )
        self.fit.clicked.connect(self._fit)
        below = QHBoxLayout()
        below.setContentsMargins(0, 0, Metrics.diamond_box, 0)
        below.addSpacing(Metrics.field_label + Metrics.space[1])
        below.addWidget(self.fit, 1)
        self.content.addLayout(below)

    def _change(self, name: str, value: Any) -> None:
        change_step(self._session, self.node_id, self.id, {name: value})

    # Showing

    def refresh(self, modifier: Modifier) -> None:
        """Show the step as it is."""
        title = modifier_title(modifier)
        self.head.setText(title)
        self.head.setAccessibleName(title)
        values = self.enabled.values()
        on = bool(values and values[0])
        self.switch.set_value(on)
        self.switch.setToolTip(tip(self.enabled.tip))
        self.head.set_off(not on)
        note = f"{100.0 * modifier.strength:.0f} %" if modifier.strength < 1.0 else ""
        self.head.set_note(note if on else self.tr("off"))
        if self.mask is not None:
            self.mask.refresh()
        document, shown = self._session.editing.document, self._session.stage.shown
        if self.rule is not None and shown is not None:
            rule = modifier.rule  # type: ignore[attr-defined]
            if self._count.look(shown) or rule != self.rule.edit.text():
                self.rule.set_value(rule)
        if self.volume is not None and document is not None:
            volumes = [(n.id, n.name) for n in document.nodes if isinstance(n.content, CropVolume)]
            self.volume.set_choices([("", self.tr("Its own")), *volumes])
            volume = modifier.volume  # type: ignore[attr-defined]
            self.volume.set_value(volume)
            for name in _PLACED:
                self.rows[name].setVisible(not volume)
            self.fit.setVisible(not volume)
        self.update()

    @Slot(bool)
    def _on_toggled(self, checked: bool) -> None:
        self.body.setVisible(checked)
        self.folded.emit(self.id, not checked)

    def set_open(self, is_open: bool) -> None:
        """Open or close it."""
        self.head.setChecked(is_open)

    def set_lifted(self, lifted: bool) -> None:
        """Show that it is being dragged."""
        self.lifted = lifted
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A soft box."""
        tokens = self._session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.lifted:
            painter.setOpacity(_FAINT)
        painter.setBrush(tokens.color("ground"))
        painter.setPen(tokens.color("accent" if self.lifted else "line"))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, Metrics.card_corner, Metrics.card_corner)
        painter.end()

    # What a person does

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:
        """On the head: a double click renames, Alt with an arrow moves, Delete removes."""
        if watched is self.head:
            if event.type() == QEvent.Type.MouseButtonDblClick:
                self.rename()
                return True
            if event.type() == QEvent.Type.KeyPress and self._on_key(event):
                return True
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        key, alt = event.key(), event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(self.id, -1 if key == Qt.Key.Key_Up else 1)
        elif key == Qt.Key.Key_F2:
            self.rename()
        elif key == Qt.Key.Key_Delete:
            self.remove()
        else:
            return False
        return True

    def remove(self) -> None:
        """Take the step out."""
        document = self._session.editing.document
        if document is not None:
            self._session.editing.run(
                "remove_modifier",
                node=python_node(document, self.node_id),
                modifier=python_modifier(document, self.node_id, self.id),
            )

    def rename(self) -> None:
        """Type another name in the head's place."""
        edit = TextField(self.tr("Name of this step"), self.head)
        edit.setObjectName("inPlace")
        edit.setGeometry(self.head.rect().adjusted(Metrics.icon, 1, 0, -1))
        edit.set_value(self.head.text())
        edit.committed.connect(partial(self._change, "name"))
        edit.editingFinished.connect(edit.hide)
        edit.editingFinished.connect(edit.deleteLater)
        edit.show()
        edit.setFocus()
        edit.selectAll()

    @Slot()
    def _on_more(self) -> None:
        self.menu_asked.emit(self.id, self.more.mapToGlobal(QPoint(0, self.more.height())))

    def contextMenuEvent(self, event) -> None:
        """The same menu."""
        self.menu_asked.emit(self.id, event.globalPos())
        event.accept()

    @Slot(QPoint)
    def _on_pulled(self, place: QPoint) -> None:
        self.pulled.emit(self.id, place)

    @Slot()
    def _on_dropped(self) -> None:
        self.dropped.emit(self.id)

    @Slot()
    def _fit(self) -> None:
        shown = self._session.stage.shown
        if shown is not None:
            work = partial(fitting_box, *before_step(shown, self.node_id, self.id))
            handlers = Handlers(self._on_fitted, self._session.report, self._on_progress)
            self._session.start_job(work, handlers, "fit")

    def _on_progress(self, progress: Progress) -> None:
        """It takes no steps."""

    def _on_fitted(self, box: tuple[tuple[float, ...], tuple[float, ...]] | None) -> None:
        document = self._session.editing.document
        if box is None or document is None:
            return
        values = {"center": box[0], "size": box[1], "rotation": (0.0, 0.0, 0.0)}
        with self._session.editing.gesture(self.tr("Fit crop to selection")):
            for name, value in values.items():
                PropertyLink(self._session, [self._path(name)], self).set(value)
