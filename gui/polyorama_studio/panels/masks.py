"""Which splats a modifier changes: all, those of a rule, or those picked by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from polyorama.scene.rules import parse_rule
from polyorama.scene.selection import BitSet
from polyorama.scene.surroundings import NodeSurroundings
from polyorama_studio.fields.row import Label
from polyorama_studio.fields.rule import RuleField
from polyorama_studio.fields.segments import SegmentField
from polyorama_studio.fields.words import python_modifier, python_node
from polyorama_studio.panels.parts import column_of
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier
    from polyorama_studio.session import Session

__all__ = ["MaskRow", "StepCount", "before_step", "change_step"]


def before_step(document: Document, node_id: str, modifier_id: str) -> tuple[Document, Node]:
    """The document and the node as a modifier finds them: with the steps before it alone."""
    node = document.node(node_id)
    at = next(i for i, m in enumerate(node.modifiers) if m.id == modifier_id)
    earlier = replace(node, modifiers=node.modifiers[:at])
    return document.replaced(earlier), earlier


def change_step(session: Session, node_id: str, modifier_id: str, values: dict[str, Any]) -> bool:
    """Change fields of a modifier that are no parameters."""
    document = session.editing.document
    if document is None:
        return False
    return session.editing.run(
        "change_modifier",
        node=python_node(document, node_id),
        modifier=python_modifier(document, node_id, modifier_id),
        values=values,
    )


class StepCount:
    """Counts the splats that a rule holds for at a modifier's step.

    The scene is looked at on the GUI thread; counting then needs nothing but what was seen.
    """

    def __init__(self, node_id: str, modifier_id: str) -> None:
        self._ids = (node_id, modifier_id)
        self._document: Document | None = None
        self._seen: Any = None

    def look(self, document: Document) -> bool:
        """Take the scene in; tells whether counts may differ now."""
        node_id, modifier_id = self._ids
        node = document.node(node_id)
        at = next((i for i, m in enumerate(node.modifiers) if m.id == modifier_id), None)
        if at is None:
            return False
        seen = (node.content, node.modifiers[:at], document.selections)
        self._document = document
        changed = self._seen is None or not _same(seen, self._seen)
        self._seen = seen
        return changed

    def __call__(self, rule: str) -> int:
        """How many splats a rule holds for; called on a worker thread."""
        if self._document is None:
            return 0
        document, node = before_step(self._document, *self._ids)
        return int(NodeSurroundings(document, node).mask(rule).sum())

    def check(self, rule: str) -> None:
        """Ask the rule of a single splat, which tells whether all that it names is there.

        Raises
        ------
        UsageError
            If it is not.
        """
        if self._document is None:
            return
        document, node = before_step(self._document, *self._ids)
        if node.splats is not None:
            one = node.splats.subset(slice(0, 1))
            parse_rule(rule).mask(one, around=_Names(NodeSurroundings(document, node), len(one)))


class _Names:
    """Knows what there is in a scene, and measures nothing."""

    def __init__(self, scene: NodeSurroundings, count: int) -> None:
        self._scene, self._count = scene, count

    def distance_to(self, name: str) -> NDArray[Any]:
        """Nothing, from a node that must be there."""
        self._scene.document.node(name)
        return np.zeros(self._count, np.float32)

    def selected(self, name: str) -> NDArray[np.bool_]:
        """None, of a selection that must be there."""
        if name and all(kept.name != name for kept in self._scene.document.selections):
            self._scene.selected(name)  # says what there is instead
        return np.zeros(self._count, np.bool_)

    def visible_from(self) -> NDArray[Any]:
        """As the scene says: a step cannot ask it."""
        return self._scene.visible_from()


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    content, steps, selections = one
    return content is other[0] and steps == other[1] and selections == other[2]


class MaskRow(QWidget):
    """All, rule or picked; a rule is typed below, picked splats are counted there."""

    def __init__(
        self, session: Session, node_id: str, modifier_id: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._ids = (node_id, modifier_id)
        self._count = StepCount(node_id, modifier_id)
        choices = [
            ("all", self.tr("All")), ("rule", self.tr("Rule")), ("picked", self.tr("Picked")),
        ]  # fmt: skip
        self.kind = SegmentField(session.theme, choices, self.tr("Mask"), self)
        self.kind.setToolTip(
            tip(self.tr("Which splats this step changes: all, those of a rule, or those picked"))
        )
        label = Label(self.tr("Mask"), self)
        label.setFixedWidth(Metrics.field_label)
        top = QHBoxLayout()
        top.setSpacing(Metrics.space[1])
        top.setContentsMargins(0, 0, Metrics.diamond_box, 0)
        top.addWidget(label)
        top.addWidget(self.kind, 1)
        self.rule = RuleField(
            session, self.tr("Rule of the mask"), self._count, self, check=self._count.check
        )
        self.rule.setContentsMargins(0, 0, Metrics.diamond_box, 0)
        self.picked = QWidget(self)
        line = QHBoxLayout(self.picked)
        line.setContentsMargins(0, 0, Metrics.diamond_box, 0)
        line.setSpacing(Metrics.space[0])
        self.note = QLabel(self.picked)
        self.note.setProperty("fine", "true")
        self.note.setMinimumWidth(1)
        self.take = self._button(
            self.tr("Set"), self.tr("Take the splats that are selected now as the mask"), self._take
        )
        self.show_picked = self._button(
            self.tr("Select"), self.tr("Select the splats of the mask"), self._select
        )
        line.addWidget(self.note, 1)
        line.addWidget(self.take)
        line.addWidget(self.show_picked)
        column = column_of(self)
        column.addLayout(top)
        column.addWidget(self.rule)
        column.addWidget(self.picked)
        self.kind.chosen.connect(self._on_kind)
        self.rule.committed.connect(self._on_rule)
        self._shown: str | None = None
        self.refresh()

    def _button(self, title: str, words: str, slot: Any) -> QPushButton:
        button = QPushButton(title, self.picked)
        button.setProperty("tight", "true")
        button.setToolTip(tip(words))
        button.clicked.connect(slot)
        return button

    def _modifier(self) -> Modifier | None:
        document = self._session.editing.document
        if document is None:
            return None
        node = next((n for n in document.nodes if n.id == self._ids[0]), None)
        stack = () if node is None else node.modifiers
        return next((m for m in stack if m.id == self._ids[1]), None)

    def refresh(self) -> None:
        """Show the mask as it is."""
        modifier, shown = self._modifier(), self._session.stage.shown
        if modifier is None or shown is None:
            return
        mask = modifier.mask
        changed = self._count.look(shown)
        kind = "all" if mask is None else "rule" if isinstance(mask, str) else "picked"
        # Where another kind was asked for and nothing is there yet, it stays to be filled.
        if self._shown is None or self._shown != kind or kind != "all":
            self.kind.set_value(kind)
        self._shown = kind
        self._show(self.kind.value)
        if isinstance(mask, str) and (changed or mask != self.rule.edit.text()):
            self.rule.set_value(mask)
        selected = self._session.editing.document.selection.get(self._ids[0])
        self.take.setEnabled(selected is not None)
        self.show_picked.setEnabled(isinstance(mask, BitSet))
        if isinstance(mask, BitSet):
            self.note.setText(self.tr("{0} splats").format(f"{len(mask):,}"))
        elif selected is None:
            self.note.setText(self.tr("Select splats first"))
        else:
            self.note.setText(self.tr("{0} are selected").format(f"{len(selected):,}"))

    def _show(self, kind: str) -> None:
        self.rule.setVisible(kind == "rule")
        self.picked.setVisible(kind == "picked")

    def _change(self, mask: Any) -> None:
        change_step(self._session, *self._ids, {"mask": mask})

    @Slot(str)
    def _on_kind(self, kind: str) -> None:
        self._show(kind)
        modifier = self._modifier()
        if modifier is None:
            return
        if kind == "all":
            if modifier.mask is not None:
                self._change(None)
        elif kind == "rule":
            self.rule.edit.setFocus()
        else:
            self._take()

    @Slot()
    def _take(self) -> None:
        document = self._session.editing.document
        selected = None if document is None else document.selection.get(self._ids[0])
        if selected is not None:
            self._change(selected)
        else:
            self.refresh()

    @Slot()
    def _select(self) -> None:
        modifier = self._modifier()
        if modifier is not None and isinstance(modifier.mask, BitSet):
            self._session.editing.run("select_bits", bits={self._ids[0]: modifier.mask})

    @Slot(str)
    def _on_rule(self, rule: str) -> None:
        self._change(rule)
