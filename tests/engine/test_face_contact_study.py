"""The measure of lips: on a rig whose lips are two points and whose teeth are a third."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.face.contact_study import ContactFigures, contact_figures, contacts
from polyorama.scene.faces.channels import CHANNEL_INDEX
from polyorama.scene.faces.morphs import MorphRig, Shapes
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import Phone, PhoneTrack
from polyorama.scene.mesh import Mesh

PHONES = (Phone("M", 0.0, 0.1), Phone("AA", 0.1, 0.3), Phone("IH", 0.3, 0.35), Phone("V", 0.4, 0.5))


def _rig() -> MorphRig:
    vertices = np.array(
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [-0.5, 0.0, 0.0], [0.0, 0.02, 0.0]]
    )
    opening, closing = np.zeros((5, 3)), np.zeros((5, 3))
    opening[1, 1], closing[1, 1] = 0.5, -0.5
    return MorphRig(
        Mesh(vertices, np.array([[0, 2, 3]])),
        Shapes.of_dense({"jawOpen": opening, "mouthClose": closing}),
        landmarks={
            "innerLipUpper": [0], "innerLipLower": [1], "mouthCorners": [2, 3],
            "lowerLipTop": [1], "upperTeethEdge": [4],
        },
    )  # fmt: skip


def _performance(jaw: list[float], fps: float = 20.0) -> Performance:
    weights = np.zeros((len(jaw), 55))
    weights[:, CHANNEL_INDEX["jawOpen"]] = jaw
    return Performance(weights, fps)


def test_lips_are_judged_within_their_phones():
    good = _performance([0.03, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.05, 0.5])
    assert [(kind, met) for kind, _, met in contacts(good, PHONES, _rig())] == [
        (0, True), (1, True), (2, True),
    ]  # fmt: skip
    bad = _performance([0.2, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5])
    assert [(kind, met) for kind, _, met in contacts(bad, PHONES, _rig())] == [
        (0, False), (1, False), (2, False),
    ]  # fmt: skip


def test_a_phone_shorter_than_a_row_is_judged_at_the_nearest():
    found = list(contacts(_performance([1.0, 0.0, 1.0], 5.0), (Phone("P", 0.22, 0.26),), _rig()))
    assert [met for _, _, met in found] == [True]


def test_what_a_performance_leaves_out_counts_as_it_is_seen():
    after = (Phone("M", 2.0, 2.1), Phone("AA", 2.1, 2.3))
    shut, wide = (
        list(contacts(_performance([jaw]), after, _rig())) for jaw in (0.0, 0.5)
    )  # fmt: skip
    assert [met for _, _, met in shut] == [True, False]
    assert [met for _, _, met in wide] == [False, True]


def test_figures_count_all_clips():
    clip = SimpleNamespace(utterance=SimpleNamespace(track=lambda: PhoneTrack(PHONES)))
    said = iter([
        _performance([0.03, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.05, 0.5]),
        _performance([0.2, 0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
    ])  # fmt: skip
    figures = run(contact_figures("made up", lambda _: next(said), [clip, clip], _rig()))
    assert figures == ContactFigures(
        "made up", bilabials=2, closed=1, vowels=2, opened=2, labiodentals=2, touched=1
    )


def test_a_rig_without_places_is_told():
    rig = _rig()
    bare = MorphRig(rig.mesh, rig.shapes, landmarks={"mouthCorners": [2, 3]}, name="bare")
    with pytest.raises(UsageError, match=r"bare.*innerLipUpper"):
        list(contacts(_performance([0.0]), PHONES, bare))
