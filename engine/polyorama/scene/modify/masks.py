"""Masks by rule: which splats a modifier changes, asked of them as they are at its step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.kept import Same
from polyorama.scene.modify.palette import baked, moved
from polyorama.scene.modify.step import ARRAYS
from polyorama.scene.rules import parse_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.scene.document import Document, Node
    from polyorama.scene.modify.step import Step
    from polyorama.scene.rules import Rule
    from polyorama.scene.selection import BitSet, NamedSelection

__all__ = ["fields_read", "rule_key", "rule_mask"]

_MOVES = ("palette", "palette_index")
_PLACES = {"x", "y", "z", "position", "pos", "mean", "means", "dist"}
_COLORS = {
    "color", "colour", "r", "g", "b", "red", "green", "blue", "hue", "saturation", "value",
    "brightness", "luminance",
}  # fmt: skip
_OPACITIES = {"opacity", "alpha"}
_NOTHING = {"index", "pi", "inf"}
_FUNCTIONS = {"min", "max", "mean", "sum", "length", "abs", "sqrt", "log", "exp", "finite"}
_DEEPEST = 8
"""So many named selections may ask for one another."""


def rule_key(
    document: Document, node: Node, step: Step, text: str, depth: int = 0
) -> tuple[Any, ...]:
    """What the answer to a rule depends on: equal keys, equal answers.

    Raises
    ------
    UsageError
        If it asks for something in the scene that is not there.
    """
    rule = parse_rule(text)
    key: list[Any] = [text, *(Same(getattr(step, name)) for name in fields_read(rule))]
    for question, name in _questions(rule.root):
        if question == "distance":
            inside = [n for n in document.below(document.node(name).id) if _points(n) is not None]
            key += [Same(_points(n)) for n in inside]
            key += [document.world(n.id).tobytes() for n in (node, *inside)]
        elif name:
            entry = _named(document, name)
            key += [entry.bits.get(node.id), entry.nodes]
            if _asks(entry, node):
                key.append(rule_key(document, node, step, entry.query, _deeper(name, depth)))
        else:
            key.append(document.selection.get(node.id))
    return tuple(key)


def rule_mask(
    document: Document, node: Node, step: Step, text: str, depth: int = 0
) -> NDArray[np.bool_]:
    """(N,) bool, which splats a rule holds for once the palette has moved them.

    ``selected("name")`` of a query asks it of the splats at this step, too; ``dist(node "pot")``
    measures from that node's own splats or vertices, before its edit stack.

    Raises
    ------
    UsageError
        As `polyorama.scene.rules.Rule.mask`, or if it asks for something that is not there.
    """
    rule = parse_rule(text)
    cloud = step.cloud()
    reads = fields_read(rule)
    if step.palette is not None and step.palette_index is not None and "palette" in reads:
        if "scales" in reads:
            cloud = baked(cloud, step.palette, step.palette_index)
        else:
            cloud = replace(cloud, means=moved(step.means, step.palette, step.palette_index))
    return rule.mask(cloud, around=_Around(document, node, step, depth))


def fields_read(rule: Rule) -> tuple[str, ...]:
    """Fields of a step that a rule looks at; all of them where it is not sure."""
    found = {"rows"}
    for name in _names(rule.root):
        if name in _PLACES:
            found |= {"means", *_MOVES}
        elif name in _COLORS:
            found.add("sh")
        elif name in _OPACITIES:
            found.add("opacities")
        elif name not in _NOTHING:
            found |= {*ARRAYS, *_MOVES}
    return tuple(sorted(found))


def _names(node: Any) -> Iterator[str]:
    """Names that a rule's tree asks for, in lower case."""
    if node.kind == "distance":
        yield "dist"
    elif node.kind == "call":
        if node.text not in _FUNCTIONS:
            yield node.text
    elif node.kind not in ("number", "part", "selected") and not node.children:
        yield node.text.lower()
    for child in node.children:
        yield from _names(child)


def _questions(node: Any) -> Iterator[tuple[str, str]]:
    """Kind and name of what a rule's tree asks of the scene."""
    if node.kind in ("distance", "selected"):
        yield node.kind, node.text
    for child in node.children:
        yield from _questions(child)


@dataclass(frozen=True, slots=True)
class _Around:
    """The scene as a mask's rule sees it; see `polyorama.scene.rules.Surroundings`."""

    document: Document
    node: Node
    step: Step
    depth: int

    def distance_to(self, name: str) -> NDArray[np.float32]:
        from polyorama.scene.neighbors import KdTree

        inside = self.document.below(self.document.node(name).id)
        if self.node.id in {n.id for n in inside}:
            return np.zeros(len(self.step), np.float32)
        owned = [(n, _points(n)) for n in inside]
        parts = [self._in_world(n, points) for n, points in owned if points is not None]
        there = np.concatenate([np.empty((0, 3), np.float32), *parts])
        if not len(there):
            raise UsageError(f"There is nothing in {name!r} to measure a distance from.")
        palette, index = self.step.maps()
        here = moved(self.step.means, palette, index) if len(index) else self.step.means
        return KdTree.of(there).nearest(self._in_world(self.node, here))[1][:, 0]

    def _in_world(self, node: Node, points: NDArray[np.float32]) -> NDArray[np.float32]:
        world = self.document.world(node.id)
        return (points @ world[:3, :3].T + world[:3, 3]).astype(np.float32)

    def selected(self, name: str) -> NDArray[np.bool_]:
        if not name:
            return self._of_rows(self.document.selection.get(self.node.id))
        entry = _named(self.document, name)
        if _asks(entry, self.node):
            depth = _deeper(name, self.depth)
            return rule_mask(self.document, self.node, self.step, entry.query, depth)
        return self._of_rows(entry.bits.get(self.node.id))

    def _of_rows(self, bits: BitSet | None) -> NDArray[np.bool_]:
        if bits is None:
            return np.zeros(len(self.step), np.bool_)
        return bits.mask() if self.step.rows is None else bits.mask()[self.step.rows]

    def visible_from(self) -> NDArray[Any]:
        raise UsageError(
            "visible_from needs pictures of the scene, which a modifier cannot take; select by it "
            "first, and use what is selected as the mask."
        )


def _points(node: Node) -> NDArray[np.float32] | None:
    """(n, 3) splats or vertices of a node; None where it has neither."""
    if node.splats is not None:
        return node.splats.means
    return None if node.mesh is None else node.mesh.vertices


def _named(document: Document, name: str) -> NamedSelection:
    for entry in document.selections:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in document.selections) or "none"
    raise UsageError(f"There is no selection called {name!r}; there are {known}.")


def _asks(entry: NamedSelection, node: Node) -> bool:
    """Whether a named selection is a query that is asked of this node."""
    return bool(entry.query) and (not entry.nodes or node.id in entry.nodes)


def _deeper(name: str, depth: int) -> int:
    if depth >= _DEEPEST:
        raise UsageError(f"The selection {name!r} asks for itself.")
    return depth + 1
