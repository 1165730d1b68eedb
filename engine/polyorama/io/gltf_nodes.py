"""The tree of nodes of a glTF file: where each thing stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.io.gltf_container import GltfFile

__all__ = ["node_worlds"]

_MAX_NODES = 1_000_000


def node_worlds(file: GltfFile) -> dict[int, NDArray[np.float64]]:
    """Node to world, (4, 4), of every node that the default scene shows, parents first.

    Without scenes, all nodes are shown.

    Raises
    ------
    FileFormatError
        If the nodes are no forest or a transform is malformed.
    """
    worlds: dict[int, NDArray[np.float64]] = {}
    stack = [(root, np.eye(4)) for root in reversed(_roots(file))]
    while stack:
        index, parent = stack.pop()
        node = file.item("nodes", index)
        if index in worlds:
            raise file.damaged(f"node {index} is in the tree twice")
        if len(worlds) >= _MAX_NODES:
            raise file.error(f"The glTF file has more than {_MAX_NODES:,} nodes")
        with np.errstate(all="ignore"):
            worlds[index] = parent @ _local_matrix(file, node)
        stack += [(child, worlds[index]) for child in reversed(file.items("children", node))]
    return worlds


def _roots(file: GltfFile) -> list[Any]:
    if file.items("scenes"):
        return file.items("nodes", file.item("scenes", file.whole(file.json, "scene", 0)))
    nodes = file.items("nodes")
    below = {
        child
        for node in nodes
        if isinstance(node, dict)
        for child in file.items("children", node)
        if type(child) is int
    }
    return [index for index in range(len(nodes)) if index not in below]


def _local_matrix(file: GltfFile, node: dict[str, Any]) -> NDArray[np.float64]:
    """Node to parent."""
    if "matrix" in node:
        return _numbers(file, node["matrix"], 16).reshape(4, 4).T
    translation = _numbers(file, node.get("translation", [0, 0, 0]), 3)
    x, y, z, w = _numbers(file, node.get("rotation", [0, 0, 0, 1]), 4)
    scale = _numbers(file, node.get("scale", [1, 1, 1]), 3)
    norm = w * w + x * x + y * y + z * z
    if not 1e-12 < norm < 1e12:
        raise file.damaged("a node has an impossible rotation")
    s = 2 / norm
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]
    matrix[:3, :3] *= scale
    matrix[:3, 3] = translation
    return matrix


def _numbers(file: GltfFile, values: Any, count: int) -> NDArray[np.float64]:
    fine = isinstance(values, list) and len(values) == count
    if not fine or not all(type(v) in (int, float) for v in values):
        raise file.damaged("a node has a malformed transform")
    try:
        numbers = np.array([float(v) for v in values])
    except OverflowError as error:
        raise file.damaged("a node has an infinite transform") from error
    if not np.isfinite(numbers).all():
        raise file.damaged("a node has an infinite transform")
    return numbers
