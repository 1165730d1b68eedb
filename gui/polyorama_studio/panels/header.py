"""The top of the inspector and of the modifiers: which node is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from polyorama.core.text import count_of
from polyorama.scene.faces.actor import Actor
from polyorama.scene.mesh import Mesh
from polyorama_studio.fields.simple import TextField
from polyorama_studio.fields.words import python_node
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.panels.kinds import kind_icon, kind_title
from polyorama_studio.theme import Metrics
from polyorama_studio.words import splats_left

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from polyorama.scene.document import Document, Node
    from polyorama_studio.session import Session
    from polyorama_studio.theme import Theme

__all__ = ["InspectorHeader", "NodeIcon"]


@guards
class NodeIcon(QWidget):
    """An icon in a soft box."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = "theatre"
        self.setFixedSize(Metrics.header_icon, Metrics.header_icon)
        theme.changed.connect(self.update)

    def set_icon(self, name: str) -> None:
        """Show another one."""
        if name != self._name:
            self._name = name
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Box and icon."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.color("raised"))
        painter.drawRoundedRect(QRectF(self.rect()), Metrics.corner, Metrics.corner)
        place = QRectF(0.0, 0.0, Metrics.icon, Metrics.icon)
        place.moveCenter(QRectF(self.rect()).center())
        paint_icon(painter, self._name, tokens.color("text"), place)
        painter.end()


class InspectorHeader(QFrame):
    """Icon, name, kind and counts of what is chosen."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.icon = NodeIcon(session.theme, self)
        self.name = TextField(self.tr("Name of the chosen node"), self)
        self.name.setObjectName("headerName")
        self.name.committed.connect(self._rename)
        self.detail = QLabel(self)
        self.detail.setProperty("fine", "true")
        self.detail.setMinimumWidth(1)
        self.detail.setContentsMargins(Metrics.space[0], 0, 0, 0)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.name)
        words.addWidget(self.detail)
        row = QHBoxLayout(self)
        side = Metrics.space[1]
        row.setContentsMargins(side, side, side, Metrics.space[0])
        row.setSpacing(Metrics.space[0])
        row.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)

    @Slot(str)
    def _rename(self, name: str) -> None:
        document = self._session.editing.document
        if document is not None and len(document.chosen) == 1:
            old = python_node(document, document.chosen[0])
            self._session.editing.run("rename", node=old, name=name)

    def refresh(self) -> None:
        """Show what is chosen."""
        document = self._session.editing.document
        chosen = () if document is None else document.chosen
        self.name.setReadOnly(len(chosen) != 1)
        self.name.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus if len(chosen) == 1 else Qt.FocusPolicy.NoFocus
        )
        if document is None:
            icon, name, detail = "theatre", self.tr("Nothing open"), self.tr("Open a capture first")
        elif len(chosen) == 1:
            node = document.node(chosen[0])
            icon, name, detail = kind_icon(node), node.name, self._detail(document, node)
        elif chosen:
            nodes = [document.node(i) for i in chosen]
            icons = {kind_icon(node) for node in nodes}
            icon = icons.pop() if len(icons) == 1 else "panels"
            name = self.tr("{0} nodes").format(len(nodes))
            kinds = sorted({kind_title(node) for node in nodes})
            detail = ", ".join(kinds)
        else:
            icon, name = "theatre", self._session.title or self.tr("Scene")
            holding = [node for node in document.nodes if node.splats is not None]
            parts = (count_of(len(document.nodes), "node"), splats_left(holding))
            detail = self.tr("{0}, {1}").format(*parts)
        self.icon.set_icon(icon)
        self.name.set_value(name)
        self.detail.setText(detail)

    def _detail(self, document: Document, node: Node) -> str:
        if node.splats is not None:
            selected = document.selection.get(node.id)
            total = splats_left([node])
            if selected is None:
                return total
            if node.deleted:
                return self.tr("{0}, {1} selected").format(total, f"{len(selected):,}")
            return self.tr("{0} of {1} selected").format(f"{len(selected):,}", total)
        if isinstance(node.content, Mesh):
            return self.tr("Mesh, {0} triangles").format(f"{len(node.content.triangles):,}")
        if isinstance(node.content, Actor):
            return self.tr("Face, {0} channels").format(len(node.content.rig.channels))
        if node.content is None and not node.missing:
            count = len(document.below(node.id)) - 1
            return self.tr("Group of {0}").format(f"{count:,}")
        return kind_title(node)
