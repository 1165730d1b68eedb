"""Every property of a document by its path: what can be read, set and keyed.

Paths are ``NODE/name``, ``NODE/MODIFIER/name``, ``view/name`` and ``document/name``, with node and
modifier ids. A camera node's ``fov`` is a property of the node; a modifier's fields are its own.
"""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from polyorama.core.params import Parameter, checked, parameters_of
from polyorama.core.types import LARGEST
from polyorama.errors import UsageError
from polyorama.scene.placement import placement_of, with_placement
from polyorama.scene.saved_view import view_values, with_view

if TYPE_CHECKING:
    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier
    from polyorama.scene.timeline import Track

__all__ = [
    "NODE_PARAMETERS", "VIEW_PARAMETERS", "animated_paths", "as_values", "at_time", "from_values",
    "get_property", "parameter_at", "set_property", "title_at",
]  # fmt: skip

NODE_PARAMETERS = (
    Parameter("visible", "flag", True, help="Whether it is drawn"),
    Parameter("translation", "vector", (0.0, 0.0, 0.0), components="xyz", help="Position"),
    Parameter(
        "rotation", "vector", (0.0, 0.0, 0.0), unit="°", components="xyz", soft=(-180.0, 180.0),
        help="Turned about x, then y, then z",
    ),
    Parameter(
        "scale", "vector", (1.0, 1.0, 1.0), -1e9, 1e9, components="xyz", soft=(0.1, 10.0),
        help="Scaled along x, y, z",
    ),
)  # fmt: skip
"""What every node has."""

VIEW_PARAMETERS = (
    Parameter("eye", "vector", (0.0, 0.0, -3.0), components="xyz", help="Where the view is from"),
    Parameter("target", "vector", (0.0, 0.0, 0.0), components="xyz", help="What it looks at"),
    Parameter(
        "fov", "number", 45.0, 1.0, 170.0, unit="°", soft=(10.0, 120.0), help="Field of view"
    ),
)
"""What the document's own view has."""

DOCUMENT_PARAMETERS = (
    Parameter(
        "background", "color", (0.0, 0.0, 0.0), 0.0, 1.0, components="rgb", soft=(0.0, 1.0),
        help="Behind everything",
    ),
)  # fmt: skip
"""What the document itself has."""


def _split(document: Document, path: str) -> tuple[str, Node | None, Modifier | None, str]:
    """Room ("node", "modifier", "view" or "document"), node, modifier and name of a path."""
    parts = path.split("/")
    if len(parts) == 2 and parts[0] in ("view", "document"):
        return parts[0], None, None, parts[1]
    if len(parts) in (2, 3):
        node = document.node(parts[0])
        if len(parts) == 2:
            return "node", node, None, parts[1]
        return "modifier", node, node.modifier(parts[1]), parts[2]
    raise UsageError(f"A property is NODE/name, NODE/MODIFIER/name or view/name, not {path!r}.")


def parameter_at(document: Document, path: str) -> Parameter:
    """What is known about the property at a path.

    Raises
    ------
    UsageError
        If there is no such node, modifier or property.
    """
    room, node, modifier, name = _split(document, path)
    if room == "view":
        known: tuple[Parameter, ...] = VIEW_PARAMETERS
    elif room == "document":
        known = DOCUMENT_PARAMETERS
    elif modifier is not None:
        known = parameters_of(type(modifier))
    else:
        assert node is not None
        known = NODE_PARAMETERS
        if dataclasses.is_dataclass(node.content):
            known = (*known, *parameters_of(type(node.content)))
    for parameter in known:
        if parameter.name == name:
            return parameter
    raise UsageError(f"There is no property {path!r}; there are {_names(known)}.")


def _names(known: tuple[Parameter, ...]) -> str:
    return ", ".join(parameter.name for parameter in known)


def title_at(document: Document, path: str) -> str:
    """A property as the timeline names it, such as "leaves · Grade · exposure"."""
    room, node, modifier, name = _split(document, path)
    if node is None:
        return f"{room} · {name}"
    if modifier is None:
        return f"{node.name} · {name}"
    return f"{node.name} · {modifier.name or modifier.title} · {name}"


def animated_paths(document: Document) -> tuple[str, ...]:
    """Paths of all properties that can be keyed, in outliner order, the view first."""
    found = [f"view/{p.name}" for p in VIEW_PARAMETERS]
    found += [f"document/{p.name}" for p in DOCUMENT_PARAMETERS]
    for node in document.nodes:
        known: tuple[Parameter, ...] = NODE_PARAMETERS
        if dataclasses.is_dataclass(node.content):
            known = (*known, *parameters_of(type(node.content)))
        found += [f"{node.id}/{p.name}" for p in known if p.animated]
        for modifier in node.modifiers:
            found += [
                f"{node.id}/{modifier.id}/{p.name}"
                for p in parameters_of(type(modifier))
                if p.animated
            ]
    return tuple(found)


def get_property(document: Document, path: str) -> Any:
    """The value at a path: float, int, bool, text or a tuple of floats.

    Raises
    ------
    UsageError
        As `parameter_at`.
    """
    parameter_at(document, path)
    room, node, modifier, name = _split(document, path)
    if room == "document":
        return getattr(document, name)
    if room == "view":
        return view_values(document)[name]
    if modifier is not None:
        return getattr(modifier, name)
    assert node is not None
    if name == "visible":
        return node.visible
    if name in ("translation", "rotation", "scale"):
        placed = dict(
            zip(("translation", "rotation", "scale"), placement_of(node.transform), strict=True)
        )
        return placed[name]
    return getattr(node.content, name)


def set_property(document: Document, path: str, value: Any) -> Document:
    """The document with another value at a path.

    Raises
    ------
    UsageError
        As `parameter_at`, or if the value does not fit.
    """
    value = checked(parameter_at(document, path), value)
    room, node, modifier, name = _split(document, path)
    if room == "document":
        return replace(document, **{name: value})
    if room == "view":
        return with_view(document, {name: value})
    assert node is not None
    if modifier is not None:
        fresh = modifier.replaced(**{name: value})
        stack = tuple(fresh if m.id == modifier.id else m for m in node.modifiers)
        return document.replaced(replace(node, modifiers=stack))
    if name == "visible":
        return document.replaced(replace(node, visible=value))
    if name in ("translation", "rotation", "scale"):
        return document.replaced(
            replace(node, transform=with_placement(node.transform, {name: value}))
        )
    assert dataclasses.is_dataclass(node.content)
    content: Any = replace(node.content, **{name: value})
    return document.replaced(replace(node, content=content))


def as_values(parameter: Parameter, value: Any) -> tuple[float, ...]:
    """A property's value as the numbers of a key."""
    if parameter.kind in ("vector", "color"):
        return tuple(float(v) for v in value)
    return (float(value),)


def from_values(parameter: Parameter, values: tuple[float, ...]) -> Any:
    """A property's value of the numbers of a key, held within its bounds."""
    held = tuple(min(max(v, parameter.low), parameter.high) for v in values)
    if parameter.kind in ("vector", "color"):
        return held
    if parameter.kind == "flag":
        return held[0] >= 0.5
    return round(held[0]) if parameter.kind == "whole" else held[0]


def at_time(document: Document, time: float) -> Document:
    """The document with every keyed property at its value at `time`, s. Pure.

    Tracks of properties that are not there any more or cannot be keyed are passed over, and values
    that have other components or lie beyond all bounds.
    """
    tracks = dict(document.timeline.tracks)
    if not tracks:
        return document
    view: dict[str, Any] = {}
    own: dict[str, Any] = {}
    by_node: dict[str, dict[str, Track]] = {}
    for path, track in tracks.items():
        room, _, rest = path.partition("/")
        if room == "view":
            _put(view, _VIEW, rest, track, time)
        elif room == "document":
            _put(own, _DOCUMENT, rest, track, time)
        else:
            by_node.setdefault(room, {})[rest] = track
    document = replace(document, **own) if own else document
    fresh = [
        _node_at(node, by_node[node.id], time) for node in document.nodes if node.id in by_node
    ]
    document = document.replaced(*fresh) if fresh else document
    return with_view(document, view) if view else document


_VIEW = {p.name: p for p in VIEW_PARAMETERS}
_DOCUMENT = {p.name: p for p in DOCUMENT_PARAMETERS}
_NODE = {p.name: p for p in NODE_PARAMETERS}


def _put(
    values: dict[str, Any], known: dict[str, Parameter], name: str, track: Track, time: float
) -> None:
    """Add the value of a track, if it is one of what is known."""
    parameter = known.get(name)
    if parameter is None or not parameter.animated:
        return
    numbers = track.at(time)
    # Keys of a file may hold any number, and overshoot all that renderers calculate with.
    fits = len(numbers) == (len(parameter.components) or 1)
    if fits and all(abs(number) <= LARGEST for number in numbers):
        values[name] = from_values(parameter, numbers)


def _node_at(node: Node, tracks: dict[str, Track], time: float) -> Node:
    placed: dict[str, Any] = {}
    content: dict[str, Any] = {}
    modified: dict[str, dict[str, Any]] = {}
    held = parameters_of(type(node.content)) if dataclasses.is_dataclass(node.content) else ()
    inside = {p.name: p for p in held}
    stack = {m.id: m for m in node.modifiers}
    for rest, track in tracks.items():
        first, _, name = rest.partition("/")
        if name:
            if first in stack:
                parameters = {p.name: p for p in parameters_of(type(stack[first]))}
                _put(modified.setdefault(first, {}), parameters, name, track, time)
        elif first in _NODE:
            _put(placed, _NODE, first, track, time)
        else:
            _put(content, inside, first, track, time)
    changes: dict[str, Any] = {}
    if "visible" in placed:
        changes["visible"] = placed.pop("visible")
    if placed:
        changes["transform"] = with_placement(node.transform, placed)
    if content:
        changes["content"] = replace(node.content, **content)  # type: ignore[type-var]
    if modified:
        changes["modifiers"] = tuple(
            m.keyed(modified[m.id]) if m.id in modified else m for m in node.modifiers
        )
    return replace(node, **changes) if changes else node
