"""Names of properties as people read them, and as Python does."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polyorama.core.params import Parameter
    from polyorama.scene.document import Document

__all__ = [
    "choice_title", "name_title", "python_modifier", "python_node", "python_nodes", "python_path",
    "python_value", "title_of",
]  # fmt: skip

_TITLES = {
    "translation": "Position",
    "color": "Colour",
    "center": "Centre",
    "fov": "Field of view",
    "f_stop": "Aperture",
    "sh": "Harmonics",
    "black": "Black point",
    "white": "White point",
    "multiply": "Multiply by",
    "soft": "Soft edge",
    "key": "Key light",
    "sky": "Sky light",
    "ground": "Ground light",
    "near": "Nearest depth",
    "kind": "Carried by",
    "hold_size": "Hold target's size",
    "eye_distance": "Eye distance",
    "lr": "Learning rate",
}
_CHOICES = {
    "free": "Nothing",
    "orbit": "An orbit",
    "dolly": "A dolly",
    "follow": "Another node",
}


def title_of(parameter: Parameter) -> str:
    """What a label calls a parameter."""
    return name_title(parameter.name)


def name_title(name: str) -> str:
    """What a label calls a parameter of this name."""
    title = _TITLES.get(name, name.replace("_", " ").capitalize())
    return QCoreApplication.translate("parameters", title)


def choice_title(choice: str) -> str:
    """What a menu calls one of a parameter's choices."""
    title = _CHOICES.get(choice, choice.replace("-", " ").capitalize())
    return QCoreApplication.translate("parameters", title)


def python_path(document: Document, path: str) -> str:
    """A property's path with names in the place of ids, where a script would find it by them."""
    parts = path.split("/")
    if parts[0] in ("view", "document"):
        return path
    node = document.node(parts[0])
    parts[0] = python_node(document, node.id)
    if len(parts) == 3:
        parts[1] = python_modifier(document, node.id, parts[1])
    return "/".join(parts)


def python_node(document: Document, node_id: str) -> str:
    """A node's name where a script would find it by that, else its id."""
    return python_nodes(document, (node_id,))[0]


def python_nodes(document: Document, ids: Iterable[str]) -> list[str]:
    """Names of nodes where a script would find them by those, else their ids."""
    taken = Counter(node.name for node in document.nodes)
    taken.update(("view", "document", *(node.id for node in document.nodes)))
    names = {node.id: node.name for node in document.nodes}
    return [
        names[i] if _plain(names[i]) and taken[names[i]] - (names[i] == i) == 1 else i for i in ids
    ]


def python_modifier(document: Document, node_id: str, modifier_id: str) -> str:
    """A modifier's name or kind where a script would find it by that, else its id."""
    node = document.node(node_id)
    modifier = node.modifier(modifier_id)
    for name in (modifier.name, modifier.kind):
        if name and _plain(name) and node.modifier(name).id == modifier.id:
            return name
    return modifier_id


def _plain(name: str) -> bool:
    return not set(name) & set('/"\\\n')


def python_value(value: Any) -> str:
    """A property's value as a script writes it, to six figures."""
    if isinstance(value, bool | str):
        return repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = f"{value:.6g}"
        return text if any(mark in text for mark in ".en") else f"{text}.0"
    return f"({', '.join(python_value(part) for part in value)})"
