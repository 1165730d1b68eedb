"""Names of properties as people read them, and as Python does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from polyorama.core.params import Parameter
    from polyorama.scene.document import Document

__all__ = ["choice_title", "python_path", "python_value", "title_of"]

_TITLES = {
    "translation": "Position",
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
}
_CHOICES = {
    "free": "Nothing (free)",
    "orbit": "An orbit",
    "dolly": "A dolly",
    "follow": "Another node",
}


def title_of(parameter: Parameter) -> str:
    """What a label calls a parameter."""
    name = parameter.name
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
    names = [other.name for other in document.nodes if other.name == node.name]
    if len(names) == 1 and _plain(node.name):
        parts[0] = node.name
    if len(parts) == 3:
        modifier = node.modifier(parts[1])
        for name in (modifier.name, modifier.kind):
            if name and _plain(name) and node.modifier(name).id == modifier.id:
                parts[1] = name
                break
    return "/".join(parts)


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
