"""Model files as a library sees them: counts, size, views, thumbnail; and turning on the spot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.core.compile import core_count
from polyorama.scene.mesh import Mesh
from polyorama.scene.upright import estimate_up
from polyorama.shapes import views as looks
from polyorama.shapes.library.asset import Described
from polyorama.shapes.load import dependencies, load_asset
from polyorama.shapes.raster import prepare
from polyorama.shapes.splat_views import cloud_cameras, draw_cloud, main_subject
from polyorama.shapes.turning import Turnable, ring

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud
    from polyorama.shapes.load import Loaded

__all__ = [
    "FileDescriber", "default_describer", "render_file", "turntable", "views_of_content",
]  # fmt: skip

_THUMBNAIL = 256


class FileDescriber:
    """Opens and renders files for the index.

    Parameters
    ----------
    count
        Views of each shape, 1 to 24.
    size
        Side of the views in pixels, as the embedder likes it.
    """

    def __init__(self, count: int = 12, size: int = 224) -> None:
        self._count, self._size = count, size
        self.recipe = f"{looks.RECIPE}-{count}x{size}"
        self.workers = core_count()

    def describe(self, path: Path) -> Described:
        """Open a file and look at it from all round.

        Raises
        ------
        FileFormatError
            If it cannot be read, or shows nothing.
        UnavailableError
            If the process that reads FBX, USD and the like cannot be started.
        """
        loaded = load_asset(path)
        content = _content(loaded)
        drawn = _laid_out(content)
        return Described(
            loaded.kind, loaded.polygons, loaded.splats, loaded.size,
            looks.on_white(drawn(self._count, self._size)), drawn(1, _THUMBNAIL)[0],
        )  # fmt: skip

    def dependencies(self, path: Path) -> list[Path]:
        """What a file reads beside itself."""
        return dependencies(path)


def default_describer() -> FileDescriber:
    """Twelve views at the size of the embedder that comes along."""
    # Only here: describing loads no network.
    from polyorama.shapes.default.embedder import DefaultEmbedder

    return FileDescriber(12, DefaultEmbedder.picture_size)


def _laid_out(content: Mesh | SplatCloud) -> Callable[[int, int], NDArray[np.uint8]]:
    """What draws (F, size, size, 4) uint8 views in the fixed look, of F and size; laid out once."""
    if isinstance(content, Mesh):
        shape = prepare(content)
        return lambda count, size: looks.mesh_views(shape, count, size)
    subject = main_subject(content)
    up = estimate_up(subject)[0]
    return lambda count, size: draw_cloud(
        subject, cloud_cameras(subject, up, looks.directions(count), size)
    )


def views_of_content(
    content: Mesh | SplatCloud, count: int = 12, size: int = 224
) -> NDArray[np.uint8]:
    """(F, size, size, 3) uint8 views on white of what a node holds, as of files.

    Raises
    ------
    FileFormatError
        If nothing of it can be seen.
    """
    return looks.on_white(_laid_out(content)(count, size))


def render_file(path: Path, count: int = 12, size: int = 224) -> NDArray[np.uint8]:
    """(F, size, size, 3) uint8 views on white of a model file.

    Raises
    ------
    FileFormatError
        If it cannot be read, or shows nothing.
    UnavailableError
        If the process that reads FBX, USD and the like cannot be started.
    """
    return views_of_content(_content(load_asset(path)), count, size)


def turntable(path: Path, frames: int = 24, size: int = 256) -> NDArray[np.uint8]:
    """(frames, size, size, 4) uint8: a model turning once; the first frame is its thumbnail's view.

    Raises
    ------
    FileFormatError
        If it cannot be read, or shows nothing.
    UnavailableError
        If the process that reads FBX, USD and the like cannot be started.
    """
    return Turnable(_content(load_asset(path))).views(ring(frames), size)


def _content(loaded: Loaded) -> Mesh | SplatCloud:
    content = loaded.mesh if loaded.mesh is not None else loaded.cloud
    assert content is not None
    return content
