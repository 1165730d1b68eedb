"""Model files as the index sees them, and what a slower way gives for the same files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.errors import FileFormatError
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.mesh import read_mesh
from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.shapes import describing
from polyorama.shapes.describing import (
    FileDescriber,
    default_describer,
    render_file,
    turntable,
    views_of_content,
)
from polyorama.shapes.splat_views import cloud_views
from polyorama.shapes.views import RECIPE, mesh_views, on_white

if TYPE_CHECKING:
    from pathlib import Path

WEDGE = """\
v 0 0 0 1 0 0
v 2 0 0 0 1 0
v 0 1 0 0 0 1
v 0 0 3 1 1 0
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""


@pytest.fixture
def wedge(tmp_path: Path) -> Path:
    path = tmp_path / "wedge.obj"
    path.write_text(WEDGE)
    return path


@pytest.fixture
def cloud(tmp_path: Path) -> Path:
    count = 400
    means = np.random.default_rng(0).uniform(-1, 1, (count, 3)).astype(np.float32)
    path = tmp_path / "cloud.ply"
    write_splats(SplatCloud(
        means=means, quats=np.tile(np.float32([1, 0, 0, 0]), (count, 1)),
        scales=np.full((count, 3), 0.05, np.float32), opacities=np.full(count, 0.9, np.float32),
        sh=sh_from_colors(np.abs(means))[:, None],
    ), path)  # fmt: skip
    return path


def test_a_mesh_is_described(wedge: Path) -> None:
    found = FileDescriber(3, 32).describe(wedge)
    assert (found.kind, found.polygons, found.splats) == ("mesh", 4, None)
    assert found.size == pytest.approx((2.0, 1.0, 3.0))
    mesh = read_mesh(wedge)
    np.testing.assert_array_equal(found.views, on_white(mesh_views(mesh, 3, 32)))
    np.testing.assert_array_equal(found.thumbnail, mesh_views(mesh, 1, 256)[0])
    np.testing.assert_array_equal(render_file(wedge, 3, 32), found.views)
    np.testing.assert_array_equal(views_of_content(mesh, 3, 32), found.views)


def test_a_cloud_is_described(cloud: Path) -> None:
    found = FileDescriber(2, 32).describe(cloud)
    assert (found.kind, found.polygons, found.splats) == ("splats", None, 400)
    assert found.size == pytest.approx((1.96, 1.96, 1.96), abs=0.1)  # the middle 98 percent
    splats = read_splats(cloud)
    np.testing.assert_array_equal(found.views, on_white(cloud_views(splats, 2, 32)))
    np.testing.assert_array_equal(found.thumbnail, cloud_views(splats, 1, 256)[0])


def test_a_file_is_laid_out_once(wedge: Path, cloud: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = dict.fromkeys(("prepare", "main_subject", "estimate_up"), 0)
    for name in counts:
        real = getattr(describing, name)

        def counted(content, name=name, real=real):
            counts[name] += 1
            return real(content)

        monkeypatch.setattr(describing, name, counted)
    for path in (wedge, cloud):
        FileDescriber(2, 16).describe(path)
    assert counts == {"prepare": 1, "main_subject": 1, "estimate_up": 1}


def test_recipes_tell_views_apart() -> None:
    assert FileDescriber(12, 160).recipe == f"{RECIPE}-12x160" == default_describer().recipe
    assert FileDescriber(12, 224).recipe != FileDescriber(6, 224).recipe


def test_a_model_turns_once_from_its_thumbnail_on(wedge: Path) -> None:
    frames = turntable(wedge, 4, 48)
    assert frames.shape == (4, 48, 48, 4)
    for i in range(4):
        for j in range(i):
            assert np.abs(frames[i].astype(int) - frames[j]).mean() > 1.0
    assert (frames[..., 3] > 0).any(axis=(1, 2)).all()


def test_what_shows_nothing_says_so(tmp_path: Path) -> None:
    path = tmp_path / "flat.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
    with pytest.raises(FileFormatError, match=r"no triangle with an area.*flat\.obj"):
        FileDescriber().describe(path)
