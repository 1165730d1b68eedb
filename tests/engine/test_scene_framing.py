"""Upright and framing: which way is up, and a camera that shows the subject."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.types import Bounds
from polyorama.errors import UsageError
from polyorama.scene.document import Document
from polyorama.scene.framing import frame_document, frame_subject
from polyorama.scene.splats import SplatCloud, concatenate, sh_from_colors
from polyorama.scene.subject import subject_points, subject_rows, weighted_quantile
from polyorama.scene.upright import estimate_up
from tests.engine.splat_samples import sample_cloud


def cloud_of(points, scale=0.01, opacity=1.0, colors=0.5, up=None):
    n = len(points)
    return SplatCloud(
        np.asarray(points, np.float32),
        np.tile(np.float32([1, 0, 0, 0]), (n, 1)),
        np.full((n, 3), scale, np.float32),
        np.full(n, opacity, np.float32),
        sh_from_colors(np.broadcast_to(colors, (n, 3)))[:, None],
        up=up,
    )


def project(camera, points):
    p = np.asarray(points, np.float64) @ camera.viewmat[:3, :3].T + camera.viewmat[:3, 3]
    xy = np.stack(
        [
            p[:, 0] / p[:, 2] * camera.fx + camera.cx,
            p[:, 1] / p[:, 2] * camera.fy + camera.cy,
        ],
        axis=1,
    )
    return xy, p[:, 2]


@pytest.fixture
def ball():
    points = np.random.default_rng(3).normal(size=(5000, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@pytest.mark.parametrize("size", [(1280, 720), (400, 900), (512, 512)])
@pytest.mark.parametrize("up", [(0, -1, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 2, 3)])
def test_the_subject_fills_the_frame_and_is_centred(ball, size, up):
    camera = frame_subject(cloud_of(ball * [2, 1, 1] + [5, -3, 9]), up, size=size)
    xy, depth = project(camera, ball * [2, 1, 1] + [5, -3, 9])
    assert depth.min() > 0
    low, high = xy.min(axis=0), xy.max(axis=0)
    share = (high - low) / size
    assert share.max() == pytest.approx(0.8, abs=0.04)
    np.testing.assert_allclose((low + high) / 2, np.array(size) / 2, atol=0.02 * max(size))


def test_the_picture_is_upright_and_seen_from_above(ball):
    for up in np.vstack([np.eye(3), -np.eye(3)]):
        camera = frame_subject(cloud_of(ball), up)
        xy, _ = project(camera, [[0, 0, 0], 0.5 * up])
        assert xy[1, 1] < xy[0, 1]
        assert camera.position @ up > 0


def test_giants_faint_and_far_splats_do_not_count(ball):
    subject = cloud_of(ball)
    rng = np.random.default_rng(0)
    sky = cloud_of(rng.normal(size=(300, 3)), scale=50.0)
    far = cloud_of(rng.normal(size=(200, 3)) * 400)
    fog = cloud_of(rng.normal(size=(4000, 3)) * 3, opacity=0.004)
    broken = cloud_of(np.full((5, 3), np.nan))
    plain = frame_subject(subject, size=(640, 480))
    messy = frame_subject(concatenate([subject, sky, far, fog, broken]), size=(640, 480))
    np.testing.assert_allclose(messy.position, plain.position, atol=0.05)
    points, weights = subject_points(concatenate([subject, sky, far, fog, broken]))
    ends = [weighted_quantile(points[:, axis], weights, [0.005, 0.995]) for axis in range(3)]
    np.testing.assert_allclose(ends, [[-1, 1]] * 3, atol=0.05)


def test_long_things_are_shown_broadside():
    points = np.random.default_rng(1).uniform(-1, 1, (4000, 3)) * [0.1, 0.1, 2.0]
    camera = frame_subject(cloud_of(points), size=(1280, 720))
    view = camera.forward / np.linalg.norm(camera.forward)
    assert abs(view[0]) > abs(view[2])


def test_a_box_fits_exactly():
    box = Bounds(np.array([-1, -2, -3]), np.array([1, 2, 3]))
    camera = frame_subject(box, azimuth=20, elevation=30, fill=1.0, size=(800, 600))
    corners = np.stack(np.meshgrid([-1, 1], [-2, 2], [-3, 3]), axis=-1).reshape(8, 3)
    xy, depth = project(camera, corners)
    assert depth.min() > 0
    assert xy.min() >= -1e-6
    assert (xy <= np.array([800, 600]) + 1e-6).all()
    share = (xy.max(axis=0) - xy.min(axis=0)) / [800, 600]
    assert share.max() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("elevation", [90, -90])
def test_straight_from_above_and_below(ball, elevation):
    camera = frame_subject(cloud_of(ball), elevation=elevation)
    np.testing.assert_allclose(abs(camera.forward[1]), 1.0, atol=1e-9)
    xy, _ = project(camera, ball)
    np.testing.assert_allclose((xy.min(axis=0) + xy.max(axis=0)) / 2, [640, 360], atol=15)


def test_odd_subjects_still_make_a_camera():
    for points in ([[1, 2, 3]], [[0, 0, 0], [0, 0, 1e-9]], np.zeros((0, 3))):
        camera = frame_subject(cloud_of(np.reshape(points, (-1, 3))))
        assert np.isfinite(camera.viewmat).all()
    whole = frame_document(Document())
    assert np.isfinite(whole.viewmat).all()


def test_a_document_is_framed_as_its_clouds_are(ball):
    cloud = cloud_of(ball, up=(0.0, 0.0, 1.0))
    document = Document.of([cloud], ["ball"])
    alone = frame_subject(cloud, (0, 0, 1))
    np.testing.assert_allclose(frame_document(document).viewmat, alone.viewmat, atol=1e-9)


@pytest.mark.parametrize("bad", [{"fill": 0}, {"fill": 2}, {"up": (0, 0, 0)}, {"fov": 180}])
def test_bad_arguments_are_refused(ball, bad):
    with pytest.raises(UsageError):
        frame_subject(cloud_of(ball), **bad)


def test_weighted_quantile_equals_repetition():
    values = np.array([3.0, 1.0, 2.0])
    repeated = np.repeat(values, 1000)
    for at in (0.2, 0.5, 0.77):
        one = weighted_quantile(values, np.ones(3), [at])
        many = weighted_quantile(repeated, np.ones(3000), [at])
        assert abs(one - many) < 0.51
    heavy = weighted_quantile(values, np.array([1.0, 1.0, 98.0]), [0.5])
    assert heavy == pytest.approx(2.0, abs=0.02)


def test_a_known_up_is_kept(ball):
    up, confidence = estimate_up(cloud_of(ball, up=(0.0, 0.0, 2.0)))
    np.testing.assert_allclose(up, [0, 0, 1])
    assert confidence == 1.0


def test_without_evidence_the_commonest_axes_are_taken(ball):
    up, confidence = estimate_up(cloud_of(ball))
    np.testing.assert_allclose(up, [0, -1, 0])
    assert confidence < 0.8


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [-1, 1])
def test_evidence_overrules_the_prior(axis, sign):
    """A lopsided tower on a broad floor, lit from above, stands up along any axis."""
    rng = np.random.default_rng(5)
    floor = rng.uniform(-1, 1, (6000, 3)) * [1, 0.02, 0.9]
    tower = rng.uniform(0, 1, (2500, 3)) * [0.35, 1.1, 0.3] + [0.1, 0, -0.2]
    points = np.concatenate([floor, tower])  # +y is up
    light = np.clip(0.3 + 0.5 * points[:, 1:2], 0, 1)
    basis = np.roll(np.eye(3), axis - 1, axis=0) * np.where(np.arange(3) == axis, sign, 1)[:, None]
    up, confidence = estimate_up(cloud_of(points @ basis.T, colors=light))
    wanted = np.zeros(3)
    wanted[axis] = sign
    np.testing.assert_allclose(up, wanted)
    assert confidence > 0.5


def test_a_tilted_floor_is_levelled():
    rng = np.random.default_rng(2)
    floor = rng.uniform(-1, 1, (6000, 3)) * [1, 0.0, 1] + [0, 0.3, 0]
    thing = rng.normal(size=(2000, 3)) * 0.1
    angle = np.radians(12)
    turn = np.array(
        [[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]]
    )
    cloud = cloud_of(np.concatenate([floor, thing]))
    flat = SplatCloud(
        cloud.means, cloud.quats, cloud.scales * np.float32([1, 0.1, 1]), cloud.opacities, cloud.sh
    )
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    up, _ = estimate_up(flat.transformed(matrix))
    np.testing.assert_allclose(up, turn @ [0, -1, 0], atol=0.02)


def test_subject_rows_are_bounded_and_sorted():
    points = np.random.default_rng(0).normal(size=(400_000, 3))
    rows = subject_rows(cloud_of(points))
    assert 20_000 < len(rows) <= 60_000
    assert (np.diff(rows) > 0).all()


UPRIGHT = {"plane_10k": (0, 0, 1), "sword_10k": None}


def test_real_objects_come_out_upright(shared_data):
    """All but a sword, which has no right way up, were looked at."""
    files = sorted((shared_data / "splats").glob("*.splat"))
    assert len(files) == 22
    wrong = []
    for file in files:
        up, _ = estimate_up(read_plain_splat(file))
        wanted = UPRIGHT.get(file.stem, (0, -1, 0))
        if wanted is not None and np.dot(up, wanted) < 0.95:
            wrong.append((file.stem, up))
    assert not wrong


def read_plain_splat(file):
    """A .splat file read by the letter of its 32-byte records, in as few lines as that takes."""
    record = np.fromfile(
        file, [("mean", "<f4", 3), ("scale", "<f4", 3), ("rgba", "u1", 4), ("quat", "u1", 4)]
    )
    quats = record["quat"].astype(np.float32) / 128 - 1
    return SplatCloud(
        record["mean"],
        quats / np.linalg.norm(quats, axis=1, keepdims=True),
        record["scale"],
        record["rgba"][:, 3].astype(np.float32) / 255,
        sh_from_colors(record["rgba"][:, :3] / np.float32(255))[:, None],
    )


def test_pictures_frame_what_edits_leave():
    from polyorama.edit.editor import Editor
    from polyorama.scene.subject import document_points

    cloud = sample_cloud(400, 0)
    doc = Editor(Document.of([cloud], ["ball"]))
    doc.select("x > 0")
    doc.delete()
    assert document_points(doc.document)[0][:, 0].max() <= 0
    doc.add_modifier("ball", "transform", values={"translation": (0.0, 50.0, 0.0)})
    assert document_points(doc.document)[0][:, 1].min() > 40
