"""A property between the document and a field: what it is now, and how a person changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from polyorama.errors import PolyoramaError
from polyorama.scene.properties_of import get_property, parameter_at
from polyorama_studio.fields.words import python_path, python_value, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.params import Parameter
    from polyorama_studio.session import Session

__all__ = ["EMPTY", "HALF", "KEYED", "PropertyLink"]

EMPTY, HALF, KEYED = "empty", "half", "keyed"
"""No keys at all; keys elsewhere on the timeline; a key at the playhead."""
_SAME_TIME = 1e-6


class PropertyLink(QObject):
    """One property of one owner, or the same property of several.

    A property that is keyed gets a key at the playhead when it is changed; others are set. From
    `begin` to `end` all changes are one step of the history.

    Parameters
    ----------
    session
        Has the document.
    paths
        See `polyorama.scene.properties_of`; all of one kind.
    """

    def __init__(
        self, session: Session, paths: Sequence[str], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        document = session.editing.document
        assert document is not None
        self.session = session
        self.paths = tuple(paths)
        self.parameter: Parameter = parameter_at(document, self.paths[0])
        self.title = title_of(self.parameter)
        self.proportional = False
        """Whether changing one component of a vector scales the others with it."""

    def retarget(self, owners: Sequence[str]) -> None:
        """Stand for the same property of other owners, given as the beginnings of their paths."""
        self.paths = tuple(f"{owner}/{self.parameter.name}" for owner in owners)

    # What it is

    def values(self) -> list[Any] | None:
        """The values at the playhead, one an owner; None where an owner is gone."""
        shown = self.session.stage.shown
        if shown is None:
            return None
        try:
            return [get_property(shown, path) for path in self.paths]
        except PolyoramaError:
            return None

    @property
    def keyed(self) -> str:
        """`EMPTY`, `HALF` or `KEYED`; of several owners, the least."""
        document = self.session.editing.document
        if document is None:
            return EMPTY
        time, states = self.session.playback.time, []
        for path in self.paths:
            track = document.timeline.tracks.get(path)
            if track is None:
                return EMPTY
            here = any(abs(key.time - time) < _SAME_TIME for key in track.keys)
            states.append(KEYED if here else HALF)
        return HALF if HALF in states else KEYED

    @property
    def keyable(self) -> bool:
        """Whether it can be keyed."""
        return self.parameter.animated

    @property
    def python(self) -> str:
        """The Python line that sets it to what it is."""
        document, values = self.session.editing.document, self.values()
        if document is None or not values:
            return ""
        path = python_path(document, self.paths[0])
        return f'doc.set("{path}", {python_value(values[0])})'

    @property
    def tip(self) -> str:
        """What it does, its bounds, its Python line."""
        words = self.parameter.help
        lines = [f"{self.title}: {words[:1].lower()}{words[1:]}" if words else self.title]
        if self.parameter.kind in ("number", "whole", "vector"):
            lines.append(self.tr("Drag sideways, or click and type; Backspace resets"))
        lines.append(self.python)
        return "\n".join(line for line in lines if line)

    # How it changes

    @Slot()
    def begin(self) -> None:
        """A drag begins."""
        self.session.editing.begin(self.tr("Change {0}").format(self.title.lower()))

    @Slot()
    def end(self) -> None:
        """The drag is over."""
        self.session.editing.end()

    @Slot()
    def cancel(self) -> None:
        """The drag is given up: what it changed is taken back."""
        self.session.editing.cancel()

    def set(self, value: Any) -> None:
        """Give all owners a value."""
        for path in self.paths:
            self._put(path, value)

    def set_component(self, index: int, number: float) -> None:
        """Give one component of a vector or colour another value, in all owners."""
        values = self.values()
        for path, old in zip(self.paths, values or (), strict=False):
            if self.proportional and old[index] and number:
                fresh = tuple(number if i == index else v * number / old[index]
                              for i, v in enumerate(old))  # fmt: skip
            else:
                fresh = tuple(number if i == index else v for i, v in enumerate(old))
            self._put(path, fresh)

    def _put(self, path: str, value: Any) -> None:
        editing, document = self.session.editing, self.session.editing.document
        if document is None:
            return
        named = python_path(document, path)
        if path in document.timeline.tracks:
            editing.run("key", path=named, time=self._time(path), value=value)
        else:
            editing.run("set", path=named, value=value)

    def change(self, value: Any) -> None:
        """Begin, set and end at once."""
        self.begin()
        self.set(value)
        self.end()

    def _time(self, path: str) -> float:
        """The playhead, or the key that lies there but for roundings."""
        time = self.session.playback.time
        document = self.session.editing.document
        track = None if document is None else document.timeline.tracks.get(path)
        keys = () if track is None else track.keys
        return next((k.time for k in keys if abs(k.time - time) < _SAME_TIME), time)

    @Slot()
    def toggle_key(self) -> None:
        """Key it at the playhead, or take that key away."""
        editing = self.session.editing
        if editing.document is None or not self.keyable:
            return
        remove = self.keyed == KEYED
        verb = self.tr("Remove key of {0}") if remove else self.tr("Key {0}")
        with editing.gesture(verb.format(self.title.lower())):
            for path in self.paths:
                named, time = python_path(editing.document, path), self._time(path)
                if remove:
                    editing.run("remove_keys", keys=((named, time),))
                else:
                    editing.run("key", path=named, time=time)

    @Slot()
    def remove_all_keys(self) -> None:
        """Take all its keys away; it stays as it is at the playhead."""
        editing, values = self.session.editing, self.values()
        if editing.document is None or values is None:
            return
        with editing.gesture(self.tr("Remove keys of {0}").format(self.title.lower())):
            for path, value in zip(self.paths, values, strict=True):
                named = python_path(editing.document, path)
                editing.run("set_track", path=named, track=None)
                editing.run("set", path=named, value=value)

    @Slot()
    def reset(self) -> None:
        """Back to the default."""
        self.change(self.parameter.default)
