"""What is done with an edit stack as a whole, and with its steps."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from polyorama.errors import PolyoramaError
from polyorama.scene.modifiers import MODIFIERS
from polyorama_studio.fields.words import python_modifier, python_node
from polyorama_studio.jobs import Handlers
from polyorama_studio.panels.card import fitting_box
from polyorama_studio.panels.kinds import modifier_title
from polyorama_studio.panels.masks import change_step
from polyorama_studio.panels.stacks import (
    add_stack,
    built_in,
    read_stack,
    save_preset,
    stack_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from polyorama.core.jobs import Progress
    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier
    from polyorama_studio.session import Session

__all__ = ["StackCommands", "active_splats", "wind_values"]

_PLACED = ("crop", "wind", "transform")
"""Kinds that stand somewhere."""
_UNMASKED = ("decimate", "crop", "delete")
"""Kinds that do not take the selection as their mask."""


def active_splats(document: Document | None) -> Node | None:
    """The node whose stack is shown: the one chosen last that has splats, else the only one."""
    if document is None:
        return None
    for node_id in reversed(document.chosen):
        node = document.node(node_id)
        if node.splats is not None:
            return node
    nodes = [node for node in document.nodes if node.splats is not None]
    return nodes[0] if len(nodes) == 1 and not document.chosen else None


def wind_values(
    document: Document, node_id: str, center: tuple[float, ...], size: tuple[float, ...]
) -> dict[str, Any]:
    """Wind over a box in a node's own space: it stands on the floor and sways at its top."""
    world = document.world(node_id)[:3, :3]
    upward = np.linalg.solve(world, np.asarray(document.up, np.float64))
    upward /= np.linalg.norm(upward)
    height = float(np.abs(upward) @ np.asarray(size))
    side = np.cross(upward, np.eye(3)[int(np.argmin(np.abs(upward)))])
    side /= np.linalg.norm(side)
    root = np.asarray(center) - 0.5 * height * upward
    return {
        "root": tuple(float(v) for v in root),
        "up": tuple(float(v) for v in upward),
        "direction": tuple(float(v) for v in side),
        "reach": max(height, 1e-6),
        "amplitude": 0.05 * height,
        "wavelength": max(1.5 * height, 1e-6),
    }


class StackCommands(QObject):
    """Carries out what the menus of the modifiers panel offer, on the active splat node."""

    added = Signal()
    """Steps were added."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session

    @property
    def node(self) -> Node | None:
        """The node whose stack it is."""
        return active_splats(self._session.editing.document)

    def add_kind(self, kind: str, checked: bool = False) -> None:
        """Add a step; where splats of the node are selected, they become its mask.

        What stands somewhere is first fitted to them, or to all splats, on a worker thread.
        """
        node, shown = self.node, self._session.stage.shown
        if node is None or shown is None:
            return
        if kind not in _PLACED:
            self._put(node.id, kind, {})
            return
        now = next((n for n in shown.nodes if n.id == node.id), node)
        handlers = Handlers(
            partial(self._put_fitted, node.id, kind), self._session.report, self._on_progress
        )
        self._session.start_job(partial(fitting_box, shown, now), handlers, "fit")

    def _on_progress(self, progress: Progress) -> None:
        """Fitting takes no steps."""

    def _put_fitted(
        self, node_id: str, kind: str, box: tuple[tuple[float, ...], tuple[float, ...]] | None
    ) -> None:
        document = self._session.editing.document
        if box is None or document is None or all(n.id != node_id for n in document.nodes):
            return
        center, size = box
        values: dict[str, Any] = {"pivot": center}
        if kind == "crop":
            values = {"center": center, "size": size}
        elif kind == "wind":
            values = wind_values(document, node_id, center, size)
        self._put(node_id, kind, values)

    def _put(self, node_id: str, kind: str, values: dict[str, Any]) -> None:
        document = self._session.editing.document
        if document is None:
            return
        arguments: dict[str, Any] = {"node": python_node(document, node_id), "kind": kind}
        if node_id in document.selection and kind not in _UNMASKED:
            arguments["selected"] = True
        if values:
            arguments["values"] = values
        if self._session.editing.run("add_modifier", **arguments):
            self.added.emit()

    def _modifier(self, modifier_id: str) -> Modifier | None:
        node = self.node
        return None if node is None else node.modifier(modifier_id)

    def remove(self, modifier_id: str, checked: bool = False) -> None:
        """Take a step out."""
        node = self.node
        if node is not None:
            self._run("remove_modifier", node.id, modifier_id)

    def reset(self, modifier_id: str, checked: bool = False) -> None:
        """Give a step its first values again; mask and name stay."""
        node, modifier = self.node, self._modifier(modifier_id)
        if node is None or modifier is None:
            return
        fresh = MODIFIERS[modifier.kind]()
        kept = {"id", "name", "mask", "rule", "volume"}
        values = {f.name: getattr(fresh, f.name) for f in fields(fresh) if f.name not in kept}
        change_step(self._session, node.id, modifier_id, values)

    def move(self, modifier_id: str, index: int) -> None:
        """Put a step at another place."""
        node = self.node
        if node is not None and index != [m.id for m in node.modifiers].index(modifier_id):
            self._run("move_modifier", node.id, modifier_id, index=index)

    def _run(self, name: str, node_id: str, modifier_id: str, **arguments: Any) -> None:
        document = self._session.editing.document
        assert document is not None
        self._session.editing.run(
            name,
            node=python_node(document, node_id),
            modifier=python_modifier(document, node_id, modifier_id),
            **arguments,
        )

    def duplicate(self, modifier_id: str, checked: bool = False) -> None:
        """Put a copy of a step after it."""
        node, modifier = self.node, self._modifier(modifier_id)
        if node is None or modifier is None:
            return
        title = self.tr("Duplicate {0}").format(modifier_title(modifier))
        index = [m.id for m in node.modifiers].index(modifier_id) + 1
        add_stack(self._session, node.id, [modifier], title, index)

    def copy_one(self, modifier_id: str, checked: bool = False) -> None:
        """Put a step on the clipboard."""
        modifier = self._modifier(modifier_id)
        if modifier is not None:
            QGuiApplication.clipboard().setText(stack_text([modifier]))

    @Slot()
    def copy_all(self) -> None:
        """Put the stack on the clipboard."""
        node = self.node
        if node is not None:
            QGuiApplication.clipboard().setText(stack_text(node.modifiers))

    @Slot()
    def paste(self) -> None:
        """Add the steps that are on the clipboard."""
        try:
            stack = read_stack(QGuiApplication.clipboard().text(), self.tr("the clipboard"))
        except PolyoramaError as error:
            self._session.report(error)
            return
        self._add(stack, self.tr("Paste modifiers"))

    def _add(self, stack: Sequence[Modifier], title: str) -> None:
        node = self.node
        if node is None:
            return
        if not add_stack(self._session, node.id, stack, title):
            self._session.report(
                PolyoramaError(
                    "Splats picked by hand belong to the node they were picked on; "
                    "these steps came without them, and switched off."
                )
            )
        self.added.emit()

    def add_preset(self, name: str, checked: bool = False) -> None:
        """Add the steps of a preset that everybody has."""
        named = built_in(name)
        if len(named) == 1:
            named = (replace(named[0], name=name),)
        self._add(named, self.tr("Add {0}").format(self.tr(name)))

    def add_file(self, path: Path, checked: bool = False) -> None:
        """Add the steps of a preset of one's own."""
        try:
            stack = read_stack(path.read_text("utf-8"), path.name)
        except OSError as error:
            self._session.report(PolyoramaError(f"Cannot read ({error.strerror}): {path}"))
        except (PolyoramaError, UnicodeDecodeError) as error:
            self._session.report(error)
        else:
            self._add(stack, self.tr("Add {0}").format(path.stem))

    @property
    def folder(self) -> Path:
        """Where a person's own presets are kept."""
        return self._session.preferences.home / "presets"

    @Slot(str)
    def save_preset(self, name: str) -> None:
        """Keep the stack as a preset."""
        node = self.node
        if node is None:
            return
        try:
            save_preset(self.folder, name, node.modifiers)
        except PolyoramaError as error:
            self._session.report(error)

    @Slot()
    def apply_all(self) -> None:
        """Carry the stack out for good."""
        node, document = self.node, self._session.editing.document
        if node is not None and document is not None:
            name = python_node(document, node.id)
            self._session.editing.start("apply_modifiers", node=name)

    @Slot()
    def remove_all(self) -> None:
        """Take all steps out, as one step of the history."""
        node = self.node
        if node is None:
            return
        with self._session.editing.gesture(self.tr("Delete all modifiers")):
            for modifier in node.modifiers:
                self._run("remove_modifier", node.id, modifier.id)
