"""The sample stage: how paint becomes Gaussians, and what the file that comes with us holds."""

from __future__ import annotations

import argparse
import io
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from polyorama.cli.demo import run
from polyorama.core import jobs
from polyorama.core.jobs import Progress
from polyorama.core.types import Camera
from polyorama.errors import OutputError
from polyorama.io.project import read_project, read_thumbnail
from polyorama.render.resolve import draw
from polyorama.scene.document import Document, Node
from polyorama.verbs.demo import sample_path
from polyorama.verbs.theatre import props, scenery, sheets
from polyorama.verbs.theatre.build import cloud_of
from polyorama.verbs.theatre.light import Lamp, lit_colors, occluders
from polyorama.verbs.theatre.paint import Canvas, blurred, noise
from polyorama.verbs.theatre.paper import backed, rim
from polyorama.verbs.theatre.sheets import Sheet, block, board, lathe, panel, spun, tube
from polyorama.verbs.theatre.stipple import SIGMA, stipple

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.core.jobs import Job

THINGS = {
    "house": ("floor", "plinth", "wall", "arch", "columns", "crest", "lamp row", "footlights"),
    "curtains": (
        "left curtain", "right curtain", "left tie-back", "right tie-back", "valance",
    ),
    "scenery": ("sky", "moon", "clouds", "town", "hills", "forest", "stars"),
    "props": (
        "table", "teapot", "cup", "second cup", "chair", "potted tree", "sea", "paper boat",
    ),
    "light": ("foot glow", "lamp glow", "moonlight", "steam", "ground", "dust"),
}  # fmt: skip


def disc(radius: float = 0.4, step: float = 0.005) -> Sheet:
    """A white disc on an upright board, half of it painted black."""
    canvas = Canvas((-0.5, -0.5), (0.5, 0.5), step)
    canvas.mask = (np.hypot(canvas.x, canvas.y) < radius) * 1.0
    canvas.color[canvas.x > 0] = 1.0
    return board(canvas.color, canvas.low, canvas.high, 0.0, mask=canvas.mask, thickness=0.02)


def test_dabs_cover_the_paper_and_nothing_else() -> None:
    dabs = stipple([disc()], 1200, seed=1)
    assert len(dabs) == pytest.approx(1200, rel=0.2)
    assert np.all(np.hypot(*dabs.means[:, :2].T) < 0.4 + 0.01)
    rng = np.random.default_rng(0)
    points = rng.uniform(-0.4, 0.4, (4000, 2))
    points = points[np.hypot(*points.T) < 0.38]
    away = points[:, None, :] - dabs.means[None, :, :2]
    along = np.einsum("pdc,dc->pd", away, dabs.frames[:, :2, 0]) / dabs.sigmas[:, 0]
    across = np.einsum("pdc,dc->pd", away, dabs.frames[:, :2, 1]) / dabs.sigmas[:, 1]
    alpha = 0.985 * np.exp(-0.5 * (along**2 + across**2))
    cover = 1 - np.prod(1 - alpha, axis=1)
    assert np.median(cover) > 0.9
    assert np.quantile(cover, 0.01) > 0.6


def test_dabs_keep_clear_of_each_other() -> None:
    """No centre lies well inside the ellipse of another: it is a Poisson-disk set."""
    dabs = stipple([disc()], 800, seed=2)
    away = dabs.means[None, :, :2] - dabs.means[:, None, :2]
    along = np.einsum("dpc,dc->dp", away, dabs.frames[:, :2, 0]) / (dabs.sigmas[:, :1] / SIGMA)
    across = np.einsum("dpc,dc->dp", away, dabs.frames[:, :2, 1]) / (dabs.sigmas[:, 1:] / SIGMA)
    radius = np.hypot(along, across)
    np.fill_diagonal(radius, np.inf)
    # Centres are thrown on cells and then jittered, so that a little is lost for the smallest.
    assert np.mean(radius.min(axis=1) < 0.5) < 0.1


def test_dabs_are_small_and_lie_along_an_edge() -> None:
    dabs = stipple([disc()], 1200, seed=3)
    x, y = dabs.means[:, 0], dabs.means[:, 1]
    seam = (np.abs(x) < 0.012) & (np.abs(y) < 0.25)
    flat = (np.abs(x) > 0.1) & (np.hypot(x, y) < 0.25)
    assert dabs.sigmas[seam, 1].mean() < 0.5 * dabs.sigmas[flat, 1].mean()
    assert np.abs(dabs.frames[seam, 1, 0]).mean() > 0.9
    assert np.all(dabs.sigmas[:, 0] >= dabs.sigmas[:, 1] - 1e-12)
    sharp = np.abs(x) > 0.02
    assert np.all((dabs.color[sharp, 0] > 0.5) == (x[sharp] > 0))


def test_the_same_seed_gives_the_same_dabs() -> None:
    first, second, other = (stipple([disc()], 300, seed=s) for s in (1, 1, 2))
    assert first.means.tobytes() == second.means.tobytes()
    assert len(other) != len(first) or other.means.tobytes() != first.means.tobytes()


def test_closed_surfaces_have_whole_frames_at_their_poles() -> None:
    arc = np.linspace(0, np.pi, 20)
    ball = lathe(np.column_stack([0.2 * np.sin(arc), 0.2 * np.cos(arc)]), 0.02, (0.5, 0.5, 0.5))
    dabs = stipple([ball], 400, seed=1)
    np.testing.assert_allclose(np.linalg.norm(dabs.means, axis=1), 0.2, atol=0.01)
    frames = dabs.frames
    np.testing.assert_allclose(
        np.einsum("nij,nik->njk", frames, frames), np.broadcast_to(np.eye(3), frames.shape),
        atol=1e-6,
    )  # fmt: skip
    outward = np.sum(frames[:, :, 2] * dabs.means, axis=1) / 0.2
    assert outward.min() > 0.9


@pytest.mark.parametrize("name", ["block", "tube", "panel", "spun"])
def test_builders_face_outwards(name: str) -> None:
    made = {
        "block": block((0, 0, 0), (1, 1, 1), 0.2, (1, 1, 1)),
        "tube": [tube([(0, -1, 0), (0.02, 1, 0)], 0.1, 0.05, (1, 1, 1))],
        "panel": [panel((-1, 1, 0.5), (2, 0, 0), (0, -2, 0), 0.2, (1, 1, 1))],
        "spun": spun(block((0, 0, 0), (1, 2, 1), 0.2, (1, 1, 1)), 30),
    }[name]
    for sheet in made:
        away = sheet.points * (1, 0, 1) if name == "tube" else sheet.points
        assert np.all(np.sum(sheet.normals * away, axis=2) > 0)


def test_paper_has_a_back_and_an_edge() -> None:
    sheet = disc()
    back = backed(sheet)
    np.testing.assert_allclose(back.points - sheet.points, -0.02 * sheet.normals)
    edge = rim(sheet)
    assert edge is not None
    np.testing.assert_allclose(np.hypot(*edge.means[:, :2].T), 0.4, atol=0.02)
    outward = np.sum(edge.frames[:, :2, 2] * edge.means[:, :2], axis=1) / 0.4
    assert np.median(outward) > 0.95
    assert rim(board(sheet.color, (0, 0), (1, 1), 0.0, thickness=0.02)) is None


def test_a_board_throws_a_shadow() -> None:
    floor = panel((-1, 0, -1), (2, 0, 0), (0, 0, 2), 0.02, (0.8, 0.8, 0.8), casts=False)
    shade = panel((-0.3, 0.5, -0.3), (0.6, 0, 0), (0, 0, 0.6), 0.05, (0, 0, 0))
    dabs = stipple([floor], 3000, seed=1)
    lamp = Lamp(np.array([[0.0, 4.0, 0.0]]), np.array([1.0, 1.0, 1.0]), falloff=False)
    colors = lit_colors(
        dabs, occluders([floor, shade]), [lamp], sky=(np.full(3, 0.02), np.zeros(3)),
        viewer=np.array([0.0, 3.0, 3.0]),
    )  # fmt: skip
    away = np.abs(dabs.means[:, [0, 2]]).max(axis=1)
    assert colors[away < 0.1].max() < 0.3
    assert colors[(away > 0.6) & (away < 0.9)].min() > 0.7


def test_paint_helpers() -> None:
    x, y = np.meshgrid(np.linspace(-3, 3, 200), np.linspace(-3, 3, 200))
    field = noise(x, y, 4)
    assert -1 <= field.min() < -0.3
    assert 0.3 < field.max() <= 1
    assert np.abs(np.diff(field, axis=1)).max() < 0.2
    spot = np.zeros((31, 31))
    spot[15, 15] = 1.0
    assert blurred(spot, 2.0).sum() == pytest.approx(1.0)
    canvas = Canvas((0.0, 0.0), (1.0, 1.0), 0.01)
    square = canvas.polygon([(0.2, 0.2), (0.6, 0.2), (0.6, 0.6), (0.2, 0.6)])
    assert square.mean() == pytest.approx(0.16, abs=0.01)
    canvas.light(square, (1.0, 1.0, 1.0))
    canvas.lay(canvas.polygon([(0.4, 0.0), (1.0, 0.0), (1.0, 1.0), (0.4, 1.0)]), (1.0, 0.0, 0.0))
    assert canvas.glow[50, 70:].max() == 0.0
    assert canvas.glow[50, 30].max() == 1.0


def test_the_stage_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verb and its command line, with a board in place of the theatre."""

    def tiny(seed: int) -> Job[Document]:
        yield Progress(0, 1, "Painting a disc")
        dabs = stipple([disc()], 400, seed=seed)
        cloud = cloud_of(dabs, dabs.color)
        camera = Camera.look_at((0, 0, -2), (0, 0, 0), fov=40, size=(1280, 720))
        return Document((Node("disc", cloud, id="disc"),), camera, (0.1, 0.1, 0.2))

    monkeypatch.setattr("polyorama.verbs.demo.build_theatre", tiny)
    path = tmp_path / "s.poly"
    run(argparse.Namespace(output=str(path), seed=None))
    first = path.read_bytes()
    back = read_project(path)
    content = back.node("disc").content
    assert content is not None
    assert len(content) == len(jobs.run(tiny(1)).nodes[0].content or ())
    thumbnail = read_thumbnail(path)
    assert thumbnail is not None
    picture = np.asarray(Image.open(io.BytesIO(thumbnail)))
    assert picture.shape == (270, 480, 3)
    assert picture[135, 260].min() > 200
    assert picture[135, 220].max() < 60
    run(argparse.Namespace(output=str(path), seed=None))
    assert path.read_bytes() == first
    with pytest.raises(OutputError):
        run(argparse.Namespace(output=str(tmp_path / "none" / "s.poly"), seed=None))


def test_leaves_stay_round_the_crown() -> None:
    leaves = props.foliage(400, 1)
    assert len(leaves) == 400
    assert np.all(leaves.means[:, 1] > 0.5)


def test_curves_pass_through_their_knots() -> None:
    knots = np.array([(0.0, 0.0), (1.0, 2.0), (3.0, 1.0)])
    curve = sheets.smooth_curve(knots, 201)
    for knot in knots:
        assert np.linalg.norm(curve - knot, axis=1).min() < 0.02


@pytest.fixture(scope="module")
def sample() -> Document:
    return read_project(sample_path())


def test_the_sample_holds_every_named_thing(sample: Document) -> None:
    for group, names in THINGS.items():
        parent = sample.node(group)
        assert parent.content is None
        for name in names:
            node = sample.node(name)
            assert node.parent == parent.id
            assert node.content is not None
            assert len(node.content) > 0
    assert len(sample.nodes) == len(THINGS) + sum(map(len, THINGS.values()))


def test_the_sample_is_small_and_sane(sample: Document) -> None:
    assert sample_path().stat().st_size < 4_000_000
    clouds = [node.content for node in sample.nodes if node.content is not None]
    assert 130_000 < sum(map(len, clouds)) < 180_000
    assert sample.up == (0.0, -1.0, 0.0)
    assert sample.camera is not None
    for cloud in clouds:
        assert np.isfinite(cloud.means).all()
        assert np.abs(cloud.means).max() < 8
        assert cloud.scales.max() < 1.0
    thumbnail = read_thumbnail(sample_path())
    assert thumbnail is not None


def test_the_sample_can_be_seen(sample: Document) -> None:
    """The saved view is filled without holes, warm in the curtains, blue in the sky."""
    assert sample.camera is not None
    frame = draw(sample, sample.camera.resized(320, 180), backend="cpu", outputs=("color", "depth"))
    assert frame.color is not None
    assert frame.alpha is not None
    picture, alpha = frame.color[..., :3], frame.alpha
    assert alpha[40:150, 60:260].min() > 0.95
    assert alpha[:8].max() < 0.2
    curtain, sky = picture[90, 92], picture[68:72, 160:165].mean(axis=(0, 1))
    assert curtain[0] > 2 * curtain[2]
    assert sky[2] > 1.2 * sky[1]
    assert picture[40:150, 60:260].std() > 0.1


def test_thin_paper_is_painted_on_both_sides() -> None:
    """Seen from the side, dabs of the back lie between those of the front, and must not differ."""
    moon = next(sheet for sheet in scenery.moon() if sheet.thickness > 0)
    back = backed(moon)
    assert np.array_equal(back.color, moon.color)
    assert np.array_equal(back.glow, moon.glow)
    assert np.allclose(back.normals, -moon.normals)
    board = backed(replace(moon, thickness=0.1))
    assert np.abs(board.color - moon.color).max() > 0.2
    assert board.glow is None
