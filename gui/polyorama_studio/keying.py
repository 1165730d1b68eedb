"""Keying automatically, the view, and all of what is chosen."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from polyorama.core.params import parameters_of
from polyorama.errors import PolyoramaError
from polyorama.scene.contents import CameraRig
from polyorama.scene.properties_of import NODE_PARAMETERS, get_property
from polyorama_studio.pose import view_values

if TYPE_CHECKING:
    from polyorama.edit.command import Command
    from polyorama.scene.document import Document
    from polyorama_studio.session import Session

__all__ = ["AutoKey", "key_chosen", "key_view"]

_PLACE = ("translation", "rotation", "scale")
_RIG_PLACE = {
    "free": ("eye", "target", "fov"),
    "orbit": ("target", "azimuth", "elevation", "distance", "fov"),
    "dolly": ("travel", "eye", "target"),
    "follow": ("eye", "target"),
}
"""What places a camera, by what carries it."""
_STEPS_BACK = ("undo", "redo")
_MOST_NODES = 64
"""With more nodes at once it is a load or a script that changed them, not a hand at a property."""


class AutoKey(QObject):
    """While it is on, a property that is changed is keyed at the playhead, in the same step."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.on = False
        self._before: Document | None = session.editing.document
        self._busy = False
        session.editing.edited.connect(self._on_edited)
        session.editing.replaced.connect(self._on_replaced)

    def set_on(self, on: bool) -> None:
        """Switch it on or off."""
        if on != self.on:
            self.on = on
            self._before = self._session.editing.document
            self.changed.emit()

    @Slot()
    def toggle(self) -> None:
        """Switch it on or off."""
        self.set_on(not self.on)

    @Slot()
    def _on_replaced(self) -> None:
        self._before = self._session.editing.document

    @Slot(object)
    def _on_edited(self, command: Command | None) -> None:
        editor = self._session.editing.editor
        if editor is None:
            return
        before, self._before = self._before, editor.document
        if not self.on or self._busy or before is None or command is None:
            return
        if editor.calls and editor.calls[-1].name in _STEPS_BACK:
            return
        paths = changed_paths(before, editor.document)
        if not paths:
            return
        self._busy = True
        try:
            for path in paths:
                value = get_property(editor.document, path)
                self._session.editing.run(
                    "key", path=path, time=self._session.playback.time, value=value
                )
        finally:
            self._busy = False
            self._before = editor.document


def changed_paths(before: Document, after: Document) -> list[str]:
    """Paths of the properties that can be keyed and have another value in `after`."""
    old = {node.id: node for node in before.nodes}
    fresh = [n for n in after.nodes if n.id in old and old[n.id] is not n]
    if len(fresh) > _MOST_NODES:
        return []
    found = []
    for node in fresh:
        for path in _own_paths(after, node.id):
            try:
                if get_property(before, path) != get_property(after, path):
                    found.append(path)
            except PolyoramaError:
                continue
    return found


def _own_paths(document: Document, node_id: str) -> list[str]:
    """Paths of what can be keyed of one node."""
    node = document.node(node_id)
    known = list(NODE_PARAMETERS)
    if is_dataclass(node.content):
        known += parameters_of(type(node.content))
    found = [f"{node_id}/{p.name}" for p in known if p.animated]
    for modifier in node.modifiers:
        own = parameters_of(type(modifier))
        found += [f"{node_id}/{modifier.id}/{p.name}" for p in own if p.animated]
    return found


def key_view(session: Session) -> None:
    """Key where one looks from now, at the playhead."""
    if session.editing.document is None:
        return
    with session.editing.gesture(_tr("Key the view")):
        for path, value in view_values(session.stage.view).items():
            session.editing.run("key", path=path, time=session.playback.time, value=value)


def key_chosen(session: Session) -> None:
    """Key what places the chosen nodes and all that is keyed of them; without any, the view."""
    document = session.editing.document
    if document is None:
        return
    if not document.chosen:
        key_view(session)
        return
    tracks = document.timeline.tracks
    with session.editing.gesture(_tr("Key what is chosen")):
        for node in document.chosen:
            paths = [f"{node}/{name}" for name in _place_of(document, node)]
            paths += [p for p in tracks if p.startswith(f"{node}/") and p not in paths]
            for path in paths:
                session.editing.run("key", path=path, time=session.playback.time)


def _place_of(document: Document, node_id: str) -> tuple[str, ...]:
    """Names of the properties that place a node: of a camera, those its kind of rig reads."""
    content = document.node(node_id).content
    return _RIG_PLACE[content.kind] if isinstance(content, CameraRig) else _PLACE


def _tr(text: str) -> str:
    return QCoreApplication.translate("timeline", text)
