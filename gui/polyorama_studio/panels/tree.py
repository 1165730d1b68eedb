"""The document's nodes as a tree for views: changes in place, so that views keep their state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QByteArray, QMimeData, QModelIndex, Qt, Signal

from polyorama_studio.fields.words import python_node, python_nodes
from polyorama_studio.guard import guards
from polyorama_studio.panels.tree_words import (
    EYE,
    LOCK,
    NAME,
    cell_tip,
    found_nodes,
    spoken_cell,
    standing,
    steps_between,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from polyorama.scene.document import Document, Node
    from polyorama_studio.session import Session

__all__ = ["EYE", "LOCK", "NAME", "NODES_MIME", "NodeTree"]

_NOWHERE = QModelIndex()
NODES_MIME = "application/x-polyorama-nodes"
_CELL_FLAGS = (
    Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsDragEnabled
    | Qt.ItemFlag.ItemIsDropEnabled
)
_NAME_FLAGS = _CELL_FLAGS | Qt.ItemFlag.ItemIsEditable
_MOST_STEPS = 32
"""A change of more rows than this starts the tree anew, which is faster then."""


@dataclass(eq=False, slots=True)
class _Item:
    """A node's place in the tree."""

    serial: int
    node: Node | None
    parent: _Item | None
    children: list[_Item] = field(default_factory=list)
    shown: bool = True
    """Whether everything above it is visible."""

    @property
    def row(self) -> int:
        """Place among its siblings."""
        return 0 if self.parent is None else self.parent.children.index(self)


@guards
class NodeTree(QAbstractItemModel):
    """Nodes below their parents, with columns for the name, the eye and the lock.

    Parameters
    ----------
    session
        Has the document, and carries out what is done here.
    """

    restarted = Signal()
    """The whole tree was made anew."""

    def __init__(self, session: Session, parent: Any = None) -> None:
        super().__init__(parent)
        self._session = session
        self._root = _Item(0, None, None)
        self._by_id: dict[str, _Item] = {}
        self._by_serial: dict[int, _Item] = {0: self._root}
        self._next = 1
        self._nodes: tuple[Node, ...] = ()
        self._filter = ""
        self._places: list[tuple[str, str | None]] = []

    # Where things are

    def _item(self, index: QModelIndex) -> _Item:
        return self._by_serial[index.internalId()] if index.isValid() else self._root

    def node_at(self, index: QModelIndex) -> Node | None:
        """The node in a row, None for the root."""
        return self._item(index).node

    def index_of(self, node_id: str, column: int = NAME) -> QModelIndex:
        """Where a node stands; no valid index where it is not shown."""
        item = self._by_id.get(node_id)
        return QModelIndex() if item is None else self._index(item, column)

    def _index(self, item: _Item, column: int = NAME) -> QModelIndex:
        if item is self._root:
            return QModelIndex()
        return self.createIndex(item.row, column, item.serial)

    def is_shown(self, index: QModelIndex) -> bool:
        """Whether everything above a node is visible, so that its own eye counts."""
        return self._item(index).shown

    @property
    def count(self) -> int:
        """Nodes in the tree."""
        return len(self._by_id)

    # What views ask

    def index(self, row: int, column: int, parent: QModelIndex = _NOWHERE) -> QModelIndex:
        """A row below a parent."""
        children = self._item(parent).children
        if not 0 <= row < len(children) or not 0 <= column <= LOCK:
            return QModelIndex()
        return self.createIndex(row, column, children[row].serial)

    def parent(self, index: QModelIndex = _NOWHERE) -> QModelIndex:
        """What a row lies below."""
        above = self._item(index).parent
        return QModelIndex() if above is None else self._index(above)

    def rowCount(self, parent: QModelIndex = _NOWHERE) -> int:
        """Children of a node."""
        return 0 if parent.isValid() and parent.column() else len(self._item(parent).children)

    def columnCount(self, parent: QModelIndex = _NOWHERE) -> int:
        """Name, eye, lock."""
        return LOCK + 1

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names; icons and switches are painted by the delegate."""
        node = self._item(index).node
        if node is None:
            return None
        column = index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return node.name if column == NAME else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_cell(node, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell_tip(node, column)
        return None

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        """Everything can be chosen, dragged and dropped on; names can be edited."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        return _NAME_FLAGS if index.column() == NAME else _CELL_FLAGS

    def setData(self, index: QModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename."""
        node = self._item(index).node
        name = str(value).strip()
        if node is None or role != Qt.ItemDataRole.EditRole or not name or name == node.name:
            return False
        document = self._session.editing.document
        if document is None:
            return False
        old = python_node(document, node.id)
        return self._session.editing.run("rename", node=old, name=name)

    # Dragging

    def supportedDropActions(self) -> Qt.DropAction:
        """Nodes are moved."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """Ids of nodes of this program."""
        return [NODES_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """The ids of the dragged nodes, in the order of the document."""
        wanted = {node.id for index in indexes if (node := self.node_at(index)) is not None}
        ids = [node.id for node in self._nodes if node.id in wanted]
        data = QMimeData()
        data.setData(NODES_MIME, QByteArray("\n".join(ids).encode()))
        return data

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: QModelIndex
    ) -> bool:
        """Not into themselves."""
        if not data.hasFormat(NODES_MIME):
            return False
        ids, item = set(_ids_of(data)), self._item(parent)
        while item is not None and item.node is not None:
            if item.node.id in ids:
                return False
            item = item.parent
        return bool(ids) and not self._filter

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: QModelIndex
    ) -> bool:
        """Move the nodes below another one, or between two."""
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        ids, above = _ids_of(data), self._item(parent)
        before = None
        if row >= 0:
            rest = [c.node.id for c in above.children[row:] if c.node is not None]
            before = next((node_id for node_id in rest if node_id not in ids), None)
        document = self._session.editing.document
        if document is None:
            return False
        parent, sibling = (
            None if i is None else python_node(document, i)
            for i in (None if above.node is None else above.node.id, before)
        )
        return self._session.editing.run(
            "move", nodes=python_nodes(document, ids), parent=parent, before=sibling
        )

    # Following the document

    @property
    def filter(self) -> str:
        """What names, or kinds, must hold to be shown."""
        return self._filter

    def set_filter(self, text: str) -> None:
        """Show only nodes whose name or kind holds the text, and what they lie below."""
        text = text.strip().casefold()
        if text != self._filter:
            self._filter = text
            self._update()

    def set_document(self, document: Document | None) -> None:
        """Show the nodes of a document."""
        nodes = () if document is None else document.nodes
        if nodes is not self._nodes:
            self._nodes = nodes
            self._update()

    def _update(self) -> None:
        nodes = found_nodes(self._nodes, self._filter)
        places = [(node.id, node.parent) for node in nodes]
        if places != self._places:
            self._places = places
            if not self._rearranged(nodes):
                self._restart(nodes)
                return
        self._refresh(nodes)

    def _rearranged(self, nodes: list[Node]) -> bool:
        """Move, put in and take out single rows; False where these would be too many."""
        wanted: dict[str | None, list[str]] = {None: []}
        for node in nodes:
            wanted.setdefault(node.parent, []).append(node.id)
        fresh = {node.id: node for node in nodes}
        gone = self._by_id.keys() - fresh.keys()
        shown = _children(self._by_serial.values())
        if steps_between(shown, wanted, gone) > _MOST_STEPS:
            return False
        for node_id in gone:
            item = self._by_id.get(node_id)
            if item is not None and (item.parent.node is None or item.parent.node.id not in gone):
                self._park(item, gone)
                self._take_out(item)
        for parent in (None, *fresh):
            ids = wanted.get(parent, [])
            if ids != shown.get(parent, []) or gone:
                self._settle(self._root if parent is None else self._by_id[parent], ids, fresh)
        return True

    def _restart(self, nodes: list[Node]) -> None:
        self.beginResetModel()
        old = self._by_id
        self._root.children = []
        self._by_id, self._by_serial = {}, {0: self._root}
        for node in nodes:
            above = self._root if node.parent is None else self._by_id[node.parent]
            known = old.get(node.id)
            self._add(node, above, len(above.children), known.serial if known else None)
        _mark(self._by_id[node.id] for node in nodes)
        self.endResetModel()
        self.restarted.emit()

    def _add(self, node: Node, above: _Item, row: int, serial: int | None = None) -> None:
        if serial is None:
            serial, self._next = self._next, self._next + 1
        item = _Item(serial, node, above)
        above.children.insert(row, item)
        self._by_id[node.id] = item
        self._by_serial[serial] = item

    def _park(self, item: _Item, gone: set[str]) -> None:
        """Put what stays, but lies below what goes, at the root; it is settled later."""
        for child in list(item.children):
            if child.node.id in gone:
                self._park(child, gone)
            else:
                self._move(child, self._root, len(self._root.children))

    def _take_out(self, item: _Item) -> None:
        """Remove a row and all below it."""
        above, row = item.parent, item.row
        self.beginRemoveRows(self._index(above), row, row)
        above.children.pop(row)
        branch = [item]
        while branch:
            lost = branch.pop()
            branch += lost.children
            del self._by_id[lost.node.id]
            del self._by_serial[lost.serial]
        self.endRemoveRows()

    def _move(self, item: _Item, above: _Item, row: int) -> None:
        source, at = item.parent, item.row
        if source is above and at == row:
            return
        to = row + 1 if source is above and row > at else row
        if not self.beginMoveRows(self._index(source), at, at, self._index(above), to):
            return
        source.children.pop(at)
        above.children.insert(row, item)
        item.parent = above
        self.endMoveRows()

    def _settle(self, above: _Item, wanted: list[str], fresh: dict[str, Node]) -> None:
        """Bring a node's children into their places; those that go elsewhere come to lie behind."""
        present = [child.node.id for child in above.children]
        kept = standing(present, wanted)
        for node_id in present:
            if node_id not in kept:
                self._move(self._by_id[node_id], above, len(above.children) - 1)
        for row, node_id in enumerate(wanted):
            here = above.children[row] if row < len(above.children) else None
            if here is not None and here.node.id == node_id:
                continue
            known = self._by_id.get(node_id)
            if known is not None:
                self._move(known, above, row)
                continue
            self.beginInsertRows(self._index(above), row, row)
            self._add(fresh[node_id], above, row)
            self.endInsertRows()

    def _refresh(self, nodes: list[Node]) -> None:
        """Tell of nodes that are others than before."""
        before = {node.id: self._by_id[node.id].shown for node in nodes}
        changed = []
        for node in nodes:
            item = self._by_id[node.id]
            if item.node is not node:
                item.node = node
                changed.append(item)
        _mark(self._by_id[node.id] for node in nodes)
        changed += [i for i in self._by_id.values() if before[i.node.id] != i.shown]
        for item in changed[:_MOST_STEPS]:
            self.dataChanged.emit(self._index(item), self._index(item, LOCK))
        if len(changed) > _MOST_STEPS:
            self.dataChanged.emit(self.index(0, NAME), self.index(self.rowCount() - 1, LOCK))


def _ids_of(data: QMimeData) -> list[str]:
    return bytes(data.data(NODES_MIME).data()).decode().split("\n")


def _children(items: Iterable[_Item]) -> dict[str | None, list[str]]:
    """Ids of children by the id of their parent."""
    return {
        item.node.id if item.node else None: [child.node.id for child in item.children]
        for item in items
        if item.children
    }


def _mark(items: Iterable[_Item]) -> None:
    """Note whether all above each item is visible; parents come first."""
    for item in items:
        above = item.parent
        item.shown = above is None or above.node is None or (above.shown and above.node.visible)
