"""Lips that close, and what a check says of rigs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.face.rigs.check import SEALED, check_rig
from polyorama.face.rigs.mouth import find_mouth, lip_gaps
from polyorama.face.rigs.seal import with_seal
from polyorama.scene.faces.morphs import MorphRig, Rotor, Shapes
from tests.engine.test_face_rigs_heads import head


def worst_gap(rig: MorphRig) -> float:
    mouth = find_mouth(rig)
    worst = 0.0
    for opening in np.linspace(0.0, 1.0, 11):
        posed = rig.posed({"jawOpen": opening, "mouthClose": opening}, head=False)
        worst = max(worst, float(np.nanmax(lip_gaps(mouth, posed, 61))) / mouth.width)
    return worst


def test_lips_meet_at_every_opening_and_little_else_moves() -> None:
    rig = head()
    mended = with_seal(rig)
    assert worst_gap(rig) > 0.1
    assert worst_gap(mended) < SEALED
    count = len(rig.mesh.vertices)
    mouth = find_mouth(rig)
    middle = rig.mesh.vertices[mouth.pairs].mean(axis=(0, 1))
    far = np.linalg.norm(rig.mesh.vertices - middle, axis=1) > 1.2 * mouth.width
    assert np.array_equal(mended.mesh.vertices[far], rig.mesh.vertices[far])
    for name in rig.shapes.names:
        before, after = rig.shapes.dense(name, count), mended.shapes.dense(name, count)
        if name != "mouthClose":
            assert np.allclose(before, after, atol=1e-5)
        assert np.allclose(before[far], after[far], atol=1e-5)
    # Mending what is whole changes next to nothing.
    again = with_seal(mended)
    assert np.abs(again.mesh.vertices - mended.mesh.vertices).max() < 2e-3 * mouth.width


def test_a_jaw_that_turns_and_has_no_mouth_close_is_sealed() -> None:
    rig = head()
    count = len(rig.mesh.vertices)
    jaw = rig.shapes.dense("jawOpen", count)[:, 1]
    ids = np.flatnonzero(jaw > 0.0)
    rotor = Rotor("jaw", ids, jaw[ids] / jaw.max(), np.array([0.0, 0.3, -0.2]),
                  {"jawOpen": (-0.35, 0.0, 0.0)})  # fmt: skip
    smiles = {n: rig.shapes.dense(n, count) for n in rig.shapes.names if "Smile" in n}
    turning = MorphRig(rig.mesh, Shapes.of_dense(smiles), rotors=(rotor,), name="turning")
    mended = with_seal(turning)
    assert "mouthClose" in mended.shapes.names
    assert worst_gap(mended) < SEALED


def test_a_rig_without_a_jaw_cannot_be_sealed() -> None:
    rig = head()
    count = len(rig.mesh.vertices)
    dense = {n: rig.shapes.dense(n, count) for n in rig.shapes.names if n != "jawOpen"}
    with pytest.raises(UsageError, match="does not open"):
        with_seal(replace(rig, shapes=Shapes.of_dense(dense)))


def test_a_check_names_what_is_wrong() -> None:
    rig = head()
    count = len(rig.mesh.vertices)
    dense = {n: rig.shapes.dense(n, count) for n in rig.shapes.names}
    dense["mouthSmileRight"] *= 2.0
    dense["browInnerUp"] = np.zeros((count, 3), np.float32)
    dense["cheekPuff"] = 50.0 * dense["mouthSmileLeft"]
    report = check_rig(replace(rig, shapes=Shapes.of_dense(dense)))
    assert not report.sealed
    assert report.empty == ("browInnerUp",)
    assert report.lopsided == ("mouthSmileLeft", "mouthSmileRight")
    assert report.huge == ("cheekPuff",)
    assert "tongueOut" in report.missing
    assert "jawOpen" not in report.missing
    text = "\n".join(report.lines())
    assert "OPEN" in text
    assert "with_seal" in text
    assert "another unit" in text
    assert any("eyeball" in what for what in report.unchecked)
    assert check_rig(with_seal(rig)).sealed


def test_bare_teeth_are_told_from_covered_ones() -> None:
    rig = with_seal(head())
    middle = rig.mesh.vertices[find_mouth(rig).pairs].mean(axis=(0, 1))
    for ahead, found in ((-0.1, False), (0.1, True)):
        tooth = np.array([[0, -0.05, 0], [0.02, -0.05, 0], [0, -0.08, 0]]) + middle
        tooth[:, 2] += ahead
        first = len(rig.mesh.vertices)
        mesh = replace(
            rig.mesh,
            vertices=np.concatenate([rig.mesh.vertices, tooth.astype(np.float32)]),
            triangles=np.concatenate([rig.mesh.triangles, [[first, first + 1, first + 2]]]),
        )
        regions = {"skin": np.arange(first), "upperTeeth": np.arange(first, first + 3)}
        report = check_rig(replace(rig, mesh=mesh, regions=regions))
        assert any(i.parts == "teeth and lips" for i in report.intersections) == found


def test_a_lid_inside_the_eyeball_is_found() -> None:
    rig = head()
    count = len(rig.mesh.vertices)
    rest = rig.mesh.vertices.astype(np.float64)
    goal = np.array([-0.3, -0.2, 0.8])
    centre = rest[np.argmin(np.linalg.norm(rest - goal, axis=1))] - [0.0, 0.0, 0.2]
    way = np.random.default_rng(0).normal(size=(60, 3))
    ball = centre + 0.15 * way / np.linalg.norm(way, axis=1, keepdims=True)
    blink = np.zeros((count + 60, 3), np.float32)
    lid = np.flatnonzero(np.linalg.norm(rest - centre - [0, 0, 0.2], axis=1) < 0.12)
    dense = {
        n: np.concatenate([rig.shapes.dense(n, count), np.zeros((60, 3), np.float32)])
        for n in rig.shapes.names
    }
    mesh = replace(rig.mesh, vertices=np.concatenate([rest, ball]).astype(np.float32))
    for depth, found in ((0.0, False), (0.12, True)):
        blink[lid] = (0.0, 0.01, -depth)
        shapes = Shapes.of_dense({**dense, "eyeBlinkLeft": blink})
        regions = {"skin": np.arange(count), "leftEye": np.arange(count, count + 60)}
        report = check_rig(replace(rig, mesh=mesh, shapes=shapes, regions=regions))
        assert any(i.parts == "lids and eyeball" for i in report.intersections) == found
