"""What the inspector shows at all: as long as this stays, its widgets do."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass, replace
from typing import TYPE_CHECKING

from polyorama.core.params import parameters_of
from polyorama.scene.contents import CameraRig
from polyorama_studio.panels.kinds import kind_title

if TYPE_CHECKING:
    from polyorama.scene.document import Document

__all__ = ["Shape", "shape_of"]


@dataclass(frozen=True, slots=True)
class Shape:
    """Nodes, what they are, and which of their own properties are shown.

    Parameters
    ----------
    nodes
        Ids of the chosen ones, in the order of the document.
    kind
        Class of what all of them hold, or "" where they differ or are groups.
    title
        What that is called.
    names
        Properties of what they hold.
    rig
        What carries the cameras, or "" where that differs.
    selected
        Whether splats are selected.
    """

    nodes: tuple[str, ...] = ()
    kind: str = ""
    title: str = ""
    names: tuple[str, ...] = ()
    rig: str = ""
    selected: bool = False

    @property
    def page(self) -> Shape:
        """The same for every choice that is shown by the same widgets: one node, or several."""
        return replace(self, nodes=("",) * min(len(self.nodes), 2))


def shape_of(document: Document) -> Shape:
    """The shape of what is chosen."""
    selected = bool(document.selection)
    wanted = set(document.chosen)
    nodes = [node for node in document.nodes if node.id in wanted]
    if not nodes:
        return Shape(selected=selected)
    ids = tuple(node.id for node in nodes)
    first = nodes[0]
    kinds = {type(node.content) for node in nodes}
    if len(kinds) > 1 or first.content is None:
        return Shape(ids, selected=selected)
    cls = type(first.content)
    names = tuple(p.name for p in parameters_of(cls)) if is_dataclass(cls) else ()
    rigs = {node.content.kind for node in nodes if isinstance(node.content, CameraRig)}
    rig = rigs.pop() if len(rigs) == 1 else ""
    return Shape(ids, cls.__name__, kind_title(first), names, rig, selected)
