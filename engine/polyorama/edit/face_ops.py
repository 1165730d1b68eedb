"""Operations on faces: what they follow, what came of it, and how they are built."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from polyorama.edit.ops import op
from polyorama.errors import UsageError
from polyorama.scene.faces.actor import Actor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polyorama.scene.document import Document
    from polyorama.scene.faces.actor import Trait
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.script import FaceScript

__all__ = ["set_face", "set_face_rig"]


@op("{title}")
def set_face(
    document: Document,
    node: str,
    script: FaceScript | None,
    performance: Performance | None,
    title: str = "Change the face",
) -> Document:
    """Give a face what it follows, and the performance that came of it.

    Parameters
    ----------
    document
        Holds the face.
    node
        Name or id of its node.
    script, performance
        Both are replaced; None for none.
    title
        What the history shows.

    Raises
    ------
    UsageError
        If the node holds no face.
    """
    return _with(document, node, script=script, performance=performance)


@op("Change the head")
def set_face_rig(
    document: Document, node: str, rig: MorphRig, identity: Mapping[str, Trait] | None = None
) -> Document:
    """Give a face another head; what it performs stays.

    Parameters
    ----------
    document
        Holds the face.
    node
        Name or id of its node.
    rig
        The head.
    identity
        What it was built from; see `Actor`.

    Raises
    ------
    UsageError
        If the node holds no face, or the identity is none.
    """
    return _with(document, node, rig=rig, identity=identity)


def _with(document: Document, name: str, **changes: object) -> Document:
    chosen = document.node(name)
    actor = chosen.content
    if not isinstance(actor, Actor):
        raise UsageError(f"Node {chosen.name!r} holds no face.")
    changed = replace(chosen, content=replace(actor, **changes))  # type: ignore[arg-type]
    nodes = tuple(changed if node.id == chosen.id else node for node in document.nodes)
    return replace(document, nodes=nodes)
