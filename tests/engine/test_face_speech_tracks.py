"""TextGrids and the edits of tracks of phones."""

from __future__ import annotations

import random

import pytest

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.speech.textgrid import read_textgrid, write_textgrid
from polyorama.face.speech.visemes import (
    SHORTEST,
    VisemeSegment,
    delete_phone,
    insert_phone,
    merge_phones,
    move_edge,
    replace_symbol,
    shift_phones,
    split_phone,
    viseme_segments,
)
from polyorama.scene.faces.phones import PHONES, VISEMES, Phone, PhoneTrack, Word

TRACK = PhoneTrack(
    (
        Phone("HH", 0.2, 0.3), Phone("AY", 0.3, 0.5, 1), Phone("M", 0.7, 0.8),
        Phone("AA", 0.8, 1.0, 1), Phone("P", 1.0, 1.1),
    ),
    (Word("hi", 0.2, 0.5), Word('mo"p', 0.7, 1.1)),
)  # fmt: skip

LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1.5
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 1.5
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 0.5 ! a note "of 3
            text = "go"
        intervals [2]:
            xmin = 0.5
            xmax = 1.5
            text = ""
    item [2]:
        class = "TextTier"
        name = "marks"
        xmin = 0
        xmax = 1.5
        points: size = 1
        points [1]:
            number = 0.25
            mark = "here"
    item [3]:
        class = "IntervalTier"
        name = "phones"
        xmin = 0
        xmax = 1.5
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.2
            text = "G"
        intervals [2]:
            xmin = 0.2
            xmax = 0.5
            text = "ow1"
        intervals [3]:
            xmin = 0.5
            xmax = 1.5
            text = "sil"
"""
SHORT = """File type = "ooTextFile short"
"TextGrid"

0
1.5
<exists>
1
"IntervalTier"
"whatever"
0
1.5
2
0
0.25
"m"
0.25
1.5
"AA1"
"""


def test_a_textgrid_comes_back_as_it_was(tmp_path):
    path = tmp_path / "speech.TextGrid"
    write_textgrid(path, TRACK, seconds=2.0)
    assert read_textgrid(path) == TRACK
    assert path.read_text(encoding="utf-8").count("xmax = 2.0") == 5
    write_textgrid(path, PhoneTrack())
    assert read_textgrid(path) == PhoneTrack()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_long_form_is_read_in_all_of_praats_encodings(tmp_path, encoding):
    path = tmp_path / "a.TextGrid"
    path.write_bytes(LONG.encode(encoding))
    track = read_textgrid(path)
    assert track.phones == (Phone("G", 0.0, 0.2), Phone("OW", 0.2, 0.5, 1))
    assert track.words == (Word("go", 0.0, 0.5),)


def test_the_short_form_and_a_tier_of_another_name_are_read(tmp_path):
    path = tmp_path / "a.TextGrid"
    path.write_text(SHORT)
    assert read_textgrid(path).phones == (Phone("M", 0.0, 0.25), Phone("AA", 0.25, 1.5, 1))


def test_labels_of_the_ipa_are_read(tmp_path):
    path = tmp_path / "a.TextGrid"
    text = LONG.replace('"G"', '"d\u0292"').replace('"ow1"', '"\u025c\u02d0"')
    path.write_text(text, encoding="utf-8")
    assert [phone.symbol for phone in read_textgrid(path).phones] == ["JH", "ER"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t[: len(t) // 2], "ends too early"),
        (lambda t: t.replace("ooTextFile", "text"), "no TextGrid"),
        (lambda t: t.replace("size = 3", "size = 3000000"), "counts"),
        (lambda t: t.replace("size = 3", "size = 2.5"), "counts"),
        (lambda t: t.replace('text = "G"', "text = 5"), "a text in quotes belongs"),
        (lambda t: t.replace("xmax = 0.2", 'xmax = "x"'), "a number belongs"),
        (lambda t: t.replace('"G"', '"qq\u2603"'), "no phone"),
        (lambda t: t.replace('"phones"', '"notes"').replace('"ow1"', '"no"'), "no tier"),
        (lambda t: t.replace("xmax = 0.2", "xmax = 0.3"), "unsound"),
        (lambda t: t.replace("xmax = 0.5 !", "xmax = 1e999 !"), "unsound"),
        (lambda t: t.replace("xmax = 0.2", "xmax = -4"), "unsound"),
        (lambda t: t.replace("TextTier", "GridTier"), "unknown kind"),
        (lambda t: t.replace("<exists>", "<absent>"), "none at all"),
    ],
)
def test_damaged_textgrids_are_refused_in_words(tmp_path, change, words):
    path = tmp_path / "a.TextGrid"
    path.write_text(change(LONG), encoding="utf-8")
    with pytest.raises(FileFormatError, match=words):
        read_textgrid(path)


def test_a_textgrid_of_neither_encoding_is_refused(tmp_path):
    path = tmp_path / "a.TextGrid"
    path.write_bytes(LONG.replace("go", "g\u00f6").encode("latin-1"))
    with pytest.raises(FileFormatError, match="neither UTF-8"):
        read_textgrid(path)
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(FileFormatError):
        read_textgrid(path)


def test_visemes_fill_all_time_and_equal_ones_are_one():
    track = PhoneTrack((Phone("P", 0.1, 0.2), Phone("B", 0.2, 0.3), Phone("AA", 0.4, 0.5)))
    assert viseme_segments(track, 1.0) == (
        VisemeSegment("sil", 0.0, 0.1), VisemeSegment("PP", 0.1, 0.3),
        VisemeSegment("sil", 0.3, 0.4), VisemeSegment("aa", 0.4, 0.5),
        VisemeSegment("sil", 0.5, 1.0),
    )  # fmt: skip
    assert viseme_segments(PhoneTrack()) == ()


def test_an_edge_takes_its_neighbour_along_and_stops_in_time():
    moved = move_edge(TRACK, 3, "start", 0.85)
    assert moved.phones[2].end == moved.phones[3].start == 0.85
    assert moved.words == TRACK.words
    far = move_edge(TRACK, 3, "start", 0.1)
    assert far.phones[2].end == pytest.approx(0.7 + SHORTEST)
    free = move_edge(TRACK, 2, "start", 0.1)  # into the pause, up to the phone before
    assert free.phones[2].start == 0.5
    assert free.words[1].start == 0.5
    last = move_edge(TRACK, 4, "end", 0.0)
    assert last.phones[4].end == pytest.approx(1.0 + SHORTEST)
    assert last.words[1].end == last.phones[4].end
    assert move_edge(TRACK, 0, "start", -3.0).phones[0].start == 0.0


def test_phones_are_cut_joined_renamed_put_in_and_taken_out():
    cut = split_phone(TRACK, 3, 0.9, "OW")
    assert [p.symbol for p in cut.phones] == ["HH", "AY", "M", "AA", "OW", "P"]
    assert (cut.phones[3].end, cut.phones[4].start, cut.phones[4].end) == (0.9, 0.9, 1.0)
    assert cut.words == TRACK.words
    assert merge_phones(split_phone(TRACK, 3, 0.9), 3) == TRACK
    over = merge_phones(TRACK, 1, "EY")
    assert (over.phones[1].symbol, over.phones[1].end, len(over.phones)) == ("EY", 0.8, 4)
    assert replace_symbol(TRACK, 3, "OW").phones[3] == Phone("OW", 0.8, 1.0, 1)
    assert replace_symbol(TRACK, 3, "S").phones[3] == Phone("S", 0.8, 1.0)
    put = insert_phone(TRACK, "S", 0.45, 0.65)
    assert put.phones[2] == Phone("S", 0.5, 0.65)
    assert put.words == TRACK.words
    assert delete_phone(put, 2) == TRACK
    assert delete_phone(TRACK, 4).words[1].end == 1.0
    assert delete_phone(delete_phone(TRACK, 0), 0).words == TRACK.words[1:]


def test_shifted_phones_stop_at_their_neighbours():
    later = shift_phones(TRACK, 0.1, 0, 1)
    assert (later.phones[0].start, later.phones[1].end) == pytest.approx((0.3, 0.6))
    assert (later.words[0].start, later.words[0].end) == pytest.approx((0.3, 0.6))
    assert shift_phones(TRACK, 5.0, 0, 1).phones[1].end == pytest.approx(0.7)
    assert shift_phones(TRACK, -5.0).phones[0].start == 0.0
    assert shift_phones(TRACK, 5.0).seconds == pytest.approx(6.1)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda: split_phone(TRACK, 3, 0.81), "20 ms"),
        (lambda: insert_phone(TRACK, "S", 0.8, 0.9), "no pause"),
        (lambda: insert_phone(TRACK, "XX", 0.52, 0.65), "no phone"),
        (lambda: merge_phones(TRACK, 4), "no phone 5"),
        (lambda: delete_phone(TRACK, -1), "no phone -1"),
        (lambda: replace_symbol(TRACK, 0, ""), "no phone"),
        (lambda: shift_phones(TRACK, 1.0, 3, 2), "are none"),
    ],
)
def test_edits_that_cannot_be_are_refused(edit, words):
    with pytest.raises(UsageError, match=words):
        edit()


def random_edit(rng, track):
    k, time = rng.randrange(-1, len(track.phones) + 1), rng.uniform(-0.2, 1.5)
    edits = [
        lambda: move_edge(track, k, rng.choice(["start", "end"]), time),
        lambda: split_phone(track, k, time, rng.choice([None, "S"])),
        lambda: merge_phones(track, k),
        lambda: replace_symbol(track, k, rng.choice(PHONES)),
        lambda: insert_phone(track, "T", time, time + rng.uniform(0.01, 0.3)),
        lambda: delete_phone(track, k),
        lambda: shift_phones(track, time - 0.6, k, k + 1),
    ]
    return rng.choice(edits)()


def test_any_row_of_edits_keeps_phones_apart_and_long_enough():
    done = 0
    for seed in range(30):
        rng = random.Random(seed)
        track = TRACK
        for _ in range(60):
            try:
                track = random_edit(rng, track)
            except UsageError:
                continue
            done += 1
            assert all(p.end - p.start >= SHORTEST - 1e-5 for p in track.phones)
            ends = [0.0, *(p.end for p in track.phones)]
            assert all(p.start >= end - 1e-5 for p, end in zip(track.phones, ends, strict=False))
            assert all(word.end > word.start for word in track.words)
            assert {s.viseme for s in viseme_segments(track)} <= set(VISEMES)
    assert done > 500
