"""Small views of shapes against a ray caster in float64, and the traps of turned pictures."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.color import display_from_linear, linear_from_display
from polyorama.errors import FileFormatError, UsageError
from polyorama.scene.mesh import Material, Mesh
from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.shapes import raster, raster_kernels
from polyorama.shapes.raster import Light, corner_normals, draw_views, fitting_distance, prepare
from polyorama.shapes.splat_views import cloud_views
from polyorama.shapes.training.pictures import clay, photographs
from polyorama.shapes.views import directions, mesh_views, on_white, rotation

PLAIN = Light(strength=0.0, ambient=1.0, ground=1.0)
"""Light in which every surface shows its own colour."""


def box(low: tuple[float, ...], high: tuple[float, ...], color: tuple[float, ...]) -> Mesh:
    x, y, z = np.array([low, high]).T
    corners = np.array([(a, b, c) for a in x for b in y for c in z], np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Mesh(corners, np.array(triangles, np.int32), np.tile(np.float32(color), (8, 1)))


def joined(*meshes: Mesh) -> Mesh:
    offsets = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.triangles + o for m, o in zip(meshes, offsets, strict=False)]),
        np.concatenate([m.colors for m in meshes if m.colors is not None]),
    )


def soup(seed: int, count: int = 40) -> Mesh:
    generator = np.random.default_rng(seed)
    corners = generator.normal(size=(count, 1, 3)) + generator.normal(size=(count, 3, 3)) * 0.5
    vertices = corners.reshape(-1, 3).astype(np.float32)
    triangles = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    return Mesh(vertices, triangles, generator.random((3 * count, 3)).astype(np.float32))


def cast(mesh: Mesh, turn: np.ndarray, size: int, fov: float, fill: float) -> np.ndarray:
    """(size * 2, size * 2, 4) display RGB 0..1 and hit, by intersecting every ray, in float64."""
    vertices = mesh.vertices.astype(np.float64)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    center = (low + high) / 2
    radius = np.linalg.norm(vertices - center, axis=1).max()
    tangent = np.tan(np.radians(fov) / 2)
    seen = ((vertices - center) / radius) @ turn.T
    reach = np.abs(seen[:, :2]).max(axis=1) / (tangent * fill) - seen[:, 2]
    corners = (seen + np.array([0.0, 0.0, max(reach.max(), 1.02)]))[mesh.triangles]
    wide = 2 * size
    at = ((np.arange(wide) + 0.5) / wide * 2 - 1) * tangent
    rays = np.stack([*np.meshgrid(at, at), np.ones((wide, wide))], axis=-1).reshape(-1, 3)
    a, b, c = corners.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    with np.errstate(all="ignore"):
        depth = (a * normal).sum(1) / (rays @ normal.T)
        points = rays[:, None] * depth[..., None]
        weights = np.stack([
            (np.cross(q - p, points - p) * normal).sum(-1) / (normal**2).sum(-1)
            for p, q in ((b, c), (c, a), (a, b))
        ], axis=-1)  # fmt: skip
    hit = (weights >= 0).all(axis=-1) & (depth > 0)
    depth = np.where(hit, depth, np.inf)
    nearest = depth.argmin(axis=1)
    rows = np.arange(len(rays))
    assert mesh.colors is not None
    colors = np.einsum("nk,nkc->nc", weights[rows, nearest], mesh.colors[mesh.triangles[nearest]])
    any_hit = np.isfinite(depth[rows, nearest])
    result = np.where(any_hit[:, None], colors, 0.0)
    return np.concatenate([result, any_hit[:, None]], axis=1).reshape(wide, wide, 4)


@pytest.mark.parametrize("seed", range(4))
def test_views_are_those_of_a_ray_caster(seed: int) -> None:
    mesh = soup(seed)
    turn = rotation(*np.random.default_rng(seed).uniform([0, -40], [360, 70]))
    size, fov, fill = 32, 40.0, 0.9
    got = draw_views(prepare(mesh), turn[None], size=size, fov=fov, fill=fill, lights=(PLAIN,))[0]
    wide = cast(mesh, turn, size, fov, fill)
    light = wide[..., :3]
    light = np.where(wide[..., 3:] > 0, linear_from_display(np.clip(light, 0, 1)), 0.0)
    share = wide[..., 3].reshape(size, 2, size, 2).mean(axis=(1, 3))
    summed = light.reshape(size, 2, size, 2, 3).mean(axis=(1, 3))
    colors = display_from_linear(summed / np.maximum(share, 1e-9)[..., None])
    # A sample that lies on an edge to the last bit may fall to either side.
    covers = np.abs(got[..., 3] / 255.0 - share) < 0.01
    assert covers.mean() > 0.995
    inside = covers & (share > 0)
    off = np.abs(got[..., :3] / 255.0 - colors).max(axis=-1)[inside]
    assert (off < 0.02).mean() > 0.99


def test_up_is_up_and_right_is_right() -> None:
    """Files of meshes are read so that up is -y and the front +z: their right is then -x."""
    body = box((-1, -1, -1), (1, 1, 1), (0.5, 0.5, 0.5))
    top = box((-0.3, -2.0, -0.3), (0.3, -1.2, 0.3), (1.0, 0.0, 0.0))
    right = box((-2.0, -0.3, -0.3), (-1.2, 0.3, 0.3), (0.0, 0.0, 1.0))
    turn = rotation(0, 0)[None]
    shape = prepare(joined(body, top, right))
    view = draw_views(shape, turn, size=64, fov=40, fill=0.9, lights=(PLAIN,))[0].astype(int)
    solid = view[..., 3] > 200
    red = np.argwhere(solid & (view[..., 0] > view[..., 2] + 80))
    blue = np.argwhere(solid & (view[..., 2] > view[..., 0] + 80))
    assert len(red) > 20
    assert len(blue) > 20
    assert red[:, 0].max() < blue[:, 0].min()  # rows from the top
    assert blue[:, 1].min() > red[:, 1].max()  # columns from the left


def test_the_front_is_seen_from_the_front() -> None:
    front = box((-0.5, -0.5, 1.0), (0.5, 0.5, 1.2), (0.0, 1.0, 0.0))
    shape = prepare(joined(box((-1, -1, -1), (1, 1, 1), (0.5, 0.5, 0.5)), front))
    turns = np.stack([rotation(0, 0), rotation(180, 0)])
    views = draw_views(shape, turns, size=48, fov=40, fill=0.9, lights=(PLAIN,)).astype(int)
    green = (views[..., 1] > views[..., 0] + 80) & (views[..., 3] > 200)
    assert green[0].sum() > 100
    assert green[1].sum() == 0


@pytest.mark.parametrize("count", [1, 4, 12, 24])
def test_shapes_fill_the_frame_and_stay_within(count: int) -> None:
    long = box((-5, -0.2, -0.3), (5, 0.2, 0.3), (0.7, 0.2, 0.2))
    views = mesh_views(long, count, 64)
    assert views.shape == (count, 64, 64, 4)
    cover = views[..., 3] > 0
    border = np.concatenate([cover[:, 0], cover[:, -1], cover[:, :, 0], cover[:, :, -1]], axis=1)
    assert not border.any()
    assert cover.any(axis=(1, 2)).all()
    widths = cover.any(axis=1).sum(axis=1)
    assert 0.75 * 64 < widths.max() <= 0.95 * 64


def test_where_a_shape_stands_and_how_large_it_is_is_no_matter() -> None:
    mesh = soup(9)
    moved = Mesh(mesh.vertices * np.float32(64.0), mesh.triangles, mesh.colors)
    there = Mesh(mesh.vertices + np.float32([8, -4, 2]), mesh.triangles, mesh.colors)
    views = [mesh_views(each, 6, 48).astype(int) for each in (mesh, moved, there)]
    assert (views[0] == views[1]).all()
    # Moving rounds vertices in float32, and samples on an edge may change sides.
    assert (np.abs(views[0] - views[2]).max(axis=-1) <= 2).mean() > 0.99


def test_fewer_views_are_a_prefix_and_directions_are_apart() -> None:
    all_of_them = directions(24)
    for count in (1, 4, 12):
        assert (directions(count) == all_of_them[:count]).all()
    toward = np.array([rotation(a, e)[2] for a, e in all_of_them])
    angles = np.degrees(np.arccos(np.clip(toward @ toward.T, -1, 1)))
    assert angles[np.triu_indices(24, 1)].min() > 12
    assert (toward[:, 1] > 0).sum() >= 16  # most look down
    for wrong in (0, 25):
        with pytest.raises(UsageError, match="1 to 24"):
            directions(wrong)


def test_turns_are_rotations() -> None:
    for azimuth, elevation, roll in np.random.default_rng(0).uniform(-180, 180, (20, 3)):
        turn = rotation(azimuth, elevation / 2, roll)
        assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-12)
        assert np.isclose(np.linalg.det(turn), 1.0)


def test_textures_lie_as_uvs_say_and_holes_let_through() -> None:
    texture = np.zeros((2, 2, 4), np.uint8)
    texture[0, 0], texture[0, 1] = (255, 0, 0, 255), (0, 255, 0, 255)
    texture[1, 0], texture[1, 1] = (0, 0, 255, 255), (9, 9, 9, 0)
    # A sheet that faces +z: u to the right of who looks at it, which is -x, v up, which is -y.
    corners = np.float32([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
    uvs = np.float32([[0, 0], [1, 0], [1, 1], [0, 1]])
    sheet = Mesh(
        corners, np.int32([[0, 1, 2], [0, 2, 3]]), uvs=uvs, materials=(Material(texture=texture),)
    )
    view = draw_views(
        prepare(sheet), rotation(0, 0)[None], size=32, fov=40, fill=1.0, lights=(PLAIN,)
    )[0]
    quarter = {(0, 0): (255, 0, 0), (0, 1): (0, 255, 0), (1, 0): (0, 0, 255)}
    for (row, column), color in quarter.items():
        assert tuple(view[4 + 24 * row, 4 + 24 * column, :3]) == color
    assert view[28, 28, 3] == 0


def test_what_is_behind_glass_shines_through() -> None:
    wall = box((-1, -1, -1), (1, 1, -0.9), (1.0, 0.0, 0.0))
    pane = box((-1, -1, 0.9), (1, 1, 1.0), (0.0, 0.0, 1.0))
    both = joined(wall, pane)
    glass = Mesh(
        both.vertices, both.triangles, both.colors,
        material_ids=np.repeat(np.int32([0, 1]), 12),
        materials=(Material(), Material(color=(1.0, 1.0, 1.0, 0.4))),
    )  # fmt: skip
    turn = rotation(0, 0)[None]
    view = draw_views(prepare(glass), turn, size=32, fov=30, fill=0.8, lights=(PLAIN,))[0]
    middle = view[16, 16].astype(int)
    assert middle[0] > 90
    assert middle[2] > 90
    assert middle[3] == 255


def test_edges_are_smooth_or_sharp_by_their_angle() -> None:
    for degrees, smooth in ((20.0, True), (80.0, False)):
        lift = np.tan(np.radians(degrees / 2))
        vertices = np.float32([[0, 0, 0], [0, 1, 0], [-1, 0, -lift], [1, 0, -lift]])
        normals = corner_normals(vertices, np.int32([[0, 1, 2], [1, 0, 3]]))
        at_the_edge = normals[0, 0] @ normals[1, 1]
        assert (at_the_edge > 0.9999) == smooth
        assert np.allclose(np.linalg.norm(normals, axis=-1), 1.0, atol=1e-6)


def test_a_crowd_of_corners_at_one_place_is_not_compared_with_itself() -> None:
    generator = np.random.default_rng(4)
    count = 20_000
    vertices = generator.normal(size=(3 * count, 3)).astype(np.float32)
    triangles = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    apart = corner_normals(vertices, triangles)
    # Beside one vertex that is far off, all others lie at one place: 3.6 billion pairs of corners.
    crowded = corner_normals(np.concatenate([vertices, np.float32([[1e9, 0, 0]])]), triangles)
    assert np.allclose(np.linalg.norm(crowded, axis=-1), 1.0, atol=1e-6)
    assert np.allclose(crowded, apart, atol=1e-6)


def test_layers_are_counted_as_pixels_are(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, turn, size = prepare(soup(3, 500)), rotation(40.0, 25.0), 400
    eye, tangent = 3.0, np.tan(np.radians(20.0))
    got = raster_kernels.layers(
        shape.vertices, shape.triangles, turn / shape.radius, shape.center, eye, tangent
    )
    seen = (shape.vertices - shape.center) / shape.radius @ turn.T
    at = (seen[:, :2] / (seen[:, 2:] + eye) / tangent + 1.0) * size / 2
    low, high = (f(at[shape.triangles], axis=1).clip(0, size) for f in (np.min, np.max))
    assert got == pytest.approx((high - low).prod(axis=1).sum() / size**2, rel=1e-5)
    monkeypatch.setattr(raster, "_MOST_LAYERS", int(got))
    with pytest.raises(FileFormatError, match=r"times over.*remove those that lie at one place"):
        draw_views(shape, turn[None], size=16, fov=40.0, fill=0.9, distance=eye)
    monkeypatch.setattr(raster, "_MOST_LAYERS", int(got) + 1)
    assert draw_views(shape, turn[None], size=16, fov=40.0, fill=0.9, distance=eye)[..., 3].any()


def test_nearest_distance_is_the_nearest() -> None:
    generator = np.random.default_rng(3)
    points = generator.normal(size=(50, 3)) * 0.3
    turn, tangent = rotation(30, 20), 0.35
    distance = fitting_distance(points, turn, tangent)

    def reach(at: float) -> float:
        x, y, z = turn @ points.T
        return float((np.maximum(np.abs(x), np.abs(y)) / (z + at)).max())

    assert reach(distance) <= tangent * (1 + 1e-9)
    assert reach(distance * 0.999) > tangent


def test_broken_triangles_are_left_out() -> None:
    mesh = box((-1, -1, -1), (1, 1, 1), (0.2, 0.8, 0.2))
    bad = Mesh(
        np.concatenate([mesh.vertices, np.float32([[np.nan, 0, 0], [np.inf, 9, 9]])]),
        np.concatenate([mesh.triangles, np.int32([[0, 1, 8], [2, 9, 3], [4, 4, 4]])]),
    )
    plain = Mesh(mesh.vertices, mesh.triangles)
    assert (mesh_views(bad, 3, 32) == mesh_views(plain, 3, 32)).all()


def test_pictures_lie_over_white() -> None:
    picture = np.uint8([[[10, 20, 30, 255], [10, 20, 30, 0], [0, 0, 0, 128]]])
    assert on_white(picture).tolist() == [[[10, 20, 30], [255, 255, 255], [127, 127, 127]]]


def test_clouds_are_seen_upright_and_within_the_frame() -> None:
    generator = np.random.default_rng(0)
    count = 3000
    means = generator.uniform(-1, 1, (count, 3)).astype(np.float32)
    means[:, 1] = means[:, 1] * 2 - 1
    colors = np.where(means[:, 1:2] < -1, [[1.0, 0.1, 0.1]], [[0.1, 0.1, 1.0]])
    cloud = _cloud(means, colors)
    views = cloud_views(cloud, 4, 48)
    assert views.shape == (4, 48, 48, 4)
    for view in views.astype(int):
        solid = view[..., 3] > 128
        rows = np.arange(48)[:, None]
        red = (rows * (solid & (view[..., 0] > view[..., 2]))).sum() / max(
            (solid & (view[..., 0] > view[..., 2])).sum(), 1
        )
        blue = (rows * (solid & (view[..., 2] > view[..., 0]))).sum() / max(
            (solid & (view[..., 2] > view[..., 0])).sum(), 1
        )
        assert red < blue
        assert max(view[0, :, 3].max(), view[-1, :, 3].max()) < 16  # a splat is wider than its mean


def _cloud(means: np.ndarray, colors: np.ndarray) -> SplatCloud:
    count = len(means)
    return SplatCloud(
        means=means, quats=np.tile(np.float32([1, 0, 0, 0]), (count, 1)),
        scales=np.full((count, 3), 0.01, np.float32), opacities=np.full(count, 0.9, np.float32),
        sh=sh_from_colors(colors.astype(np.float32))[:, None], up=(0.0, -1.0, 0.0),
    )  # fmt: skip


def test_an_invisible_cloud_says_so() -> None:
    means = np.zeros((5, 3), np.float32)
    empty = _cloud(means, np.ones((5, 3)))
    nothing = SplatCloud(
        means=empty.means, quats=empty.quats, scales=empty.scales,
        opacities=np.zeros(5, np.float32), sh=empty.sh,
    )  # fmt: skip
    with pytest.raises(FileFormatError, match="Nothing of this can be seen"):
        cloud_views(nothing, 2, 16)


def test_photographs_show_the_shape_and_are_unlike_each_other() -> None:
    shape = prepare(soup(4))
    one = photographs(shape, 6, 48, np.random.default_rng(5))
    again = photographs(shape, 6, 48, np.random.default_rng(5))
    assert one.shape == (6, 48, 48, 3)
    assert (one == again).all()
    assert len({picture.tobytes() for picture in one}) == 6


def test_clay_has_one_colour() -> None:
    shape = clay(prepare(soup(1)), np.random.default_rng(0))
    turn = rotation(20, 20)[None]
    view = draw_views(shape, turn, size=48, fov=40, fill=0.9, lights=(PLAIN,))[0]
    inside = view[view[..., 3] == 255][:, :3].astype(int)
    assert len(inside) > 50
    assert np.ptp(inside, axis=0).max() <= 1
