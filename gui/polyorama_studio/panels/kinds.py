"""What nodes and modifiers are called and look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from polyorama.scene.contents import Audio, CameraRig, CropVolume, LightRig
from polyorama.scene.faces.actor import Actor
from polyorama.scene.mesh import Mesh
from polyorama.scene.modifiers import MODIFIERS
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    from polyorama.scene.document import Node
    from polyorama.scene.modifiers import Modifier

__all__ = ["MODIFIER_ICONS", "kind_icon", "kind_title", "modifier_title"]

_KINDS: tuple[tuple[type, str, str], ...] = (
    (SplatCloud, "Splats", "splats"),
    (Mesh, "Mesh", "mesh"),
    (Actor, "Face", "face"),
    (CameraRig, "Camera", "camera"),
    (LightRig, "Light", "light"),
    (CropVolume, "Crop volume", "crop"),
    (Audio, "Sound", "sound"),
)
MODIFIER_ICONS: dict[str, str] = {
    "transform": "move",
    "grade": "contrast",
    "crop": "crop",
    "delete": "remove",
    "opacity": "opacity",
    "size": "scale",
    "fill": "fill",
    "noise": "noise",
    "wind": "wind",
    "sh-level": "harmonics",
    "decimate": "decimate",
}
"""Icons of modifiers by kind."""
assert MODIFIER_ICONS.keys() == MODIFIERS.keys()


def _translated(text: str) -> str:
    return QCoreApplication.translate("kinds", text)


def kind_title(node: Node) -> str:
    """What a node is."""
    for cls, title, _ in _KINDS:
        if isinstance(node.content, cls):
            return _translated(title)
    return _translated("Missing file") if node.missing else _translated("Group")


def kind_icon(node: Node) -> str:
    """The icon of a node."""
    for cls, _, icon in _KINDS:
        if isinstance(node.content, cls):
            return icon
    return "warning" if node.missing else "folder"


def modifier_title(modifier: Modifier) -> str:
    """What a step of an edit stack is called."""
    return modifier.name or _translated(modifier.title)
