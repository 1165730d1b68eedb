"""What nodes of a scene hold, as shapes that a library can compare with its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.render.bake import bake
from polyorama.render.resolve import flatten
from polyorama.scene.document import Document
from polyorama.scene.mesh import Mesh
from polyorama.shapes.describing import views_of_content

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from polyorama.scene.document import Node
    from polyorama.scene.splats import SplatCloud
    from polyorama.shapes.embedder import Embedder

__all__ = ["content_of", "vector_of_node"]


def content_of(document: Document, node_id: str) -> Mesh | SplatCloud:
    """What of a node is meant: the splats that are selected in it, else all that it shows.

    A mesh comes as its file has it, which is upright however it lies in the scene; splats as they
    are seen in the scene, edits carried out, with the scene's up.

    Parameters
    ----------
    document
        The scene as it is at the moment in question.
    node_id
        A node that holds splats or a mesh.

    Raises
    ------
    UsageError
        If it holds neither, or an edit stack cannot be carried out.
    """
    node = document.node(node_id)
    if isinstance(node.content, Mesh):
        return node.content
    if node.splats is None:
        raise UsageError(f"Node {node.name!r} holds neither splats nor a mesh to compare with.")
    seen = flatten(Document((_alone(document, node),), up=document.up))
    cloud, _ = bake(seen.cloud, seen.palette, seen.palette_index, seen.state, None)
    return replace(cloud, up=document.up)


def _alone(document: Document, node: Node) -> Node:
    selected, hidden = document.selection.get(node.id), node.hidden
    if selected:
        hidden = ~selected if hidden is None else hidden | ~selected
    world = document.world(node.id)
    return replace(node, transform=world, parent=None, visible=True, hidden=hidden)


def vector_of_node(document: Document, node_id: str, embedder: Embedder) -> NDArray[np.float32]:
    """(D,) unit vector of what `content_of` gives, seen from twelve sides.

    Raises
    ------
    UsageError
        As `content_of`.
    FileFormatError
        If nothing of it can be seen.
    """
    content = content_of(document, node_id)
    views = views_of_content(content, 12, embedder.picture_size)
    return embedder.embed_shape(views).vector
