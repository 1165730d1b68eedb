"""From documents to flat arrays: what is joined, kept, moved, hidden; meshes as nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.render.accumulate import DepthOfField, Sampling
from polyorama.render.cpu import CpuRasterizer
from polyorama.render.lit_meshes import lit_mesh, rig_of
from polyorama.render.panorama import Projection
from polyorama.render.prefix import limited
from polyorama.render.resolve import draw, flatten, is_animated, resolve
from polyorama.render.shading import DEFAULT_RIG
from polyorama.render.shoot import Filming
from polyorama.render.surfels import surfels_from_mesh
from polyorama.scene.contents import Audio, CameraRig, LightRig
from polyorama.scene.document import Document, Node
from polyorama.scene.mesh import Mesh
from polyorama.scene.modifiers import Delete, Noise, Transform
from polyorama.scene.placement import matrix_of
from polyorama.scene.selection import BitSet
from polyorama.scene.splats import concatenate
from polyorama.scene.subject import splat_count
from polyorama.scene.timeline import Key, Timeline, Track
from polyorama.verbs import workers
from polyorama.verbs.film import render
from tests.engine.test_render_cpu import orbit_camera, random_cloud

TINT = (1.0, 0.7, 0.33)
TURNED = matrix_of((0.4, -0.2, 0.3), (20.0, 50.0, -10.0), (0.7, 0.7, 0.7))


def at(x: float) -> np.ndarray:
    return matrix_of((x, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


def picture(document, **options):
    return draw(document, orbit_camera(), backend="cpu", **options).rgba8.astype(int)


def selected(count, share=0.5, seed=0):
    return BitSet.of_mask(np.random.default_rng(seed).random(count) < share)


def two_nodes(**changes):
    a, b = random_cloud(1, degree=3), random_cloud(2, degree=1)
    group = Node("group", transform=TURNED, id="group")
    return Document((
        group,
        replace(Node("a", a, id="a", transform=at(-1.0)), **changes),
        Node("b", b, parent="group", id="b"),
    ))  # fmt: skip


def test_a_document_looks_as_its_moved_clouds_do():
    document = two_nodes()
    a, b = document.node("a"), document.node("b")
    joined = concatenate([a.splats.transformed(a.transform), b.splats.transformed(TURNED)])
    expected = picture(Document.of([joined], ["x"]))
    assert np.abs(picture(document) - expected).max() <= 1
    gaussians = flatten(document)
    assert gaussians.node_ids == ("a", "b")
    assert np.bincount(gaussians.node_index).tolist() == [len(a.splats), len(b.splats)]
    assert np.array_equal(gaussians.baked().cloud.quats, joined.quats)


def test_what_rests_in_the_world_has_no_palette():
    cloud = random_cloud(3)
    document = Document((Node("a", cloud), Node("b", cloud), Node("music", Audio(
        samples=np.zeros((4, 1), np.float32), rate=4)), Node("camera", CameraRig())))  # fmt: skip
    assert flatten(document).is_plain
    lone = flatten(Document.of([cloud], ["a"]))
    assert lone.is_plain
    assert lone.cloud is cloud


def test_dragging_a_selection_of_a_million_splats_rewrites_no_array():
    count = 1_000_000
    small = random_cloud(4, count=1000, degree=0)
    cloud = small.subset(np.arange(count) % 1000)
    chosen = selected(count)
    other = Node("other", small, id="other", transform=at(3.0))

    def dragged(step):
        drag = Transform(id="drag", mask=chosen, translation=(step, 0.0, 0.0))
        node = Node("a", cloud, id="a", modifiers=(drag,), transform=at(step))
        document = Document((node, replace(other, transform=at(3.0 + step))))
        return flatten(replace(document, selection={"a": chosen}))

    states = [dragged(step) for step in (0.1, 0.2, 0.35)]
    prefixes = [limited(gaussians, 5000)[0] for gaussians in states]
    for after, part in zip(states[1:], prefixes[1:], strict=True):
        assert after.cloud is states[0].cloud
        assert after.palette_index is states[0].palette_index
        assert after.state is states[0].state
        assert after.node_index is states[0].node_index
        assert part.cloud is prefixes[0].cloud
        assert part.palette_index is prefixes[0].palette_index
        assert not np.array_equal(after.palette, states[0].palette)
    assert (states[0].state == 1).sum() == len(chosen)


def test_selecting_writes_states_alone():
    document = two_nodes()
    before = flatten(document)
    chosen = selected(len(document.node("b").splats))
    after = flatten(replace(document, selection={"b": chosen}))
    assert after.cloud is before.cloud
    assert after.palette_index is before.palette_index
    first = len(document.node("a").splats)
    assert np.array_equal(np.flatnonzero(after.state), first + chosen.indices())
    plain, tinted = picture(document), picture(replace(document, selection={"b": chosen}))
    assert np.array_equal(plain, tinted)
    shown = picture(replace(document, selection={"b": chosen}), highlight=TINT)
    assert np.abs(shown - plain).max() > 30


def test_hidden_and_deleted_splats_and_those_of_modifiers_are_not_drawn():
    document = two_nodes()
    cloud = document.node("a").splats
    hidden, deleted = selected(len(cloud), 0.3, 1), selected(len(cloud), 0.3, 2)
    rule = Delete(id="d", rule="opacity < 0.4")
    edited = two_nodes(hidden=hidden, deleted=deleted, modifiers=(rule,))
    left = ~(hidden.mask() | deleted.mask() | (cloud.opacities < 0.4))
    expected = two_nodes(content=cloud.subset(left))
    assert np.array_equal(picture(edited), picture(expected))
    assert len(flatten(edited).baked().cloud) == len(flatten(expected).cloud)


def test_time_moves_keyed_nodes_colours_the_background_and_blows():
    cloud = random_cloud(5, degree=1)
    keys = {
        "a/translation": Track((Key(0.0, (0.0, 0.0, 0.0)), Key(2.0, (2.0, 0.0, 0.0)))),
        "document/background": Track((Key(0.0, (0.0, 0.0, 0.0)), Key(2.0, (0.0, 1.0, 0.0)))),
    }
    document = Document((Node("a", cloud, id="a"),), timeline=Timeline(tracks=keys))
    late = Document((Node("a", cloud, id="a", transform=at(2.0)),), background=(0.0, 1.0, 0.0))
    assert np.array_equal(picture(document, time=2.0), picture(late))
    assert not np.array_equal(picture(document, time=0.0), picture(late))
    assert flatten(document, 1.0).cloud is cloud
    assert resolve(document, orbit_camera(), time=2.0).background == (0.0, 1.0, 0.0)
    noise = Noise(id="n", amplitude=0.3, speed=1.0)
    blown = Document((Node("a", cloud, id="a", modifiers=(noise,)),))
    assert not np.array_equal(picture(blown, time=0.0), picture(blown, time=1.5))


def test_things_scaled_to_nothing_are_not_drawn_and_flat_ones_are_told():
    document = two_nodes(transform=np.diag([0.0, 0.0, 0.0, 1.0]))
    assert flatten(document).node_ids == ("b",)
    with pytest.raises(UsageError, match="flattens space"):
        flatten(two_nodes(transform=np.diag([1.0, 0.0, 1.0, 1.0])))


def test_what_was_flattened_can_be_resolved():
    document = two_nodes()
    gaussians = flatten(document)
    state = resolve(gaussians, orbit_camera(), background=None)
    assert state.gaussians is gaussians
    with pytest.raises(UsageError, match="A background is a colour"):
        resolve(gaussians, orbit_camera())


# Meshes.


def cube(**changes) -> Mesh:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return Mesh(corners, np.array(triangles, np.int32), surfels=3000, **changes)


def test_a_mesh_node_is_drawn_as_its_surfels():
    mesh = cube()
    document = Document((Node("cube", mesh, id="cube"), Node("ball", random_cloud(6), id="ball")))
    gaussians = flatten(document)
    expected = surfels_from_mesh(mesh, 3000).cloud
    assert np.array_equal(gaussians.cloud.means[:3000], expected.means)
    assert np.abs(gaussians.cloud.sh[:3000, 0] - expected.sh[:, 0]).max() < 1e-5
    assert gaussians.node_ids == ("cube", "ball")
    assert splat_count(document) == len(gaussians.cloud)


def test_moving_a_mesh_keeps_its_surfels_and_turning_it_lights_it_anew():
    mesh = cube()
    still = flatten(Document((Node("cube", mesh),)))
    placed = matrix_of((1.0, 2.0, 0.0), (0.0, 0.0, 0.0), (2.5, 2.5, 2.5))
    moved = flatten(Document((Node("cube", mesh, transform=placed),)))
    assert moved.cloud is still.cloud
    quarter = matrix_of((0, 0, 0), (0.0, 90.0, 0.0), (1.0, 1.0, 1.0))
    turned = flatten(Document((Node("cube", mesh, transform=quarter),)))
    assert turned.cloud.means is still.cloud.means
    assert not np.array_equal(turned.cloud.sh, still.cloud.sh)
    # In the world, a cube that is turned by a right angle is lit as it was.
    for axis in np.vstack([np.eye(3), -np.eye(3)]):
        means = []
        for gaussians in (still, turned):
            cloud = gaussians.baked().cloud
            face = cloud.means @ axis > 0.98
            means.append(cloud.colors[face].mean(axis=0))
        assert np.abs(means[0] - means[1]).max() < 0.02


def test_a_stretched_mesh_is_lit_as_the_mesh_of_that_form():
    stretch = matrix_of((0, 0, 0), (0.0, 0.0, 30.0), (2.0, 0.5, 1.0))
    mesh = cube()
    there = mesh.vertices @ stretch[:3, :3].T
    document = Document((Node("cube", mesh, transform=stretch),))
    lit = flatten(document).baked().cloud
    real = surfels_from_mesh(replace(mesh, vertices=there.astype(np.float32)), 3000).cloud
    for axis in np.vstack([np.eye(3), -np.eye(3)]):
        normal = np.linalg.solve(stretch[:3, :3].T, axis)
        ends = [cloud.means @ normal > 0.97 for cloud in (lit, real)]
        means = [c.colors[end].mean(axis=0) for c, end in zip((lit, real), ends, strict=True)]
        assert np.abs(means[0] - means[1]).max() < 0.03


def test_the_light_node_lights_meshes():
    up = (0.0, -1.0, 0.0)
    lights = LightRig(azimuth=0.0, elevation=0.0, ambient=0.1, strength=0.9)
    document = Document((Node("cube", cube()), Node("sun", lights)), up=up)
    rig = rig_of(document)
    assert np.allclose(rig.key.direction, (0.0, 0.0, 1.0))  # the front
    assert (rig.fill, rig.rim, rig.ambient) == (None, None, 0.1)
    cloud = flatten(document).cloud
    front, back = (cloud.colors[s * cloud.means[:, 2] > 0.98].mean() for s in (1, -1))
    assert front > 0.8 > 0.4 > back
    aside = matrix_of((5, 5, 5), (0.0, 90.0, 0.0), (2.0, 2.0, 2.0))
    turned = Document((Node("sun", lights, transform=aside), Node("cube", cube())))
    assert np.allclose(rig_of(turned).key.direction, (1.0, 0.0, 0.0))
    above = replace(lights, elevation=90.0)
    assert np.allclose(rig_of(Document((Node("sun", above),))).key.direction, (0.0, -1.0, 0.0))
    # By default it stands where the studio's key light stands.
    usual = np.asarray(rig_of(Document((Node("sun", LightRig()),))).key.direction)
    studio = np.asarray(DEFAULT_RIG.key.direction)
    assert usual @ studio / np.linalg.norm(studio) > 0.999
    hidden = Document((Node("off", visible=False, id="off"), Node("sun", lights, parent="off")))
    assert rig_of(hidden) is DEFAULT_RIG


def test_a_mesh_that_shows_nothing_is_told_by_its_name():
    flat = Mesh(np.zeros((3, 3), np.float32), np.array([[0, 1, 2]], np.int32))
    with pytest.raises(UsageError, match="mesh 'leaf' cannot be drawn"):
        flatten(Document((Node("leaf", flat),)))
    with pytest.raises(UsageError, match="surfels is between 1 and"):
        replace(flat, surfels=0)
    assert lit_mesh(cube(), np.eye(4), DEFAULT_RIG) is not None


def test_processes_are_given_what_is_flat_or_what_moves(tmp_path):
    document = replace(two_nodes(), selection={"a": selected(400)})
    mesh = Document((*document.nodes, Node("cube", cube(), id="cube")))
    keys = {"a/translation": Track((Key(0.0, (0.0, 0.0, 0.0)), Key(2.0, (2.0, 0.0, 0.0))))}
    moving = replace(mesh, timeline=Timeline(tracks=keys))
    for at_seconds, scene in ((0.0, flatten(mesh)), (1.0, moving)):
        folder = tmp_path / str(at_seconds)
        folder.mkdir()
        workers._share(scene, folder)
        again = workers._shared(folder)
        assert type(again) is type(scene)
        frames = [
            CpuRasterizer().render(
                resolve(each, orbit_camera(), background=None, time=at_seconds), ("color", "depth")
            )
            for each in (scene, again)
        ]
        assert np.array_equal(frames[0].color, frames[1].color)
        assert np.array_equal(frames[0].ids, frames[1].ids)
        assert list(folder.glob("*.npy"))


def test_only_what_is_keyed_or_blown_is_animated():
    document = two_nodes()
    assert not is_animated(document)
    assert flatten(document, 3.0) is flatten(document, 0.0)
    assert is_animated(two_nodes(modifiers=(Noise(id="n"),)))
    keys = {"a/visible": Track((Key(0.0, (1.0,)), Key(2.0, (0.0,))))}
    keyed = replace(document, timeline=Timeline(tracks=keys))
    assert is_animated(keyed)
    assert [flatten(keyed, t).node_ids for t in (0.0, 2.0)] == [("a", "b"), ("b",)]


@pytest.mark.parametrize("kind", ["equirectangular", "perspective"])
def test_normals_lenses_and_panoramas_see_what_was_moved(kind):
    hidden = selected(400, 0.4, 3)
    document = two_nodes(hidden=hidden)
    flat = Document.of([flatten(document).baked().cloud], ["flat"])
    size = (64, 32) if kind == "equirectangular" else (40, 30)
    camera = orbit_camera(size)
    lens = None if kind == "equirectangular" else DepthOfField(2.0, 3.0)
    filming = Filming(Projection(kind), sampling=Sampling(samples=4, dof=lens))
    outputs = ("color", "normals", "depth")
    frame, other = (
        render(each, camera, backend="cpu", outputs=outputs, filming=filming)
        for each in (document, flat)
    )
    assert np.abs(frame.color - other.color).max() < 2e-3
    assert np.abs(frame.normals - other.normals).max() < 2e-3
    rows = flatten(document).baked().rows
    told = np.where(other.ids >= 0, rows[other.ids], -1)
    assert (frame.ids == told).mean() > 0.99
