"""Changes of a face's script, and the lines of Python that say them; without a window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.face.take import Provenance, Take
from polyorama.scene.contents import Audio
from polyorama.scene.faces.channels import CHANNELS, REGIONS
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import Phone, PhoneTrack
from polyorama.scene.faces.script import CompSpan, EmotionKey, FaceScript, FaceStyle
from polyorama_studio.workspaces.face.feelings import shared
from polyorama_studio.workspaces.face.microphone import script_of_take
from polyorama_studio.workspaces.face.phones import edges
from polyorama_studio.workspaces.face.scripts import (
    emotion_at,
    emotions_at,
    moved_key,
    with_comp,
    with_key,
    without_key,
)
from polyorama_studio.workspaces.face.spoken import python_of


def test_a_line_says_what_differs_and_nothing_else() -> None:
    script = FaceScript()
    assert python_of(script, script) == ""
    jaw = replace(script, style=FaceStyle(jaw=1.5), seed=3)
    said = python_of(script, jaw)
    assert said == "script = replace(script, seed=3, style=replace(script.style, jaw=1.5))"


def test_a_line_leaves_out_what_has_no_room_in_it() -> None:
    script = FaceScript()
    many = PhoneTrack(tuple(Phone("AA", 0.1 * k, 0.1 * k + 0.1) for k in range(400)))
    sound = Audio(samples=np.zeros((16_000, 1), np.float32), rate=16_000)
    said = python_of(script, replace(script, phones=many, sound=sound, seed=2))
    assert said == "script = replace(script, sound=..., phones=..., seed=2)"
    keys = tuple(EmotionKey(0.1 * k, (1.0,) + (0.0,) * 7) for k in range(40))
    assert python_of(script, replace(script, emotion_keys=keys)) == (
        "script = replace(script, emotion_keys=(...))"
    )


def test_emotions_at_many_times_are_those_at_each() -> None:
    happy, sad = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0)
    script = replace(FaceScript(), emotion="keyed",
                     emotion_keys=(EmotionKey(1.0, happy), EmotionKey(2.0, sad)))  # fmt: skip
    times = np.array([0.0, 1.0, 1.25, 2.0, 9.0])
    found = emotions_at(script, times)
    assert found[2] == pytest.approx([0.0, 0.0, 0.75, 0.125, 0.0, 0.0, 0.0, 0.0])
    for time, row in zip(times, found, strict=True):
        assert emotion_at(script, float(time)) == pytest.approx(tuple(row))
    assert emotions_at(FaceScript(), times)[:, 0].tolist() == [1.0] * 5


def test_keys_are_put_moved_and_taken() -> None:
    script = with_key(with_key(FaceScript(), "jawOpen", 1.0, 0.5), "jawOpen", 0.2, 0.1)
    assert script.keys[0].times == (0.2, 1.0)
    moved = moved_key(script, "jawOpen", 1.0, 0.1, 0.9)
    assert (moved.keys[0].times, moved.keys[0].values) == ((0.1, 0.2), (0.9, 0.1))
    assert without_key(without_key(moved, "jawOpen", 0.1), "jawOpen", 0.2).keys == ()


def test_a_part_of_a_take_makes_room_among_others_of_its_region() -> None:
    script = with_comp(FaceScript(), CompSpan("mouth", 0.0, 2.0, 1))
    script = with_comp(script, CompSpan("brows", 0.0, 2.0, 2))
    script = with_comp(script, CompSpan("mouth", 0.5, 1.0, 3))
    mouth = [(s.start, s.end, s.seed) for s in script.comp if s.region == "mouth"]
    assert mouth == [(0.0, 0.5, 1), (0.5, 1.0, 3), (1.0, 2.0, 1)]
    assert [s.end for s in script.comp if s.region == "brows"] == [2.0]


def test_phones_that_touch_share_an_edge() -> None:
    track = PhoneTrack((Phone("M", 0.1, 0.2), Phone("AA", 0.2, 0.4), Phone("P", 0.5, 0.6)))
    found = [(edge.index, edge.side, edge.time) for edge in edges(track)]
    assert found == [
        (0, "start", 0.1), (0, "end", 0.2), (1, "end", 0.4), (2, "start", 0.5), (2, "end", 0.6),
    ]  # fmt: skip
    assert edges(PhoneTrack()) == ()


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_emotions_together_are_no_more_than_one(value: float) -> None:
    before = (0.1, 0.0, 0.6, 0.3, 0.0, 0.0, 0.0, 0.0)
    after = shared(before, 3, value)
    assert after[3] == value
    assert sum(after) == pytest.approx(1.0)
    assert after[2] <= 0.6 + 1e-9


def test_a_recording_is_shown_as_it_was_seen_until_somebody_changes_it() -> None:
    rows = np.random.default_rng(1).random((100, len(CHANNELS))).astype(np.float32)
    take = Take(Performance(rows, 50.0), Provenance("live"), PhoneTrack((Phone("M", 0.1, 0.2),)))
    script = script_of_take(take)
    assert {owner.target for owner in script.owners} == set(REGIONS)
    assert {owner.source for owner in script.owners} == {"tracker"}
    assert script.tracker is not None
    assert len(script.tracker) == 120  # two seconds at a tracker's rate
    assert script.tracker[0] == pytest.approx(rows[0])
    assert script.phones is take.phones
