"""From a frame to the layers of an EXR file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.io.exr import write_exr
from polyorama.render.resolve import flatten

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.scene.document import Document

__all__ = ["COVERED", "LAYERS", "NodeTable", "write_layers"]


@dataclass(frozen=True, slots=True)
class NodeTable:
    """Whose splats are whose: names and numbers of splats of the nodes, in the order drawn."""

    names: tuple[str, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, document: Document, time: float = 0.0) -> NodeTable:
        """The nodes that a document draws at `time`, s."""
        gaussians = flatten(document, time)
        ids, owner = gaussians.node_ids, gaussians.node_index
        counts = [len(gaussians.cloud)] if owner is None else np.bincount(owner, minlength=len(ids))
        names = tuple(document.node(node).name for node in ids)
        return cls(names, tuple(int(count) for count in counts[: len(ids)]))

    def index(self) -> NDArray[np.int32]:
        """(N,) int32, the node of each splat."""
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)


LAYERS = ("linear", "depth", "normals")
"""What an EXR file is made of."""

COVERED = 0.5
"""Alpha from which a pixel has depth, normal and ids. Mattes by id are cut at half coverage so, and
a glow of a tenth owns nothing that it lies over."""


def write_layers(
    path: str | os.PathLike[str],
    frame: Frame,
    camera: Camera,
    nodes: NodeTable,
    text: Mapping[str, str] | None = None,
) -> None:
    """Write the `LAYERS` of a frame as EXR; but for light, only where splats cover half a pixel.

    Raises
    ------
    OutputError, UsageError, UnavailableError
        As `polyorama.io.exr.write_exr`.
    """
    depth, normals, ids = frame.expected_depth, frame.normals, frame.ids
    if frame.alpha is not None:
        faint = frame.alpha < COVERED
        depth = None if depth is None else np.where(faint, np.float32(0.0), depth)
        normals = None if normals is None else np.where(faint[..., None], np.float32(0.0), normals)
        ids = None if ids is None else np.where(faint, np.int32(-1), ids)
    write_exr(
        path, frame.linear, depth=depth, normals=normals, ids=ids,
        node_index=nodes.index(), nodes=nodes.names, world_to_camera=camera.viewmat, text=text,
    )  # fmt: skip
