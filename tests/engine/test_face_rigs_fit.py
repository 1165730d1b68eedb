"""Shapes carried over from one head onto another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.core.jobs import Progress, run
from polyorama.errors import UsageError
from polyorama.face.rigs.check import SEALED, check_rig
from polyorama.face.rigs.closest import Surface, vertex_normals
from polyorama.face.rigs.fitting import fitted_rig
from polyorama.face.rigs.ict import ict_rig
from polyorama.face.rigs.makehuman import makehuman_rig
from polyorama.face.rigs.registration import aligned
from polyorama.face.rigs.transfer import Gradients, Transfer
from polyorama.scene.faces.morphs import MorphRig, Rotor, Shapes
from polyorama.scene.mesh import Mesh
from tests.conftest import shared_folder
from tests.engine.test_face_rigs_heads import head

RIGS = shared_folder() / "rigs"
needs_rigs = pytest.mark.skipif(not RIGS.is_dir(), reason=f"real rigs are not here: {RIGS}")
ICT_FACE = 9409
"""ICT's first vertices are those of the bare face."""
SOME = ("jawOpen", "mouthClose", "mouthSmileLeft", "eyeBlinkLeft", "mouthPucker")


def only(rig: MorphRig, names: tuple[str, ...]) -> MorphRig:
    count = len(rig.mesh.vertices)
    dense = {name: rig.shapes.dense(name, count) for name in names}
    return replace(rig, shapes=Shapes.of_dense(dense), correctives=())


def turned(points: np.ndarray) -> np.ndarray:
    """Elsewhere, another size, and turned by a quarter and a bit."""
    c, s = np.cos(1.9), np.sin(1.9)
    return 0.37 * points @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) + [3.0, -2.0, 8.0]


def test_nearest_points_are_those_of_a_slow_reference() -> None:
    rng = np.random.default_rng(5)
    vertices = rng.normal(size=(60, 3))
    triangles = rng.permutation(60).reshape(20, 3)
    surface = Surface(vertices, triangles)
    points = rng.normal(size=(15, 3))
    flat = np.zeros((15, 3))  # faces no way, so all are as good
    found = surface.nearest(points, flat)
    grid = np.array([(a, b, 60 - a - b) for a in range(61) for b in range(61 - a)]) / 60
    for k in range(15):
        sampled = np.einsum("gc,tcd->tgd", grid, vertices[triangles])
        away = np.linalg.norm(sampled - points[k], axis=2)
        if found.triangle[k] == away.min(axis=1).argmin():
            assert away.min() - 0.08 <= found.distance[k] <= away.min() + 1e-9
        assert found.distance[k] <= away[found.triangle[k]].min() + 1e-9
        there = found.shares[k] @ vertices[triangles[found.triangle[k]]]
        assert np.allclose(there, found.points[k])
        assert abs(np.linalg.norm(there - points[k]) - found.distance[k]) < 1e-9


def test_a_transfer_onto_the_same_mesh_gives_the_same_shape() -> None:
    rig = head()
    rest, t = rig.mesh.vertices.astype(np.float64), rig.mesh.triangles
    count = len(rest)
    gradients = Gradients(rest, t)
    for name in ("jawOpen", "mouthSmileLeft"):
        dense = rig.shapes.dense(name, count).astype(np.float64)
        free = np.ones(count, bool)
        free[:48] = False  # one end is held, as gradients do not see a shift
        transfer = Transfer(rest, t, np.ones(len(t), bool), free, np.zeros(count, bool))
        got = transfer(gradients(dense), np.zeros((count, 3)))
        assert np.abs(got - dense).max() < 1e-3 * np.abs(dense).max()


def test_a_head_is_found_wherever_it_lies() -> None:
    points = head().mesh.vertices.astype(np.float64)
    points[points[:, 2] > 0.0, 2] *= 1.6
    points[points[:, 1] > 0.0, 0] *= 0.6
    found = aligned(points, turned(points))
    assert abs(found.scale - 0.37) < 0.01
    assert np.abs(found(points) - turned(points)).max() < 0.05


def _ict_face(weights: np.ndarray) -> MorphRig:
    """ICT's bare face with two of its shapes, as the file has it: nothing is mended."""
    turn = np.array([-1.0, -1.0, 1.0])
    with np.load(RIGS / "ict_face_light.npz") as packed:
        steps = weights * packed["id_scale"][: len(weights)]
        modes = np.einsum("m,mvc->vc", steps, packed["id_q"][: len(weights)].astype(np.float64))
        rest = ((packed["base"] + modes) * turn)[:ICT_FACE].astype(np.float32)
        triangles = packed["tri"][(packed["tri"] < ICT_FACE).all(axis=1)].astype(np.int32)
        shapes = {}
        names, starts = packed["expr_names"].tolist(), packed["expr_off"]
        for name, file in (("mouthSmileLeft", "mouthSmile_L"), ("mouthPucker", "mouthPucker")):
            at = names.index(file)
            part = slice(int(starts[at]), int(starts[at + 1]))
            dense = np.zeros((len(packed["base"]), 3))
            dense[packed["expr_idx"][part]] = packed["expr_q"][part] * packed["expr_scale"][at]
            shapes[name] = (dense * turn)[:ICT_FACE]
    return MorphRig(
        mesh=Mesh(rest, triangles, name="face"), shapes=Shapes.of_dense(shapes),
        regions={"skin": np.arange(ICT_FACE)}, name="face",
    )  # fmt: skip


def _check_better_than_copies(fitted: MorphRig, one: MorphRig, other: MorphRig) -> None:
    """Ground truth: ICT's offsets are the same for all its identities."""
    face, count = np.arange(ICT_FACE), len(one.mesh.vertices)
    spatial = pytest.importorskip("scipy.spatial")
    rest = one.mesh.vertices[face] - one.mesh.vertices[face].mean(axis=0)
    goal = other.mesh.vertices[face] - other.mesh.vertices[face].mean(axis=0)
    near = spatial.cKDTree(rest).query(goal)[1]
    for name in one.shapes.names:
        truth = other.shapes.dense(name, count)[face].astype(np.float64)
        moved = np.linalg.norm(truth, axis=1) > 0.05 * np.linalg.norm(truth, axis=1).max()
        carried = fitted.shapes.dense(name, count)[face] - truth
        copied = one.shapes.dense(name, count)[face][near] - truth
        errors = [float(np.sqrt((e[moved] ** 2).sum(1).mean())) for e in (carried, copied)]
        size = float(np.sqrt((truth[moved] ** 2).sum(1).mean()))
        # Measured: 2 to 6 % of the shape's size, copies 5 to 42 %.
        assert errors[0] < 0.1 * size, name
        assert errors[0] < 0.6 * errors[1], name


@needs_rigs
def test_shapes_of_one_face_on_another_are_better_than_copies() -> None:
    weights = 0.8 * np.random.default_rng(1).normal(size=8)
    one, other = _ict_face(np.zeros(8)), _ict_face(weights)
    job = fitted_rig(other.mesh, one)
    assert isinstance(next(job), Progress)
    _check_better_than_copies(run(job), one, other)


@needs_rigs
@pytest.mark.study
def test_shapes_and_parts_of_one_head_on_another_are_better_than_copies() -> None:
    path = RIGS / "ict_face_light.npz"
    one = only(ict_rig(path), SOME)
    weights = 0.8 * np.random.default_rng(1).normal(size=8)
    other = only(ict_rig(path, identity=weights), SOME)
    fitted = run(fitted_rig(other.mesh, one))
    _check_better_than_copies(fitted, one, other)
    assert max(seal.gap for seal in check_rig(fitted).seals) < SEALED
    eyes = {rotor.name: rotor.pivot for rotor in fitted.rotors}
    for rotor in other.rotors:
        if rotor.name != "head":
            assert np.linalg.norm(eyes[rotor.name] - rotor.pivot) < 0.1
    for place in ("mouthCorners", "upperLidLeft", "innerLipLower"):
        here, there = (r.mesh.vertices[r.landmarks[place]] for r in (fitted, other))
        assert np.linalg.norm(here - there, axis=1).max() < 0.5


@needs_rigs
def test_a_decimated_head_that_lies_elsewhere_is_fitted() -> None:
    open3d = pytest.importorskip("open3d")
    rig = only(makehuman_rig(RIGS / "makehuman"), ("jawOpen", "mouthClose", "mouthSmileLeft"))
    inside = np.zeros(len(rig.mesh.vertices), bool)
    inside[rig.regions["skin"]] = True
    faces = rig.mesh.triangles[inside[rig.mesh.triangles].all(axis=1)]
    mesh = open3d.geometry.TriangleMesh(
        open3d.utility.Vector3dVector(rig.mesh.vertices.astype(np.float64)),
        open3d.utility.Vector3iVector(faces),
    )
    small = mesh.simplify_quadric_decimation(len(faces) // 2).remove_unreferenced_vertices()
    points = np.asarray(small.vertices)
    target = Mesh(turned(points), np.asarray(small.triangles), name="scan")
    fitted = run(fitted_rig(target, rig))
    for name in ("mouthSmileLeft", "jawOpen"):
        got = fitted.shapes.dense(name, len(points))
        tree_near = np.array([
            np.argmin(((rig.mesh.vertices - p) ** 2).sum(axis=1)) for p in points
        ])  # fmt: skip
        truth = rig.shapes.dense(name, len(rig.mesh.vertices))[tree_near]
        truth = 0.37 * truth  # it comes back in the axes of rigs
        size = np.sqrt((truth**2).sum(1).mean())
        assert np.sqrt(((got - truth) ** 2).sum(1).mean()) < 0.35 * size, name


def test_what_is_no_head_is_refused() -> None:
    rig = head()
    rng = np.random.default_rng(0)
    side = np.linspace(-1, 1, 15)
    x, y = np.meshgrid(side, side)
    flat = np.stack([x, y, 0.01 * rng.normal(size=x.shape)], -1).reshape(-1, 3)
    rows = np.arange(14)[:, None] * 15 + np.arange(14)
    quads = np.concatenate([
        np.stack([rows, rows + 1, rows + 15], -1).reshape(-1, 3),
        np.stack([rows + 1, rows + 16, rows + 15], -1).reshape(-1, 3),
    ])  # fmt: skip
    with pytest.raises(UsageError, match="does not look like a head"):
        run(fitted_rig(Mesh(flat, quads, name="table"), rig))
    stick = flat * [0.02, 1.0, 0.1]
    with pytest.raises(UsageError, match="does not look like a head"):
        run(fitted_rig(Mesh(stick, quads, name="stick"), rig))
    with pytest.raises(UsageError, match="too coarse"):
        run(fitted_rig(Mesh(flat, quads[:10]), rig))
    with pytest.raises(UsageError, match="3 up"):
        run(fitted_rig(rig.mesh, rig, np.zeros((2, 2), int)))
    with pytest.raises(UsageError, match="not there"):
        run(fitted_rig(rig.mesh, rig, np.full((3, 2), 10**6)))


def test_landmarks_lead_where_the_outline_does_not() -> None:
    rig = head()
    rest = rig.mesh.vertices.astype(np.float64)
    upside_down = rest * [-1.0, -1.0, 1.0]
    marks = np.array([[i, i] for i in (100, 700, 900, 1100, 1500)])
    fitted = run(fitted_rig(Mesh(upside_down, rig.mesh.triangles, name="bat"), rig, marks))
    jaw = fitted.shapes.dense("jawOpen", len(rest))
    truth = rig.shapes.dense("jawOpen", len(rest))
    assert np.abs(fitted.mesh.vertices - rest).max() < 0.1
    assert np.sqrt(((jaw - truth) ** 2).sum(1).mean()) < 0.2 * np.sqrt((truth**2).sum(1).mean())


def _with_shells() -> MorphRig:
    """The egg with lids of its own, apart from the skin, and a row of teeth that the jaw turns."""
    rig = head()
    count = len(rig.mesh.vertices)
    skin = np.arange(count)
    grid = np.array([(x, y) for y in range(5) for x in range(9)], np.float64)
    lid = np.column_stack([0.03 * grid[:, 0] - 0.42, -0.3 + 0.03 * grid[:, 1],
                           np.full(45, 0.95)])  # fmt: skip
    teeth = np.column_stack([0.04 * grid[:, 0] - 0.16, 0.36 + 0.02 * grid[:, 1],
                             0.6 - (0.04 * grid[:, 0] - 0.16) ** 2])  # fmt: skip
    cells = [(y * 9 + x, y * 9 + x + 1, y * 9 + x + 9, y * 9 + x + 10)
             for y in range(4) for x in range(8)]  # fmt: skip
    faces = np.array([t for a, b, c, d in cells for t in ((a, b, c), (b, d, c))])
    lids, row = count + np.arange(45), count + 45 + np.arange(45)
    mesh = Mesh(
        np.concatenate([rig.mesh.vertices, lid, teeth]),
        np.concatenate([rig.mesh.triangles, faces + count, faces + count + 45]), name="egg",
    )  # fmt: skip
    ones = np.ones(45, np.float32)
    rotors = (
        Rotor("leftUpperLid", lids, ones, np.array([-0.3, -0.2, 0.6]),
              {"eyeBlinkLeft": (-0.9, 0.0, 0.0)}),
        Rotor("jaw", row, ones, np.zeros(3), {"jawOpen": (-0.4, 0.0, 0.0)}),
    )  # fmt: skip
    dense = {n: np.pad(rig.shapes.dense(n, count), ((0, 90), (0, 0))) for n in rig.shapes.names}
    dense["eyeBlinkLeft"] = np.zeros((count + 90, 3))
    dense["eyeBlinkLeft"][600:700, 1] = 0.01
    return MorphRig(
        mesh=mesh, shapes=Shapes.of_dense(dense), rotors=rotors, name="egg",
        regions={"skin": skin, "lowerTeeth": row},
    )  # fmt: skip


def test_teeth_stay_whole_and_lids_that_are_not_there_are_missing() -> None:
    template = _with_shells()
    count = len(head().mesh.vertices)
    # The same head without lids, its teeth a little elsewhere and wider.
    vertices = np.delete(template.mesh.vertices, np.arange(count, count + 45), axis=0)
    vertices[count:] = (vertices[count:] - [0, 0, 0.02]) * [1.1, 1.0, 1.0]
    t = template.mesh.triangles
    t = t[(t < count).all(axis=1) | (t >= count + 45).all(axis=1)]
    faces = np.where(t >= count, t - 45, t)
    fitted = run(fitted_rig(Mesh(vertices, faces, name="other"), template))
    assert "eyeBlinkLeft" in fitted.missing
    assert [rotor.name for rotor in fitted.rotors] == ["jaw"]
    teeth = np.arange(count, count + 45)
    assert np.array_equal(fitted.rotors[0].indices, teeth)
    opened = fitted.posed({"jawOpen": 1.0})
    assert (opened[teeth, 1] - vertices[teeth, 1]).min() > 0.1
    ends = faces[(faces >= count).all(axis=1), :2]
    lengths = [np.linalg.norm(np.diff(p[ends], axis=1), axis=2) for p in (vertices, opened)]
    assert np.allclose(lengths[0], lengths[1], atol=1e-4)


def test_normals_of_a_sphere_point_outwards() -> None:
    rig = head()
    normals = vertex_normals(rig.mesh.vertices, rig.mesh.triangles)
    outwards = (normals * rig.mesh.vertices).sum(axis=1)
    assert (outwards[100:-100] > 0).mean() > 0.98
