"""Edit stacks and keys of an `Editor`, as a script wants to read and write them.

    doc.modifiers("plant").add("grade", saturation=1.4)
    doc.keys.set("plant/grade/exposure", 2.0, 0.5)
    for key in doc.keys.of("plant/grade/exposure"):
        print(key.time, key.value)

All changes go through the editor's operations, so that they can be undone and recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from polyorama.edit.timeline_ops import full_path
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from polyorama.edit.editor import Editor
    from polyorama.scene.document import Node
    from polyorama.scene.modifiers import Mask, Modifier
    from polyorama.scene.timeline import Key, Track

__all__ = ["Keys", "ModifierStack", "Modifiers"]


class Modifiers:
    """Gives the edit stacks of nodes: ``doc.modifiers("plant")``."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def __call__(self, node: str) -> ModifierStack:
        """The edit stack of a node, given by name or id.

        Raises
        ------
        UsageError
            If there is no such node.
        """
        return ModifierStack(self._editor, self._editor.document.node(node).id)


class ModifierStack(Sequence["Modifier"]):
    """The modifiers of a node as they are now, in their order; items are values."""

    def __init__(self, editor: Editor, node_id: str) -> None:
        self._editor = editor
        self._id = node_id

    @property
    def _node(self) -> Node:
        return self._editor.document.node(self._id)

    def __len__(self) -> int:
        return len(self._node.modifiers)

    @overload
    def __getitem__(self, index: int | str) -> Modifier: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Modifier, ...]: ...

    def __getitem__(self, index: int | str | slice) -> Modifier | tuple[Modifier, ...]:
        """By place, or by id, name or kind."""
        if isinstance(index, str):
            return self._node.modifier(index)
        return self._node.modifiers[index]

    def __contains__(self, modifier: object) -> bool:
        known = {known for m in self._node.modifiers for known in (m.id, m.name, m.kind)}
        return modifier in self._node.modifiers or modifier in known - {""}

    def __repr__(self) -> str:
        titles = ", ".join(m.name or m.title for m in self._node.modifiers)
        return f"<modifiers of {self._node.name!r}: {titles or 'none'}>"

    def add(
        self, kind: str, *, index: int | None = None, mask: Mask = None, **values: Any
    ) -> Modifier:
        """Add a modifier at the end, or before the one at `index`, and return it.

        Raises
        ------
        UsageError
            As the operation ``add_modifier``.
        """
        before = {m.id for m in self._node.modifiers}
        self._editor.run(
            "add_modifier", node=self._id, kind=kind, index=index, mask=mask, values=values
        )
        return next(m for m in self._node.modifiers if m.id not in before)

    def change(self, modifier: str | int, **values: Any) -> Modifier:
        """Change fields of a modifier, and return it as it is now.

        Raises
        ------
        UsageError
            As the operation ``change_modifier``.
        """
        known = self[modifier].id
        self._editor.run("change_modifier", node=self._id, modifier=known, values=values)
        return self[known]

    def remove(self, modifier: str | int) -> None:
        """Take a modifier out, with its keys.

        Raises
        ------
        UsageError
            If there is none.
        """
        self._editor.run("remove_modifier", node=self._id, modifier=self[modifier].id)

    def move(self, modifier: str | int, index: int) -> None:
        """Put a modifier at another place, 0 being the first.

        Raises
        ------
        UsageError
            If there is none.
        """
        self._editor.run("move_modifier", node=self._id, modifier=self[modifier].id, index=index)


class Keys:
    """Keys by the paths of their properties: ``doc.keys.set(path, time, value)``."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def __iter__(self) -> Iterator[str]:
        """Paths of all properties that are keyed."""
        return iter(self._editor.document.timeline.tracks)

    def __len__(self) -> int:
        return len(self._editor.document.timeline.tracks)

    def __contains__(self, path: object) -> bool:
        try:
            return isinstance(path, str) and self._track(path) is not None
        except UsageError:
            return False

    def _track(self, path: str) -> Track | None:
        document = self._editor.document
        return document.timeline.tracks.get(full_path(document, path))

    def of(self, path: str) -> tuple[Key, ...]:
        """The keys of a property, in the order of their times; names do as well as ids.

        Raises
        ------
        UsageError
            If there is no such property.
        """
        track = self._track(path)
        return () if track is None else track.keys

    def set(self, path: str, time: float, value: Any = None, **options: Any) -> None:
        """Key a property at a time, s; without a value, at the value that it has there.

        Raises
        ------
        UsageError
            As the operation ``key``, whose further arguments are `options`.
        """
        self._editor.run("key", path=path, time=time, value=value, **options)

    def remove(self, path: str, time: float | None = None) -> None:
        """Remove the key of a property at a time, s, or with None all of them.

        Raises
        ------
        UsageError
            If there is no such property.
        """
        if time is None:
            self._editor.run("set_track", path=path, track=None)
        else:
            self._editor.run("remove_keys", keys=((path, time),))
