"""What becomes of sets of splats where splats go, come or are joined."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.selection import BitSet, NamedSelection

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier
    from polyorama.scene.splats import SplatCloud

__all__ = [
    "bits_of_rows", "joined_bits", "modifiers_of_rows", "node_of_rows", "with_node",
]  # fmt: skip


def bits_of_rows(bits: BitSet | None, rows: NDArray[np.int64]) -> BitSet | None:
    """The set over those splats alone, in that order."""
    return None if bits is None else BitSet.of_mask(bits.mask()[rows])


def modifiers_of_rows(
    modifiers: Iterable[Modifier], rows: NDArray[np.int64]
) -> tuple[Modifier, ...]:
    """Modifiers whose sets of splats are over those splats alone."""
    return tuple(
        m.replaced(mask=bits_of_rows(m.mask, rows)) if isinstance(m.mask, BitSet) else m
        for m in modifiers
    )


def node_of_rows(node: Node, cloud: SplatCloud, rows: NDArray[np.int64]) -> Node:
    """The node with another cloud, whose splats stand for `rows` of the present one.

    It does not come from a file any more.
    """
    return replace(
        node,
        content=cloud,
        modifiers=modifiers_of_rows(node.modifiers, rows),
        deleted=bits_of_rows(node.deleted, rows),
        hidden=bits_of_rows(node.hidden, rows),
        locked=bits_of_rows(node.locked, rows),
        source=None,
    )


def with_node(document: Document, node: Node, rows: NDArray[np.int64]) -> Document:
    """The document with the node in its place, and selections over `rows` of its splats alone."""

    def fitting(sets: Mapping[str, BitSet]) -> dict[str, BitSet]:
        return {i: BitSet.of_mask(b.mask()[rows]) if i == node.id else b for i, b in sets.items()}

    return replace(
        document,
        nodes=tuple(node if n.id == node.id else n for n in document.nodes),
        selection=fitting(document.selection),
        selections=tuple(
            NamedSelection(s.name, s.query, s.nodes, fitting(s.bits)) for s in document.selections
        ),
    )


def joined_bits(sets: Sequence[tuple[BitSet | None, int]]) -> BitSet:
    """One set of several one after the other, each with how many splats it is over."""
    masks = [np.zeros(count, np.bool_) if bits is None else bits.mask() for bits, count in sets]
    return BitSet.of_mask(np.concatenate(masks))
