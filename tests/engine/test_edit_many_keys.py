"""Tracks of many keys: edited as few are, and counted by the history."""

from __future__ import annotations

import pytest

from polyorama.edit.editor import Editor
from polyorama.edit.history import held_bytes
from polyorama.errors import UsageError
from polyorama.scene.document import Document, Node
from polyorama.scene.faces.phones import Phone, PhoneTrack
from polyorama.scene.timeline import Key, Track

COUNT = 5000


@pytest.fixture
def editor() -> Editor:
    """An editor with keys on every fiftieth of a second."""
    editor = Editor(Document(nodes=(Node("thing", id="n"), Node("other", id="m"))))
    keys = tuple(Key(i / 50, (float(i), 0.0, 0.0), "linear") for i in range(COUNT))
    editor.run("set_track", path="n/translation", track=Track(keys))
    return editor


def test_all_keys_move_and_come_back(editor: Editor) -> None:
    before = editor.document
    times = [key.time for key in before.timeline.tracks["n/translation"].keys]
    # A name does as well as an id, and both may stand for one track.
    names = ["thing/translation", "n/translation"]
    keys = [(names[i % 2], time) for i, time in enumerate(times)]
    editor.run("shift_keys", keys=keys, seconds=0.5)
    moved = editor.document.timeline.tracks["n/translation"].keys
    assert [key.time for key in moved] == [time + 0.5 for time in times]
    editor.undo()
    assert editor.document.timeline == before.timeline


def test_half_the_keys_are_removed(editor: Editor) -> None:
    times = [key.time for key in editor.document.timeline.tracks["n/translation"].keys]
    editor.run("remove_keys", keys=[("n/translation", time) for time in times[::2]])
    left = editor.document.timeline.tracks["n/translation"].keys
    assert [key.time for key in left] == times[1::2]
    editor.run("remove_keys", keys=[("n/translation", time) for time in times])
    assert not editor.document.timeline.tracks


def test_keys_of_what_is_not_there_are_an_error(editor: Editor) -> None:
    with pytest.raises(UsageError, match="nothing"):
        editor.run("remove_keys", keys=[("n/translation", 0.0), ("nothing/translation", 0.0)])


def test_the_history_counts_keys(editor: Editor) -> None:
    track = editor.document.timeline.tracks["n/translation"]
    few = Track(track.keys[:10])
    assert held_bytes(track) > 100 * held_bytes(few) > 0
    assert held_bytes(track, track) == held_bytes(track)
    for seconds in (0.5, 0.25):
        keys = [("n/translation", k.time) for k in track.keys]
        editor.run("shift_keys", keys=keys, seconds=seconds)
        track = editor.document.timeline.tracks["n/translation"]
    assert editor.history.nbytes >= 2 * held_bytes(track)


def test_phones_are_counted_by_the_track() -> None:
    phones = tuple(Phone("AA", i / 10, (i + 1) / 10) for i in range(COUNT))
    many, few = PhoneTrack(phones), PhoneTrack(phones[:10])
    assert held_bytes(many) > 100 * held_bytes(few) > 0
    assert held_bytes(many, many) == held_bytes(many)


def test_the_history_forgets_tracks_beyond_its_limit(editor: Editor) -> None:
    size = held_bytes(editor.document.timeline)
    editor.history.limit = 3 * size
    for number in range(8):
        track = editor.document.timeline.tracks["n/translation"]
        keys = [("n/translation", key.time) for key in track.keys]
        editor.run("shift_keys", keys=keys, seconds=0.01 * (number + 1))
    assert editor.history.forgotten > 0
    assert editor.history.can_undo
