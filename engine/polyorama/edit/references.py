"""What names a node by its id, where nodes go or are copied: cameras, crops, named selections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.contents import CameraRig, CropVolume
from polyorama.scene.modifiers import Crop
from polyorama.scene.placement import placement_of
from polyorama.scene.properties_of import at_time
from polyorama.scene.rigs import rig_eye, rig_target
from polyorama.scene.selection import NamedSelection

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier

__all__ = ["detached", "selections_with_copies"]

_SIZES = 1e-6, 1e9
"""Of a crop's own volume."""


def detached(document: Document, gone: AbstractSet[str]) -> Document:
    """The document with no other node or selection that needs one of those that will go.

    What they gave is kept as it is at time 0: a crop by a volume becomes one with a place of its
    own, a camera that follows one stands free where it stood.
    """
    needing = [n for n in document.nodes if n.id not in gone and _needs(n, gone)]
    if needing:
        still = at_time(document, 0.0)
        document = document.replaced(*(_freed(still, node, gone) for node in needing))
    if any(gone & (s.bits.keys() | set(s.nodes)) for s in document.selections):
        kept = tuple(_without(entry, gone) for entry in document.selections)
        document = replace(document, selections=kept)
    return document


def _needs(node: Node, gone: AbstractSet[str]) -> bool:
    if isinstance(node.content, CameraRig):
        return node.content.follows in gone
    return any(isinstance(m, Crop) and m.volume in gone for m in node.modifiers)


def _freed(still: Document, node: Node, gone: AbstractSet[str]) -> Node:
    away = np.linalg.pinv(still.world(node.id))
    if isinstance(node.content, CameraRig):
        rig = replace(node.content, follows="")
        if rig.kind == "follow":
            points = rig_eye(still, node.id), rig_target(still, node.id)
            eye, target = (tuple((away[:3, :3] @ p + away[:3, 3]).tolist()) for p in points)
            rig = replace(rig, kind="free", eye=eye, target=target)
        return replace(node, content=rig)
    stack = tuple(
        _placed(m, still.node(m.volume), away @ still.world(m.volume))
        if isinstance(m, Crop) and m.volume in gone
        else m
        for m in node.modifiers
    )
    return replace(node, modifiers=stack)


def _placed(crop: Crop, volume: Node, matrix: np.ndarray) -> Modifier:
    """A crop that needs no volume; `matrix` (4, 4) is from that to the cropped node."""
    if not isinstance(volume.content, CropVolume):
        return crop.replaced(volume="")
    center, rotation, scale = placement_of(matrix)
    size = np.clip(np.abs(scale), *_SIZES)
    shape = volume.content.shape
    if shape == "sphere" and not np.allclose(size, size[0]):
        shape = "ellipsoid"  # a sphere of a crop's own has one size
    return crop.replaced(
        volume="", shape=shape, center=center, rotation=rotation, size=tuple(size.tolist())
    )


def _without(entry: NamedSelection, gone: AbstractSet[str]) -> NamedSelection:
    bits = {i: b for i, b in entry.bits.items() if i not in gone}
    # Without nodes it would be asked of all of them.
    nodes = tuple(i for i in entry.nodes if i not in gone) or entry.nodes
    return NamedSelection(entry.name, entry.query, nodes, bits)


def selections_with_copies(
    selections: tuple[NamedSelection, ...], copies: Mapping[str, str]
) -> tuple[NamedSelection, ...]:
    """Named selections that hold of copies what they hold of the nodes copied.

    Parameters
    ----------
    selections
        Of the document.
    copies
        Ids of copies by ids of what they are copies of.
    """
    made = []
    for entry in selections:
        bits = {copies[i]: b for i, b in entry.bits.items() if i in copies}
        nodes = tuple(copies[i] for i in entry.nodes if i in copies)
        if bits or nodes:
            entry = replace(entry, bits={**entry.bits, **bits}, nodes=(*entry.nodes, *nodes))
        made.append(entry)
    return tuple(made)
