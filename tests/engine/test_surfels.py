"""Surfels: coverage, blue noise, binding, light; each fast kernel against a slow reference."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from polyorama.core.color import display_from_linear, linear_from_display
from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.render import footprints
from polyorama.render.footprints import rebind
from polyorama.render.occlusion import Occluders
from polyorama.render.resolve import draw
from polyorama.render.sampling import (
    HashGrid,
    eliminate,
    layered_spacing,
    progressive_order,
    smooth,
    surface_points,
)
from polyorama.render.shading import (
    DirectionalLight,
    LightRig,
    PointLight,
    albedo_at,
    sample_texture,
    shade,
    tone,
)
from polyorama.render.surface import CREASE, analyse
from polyorama.render.surfels import pose_surfels, surfels_from_mesh
from polyorama.scene.document import Document
from polyorama.scene.mesh import Material, Mesh
from polyorama.scene.rotations import rotation_matrices

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    o3d = pytest.importorskip("open3d")


def box(low=(-1, -1, -1), high=(1, 1, 1), name="box"):
    low, high = np.array(low, float), np.array(high, float)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Mesh(low + corners * (high - low), np.array(triangles), name=name)


def sphere(rings=12, segments=20, radius=1.0):
    theta = np.linspace(0, np.pi, rings + 1)
    phi = np.arange(segments) * 2 * np.pi / segments
    grid = np.stack(
        [
            np.sin(theta)[:, None] * np.cos(phi),
            np.cos(theta)[:, None] * np.ones_like(phi),
            np.sin(theta)[:, None] * np.sin(phi),
        ],
        axis=-1,
    )
    index = np.arange((rings + 1) * segments).reshape(rings + 1, segments)
    right = np.roll(index, -1, axis=1)
    a, b, c, d = index[:-1], index[1:], right[1:], right[:-1]
    triangles = np.concatenate(
        [np.stack([a, d, b], -1).reshape(-1, 3), np.stack([d, c, b], -1).reshape(-1, 3)]
    )
    return Mesh(radius * grid.reshape(-1, 3), triangles)


def square(size=1.0, height=0.0, **extra):
    """A square in the plane y = height whose front looks up (-y)."""
    s, y = size / 2, height
    vertices = np.array([[-s, y, -s], [s, y, -s], [s, y, s], [-s, y, s]])
    return Mesh(vertices, np.array([[0, 1, 2], [0, 2, 3]]), **extra)


def nearest(points):
    squared = ((points[:, None] - points[None]) ** 2).sum(-1)
    np.fill_diagonal(squared, np.inf)
    return np.sqrt(squared.min(axis=1))


def cameras(mesh, size=160):
    center = (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) / 2.0
    reach = np.linalg.norm(mesh.vertices.max(axis=0) - mesh.vertices.min(axis=0))
    for direction in ((0.4, -0.3, 1), (-1, 0.2, 0.1), (0.3, -0.5, -1), (1, 0.5, 0.4),
                      (0.2, -1, 0.1), (0.1, 1, 0.3)):  # fmt: skip
        away = np.array(direction) / np.linalg.norm(direction)
        yield Camera.look_at(center + 1.5 * reach * away, center, fov=42, size=(size, size))


def silhouette(mesh, camera):
    """Which pixels' centre rays hit the mesh, and how far away, in pixels, its outline is."""
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        o3d.core.Tensor(mesh.vertices.copy()), o3d.core.Tensor(mesh.triangles.astype(np.uint32))
    )
    v, u = np.mgrid[: camera.height, : camera.width] + 0.5
    local = np.stack(
        [(u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy, np.ones_like(u)], -1
    )
    world = local @ camera.viewmat[:3, :3]
    rays = np.concatenate([np.broadcast_to(camera.position, world.shape), world], axis=-1)
    return np.isfinite(scene.cast_rays(o3d.core.Tensor(rays.astype(np.float32)))["t_hit"].numpy())


def shrunk(mask, steps):
    for _ in range(steps):
        inner = mask.copy()
        inner[1:] &= mask[:-1]
        inner[:-1] &= mask[1:]
        inner[:, 1:] &= mask[:, :-1]
        inner[:, :-1] &= mask[:, 1:]
        mask = inner
    return mask


# --- coverage -----------------------------------------------------------------------------------


def assert_covers(mesh, cloud, spacing):
    for camera in cameras(mesh):
        frame = draw(Document.of([cloud], ["mesh"]), camera, background=None, outputs=("color",))
        alpha = frame.color[:, :, 3]
        hit = silhouette(mesh, camera)
        pixels = camera.fx * spacing / np.linalg.norm(camera.position - mesh.vertices.mean(axis=0))
        inside = shrunk(hit, 1 + round(0.5 * pixels))
        outside = shrunk(~hit, 2 + round(pixels))
        assert inside.sum() > 500
        assert alpha[inside].min() > 0.93
        assert np.quantile(alpha[inside], 0.01) > 0.97
        assert alpha[outside].max() < 0.25
        assert np.quantile(alpha[outside], 0.99) < 0.05


@pytest.mark.parametrize("make", [box, sphere], ids=["box", "sphere"])
def test_a_mesh_is_solid_from_every_side_and_ends_at_its_outline(make):
    mesh = make()
    surfels = surfels_from_mesh(mesh, 6000, rig=None)
    assert_covers(mesh, surfels.cloud, np.sqrt(analyse(mesh).area / 6000))


def test_a_coarse_prefix_covers_too():
    mesh = sphere()
    surfels = surfels_from_mesh(mesh, 8000, rig=None)
    coarse = surfels.coarse(2000)
    assert len(coarse) == 2000
    for camera in cameras(mesh):
        frame = draw(Document.of([coarse], ["m"]), camera, background=None, outputs=("color",))
        inside = shrunk(silhouette(mesh, camera), 3)
        assert np.quantile(frame.color[:, :, 3][inside], 0.02) > 0.9
    assert surfels.coarse(10**6) is surfels.cloud
    with pytest.raises(UsageError, match="at least 1"):
        surfels.coarse(0)


def test_real_models_are_solid(shared_data):
    from polyorama.io.mesh import read_mesh

    mesh = read_mesh(shared_data / "shapes" / "kaykit-furniture" / "armchair.gltf")
    surfels = surfels_from_mesh(mesh, 12000)
    assert_covers(mesh, surfels.cloud, np.sqrt(analyse(mesh).area / 12000))
    # The armchair is blue, textured from an atlas.
    mean = surfels.cloud.colors.mean(axis=0)
    assert mean[2] > mean[1] > mean[0]


def test_surfels_are_flat_opaque_and_face_outwards():
    mesh = sphere(24, 40)
    surfels = surfels_from_mesh(mesh, 3000, rig=None)
    cloud = surfels.cloud
    normals = rotation_matrices(cloud.quats)[:, :, 2]
    faces = analyse(mesh).normals[surfels.triangle_ids]
    assert np.einsum("nc,nc->n", normals, faces).min() > 0.97
    assert np.einsum("nc,nc->n", normals, cloud.means).min() > 0.9
    assert np.allclose(np.linalg.norm(cloud.quats, axis=1), 1, atol=1e-6)
    assert cloud.opacities.min() >= 0.97
    assert (cloud.scales[:, 2] < 0.1 * cloud.scales[:, :2].min(axis=1)).mean() > 0.99
    assert cloud.sh_degree == 0
    assert cloud.up == (0.0, -1.0, 0.0)


def test_surfels_stay_within_the_edges_of_a_flat_piece():
    cloud = surfels_from_mesh(square(2.0), 2000, rig=None).cloud
    spacing = np.sqrt(4.0 / 2000)
    frames = rotation_matrices(cloud.quats)
    for axis in (0, 1):
        for sign in (-1, 1):
            rim = cloud.means + sign * 1.177 * cloud.scales[:, axis, None] * frames[:, :, axis]
            over = np.abs(rim[:, [0, 2]]).max(axis=1) - 1.0
            assert np.quantile(over, 0.999) < 0.2 * spacing
            assert over.max() < 0.6 * spacing


def test_a_seam_between_two_colours_stays_crisp():
    mesh = Mesh(
        np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [2, 0, 0], [2, 0, 1]]),
        np.array([[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]]),
        material_ids=np.array([0, 0, 1, 1]),
        materials=(Material((1, 0, 0, 1)), Material((0, 0, 1, 1))),
    )
    count = 3000
    cloud = surfels_from_mesh(mesh, count, rig=None).cloud
    spacing = np.sqrt(2.0 / count)
    red = cloud.colors[:, 0] > 0.5
    assert (red | (cloud.colors[:, 2] > 0.5)).all()
    frames = rotation_matrices(cloud.quats)
    reach = 1.177 * np.sqrt(
        (frames[:, 0, 0] * cloud.scales[:, 0]) ** 2 + (frames[:, 0, 1] * cloud.scales[:, 1]) ** 2
    )
    over = np.where(red, cloud.means[:, 0] + reach - 1.0, 1.0 - (cloud.means[:, 0] - reach))
    assert np.quantile(over, 0.999) < 0.3 * spacing


# --- blue noise ---------------------------------------------------------------------------------


def test_samples_are_blue_noise_and_so_is_every_prefix():
    surfels = surfels_from_mesh(square(1.0), 3000, rig=None)
    points = np.einsum(
        "nk,nkc->nc",
        surfels.barycentrics,
        square(1.0).vertices[square(1.0).triangles][surfels.triangle_ids],
    )
    rng = np.random.default_rng(1)
    for count in (100, 333, 1000, 3000):
        distances = nearest(points[:count]) * np.sqrt(count)
        random = nearest(rng.random((count, 3)) * (1, 0, 1)) * np.sqrt(count)
        # A random set has a mean of 0.5 and near-touching pairs; the densest packing has 1.07.
        assert distances.mean() > 0.7 > 0.6 > random.mean()
        assert np.quantile(distances, 0.01) > 0.4 > np.quantile(random, 0.1)


def test_every_part_of_the_area_gets_its_share():
    mesh = box((-1, -1, -1), (1, 1, 3))
    surfels = surfels_from_mesh(mesh, 4000, rig=None)
    areas = analyse(mesh).areas
    got = np.bincount(surfels.triangle_ids, minlength=len(areas)) / 4000
    assert np.abs(got - areas / areas.sum()).max() < 0.012


def test_elimination_matches_a_plain_reference():
    rng = np.random.default_rng(5)
    points = np.concatenate([rng.random((150, 2)), np.zeros((150, 1))], axis=1)
    normals = np.tile(np.array([0, 0, 1], np.float32), (150, 1))
    normals[::3] = (0, 1, 0)
    kept, gone = eliminate(points, normals, np.arange(150, dtype=np.int32), 50, 1.0)

    r_max = np.sqrt(1.0 / (2 * np.sqrt(3) * 50))
    r_min = r_max * (1 - (50 / 150) ** 1.5) * 0.65
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    facing = np.maximum(normals.astype(float) @ normals.T, 0)
    near = 1 - np.clip(distance, 2 * r_min, 2 * r_max) / (2 * r_max)
    weight = near**8 * (0.08 + 0.92 * facing**2)
    np.fill_diagonal(weight, 0)
    alive = np.ones(150, bool)
    expected = []
    for _ in range(100):
        total = np.where(alive, weight[:, alive].sum(axis=1), -1)
        expected.append(int(np.argmax(total)))
        alive[expected[-1]] = False
    assert np.array_equal(gone, expected)
    assert np.array_equal(kept, np.flatnonzero(alive))


def test_the_two_sides_of_a_thin_sheet_do_not_compete():
    rng = np.random.default_rng(2)
    top = np.column_stack([rng.random((2000, 2)), np.zeros(2000)])
    points = np.concatenate([top, top + np.array([0, 0, 1e-4])])
    normals = np.repeat(np.array([[0, 0, -1], [0, 0, 1]], np.float32), 2000, axis=0)
    order = progressive_order(points, normals, 800, 2.0)
    for side in (order[order < 2000], order[order >= 2000]):
        assert 370 <= len(side) <= 430
        assert nearest(points[side]).mean() * np.sqrt(400) > 0.7


def test_surface_points_follow_the_areas_to_within_one():
    areas = np.array([0.0, 3.0, 0.5, 0.0, 1.5])
    ids, weights = surface_points(areas, 1000, np.random.default_rng(0))
    assert np.abs(np.bincount(ids, minlength=5) - 1000 * areas / 5.0).max() <= 1
    assert weights.min() >= 0
    assert np.allclose(weights.sum(axis=1), 1)


def test_smoothing_matches_a_plain_reference():
    rng = np.random.default_rng(3)
    points, values = rng.random((300, 3)), rng.random((300, 2)).astype(np.float32)
    normals = rng.normal(size=(300, 3)).astype(np.float32)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    radius = 0.3
    squared = ((points[:, None] - points[None]) ** 2).sum(-1)
    facing = np.maximum(normals.astype(float) @ normals.T, 0)
    weight = np.where(squared <= radius**2, np.exp(-2 * squared / radius**2) * facing**4, 0)
    expected = weight @ values / weight.sum(axis=1, keepdims=True)
    assert np.allclose(smooth(points, normals, values, radius), expected, atol=1e-5)


def test_the_same_seed_gives_the_same_surfels_and_another_gives_others():
    mesh = sphere()
    rig = LightRig(key=DirectionalLight((0.3, -1, 0.5)))
    one, two = (surfels_from_mesh(mesh, 700, rig=rig, seed=4) for _ in range(2))
    other = surfels_from_mesh(mesh, 700, rig=rig, seed=5)
    for name in ("means", "quats", "scales", "opacities", "sh"):
        assert np.array_equal(getattr(one.cloud, name), getattr(two.cloud, name))
    assert np.array_equal(one.triangle_ids, two.triangle_ids)
    assert not np.array_equal(one.cloud.means, other.cloud.means)


# --- binding ------------------------------------------------------------------------------------


def test_binding_gives_the_means_at_rest():
    surfels = surfels_from_mesh(box(), 1500, rig=None)
    corners = surfels.mesh.vertices[surfels.mesh.triangles[surfels.triangle_ids]]
    assert np.allclose(
        np.einsum("nk,nkc->nc", surfels.barycentrics, corners), surfels.cloud.means, atol=1e-5
    )
    assert np.allclose(surfels.barycentrics.sum(axis=1), 1, atol=1e-6)
    assert surfels.barycentrics.min() >= 0
    posed = pose_surfels(surfels, surfels.mesh.vertices)
    assert np.allclose(posed.means, surfels.cloud.means, atol=1e-5)
    assert np.allclose(posed.scales, surfels.cloud.scales, rtol=1e-3)


def test_posed_surfels_follow_an_affine_map_exactly():
    surfels = surfels_from_mesh(sphere(), 800, rig=None)
    matrix = np.array([[1.4, 0.2, 0.0], [-0.1, 0.7, 0.3], [0.0, 0.1, 1.1]])
    shift = np.array([0.5, -2.0, 1.0])
    posed = pose_surfels(surfels, surfels.mesh.vertices @ matrix.T + shift)
    assert np.allclose(posed.means, surfels.cloud.means @ matrix.T + shift, atol=1e-5)
    # Reference in float64: the tangential covariance moves as M C M^T.
    rest, moved = rotation_matrices(surfels.cloud.quats), rotation_matrices(posed.quats)
    faces = analyse(surfels.mesh).normals[surfels.triangle_ids]
    flat = np.abs(np.einsum("nc,nc->n", rest[:, :, 2], faces)) > 1 - 1e-9
    assert flat.sum() > 500

    def tangential(frames, scales):
        axes = frames[:, :, :2] * scales[:, None, :2].astype(float)
        return axes @ axes.transpose(0, 2, 1)

    expected = matrix @ tangential(rest, surfels.cloud.scales) @ matrix.T
    assert np.allclose(tangential(moved, posed.scales)[flat], expected[flat], atol=2e-5)
    assert np.array_equal(posed.sh, surfels.cloud.sh)
    assert np.allclose(np.linalg.norm(posed.quats, axis=1), 1, atol=1e-5)


def test_posing_shades_anew_when_given_a_rig():
    rig = LightRig(key=DirectionalLight((0, -1, 0)), ambient=0.0)
    surfels = surfels_from_mesh(square(), 300, rig=rig, shadows=False, occlusion=None, sides="one")
    assert surfels.cloud.colors.min() > 0.9
    turned = np.asarray(surfels.mesh.vertices) * (1, -1, -1)
    assert pose_surfels(surfels, turned).colors.min() > 0.9
    dark = pose_surfels(surfels, turned, rig=rig).colors
    assert np.abs(dark).max() < 1e-3


def test_posing_survives_collapsed_triangles_and_refuses_other_meshes():
    surfels = surfels_from_mesh(square(), 100, rig=None)
    flat = np.asarray(surfels.mesh.vertices) * (1, 1, 0)
    posed = pose_surfels(surfels, flat)
    assert np.isfinite(posed.means).all()
    assert np.isfinite(posed.quats).all()
    with pytest.raises(UsageError, match="shape"):
        pose_surfels(surfels, flat[:-1])


def test_points_are_bound_again_to_the_triangle_they_lie_over():
    surface = analyse(square(2.0))
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.uniform(-1, 1, 200), np.zeros(200), rng.uniform(-1, 1, 200)])
    ids, weights = rebind(points, np.zeros(200, np.int32), surface)
    assert set(ids) == {0, 1}
    assert np.allclose(np.einsum("nk,nkc->nc", weights, surface.corners[ids]), points, atol=1e-9)
    outside, clipped = rebind(np.array([[3.0, 0, 0]]), np.zeros(1, np.int32), surface)
    assert clipped.min() >= 0
    assert np.isclose(clipped.sum(), 1)
    assert outside[0] in (0, 1)


# --- surface ------------------------------------------------------------------------------------


def test_normals_are_smooth_on_a_ball_and_hard_on_a_box():
    ball = sphere(24, 40)
    surface = analyse(ball)
    corners = ball.vertices[ball.triangles]
    solid = surface.areas > 0
    agreement = np.einsum("tkc,tkc->tk", surface.corner_normals, corners)[solid]
    assert agreement.min() > 0.99
    flat = analyse(box())
    assert np.allclose(flat.corner_normals, flat.normals[:, None], atol=1e-6)
    assert flat.closed
    assert len(flat.edges) == 12


def test_corner_normals_match_a_plain_reference():
    mesh = sphere(5, 7)
    surface = analyse(mesh)
    solid = np.flatnonzero(surface.areas > 0)
    for face in solid[::5]:
        for corner in range(3):
            place = surface.corners[face, corner]
            total = np.zeros(3)
            for other in solid:
                for k in range(3):
                    at = surface.corners[other]
                    if np.linalg.norm(at[k] - place) > 1e-5:
                        continue
                    if surface.normals[face] @ surface.normals[other] < np.cos(np.radians(50)):
                        continue
                    a, b = at[(k + 1) % 3] - at[k], at[(k + 2) % 3] - at[k]
                    angle = np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
                    total += angle * surface.areas[other] * surface.normals[other]
            total /= np.linalg.norm(total)
            assert np.allclose(surface.corner_normals[face, corner], total, atol=1e-5)


def test_a_mesh_inside_out_is_turned_and_open_borders_are_edges():
    inside_out = replace(box(), triangles=box().triangles[:, ::-1])
    surface = analyse(inside_out)
    middle = surface.corners.mean(axis=1)
    assert (np.einsum("tc,tc->t", surface.normals, middle) > 0).all()
    sheet = analyse(square())
    assert not sheet.closed
    assert len(sheet.edges) == 4
    assert (sheet.edge_folds == 1).all()


# --- light --------------------------------------------------------------------------------------


def test_texels_are_exact_at_their_centres_and_linear_between():
    rng = np.random.default_rng(0)
    texture = rng.integers(0, 256, (5, 7, 3), dtype=np.uint8)
    i, j = np.mgrid[:5, :7]
    uv = np.stack([(j + 0.5) / 7, 1 - (i + 0.5) / 5], axis=-1).reshape(-1, 2)
    assert np.array_equal(np.round(sample_texture(texture, uv) * 255), texture.reshape(-1, 3))
    assert np.allclose(
        sample_texture(texture, uv + np.array([3, -2])), texture.reshape(-1, 3) / 255, atol=1e-5
    )
    between = sample_texture(texture, np.array([[1.0 / 7, 1 - 0.5 / 5]]))
    pair = linear_from_display(texture[0, :2] / 255)
    assert np.allclose(linear_from_display(between), pair.mean(axis=0), atol=1e-4)
    border = sample_texture(texture, np.array([[1.0, 0.5]]), repeat=False)
    assert np.array_equal(np.round(border * 255)[0], texture[2, 6])
    alpha = np.dstack([texture, np.arange(35, dtype=np.uint8).reshape(5, 7)])
    assert np.allclose(sample_texture(alpha, uv)[:, 3] * 255, np.arange(35), atol=1e-4)


def test_texture_vertex_colours_and_materials_multiply():
    texture = np.full((2, 2, 3), 128, np.uint8)
    mesh = replace(
        square(),
        colors=np.full((4, 3), 0.5),
        uvs=np.zeros((4, 2)),
        materials=(Material((0.5, 1.0, 0.25, 1.0), texture, (0.1, 0.0, 0.2)),),
    )
    ids, weights = np.zeros(1, np.int32), np.full((1, 3), 1 / 3, np.float32)
    color, alpha, glow = albedo_at(mesh, ids, weights)
    assert np.allclose(color, np.array([0.25, 0.5, 0.125]) * 128 / 255, atol=1e-5)
    assert np.allclose(alpha, 1)
    assert np.allclose(glow, [0.1, 0.0, 0.2])
    unlit = surfels_from_mesh(mesh, 50, rig=None).cloud.colors
    expected = display_from_linear(linear_from_display(color) + linear_from_display(glow))
    assert np.allclose(unlit, expected, atol=1e-4)


def test_a_texture_finer_than_the_surfels_is_averaged():
    texture = np.zeros((256, 256, 3), np.uint8)
    texture[::2, ::2] = texture[1::2, 1::2] = 255
    uvs = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    mesh = replace(square(), uvs=uvs, materials=(Material(texture=texture),))
    albedo = surfels_from_mesh(mesh, 300, rig=None).albedo
    assert albedo[:, 0].std() < 0.25
    assert np.isclose(albedo[:, 0].mean(), 0.5, atol=0.03)


def test_clear_texels_get_no_surfels():
    texture = np.zeros((4, 4, 4), np.uint8)
    texture[:, :2] = 255
    uvs = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    mesh = replace(square(), uvs=uvs, materials=(Material(texture=texture),))
    cloud = surfels_from_mesh(mesh, 500, rig=None).cloud
    assert len(cloud) == 500
    assert cloud.means[:, 0].max() < 0.13
    clear = replace(mesh, materials=(Material((1, 1, 1, 0)),), name="ghost")
    with pytest.raises(UsageError, match="'ghost' is transparent"):
        surfels_from_mesh(clear, 10)


def test_tone_keeps_what_fits_and_rolls_off_without_a_step():
    fits = np.array([[0.7, 0.2, 0.0]], np.float32)
    assert np.allclose(linear_from_display(tone(fits)), fits, atol=1e-5)
    bright = tone(np.array([[4.0, 2.0, 0.4]], np.float32))
    assert bright.max() <= 1.0
    ratio = linear_from_display(bright)[0] / np.array([4.0, 2.0, 0.4])
    assert np.allclose(ratio, ratio[0], rtol=1e-3)
    rising = tone(np.linspace(0.3, 40, 8000)[:, None] * np.array([1.0, 0.6, 0.3]))
    assert np.diff(rising[:, 0]).min() > -1e-6
    assert np.diff(rising[:, 0]).max() < 0.01


def test_a_light_of_strength_one_makes_white_white_and_follows_the_cosine():
    rig = LightRig(key=DirectionalLight((0, -2, 0), softness=1e-6), ambient=0.0)
    angles = np.radians([0.0, 30.0, 60.0, 100.0])
    normals = np.stack([np.sin(angles), -np.cos(angles), 0 * angles], axis=1).astype(np.float32)
    white, origin = np.ones((4, 3), np.float32), np.zeros((4, 3), np.float32)
    light = shade(white, normals, origin, rig)
    assert np.allclose(light[:, 0], np.maximum(np.cos(angles), 0), atol=1e-5)
    paper = shade(white, normals, origin, rig, two_sided=True)
    assert np.allclose(paper[3], rig.translucency * np.cos(np.radians(80)), atol=1e-5)
    assert np.allclose(shade(white, normals, origin, replace(rig, exposure=2.0)), 2 * light)


def test_a_lamp_falls_to_half_at_its_reach():
    lamp = PointLight((0, -2, 0), color=(1, 0, 0), strength=0.8, reach=2.0, size=0.0)
    rig = LightRig(ambient=0.0, points=(lamp,))
    up, white = np.array([[0, -1, 0]], np.float32), np.ones((1, 3), np.float32)
    light = shade(white, up, np.zeros((1, 3), np.float32), rig)
    assert np.allclose(light, [[0.4, 0, 0]], atol=1e-5)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: DirectionalLight((0, 0, 0)), "direction"),
        (lambda: DirectionalLight((0, 1, 0), strength=-1), "strength"),
        (lambda: PointLight((0, np.nan, 0)), "position"),
        (lambda: PointLight((0, 0, 0), reach=0), "reach"),
    ],
)
def test_impossible_lights_are_refused(make, text):
    with pytest.raises(UsageError, match=text):
        make()


def test_occlusion_of_a_floor_under_a_box():
    rim = np.linspace(-5, 5, 41)
    x, z = np.meshgrid(rim, rim, indexing="ij")
    index = np.arange(41 * 41).reshape(41, 41)
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    triangles = np.concatenate(
        [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    )
    floor = Mesh(np.stack([x, 0 * x, z], axis=-1).reshape(-1, 3), triangles)
    lifted = floor.vertices - (0, 1e-3, 0)
    normals = np.tile(np.array([0, -1, 0], np.float32), (len(lifted), 1))
    alone = Occluders(floor).sky(lifted, normals, rays=32, distance=3.5, seed=0)
    assert alone.min() > 0.999
    above = box((-1, -1.2, -1), (1, -0.2, 1))
    seen = Occluders([floor, above]).sky(lifted, normals, rays=256, distance=50.0, seed=0)
    place = floor.vertices
    center = seen[np.argmin(np.linalg.norm(place, axis=1))]
    corner = seen[np.argmin(np.linalg.norm(place - (-5, 0, -5), axis=1))]
    assert center < 0.12
    assert corner > 0.9
    assert seen[place[:, 0] > 0].mean() == pytest.approx(seen[place[:, 0] < 0].mean(), abs=0.01)
    # In an endless corner, a quarter of the sphere is left of the half: openness one half.
    wall = Mesh(
        np.array([[0, -200, -200], [0, -200, 200], [0, 200, 200], [0, 200, -200]], float),
        np.array([[0, 1, 2], [0, 2, 3]]),
    )
    point, normal = np.array([[1e-3, 0.0, 0.0]]), np.array([[0, -1, 0]], np.float32)
    half = Occluders(wall).sky(point, normal, rays=4096, distance=1e5, seed=0)
    assert half[0] == pytest.approx(0.5, abs=0.02)


def test_shadows_fall_where_the_light_is_blocked():
    rig = LightRig(key=DirectionalLight((0, -1, 0), softness=0.5), ambient=0.05)
    lid = square(1.0, height=-0.5)
    surfels = surfels_from_mesh(square(4.0), 3000, rig=rig, occluders=lid, sides="one")
    place, color = np.abs(surfels.cloud.means[:, [0, 2]]).max(axis=1), surfels.cloud.colors[:, 0]
    assert color[place < 0.35].max() < 0.35
    assert color[place > 0.7].min() > 0.85
    without = surfels_from_mesh(
        square(4.0), 3000, rig=rig, occluders=lid, sides="one", shadows=False, occlusion=None
    )
    assert without.cloud.colors.min() > 0.85


def test_a_stage_of_occluders_can_be_built_once():
    lid, floor = square(1.0, height=-0.5), square(4.0)
    rig = LightRig(key=DirectionalLight((0, -1, 0), softness=0.5), ambient=0.05)
    one = surfels_from_mesh(floor, 500, rig=rig, occluders=[lid], sides="one")
    two = surfels_from_mesh(floor, 500, rig=rig, occluders=Occluders([floor, lid]), sides="one")
    assert np.allclose(one.cloud.sh, two.cloud.sh)


def test_light_comes_through_paper_but_not_through_a_solid():
    rig = LightRig(key=DirectionalLight((0, 1, 0), softness=0.5), ambient=0.0)
    paper = surfels_from_mesh(square(), 200, rig=rig)
    assert paper.two_sided
    assert np.allclose(paper.cloud.colors, display_from_linear(rig.translucency), atol=0.02)
    assert not surfels_from_mesh(box(), 200, rig=rig).two_sided
    # A solid without its floor is still a solid.
    open_below = replace(box(), triangles=np.delete(box().triangles, [6, 7], axis=0))
    assert not analyse(open_below).closed
    assert not surfels_from_mesh(open_below, 200, rig=rig).two_sided


def test_given_occlusion_is_taken_by_vertex():
    rig = LightRig(ambient=1.0)
    given = np.array([0.0, 1.0, 1.0, 0.0])
    surfels = surfels_from_mesh(square(), 400, rig=rig, occlusion=given, shadows=False)
    assert np.allclose(surfels.openness, surfels.cloud.means[:, 0] + 0.5, atol=1e-4)
    with pytest.raises(UsageError, match="one number for each of 4"):
        surfels_from_mesh(square(), 10, occlusion=np.ones(3))


def test_what_lies_under_another_surface_is_left_out_unless_asked_for():
    cover, hidden = square(2.0, height=-1e-3), square(1.0)
    mesh = Mesh(
        np.concatenate([cover.vertices, hidden.vertices]),
        np.concatenate([cover.triangles, hidden.triangles + 4]),
    )
    shown = surfels_from_mesh(mesh, 600, rig=None)
    assert (shown.triangle_ids >= 2).mean() < 0.02
    both = surfels_from_mesh(mesh, 600, rig=None, keep_buried=True)
    assert (both.triangle_ids >= 2).mean() == pytest.approx(0.14, abs=0.06)


# --- bad meshes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vertices", "triangles"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3), int)),
        (np.zeros((3, 3)), np.array([[0, 1, 2]])),
        (np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([[0, 1, 2]])),
        (np.array([[0, 0, np.nan], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])),
        (np.array([[0, 0, 0], [1e30, 0, 0], [0, 1e30, 0]]), np.array([[0, 1, 2]])),
    ],
    ids=["empty", "point", "line", "nan", "huge"],
)
def test_meshes_without_a_surface_are_refused_by_name(vertices, triangles):
    with pytest.raises(UsageError, match="'ruin'"):
        surfels_from_mesh(Mesh(vertices, triangles, name="ruin"), 10)


def test_broken_triangles_beside_good_ones_are_left_out():
    vertices = np.concatenate([box().vertices, [[np.inf, 0, 0], [0, 0, 0]]])
    triangles = np.concatenate([box().triangles, [[0, 1, 8], [9, 9, 9], [0, 1, 1]]])
    surfels = surfels_from_mesh(Mesh(vertices, triangles), 300)
    assert surfels.triangle_ids.max() < 12
    for array in (surfels.cloud.means, surfels.cloud.scales, surfels.cloud.quats, surfels.cloud.sh):
        assert np.isfinite(array).all()


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_size_and_place_do_not_matter(scale):
    rig = None
    unit = surfels_from_mesh(box(), 400, rig=rig)
    other = replace(box(), vertices=box().vertices * np.float32(scale))
    scaled = surfels_from_mesh(other, 400, rig=rig)
    assert np.median(scaled.cloud.scales[:, 0]) == pytest.approx(
        scale * np.median(unit.cloud.scales[:, 0]), rel=0.1
    )


def test_wrong_arguments_are_refused():
    for count in (0, -3):
        with pytest.raises(UsageError, match="ask for 1 to"):
            surfels_from_mesh(box(), count)
    with pytest.raises(UsageError, match="auto, one or two"):
        surfels_from_mesh(box(), 10, sides="three")
    with pytest.raises(UsageError, match="auto, none or one number"):
        surfels_from_mesh(box(), 10, occlusion="some")


@pytest.mark.parametrize("count", [1, 2, 9])
def test_very_few_surfels_can_be_asked_for(count):
    assert len(surfels_from_mesh(sphere(), count)) == count


def test_a_triangle_that_is_there_again_does_not_count():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    # The same three times, once from another corner; then its back, and another one.
    triangles = [(0, 1, 2), (0, 1, 2), (1, 2, 0), (0, 2, 1), (0, 1, 3)]
    surface = analyse(Mesh(corners, np.array(triangles, np.int32)))
    assert surface.areas.tolist() == [0.5, 0.0, 0.0, 0.5, 0.5]
    # In their own vertices too, as a scene has them that shows one mesh at many nodes.
    apart = Mesh(np.tile(corners[:3], (5000, 1)), np.arange(15000, dtype=np.int32).reshape(-1, 3))
    assert analyse(apart).area == 0.5
    cloud = surfels_from_mesh(apart, 500, rig=None).cloud
    assert 0.4 < cloud.scales[:, :2].prod(axis=1).sum() / (0.72**2 * 0.5) < 1.6


def test_normals_where_very_many_faces_meet():
    """A wavy cone of many faces, against the sum over all pairs of faces."""
    angles = np.linspace(0, 2 * np.pi, 1501)[:-1]
    ring = np.stack([np.cos(angles), np.sin(angles), np.full(1500, 0.8)], axis=1)
    ring[:, 2] += 0.4 * np.sin(3 * angles)
    vertices = np.vstack([[0, 0, 0], ring]).astype(np.float32)
    k = np.arange(1500)
    triangles = np.stack([np.zeros(1500, int), k + 1, (k + 1) % 1500 + 1], axis=1)
    surface = analyse(Mesh(vertices, triangles.astype(np.int32)))
    arms = surface.corners[:, 1:] - surface.corners[:, :1]
    arms /= np.linalg.norm(arms, axis=2, keepdims=True)
    weight = np.arccos((arms[:, 0] * arms[:, 1]).sum(axis=1)) * surface.areas
    alike = surface.normals @ surface.normals.T >= np.cos(np.radians(CREASE))
    meant = (alike * weight) @ surface.normals
    meant /= np.linalg.norm(meant, axis=1, keepdims=True)
    cosine = (meant * surface.corner_normals[:, 0]).sum(axis=1)
    angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    assert angle.max() < 4.0
    assert np.median(angle) < 0.5


def test_sheets_on_sheets_have_a_spacing_that_neighbour_searches_can_bear():
    rng = np.random.default_rng(3)
    sheet = rng.random((5000, 3)) * (1, 1, 0)
    # One sheet, and so few that a tree in leaf has as many.
    assert layered_spacing(sheet, np.sqrt(1 / 1000)) == np.sqrt(1 / 1000)
    assert layered_spacing(sheet, np.sqrt(20 / 1000)) == np.sqrt(20 / 1000)
    spacing = layered_spacing(sheet, np.sqrt(2000 / 1000))
    assert 0.02 < spacing < 0.3
    # So crowded a surface is thinned well below what is borne.
    held = np.diff(HashGrid(sheet, spacing).starts).astype(float)
    assert (held**2).sum() / len(sheet) < 100
    # Where all points but one are one, it ends all the same.
    sheet[1:] = 0.0
    assert 1e-7 < layered_spacing(sheet, 1.0) < 1.0


def test_edges_without_end_take_bounded_memory(monkeypatch):
    monkeypatch.setattr(footprints, "_MOST_MARKS", 5000)
    rng = np.random.default_rng(1)
    starts = rng.random((2000, 1, 3))
    slivers = (starts + rng.normal(size=(2000, 3, 3)) * (1, 1e-3, 1e-3)).astype(np.float32)
    mesh = Mesh(slivers.reshape(-1, 3), np.arange(6000, dtype=np.int32).reshape(-1, 3))
    seen = []

    def grid(points, cell):
        seen.append(len(points))
        return HashGrid(points, cell)

    monkeypatch.setattr(footprints, "HashGrid", grid)
    surfels_from_mesh(mesh, 2000, rig=None)
    assert max(seen) <= 5000 + 2 * 6000


def test_edges_that_lie_on_each_other_are_marked_only_as_closely_as_helps():
    rng = np.random.default_rng(2)
    # Four lone marks, and a crowd in two cells far from them.
    lone = np.arange(4)[:, None] * np.array([[10.0, 0.0, 0.0]])
    crowd = np.repeat([[100.3, 0.5, 0.5], [200.7, 0.5, 0.5]], [20_000, 3000], axis=0)
    marks = np.concatenate([lone, crowd + 0.1 * rng.random((23_000, 3))])
    kept = footprints._thinned(marks, 1.0)
    held = [int(((kept >= low) & (kept < high)).sum()) for low, high in
            ((0, 4), (4, 20_004), (20_004, 23_004))]  # fmt: skip
    assert held == [4, footprints._CROWDED, footprints._CROWDED]
    few = marks[:: -(-len(marks) // footprints._CROWDED)]
    assert footprints._thinned(few, 1.0) == slice(None)


def test_what_is_buried_almost_everywhere_is_shown_all_the_same():
    rng = np.random.default_rng(0)
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    pile = (triangle + rng.normal(size=(2000, 3, 3)) * 1e-4).reshape(-1, 3).astype(np.float32)
    mesh = Mesh(pile, np.arange(6000, dtype=np.int32).reshape(-1, 3))
    assert len(surfels_from_mesh(mesh, 300, rig=None)) == 300
