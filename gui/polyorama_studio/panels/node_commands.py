"""What can be done with chosen nodes: for the outliner's menu and the table of actions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.scene.contents import CameraRig, CropVolume, LightRig
from polyorama.scene.document import Node, id_for
from polyorama.scene.mesh import Mesh
from polyorama.scene.placement import matrix_of
from polyorama.scene.splats import SplatCloud
from polyorama_studio.pose import orbit_values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polyorama.scene.document import Content, Document
    from polyorama_studio.session import Session

__all__ = [
    "COMMANDS", "NodeCommand", "add_camera", "comparable", "show_alone", "view_values",
]  # fmt: skip

_STEEPEST = 89.5
"""Degrees above or below its target at which a new camera still orbits."""


@dataclass(frozen=True, slots=True)
class NodeCommand:
    """One entry of the menu.

    Parameters
    ----------
    id
        As of an action, without its room.
    title, tooltip, icon, shortcut, python
        As of an action.
    run
        Does it.
    when
        Whether it can be done now.
    group
        A line parts groups.
    """

    id: str
    title: str
    run: Callable[[Session], object]
    when: Callable[[Session], bool]
    tooltip: str
    icon: str = ""
    shortcut: str = ""
    python: str = ""
    group: int = 0


def _document(session: Session) -> Document:
    document = session.editing.document
    assert document is not None
    return document


def _open(session: Session) -> bool:
    return session.editing.document is not None


def _chosen(session: Session) -> bool:
    document = session.editing.document
    return document is not None and bool(document.chosen)


def _mergeable(session: Session) -> bool:
    document = session.editing.document
    if document is None or len(document.chosen) < 2:
        return False
    return all(document.node(i).splats is not None for i in document.chosen)


def _ungroupable(session: Session) -> bool:
    document = session.editing.document
    if document is None or not document.chosen:
        return False
    return all(document.node(i).content is None for i in document.chosen)


def comparable(document: Document | None) -> tuple[str, ...]:
    """Ids of the nodes that shapes of the library can be compared with.

    Those chosen and below them that hold splats or a mesh; where none is chosen, those of which
    splats are selected.
    """
    if document is None:
        return ()
    meant = {node.id for i in document.chosen for node in document.below(i)}
    meant = meant or set(document.selection)
    return tuple(
        node.id for node in document.nodes
        if node.id in meant and isinstance(node.content, SplatCloud | Mesh)
    )  # fmt: skip


def _comparable(session: Session) -> bool:
    return bool(comparable(session.editing.document))


def show_alone(session: Session, nodes: Sequence[str]) -> None:
    """Hide all but some nodes with what they lie below and above; a second time, show all."""
    document = _document(session)
    kept: set[str] = set()
    for node_id in nodes:
        kept |= {node.id for node in document.below(node_id)}
        at = document.node(node_id).parent
        while at is not None:
            kept.add(at)
            at = document.node(at).parent
    others = [n.id for n in document.nodes if n.id not in kept and n.visible]
    if not others and all(document.node(i).visible for i in kept):
        session.editing.run("show", nodes=[n.id for n in document.nodes], visible=True)
        return
    with session.editing.gesture("Hide other nodes"):
        hidden = [n.id for n in document.nodes if n.id in kept and not n.visible]
        if hidden:
            session.editing.run("show", nodes=hidden, visible=True)
        if others:
            session.editing.run("show", nodes=others, visible=False)


def _hide_others(session: Session) -> None:
    show_alone(session, _document(session).chosen)


def _toggle_visible(session: Session) -> None:
    document = _document(session)
    session.editing.run("show", visible=not document.node(document.chosen[-1]).visible)


def _toggle_fixed(session: Session) -> None:
    document = _document(session)
    session.editing.run("fix", fixed=not document.node(document.chosen[-1]).fixed)


def _merge(session: Session) -> None:
    session.editing.start("merge", nodes=_document(session).chosen)


def _below(session: Session) -> str | None:
    """Where a new node goes: into the group that is chosen, else beside what is chosen."""
    document = _document(session)
    if not document.chosen:
        return None
    active = document.node(document.chosen[-1])
    return active.id if active.content is None and not active.missing else active.parent


def _unused_name(document: Document, name: str) -> str:
    taken = {node.name for node in document.nodes}
    free, number = name, 2
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free


def _add(
    session: Session, name: str, content: Content | None, parent: str | None, matrix: np.ndarray
) -> None:
    document = _document(session)
    title = _unused_name(document, name)
    made = Node(
        title, content, matrix, parent=parent, id=id_for(title, (n.id for n in document.nodes))
    )
    session.editing.run("add_node", node=made, parent=parent)


def _add_group(session: Session) -> None:
    _add(session, "Group", None, _below(session), np.eye(4))


def view_values(session: Session) -> dict[str, Any]:
    """What a free rig at the root needs to see what the viewport shows."""
    view, size = session.stage.view, session.stage.size
    camera = view.camera(*(size if min(size) > 0 else (1280, 720)))
    eye, target = np.asarray(camera.position), np.asarray(view.target, np.float64)
    return {
        "eye": tuple(float(v) for v in eye),
        "target": tuple(float(v) for v in target),
        "fov": float(view.fov),
    }


def add_camera(session: Session) -> None:
    """Add a camera that sees what the viewport shows and turns about what it looks at."""
    values = view_values(session)
    eye, target = np.asarray(values["eye"]), np.asarray(values["target"])
    values |= orbit_values(_document(session).up, eye, target)
    # Straight above or below nothing tells which way an orbit is turned.
    kind = "orbit" if abs(values["elevation"]) < _STEEPEST else "free"
    rig = CameraRig(kind=kind, focus=max(values["distance"], 1e-6), **values)
    _add(session, "Camera", rig, None, np.eye(4))


def _add_light(session: Session) -> None:
    _add(session, "Light", LightRig(), None, np.eye(4))


def _add_volume(session: Session) -> None:
    """Add a box round what is drawn, or round what is chosen."""
    document = _document(session)
    shown = session.stage.shown or document
    box = None
    if document.chosen:
        inside = {n.id for i in document.chosen for n in document.below(i)}
        fixed = tuple(
            n if n.id in inside else replace(n, visible=n.visible and n.content is None)
            for n in shown.nodes
        )
        box = replace(shown, nodes=fixed).bounds()
    box = box or shown.bounds()
    if box is None:
        _add(session, "Crop volume", CropVolume(), None, np.eye(4))
        return
    size = np.maximum(box.high - box.low, 1e-6)
    matrix = matrix_of(box.center, (0.0, 0.0, 0.0), size)
    _add(session, "Crop volume", CropVolume(), None, matrix)


COMMANDS: tuple[NodeCommand, ...] = (
    NodeCommand(
        "add-group", "Add group", _add_group, _open, "Add an empty group",
        "folder", python="doc.add_node(...)",
    ),
    NodeCommand(
        "add-camera", "Add camera from view", add_camera, _open,
        "Add a camera that sees what the viewport shows", "camera", "Ctrl+Alt+0",
        python="doc.add_node(...)",
    ),
    NodeCommand(
        "add-light", "Add light", _add_light, _open, "Add light on meshes; splats carry their own",
        "light", python="doc.add_node(...)",
    ),
    NodeCommand(
        "add-volume", "Add crop volume", _add_volume, _open,
        "Add a volume round what is chosen, or round everything, for crop modifiers", "crop",
        python="doc.add_node(...)",
    ),
    NodeCommand(
        "group", "Group", lambda s: s.editing.run("group"), _chosen,
        "Put the chosen nodes below a new group", "", "Ctrl+G", "doc.group()", 1,
    ),
    NodeCommand(
        "ungroup", "Ungroup", lambda s: s.editing.run("ungroup"), _ungroupable,
        "Put what lies below the chosen groups one level up", "", "Ctrl+Shift+G",
        "doc.ungroup()", 1,
    ),
    NodeCommand(
        "duplicate", "Duplicate nodes", lambda s: s.editing.run("duplicate"), _chosen,
        "Copy the chosen nodes and what is below them, with their keys", "copy", "Ctrl+D",
        "doc.duplicate()", 1,
    ),
    NodeCommand(
        "merge", "Merge", _merge, _mergeable, "Join the chosen splat nodes into one", "",
        "Ctrl+J", "doc.merge()", 1,
    ),
    NodeCommand(
        "similar", "Find similar shapes", lambda s: s.similar_asked.emit(), _comparable,
        "Look in the library for shapes like the chosen nodes, or like the splats selected of them",
        "alike", python="vector_of_node(doc, ...)", group=1,
    ),
    NodeCommand(
        "visible", "Show or hide nodes", _toggle_visible, _chosen,
        "Show or hide the chosen nodes and what is below them", "eye", python="doc.show()",
        group=2,
    ),
    NodeCommand(
        "hide-others", "Hide others", _hide_others, _chosen,
        "Hide all nodes but the chosen ones; once more shows all", "", "Ctrl+Alt+H", "doc.show()",
        2,
    ),
    NodeCommand(
        "lock", "Lock or unlock nodes", _toggle_fixed, _chosen,
        "Keep the chosen nodes from being picked and moved, or let them", "lock",
        python="doc.fix()", group=2,
    ),
    NodeCommand(
        "delete", "Delete nodes", lambda s: s.editing.run("remove"), _chosen,
        "Take the chosen nodes and what is below them out of the scene", "remove",
        "Shift+Del", "doc.remove()", 3,
    ),
)  # fmt: skip
"""All of them, in the order of the menu."""
