"""Named selections: a click selects, the count stands beside."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenu, QWidget

from polyorama.errors import PolyoramaError
from polyorama_studio.fields.rule import Counter
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.panels.parts import IconButton, Section
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QMouseEvent, QPaintEvent

    from polyorama.scene.document import Document
    from polyorama.scene.selection import NamedSelection
    from polyorama_studio.session import Session

__all__ = ["NamedSelections"]

_MODES = (("set", "Select"), ("add", "Add"), ("remove", "Remove"), ("intersect", "Intersect"))


def mode_of(modifiers: Qt.KeyboardModifier) -> str:
    """Set, add, remove or intersect, by none, Shift, Ctrl or both."""
    add = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
    remove = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
    if add and remove:
        return "intersect"
    return "add" if add else "remove" if remove else "set"


def _count(document: Document, entry: NamedSelection) -> int:
    """How many splats a named query holds for, on a worker thread."""
    from polyorama.edit.selection_ops import splat_nodes
    from polyorama.scene.surroundings import NodeSurroundings

    total = 0
    for node in splat_nodes(document):
        if not entry.nodes or node.id in entry.nodes:
            total += int(NodeSurroundings(document, node).mask(entry.query).sum())
    return total


@guards
class _Row(QAbstractButton):
    """One named selection."""

    def __init__(self, session: Session, entry: NamedSelection, parent: NamedSelections) -> None:
        super().__init__(parent)
        self._session = session
        self._panel = parent
        self.entry = entry
        self.count: int | None = None
        self.trouble = ""
        self.setText(entry.name)
        self.setFixedHeight(Metrics.row)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(self._on_clicked)
        self._counter = Counter(session, self)
        self._counter.counted.connect(self.set_count)
        self._counter.failed.connect(self._on_failed)
        self._counted: object = None
        session.theme.changed.connect(self.update)
        self._tell()

    def _tell(self) -> None:
        what = self.entry.query or self.tr("picked by hand")
        lines = [f"{self.entry.name}: {what}", self.trouble]
        lines.append(self.tr("Click selects; Shift adds, Ctrl removes, both intersect"))
        lines.append(f"doc.select('selected(\"{self.entry.name}\")')")
        self.setToolTip(tip("\n".join(line for line in lines if line)))
        count = "" if self.count is None else f", {self.count:,}"
        self.setAccessibleName(f"{self.entry.name}{count}")

    def count_in(self, document: Document) -> None:
        """Count what it holds now."""
        if not self.entry.query:
            self.set_count(sum(len(bits) for bits in self.entry.bits.values()))
            return
        asked = tuple(
            (n.content, n.modifiers, n.visible, n.deleted) for n in document.nodes if n.splats
        )
        uses_selection = "selected" in self.entry.query
        counted = (asked, document.selection if uses_selection else None)
        if counted != self._counted:
            self._counted = counted
            self._counter.ask(partial(_count, document, self.entry))

    @Slot(int)
    def set_count(self, count: int) -> None:
        """Show how many splats it holds."""
        self.count, self.trouble = count, ""
        self._tell()
        self.update()

    @Slot(str)
    def _on_failed(self, reason: str) -> None:
        self.count, self.trouble = None, reason
        self._tell()
        self.update()

    @Slot()
    def _on_clicked(self) -> None:
        self._panel.select(self.entry.name, mode_of(self._panel.held))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Keep what was held for the click."""
        self._panel.held = event.modifiers()
        super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with it."""
        self._panel.show_menu(self.entry, event.globalPos())
        event.accept()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be clicked."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the panel."""
        return QSize(Metrics.field_label, Metrics.row)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Icon, name, count."""
        tokens = self._session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self.underMouse() or self.isDown():
            painter.setBrush(tokens.color("raised"))
        painter.setPen(tokens.color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        side = float(Metrics.small_icon)
        place = QRectF(Metrics.space[0], (self.height() - side) / 2.0, side, side)
        name = "warning" if self.trouble else "search" if self.entry.query else "select-lasso"
        token = "bad" if self.trouble else "quiet"
        paint_icon(painter, name, tokens.color(token), place)
        text = box.adjusted(place.right() + Metrics.space[0], 0.0, -Metrics.space[0], 0.0)
        painter.setFont(font(Metrics.label, tabular=True))
        painter.setPen(tokens.color("quiet"))
        shown = "" if self.trouble else "…" if self.count is None else f"{self.count:,}"
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(text, right, shown)
        room = text.width() - painter.fontMetrics().horizontalAdvance(shown) - Metrics.space[0]
        painter.setFont(font(Metrics.body))
        painter.setPen(tokens.color("text"))
        title = painter.fontMetrics().elidedText(
            self.entry.name, Qt.TextElideMode.ElideRight, int(room)
        )
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, title)
        painter.end()


class NamedSelections(Section):
    """The section below the outliner's tree."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session.theme, "", parent)
        self.head.setText(self.tr("Selections"))
        self.head.setAccessibleName(self.tr("Named selections"))
        self._session = session
        self.held = Qt.KeyboardModifier.NoModifier
        self.rows: list[_Row] = []
        self.keep = IconButton(
            session.theme, "add", self.tr("Keep what is selected under a name"), self,
            'doc.keep_selection("name")',
        )  # fmt: skip
        self.keep.clicked.connect(self._on_keep)
        self.add_button(self.keep)
        self._empty = QLabel(self.tr("Select splats, then keep them here"), self.body)
        self._empty.setProperty("fine", "true")
        self._empty.setWordWrap(True)
        self._empty.setContentsMargins(Metrics.space[0], 0, Metrics.space[0], 0)
        self.content.setSpacing(0)
        self.content.setContentsMargins(0, 0, 0, Metrics.space[0])
        self.content.addWidget(self._empty)
        self._shown: tuple[NamedSelection, ...] = ()

    def refresh(self) -> None:
        """Show the document's named selections."""
        document = self._session.editing.document
        entries = () if document is None else document.selections
        self.keep.setEnabled(document is not None and bool(document.selection))
        if entries != self._shown:
            self._shown = entries
            for row in self.rows:
                self.content.removeWidget(row)
                row.hide()
                row.deleteLater()
            self.rows = [_Row(self._session, entry, self) for entry in entries]
            for row in self.rows:
                self.content.addWidget(row)
        self._empty.setVisible(not entries)
        self.head.set_note(str(len(entries)) if entries else "")
        if document is not None and self.isVisible():
            shown = self._session.stage.shown or document
            for row in self.rows:
                row.count_in(shown)

    def select(self, name: str, mode: str = "set") -> None:
        """Select what is kept under a name."""
        self._session.editing.start("select", query=f'selected("{name}")', mode=mode)

    def unused_name(self) -> str:
        """A name that nothing has."""
        taken = {entry.name for entry in self._shown}
        number = 1
        while f"Selection {number}" in taken:
            number += 1
        return f"Selection {number}"

    @Slot()
    def _on_keep(self) -> None:
        name = self.unused_name()
        if self._session.editing.run("keep_selection", name=name):
            self.set_open(True)
            row = next((row for row in self.rows if row.entry.name == name), None)
            if row is not None:
                self.rename(row)

    def show_menu(self, entry: NamedSelection, place: QPoint) -> None:
        """What can be done with a named selection."""
        menu = QMenu(self)
        for mode, title in _MODES:
            menu.addAction(self.tr(title)).triggered.connect(partial(self._pick, entry.name, mode))
        menu.addSeparator()
        replace = menu.addAction(self.tr("Replace by what is selected"))
        replace.triggered.connect(partial(self._replace, entry.name))
        replace.setEnabled(self.keep.isEnabled())
        menu.addAction(self.tr("Rename")).triggered.connect(partial(self._rename, entry.name))
        menu.addAction(self.tr("Forget")).triggered.connect(partial(self._forget, entry.name))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def _pick(self, name: str, mode: str, checked: bool = False) -> None:
        self.select(name, mode)

    def _replace(self, name: str, checked: bool = False) -> None:
        self._session.editing.run("keep_selection", name=name)

    def _forget(self, name: str, checked: bool = False) -> None:
        self._session.editing.run("forget_selection", name=name)

    def _rename(self, name: str, checked: bool = False) -> None:
        row = next((row for row in self.rows if row.entry.name == name), None)
        if row is not None:
            self.rename(row)

    def rename(self, row: _Row) -> None:
        """Type another name in the row's place."""
        from polyorama_studio.fields.simple import TextField

        edit = TextField(self.tr("Name"), row)
        edit.setObjectName("inPlace")
        edit.setGeometry(row.rect().adjusted(Metrics.icon + Metrics.space[0], 0, 0, 0))
        edit.set_value(row.entry.name)
        edit.committed.connect(partial(self._on_renamed, row.entry.name))
        edit.editingFinished.connect(edit.hide)
        edit.editingFinished.connect(edit.deleteLater)
        edit.show()
        edit.setFocus()
        edit.selectAll()

    def _on_renamed(self, old: str, name: str) -> None:
        if re.fullmatch(r"\w[\w \-]{0,63}", name):
            self._session.editing.run("rename_selection", name=old, to=name)
        else:
            self._session.report(
                PolyoramaError("A selection's name has letters, digits, spaces, _ and -.")
            )
