"""The view of the node tree: rows with an icon, a name, an eye and a lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRectF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QTreeView,
    QWidget,
)

from polyorama_studio.fields.words import python_nodes
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.panels.kinds import kind_icon
from polyorama_studio.panels.tree import EYE, LOCK, NAME, NodeTree
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from PySide6.QtCore import QRect, QSize
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QStyleOptionViewItem

    from polyorama.scene.document import Node
    from polyorama_studio.session import Session

__all__ = ["NodeView"]

_FAINT = 0.5
_OPEN_AT_FIRST = 200
"""A document with more nodes opens with its groups closed."""


@guards
class _Rows(QStyledItemDelegate):
    """Paints a row and edits its name."""

    def __init__(self, view: NodeView) -> None:
        super().__init__(view)
        self._view = view
        self._tokens = view.session.theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """All rows are alike."""
        size = super().sizeHint(option, index)
        size.setHeight(Metrics.row)
        return size

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Icon and name, or a switch."""
        model = self._view.tree
        node = model.node_at(index)
        if node is None:
            return
        tokens = self._tokens.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect)
        hovered = self._view.hovered_row == index.siblingAtColumn(NAME)
        if index.column() == NAME:
            seen = node.visible and model.is_shown(index)
            if not seen:
                painter.setOpacity(_FAINT)
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            side = float(Metrics.icon)
            top = box.top() + (box.height() - side) / 2.0
            icon = QRectF(box.left() + Metrics.hair, top, side, side)
            token = "bad" if node.missing else "accent" if chosen else "quiet"
            paint_icon(painter, kind_icon(node), tokens.color(token), icon)
            text = box.adjusted(side + Metrics.space[1], 0.0, -Metrics.hair, 0.0)
            painter.setPen(tokens.color("accent" if chosen else "text"))
            active = node.id == self._view.active
            painter.setFont(font(Metrics.body, medium=active))
            elide = painter.fontMetrics().elidedText(
                node.name, Qt.TextElideMode.ElideRight, int(text.width())
            )
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, elide)
        else:
            on = node.visible if index.column() == EYE else node.fixed
            usual = on if index.column() == EYE else not on
            name = {
                (EYE, True): "eye", (EYE, False): "eye-off",
                (LOCK, True): "lock", (LOCK, False): "lock-open",
            }[index.column(), on]  # fmt: skip
            side = float(Metrics.small_icon)
            icon = QRectF(0.0, 0.0, side, side)
            icon.moveCenter(box.center())
            if usual and not hovered:
                # What is as usual is hardly there, so that what is not stands out.
                painter.setOpacity(0.0 if index.column() == LOCK else _FAINT)
            paint_icon(painter, name, tokens.color("quiet" if usual else "text"), icon)
        painter.restore()

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex
    ) -> QWidget:
        """A line in the place of the name."""
        edit = QLineEdit(parent)
        edit.setObjectName("inPlace")
        edit.setAccessibleName(self.tr("Name"))
        return edit

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex
    ) -> None:
        """Over the name, not over the icon."""
        editor.setGeometry(option.rect.adjusted(Metrics.icon + Metrics.space[0], 0, 0, 0))


class _Switch:
    """Eyes or locks being switched, from the press on one to the release; one step of the history.

    Parameters
    ----------
    column
        `EYE` or `LOCK`.
    node
        Pressed on: all that are drawn over become what it becomes.
    """

    def __init__(self, session: Session, column: int, node: Node) -> None:
        self._editing = session.editing
        self._column = column
        self._on = not (node.visible if column == EYE else node.fixed)
        title = "Show or hide nodes" if column == EYE else "Lock or unlock nodes"
        self._editing.begin(QCoreApplication.translate("NodeView", title))
        self.over(node.id)

    def over(self, node_id: str) -> None:
        """Switch a node, and where it is chosen all that are."""
        document = self._editing.document
        if document is None:
            return
        node = document.node(node_id)
        chosen = document.chosen if node_id in document.chosen else (node_id,)
        nodes = python_nodes(document, chosen)
        if self._column == EYE and node.visible != self._on:
            self._editing.run("show", nodes=nodes, visible=self._on)
        elif self._column == LOCK and node.fixed != self._on:
            self._editing.run("fix", nodes=nodes, fixed=self._on)

    def end(self) -> None:
        """Let go."""
        self._editing.end()


@guards
class NodeView(QTreeView):
    """The tree; what is chosen in it is what the document says is chosen."""

    menu_asked = Signal(QPoint)
    delete_asked = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nodes")
        self.session = session
        self.tree = NodeTree(session, self)
        self.active = ""
        self.hovered_row = QModelIndex()
        self._syncing = False
        self._switch: _Switch | None = None
        self._open: set[str] = set()
        self._known: set[str] = set()
        self.setModel(self.tree)
        self.setItemDelegate(_Rows(self))
        self.setAccessibleName(self.tr("Outliner"))
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(Metrics.fold + Metrics.hair)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setAutoExpandDelay(5 * Metrics.motion)
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(Metrics.space[0])
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column in (EYE, LOCK):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, Metrics.icon + Metrics.space[0])
        self.expanded.connect(self._on_expanded)
        self.collapsed.connect(self._on_collapsed)
        self.doubleClicked.connect(self._on_double)
        self.tree.restarted.connect(self._on_restarted)
        self.customContextMenuRequested.connect(self._on_menu)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        session.theme.changed.connect(self.viewport().update)

    # Following the document

    def refresh(self) -> None:
        """Show the document as it is."""
        document = self.session.editing.document
        first = self.tree.count == 0
        self._syncing = True
        self.tree.set_document(document)
        self._syncing = False
        nodes = () if document is None else document.nodes
        if not self.tree.filter:
            self._open_fresh(first, {node.parent for node in nodes if node.parent is not None})
        self.sync()

    def forget(self) -> None:
        """Another document was opened: what was folded in the last one does not matter."""
        self._open, self._known, self.active = set(), set(), ""
        self._syncing = True
        self.tree.set_filter("")
        self.tree.set_document(None)
        self._syncing = False

    def _open_fresh(self, first: bool, parents: set[str]) -> None:
        """What came to have children is open; of a document just opened, what is not too much."""
        fresh = parents - self._known
        self._known = parents
        if first and self.tree.count > _OPEN_AT_FIRST:
            fresh = set()
        for node_id in fresh:
            self.expand(self.tree.index_of(node_id))

    def sync(self) -> None:
        """Select the rows of the chosen nodes."""
        document = self.session.editing.document
        chosen = () if document is None else document.chosen
        active = chosen[-1] if chosen else ""
        if active != self.active:
            self.active = active
            self.viewport().update()
        if set(self.chosen_rows()) == {i for i in chosen if self.tree.index_of(i).isValid()}:
            return
        self._syncing = True
        selection = self.selectionModel()
        selection.clearSelection()
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for node_id in chosen:
            selection.select(self.tree.index_of(node_id), flags)
        if active:
            index = self.tree.index_of(active)
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(index)
        self._syncing = False

    def chosen_rows(self) -> list[str]:
        """Ids of the selected rows."""
        # Not `selectedRows`, which asks for each row's parent once for each range.
        found = []
        for block in self.selectionModel().selection():
            parent = block.parent()
            for row in range(block.top(), block.bottom() + 1):
                node = self.tree.node_at(self.tree.index(row, NAME, parent))
                if node is not None:
                    found.append(node.id)
        return found

    @Slot()
    def _on_selected(self) -> None:
        document = self.session.editing.document
        if self._syncing or document is None:
            return
        picked = self.chosen_rows()
        current = self.tree.node_at(self.currentIndex())
        if current is not None and current.id in picked:
            picked = [*(i for i in picked if i != current.id), current.id]
        if tuple(picked) != document.chosen:
            self.session.editing.run("choose", nodes=python_nodes(document, picked))

    # Folding

    @Slot(QModelIndex)
    def _on_expanded(self, index: QModelIndex) -> None:
        node = self.tree.node_at(index)
        if node is not None and not self.tree.filter:
            self._open.add(node.id)

    @Slot(QModelIndex)
    def _on_collapsed(self, index: QModelIndex) -> None:
        node = self.tree.node_at(index)
        if node is not None and not self.tree.filter:
            self._open.discard(node.id)

    @Slot()
    def _on_restarted(self) -> None:
        if self.tree.filter:
            self.unfold_all()
            return
        for node_id in self._open:
            index = self.tree.index_of(node_id)
            if index.isValid():
                self.expand(index)

    def unfold_all(self) -> None:
        """Open everything that has children; Qt's own way remembers each row without any, too."""
        document = self.session.editing.document
        nodes = () if document is None else document.nodes
        for node_id in {node.parent for node in nodes if node.parent is not None}:
            index = self.tree.index_of(node_id)
            if index.isValid():
                self.expand(index)

    def set_filter(self, text: str) -> None:
        """Show only what the text is found in."""
        self._syncing = True
        self.tree.set_filter(text)
        self._syncing = False
        if self.tree.filter:
            self.unfold_all()
        else:
            self._on_restarted()
        self.sync()

    # Switches

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """On an eye or a lock, switch it; a drag over others switches them, too."""
        index = self.indexAt(event.position().toPoint())
        node = self.tree.node_at(index) if index.isValid() else None
        left = event.button() == Qt.MouseButton.LeftButton
        if not left or node is None or index.column() == NAME:
            super().mousePressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.AltModifier and index.column() == EYE:
            self.show_alone(node.id)
        else:
            self._switch = _Switch(self.session, index.column(), node)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Switch what is drawn over; show what is under the pointer."""
        index = self.indexAt(event.position().toPoint())
        self._hover(index.siblingAtColumn(NAME))
        if self._switch is None:
            super().mouseMoveEvent(event)
        elif (node := self.tree.node_at(index)) is not None:
            self._switch.over(node.id)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The switching is one step."""
        if self._switch is None:
            super().mouseReleaseEvent(event)
        else:
            self._switch.end()
            self._switch = None

    def show_alone(self, node_id: str) -> None:
        """Hide all other nodes, or show all where they are hidden already."""
        from polyorama_studio.panels.node_commands import show_alone

        show_alone(self.session, [node_id])

    def _hover(self, index: QModelIndex) -> None:
        if index != self.hovered_row:
            self.hovered_row = index
            self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What is chosen stays in sight when docks come and go."""
        index = self.tree.index_of(self.active)
        row, before = self.visualRect(index), event.oldSize()
        seen = index.isValid() and 0 <= row.top() < before.height()
        super().resizeEvent(event)
        if seen:
            self.scrollTo(index)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        self._hover(QModelIndex())
        super().leaveEvent(event)

    # Rows

    @Slot(QModelIndex)
    def _on_double(self, index: QModelIndex) -> None:
        if index.column() == NAME:
            self.edit(index)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """A soft bar behind what is chosen or pointed at."""
        tokens = self.session.theme.tokens
        chosen = self.selectionModel().isSelected(index)
        if chosen or index.siblingAtColumn(NAME) == self.hovered_row:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            color = tokens.color("accent" if chosen else "raised")
            if chosen:
                color.setAlphaF(0.14)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            box = QRectF(0.0, option.rect.top(), self.viewport().width(), option.rect.height())
            painter.drawRoundedRect(box.adjusted(1, 0.5, -1, -0.5), Metrics.corner, Metrics.corner)
            painter.restore()
        super().drawRow(painter, option, index)

    def drawBranches(self, painter: QPainter, rect: QRect, index: QModelIndex) -> None:
        """A chevron before what has children."""
        if not self.tree.rowCount(index):
            return
        _paint_chevron(painter, rect, self.isExpanded(index), self.session)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete removes nodes; V shows and hides; Escape chooses nothing."""
        key, plain = event.key(), event.modifiers() == Qt.KeyboardModifier.NoModifier
        chosen = self.chosen_rows()
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and plain and chosen:
            self.delete_asked.emit()
        elif key == Qt.Key.Key_Space and plain and chosen:
            document = self.session.editing.document
            assert document is not None
            visible = not document.node(chosen[-1]).visible
            names = python_nodes(document, chosen)
            self.session.editing.run("show", nodes=names, visible=visible)
        elif key == Qt.Key.Key_Escape and chosen:
            self.clearSelection()
        elif (
            key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and self.currentIndex().isValid()
        ):
            self.edit(self.currentIndex().siblingAtColumn(NAME))
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """An empty tree invites."""
        super().paintEvent(event)
        if self.tree.count:
            return
        painter = QPainter(self.viewport())
        painter.setPen(self.session.theme.tokens.color("quiet"))
        painter.setFont(font(Metrics.label))
        text = self.tr("Nothing is called that") if self.tree.filter else self.tr("An empty scene")
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
        side = Metrics.space[3]
        painter.drawText(self.viewport().rect().adjusted(side, side, -side, -side), flags, text)
        painter.end()

    @Slot(QPoint)
    def _on_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if not index.isValid():
            self.clearSelection()
        self.menu_asked.emit(self.viewport().mapToGlobal(place))


def _paint_chevron(painter: QPainter, rect: QRect, is_open: bool, session: Session) -> None:
    side = float(Metrics.fold)
    box = QRectF(rect.right() - side, 0.0, side, side)
    box.moveTop(rect.top() + (rect.height() - side) / 2.0)
    name = "chevron-down" if is_open else "chevron-right"
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_icon(painter, name, session.theme.tokens.color("quiet"), box)
    painter.restore()
