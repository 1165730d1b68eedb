"""What measures motion: against slow references, on a small rig made up for it."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.face.ecoface.measures import EmotionJudge, FaceMeter, interval, part_of
from polyorama.face.ecoface.study import (
    EVE,
    LVE,
    SWAP,
    Measured,
    StudySettings,
    _fitted,
    _rows,
    _stretched,
    _Sums,
)
from polyorama.scene.faces.channels import CHANNEL_INDEX, EMOTIONS
from polyorama.scene.faces.morphs import Corrective, MorphRig, Rotor, Shapes
from polyorama.scene.faces.phones import Phone, PhoneTrack
from polyorama.scene.mesh import Mesh


def _rig() -> MorphRig:
    """Forty vertices; the lips open by jawOpen and close by mouthClose, all else is random."""
    rng = np.random.default_rng(0)
    vertices = rng.normal(size=(40, 3)).astype(np.float32) * 0.05
    vertices[4:8] = vertices[:4]
    vertices[8], vertices[9] = (-0.03, 0.0, 0.0), (0.03, 0.0, 0.0)
    down = np.zeros((40, 3))
    down[4:8, 1] = 0.02
    offsets = {
        "jawOpen": down, "mouthClose": -down,
        "browInnerUp": rng.normal(size=(40, 3)) * 0.01 * (np.arange(40) > 19)[:, None],
        "extra": rng.normal(size=(40, 3)) * 0.01,
    }  # fmt: skip
    rotor = Rotor(
        "leftEye", np.arange(15, 30), np.linspace(0.1, 1.0, 15), np.zeros(3),
        {"eyeLookUpLeft": (0.3, 0.1, 0.0)},
    )  # fmt: skip
    head = Rotor("head", np.arange(40), np.ones(40), np.zeros(3), {"headYaw": (0.0, 1.0, 0.0)})
    mesh = Mesh(vertices=vertices, triangles=np.array([[0, 1, 2], [20, 21, 22]], np.int32))
    return MorphRig(
        mesh, Shapes.of_dense(offsets), (rotor, head),
        (Corrective("extra", ("jawOpen", "browInnerUp")),),
        {"lips": np.arange(10), "upperFace": np.arange(20, 40)},
        {"innerLipUpper": np.arange(4), "innerLipLower": np.arange(4, 8),
         "mouthCorners": np.array([8, 9])},
        "small",
    )  # fmt: skip


def _motion(count: int, seed: int = 0) -> np.ndarray:
    rows = np.zeros((count, 55))
    rng = np.random.default_rng(seed)
    for name in ("jawOpen", "browInnerUp", "eyeLookUpLeft", "headYaw"):
        rows[:, CHANNEL_INDEX[name]] = rng.uniform(size=count)
    return rows


def test_a_part_of_a_rig_is_posed_as_the_whole() -> None:
    rig = _rig()
    kept = np.array([0, 3, 7, 16, 21, 29, 39])
    small, places = part_of(rig, kept)
    assert places[21] == 4
    assert places[1] == -1
    for row in _motion(5):
        assert np.allclose(small.posed(row), rig.posed(row)[kept], atol=1e-7)


def test_errors_are_their_slow_references() -> None:
    rig, meter = _rig(), FaceMeter(_rig())
    true, made = _motion(6, 1), _motion(6, 2)
    a, b = meter.vertices(true), meter.vertices(made)
    poses = [np.stack([1000.0 * rig.posed(row, head=False) for row in m]) for m in (true, made)]
    lips, upper = [], []
    for t in range(6):
        lips.append(max(np.linalg.norm(poses[0][t, v] - poses[1][t, v]) for v in range(10)))
        upper.append(max(np.linalg.norm(poses[0][t, v] - poses[1][t, v]) for v in range(20, 40)))
    assert meter.lip_error(a, b) == pytest.approx(np.mean(lips), rel=1e-4)
    assert meter.upper_error(a, b) == pytest.approx(np.mean(upper), rel=1e-4)
    rest = 1000.0 * rig.mesh.vertices
    spread = []
    for v in range(20, 40):
        far = [[np.linalg.norm(p[t, v] - rest[v]) for t in range(6)] for p in poses]
        spread.append(np.std(far[0]) - np.std(far[1]))
    assert meter.dynamics_gap(a, b) == pytest.approx(np.mean(spread), rel=1e-3)
    assert meter.dynamics_gap(a, a) == 0.0


def test_gaps_are_shares_of_the_mouth_s_width() -> None:
    meter = FaceMeter(_rig())
    rows = np.zeros((3, 55))
    rows[:, CHANNEL_INDEX["jawOpen"]] = (0.0, 0.3, 0.6)
    rows[2, CHANNEL_INDEX["mouthClose"]] = 0.6
    assert np.allclose(meter.gaps(meter.vertices(rows)), (0.0, 0.02 * 0.3 / 0.06, 0.0), atol=1e-5)


def test_closures_are_looked_for_within_their_phones() -> None:
    meter = FaceMeter(_rig())
    rows = np.zeros((60, 55))
    rows[:, CHANNEL_INDEX["jawOpen"]] = 0.5
    rows[[15, 40], CHANNEL_INDEX["mouthClose"]] = 0.5
    track = PhoneTrack((
        Phone("B", 0.2, 0.3), Phone("AA", 0.3, 0.4), Phone("M", 0.42, 0.6), Phone("P", 0.66, 0.67),
        Phone("M", 0.8, 0.9), Phone("B", 1.2, 1.3),
    ))  # fmt: skip
    found = meter.closed(rows, 60.0, track, frozenset("PBM"))
    # Row 15 is at 0.25 s, row 40 at 0.667 s; the last phone is after the motion.
    assert found == [True, False, True, False]


def test_a_rig_without_lips_is_refused() -> None:
    rig = _rig()
    bare = MorphRig(rig.mesh, rig.shapes, regions={"upperFace": np.arange(3)})
    with pytest.raises(UsageError, match="lips"):
        FaceMeter(bare)


def test_a_judge_tells_what_it_was_taught_and_chance_is_an_eighth() -> None:
    rng = np.random.default_rng(3)
    faces = rng.uniform(size=(8, 55))

    def clip(emotion: int) -> np.ndarray:
        return faces[emotion] + 0.3 * rng.normal(size=(40, 55))

    labels = [n % 8 for n in range(80)]
    judge = EmotionJudge.fit([clip(e) for e in labels], labels)
    assert all(judge.emotion(clip(e)) == e for e in range(8))
    blind = EmotionJudge.fit([rng.normal(size=(40, 55)) for _ in labels], labels)
    found = [blind.emotion(rng.normal(size=(40, 55))) == n % 8 for n in range(400)]
    # Five standard deviations of 400 draws.
    assert abs(np.mean(found) - 0.125) < 5.0 * np.sqrt(0.125 * 0.875 / 400)
    assert len(EMOTIONS) == 8


def test_intervals_hold_the_mean_nineteen_times_in_twenty() -> None:
    rng = np.random.default_rng(4)
    inside = 0
    for n in range(200):
        # Takes of a clip are alike: three values that hardly differ are not three draws.
        clips = [rng.normal() + 0.05 * rng.normal(size=3) for _ in range(60)]
        mean, low, high = interval(clips, rounds=400, seed=n)
        assert low <= mean <= high
        inside += low <= 0.0 <= high
    # 0.95 less five standard deviations of 200 draws, and less what the bootstrap lacks.
    assert inside / 200 > 0.95 - 5.0 * np.sqrt(0.95 * 0.05 / 200) - 0.02


def test_means_are_of_all_values_whatever_clip_they_are_of() -> None:
    mean, low, high = interval([[1.0, 1.0, 1.0], [0.0]])
    assert mean == 0.75
    assert (low, high) == (0.0, 1.0)


def test_figures_say_whether_they_hold() -> None:
    rows = [
        Measured("a", "known voices", "model", 0.9, 0.8, 0.95, 0.8),
        Measured("b", "known voices", "model", 0.7, 0.6, 0.8, 0.8),
        Measured("c, mm", "both", "mean face", 2.0, 1.0, 3.0),
        Measured("d", "both", "model", 2.0, 1.0, 3.0, 1.5, at_most=True),
    ]
    assert [row.holds for row in rows] == [True, False, True, False]


def test_errors_are_held_against_the_best_baseline_over_all_voices() -> None:
    sums = _Sums()
    for model in (1.0, 2.0):
        for name in (LVE, EVE):
            for source, value in (
                ("model", model),
                ("mean face", 4.0),
                ("rules, wrong phones", 1.2),
            ):
                sums.add(name, "known voices", source, value)
        sums.add(SWAP, "known voices", "from a face", 1.0)
        sums.end_clip()
    rows = {(r.name, r.group, r.source): r for r in _rows(sums)}
    lips, upper = (rows[name, "all voices", "model"] for name in (LVE, EVE))
    assert (lips.value, lips.aim, lips.holds) == (1.5, 1.2, False)
    # Rules with wrong phones know the feeling, which the sound hardly tells.
    assert (upper.aim, upper.holds) == (4.0, True)
    assert rows[LVE, "known voices", "model"].aim is None
    assert rows[SWAP, "all voices", "from a face"].aim == 0.75
    assert rows[SWAP, "known voices", "from a face"].aim is None


def test_tracks_are_stretched_and_motion_fitted() -> None:
    track = PhoneTrack((Phone("B", 0.1, 0.2), Phone("AA", 0.2, 0.5)))
    twice = _stretched(track, 1.0)
    assert [(p.symbol, p.start, p.end) for p in twice.phones] == [
        ("B", pytest.approx(0.2), pytest.approx(0.4)),
        ("AA", pytest.approx(0.4), pytest.approx(1.0)),
    ]
    rows = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(_fitted(rows, 5), rows[[0, 1, 2, 2, 2]])
    assert np.array_equal(_fitted(rows, 2), rows[:2])


def test_studies_of_nothing_are_refused() -> None:
    with pytest.raises(UsageError):
        StudySettings(takes=0)
