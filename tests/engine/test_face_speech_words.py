"""Writing as it is spoken, and how words are pronounced."""

from __future__ import annotations

import re
import shutil

import pytest

from polyorama.errors import UsageError
from polyorama.face.speech import pronunciation
from polyorama.face.speech.ipa import phones_of_ipa
from polyorama.face.speech.letter_rules import read_letters
from polyorama.face.speech.text import cardinal, ordinal, spoken_words, year
from polyorama.scene.faces.phones import PHONES

KNOWN = frozenset({"nasa", "it's", "o'neill's", "rock", "a"})


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("Dr. Smith paid $3.50.", "doctor smith paid three dollars and fifty cents"),
        ("$1 or £2.01, €2.3 million", "one dollar or two pounds and one penny two point three "
         "million euros"),
        ("at 3:45 p.m. and 3:05, 3:00", "at three forty five p m and three oh five three o'clock"),
        ("the 21st, 2nd and 100th", "the twenty first second and one hundredth"),
        ("In 1984, 2005, 2026 and 1900", "in nineteen eighty four two thousand five twenty twenty "
         "six and nineteen hundred"),
        ("1,984 people", "one thousand nine hundred eighty four people"),
        ("2.5% of 1/2 and ¾", "two point five percent of one half and three quarters"),
        ("the 1980s and '90s", "the nineteen eighties and nineties"),
        ("-5 °C, 60 mph, 1 km, 10 in the morning", "minus five degrees celsius sixty miles per "
         "hour one kilometer ten in the morning"),
        ("007 B2B mp3", "zero zero seven b two b mp three"),
        ("NASA, FBI and HTML", "nasa f b i and h t m l"),
        ("It\u2019s O'Neill's 'rock' caf\u00e9 \u2014 na\u00efve",
         "it's o'neill's rock cafe naive"),
        ("He said no. Then e.g. this & that", "he said no then for example this and that"),
        ("No. 5 St. James [laughs] <b>Mr</b> X", "number five saint james mister x"),
        ("", ""),
        ("... ?! \u2603", ""),
    ],
)  # fmt: skip
def test_writing_as_it_is_spoken(written, spoken):
    assert " ".join(spoken_words(written, KNOWN.__contains__)) == spoken


def number_of(words):
    """What a cardinal says, read back by another way."""
    ones = {cardinal(k): k for k in range(20)} | {cardinal(k): k for k in range(20, 100, 10)}
    scales = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
    total = part = 0
    for word in words.split():
        if word == "hundred":
            part *= 100
        elif word in scales:
            total, part = total + part * scales[word], 0
        else:
            part += ones[word]
    return total + part


def test_numbers_read_back():
    for number in (0, 7, 13, 20, 99, 100, 101, 999, 1000, 10**6, 123456789, 10**15 - 1):
        assert number_of(cardinal(number)) == number
    assert cardinal(342) == "three hundred forty two"
    assert cardinal(10**15).split() == ["one", *["zero"] * 15]
    assert cardinal(-1) == "minus one"
    assert [ordinal(k) for k in (1, 2, 3, 5, 8, 9, 12, 20, 40)] == [
        "first", "second", "third", "fifth", "eighth", "ninth", "twelfth", "twentieth", "fortieth",
    ]  # fmt: skip
    assert year(1906) == "nineteen oh six"


def test_any_text_gives_words_that_can_be_looked_up():
    for start in range(0, 0x3000, 0x40):
        text = "plain words stand here so that it is mostly Latin " * 4
        text += " ".join(chr(k) for k in range(start, start + 0x10))
        for word in spoken_words(text, KNOWN.__contains__):
            assert re.fullmatch("[a-z']+", word), word


def test_numbers_of_any_length_are_words():
    nines = " ".join(["nine"] * 5000)
    digits = "9" * 5000
    assert " ".join(spoken_words(f"${digits}")) == f"{nines} dollars"
    assert " ".join(spoken_words(f"${digits} million")) == f"{nines} million dollars"
    for text in (f"{digits}th", f"{digits}.5", f"-{digits} km"):
        assert nines in " ".join(spoken_words(text))
    assert " ".join(spoken_words("$1 and $2.50")) == "one dollar and two dollars and fifty cents"


def test_text_that_english_does_not_read_is_refused():
    with pytest.raises(UsageError, match="leave it out"):
        spoken_words("\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440")
    with pytest.raises(UsageError, match="letters, more than"):
        spoken_words("a " * 1_100_000)


@pytest.mark.parametrize(
    ("word", "phones"),
    [
        ("bake", "B EY K"), ("thinking", "TH IH NG K IH NG"), ("knight", "N AY T"),
        ("phone", "F OW N"), ("church", "CH ER CH"), ("judge", "JH AH JH"),
        ("station", "S T EY SH AH N"), ("zbrgl", "Z IY B IY AA R JH IY EH L"),
        ("o'neill", "OW N IY L"),
    ],
)  # fmt: skip
def test_letters_are_read_by_rules(word, phones):
    assert " ".join(read_letters(word)) == phones


def test_every_row_of_letters_has_phones():
    letters = "abcdefghijklmnopqrstuvwxyz'"
    for a in letters:
        for b in letters:
            for c in "aeyrtn'":
                found = read_letters(a + b + c)
                assert found
                assert set(found) <= set(PHONES)


def distance(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def test_rules_read_four_of_five_phones_as_the_dictionary_has_them():
    pytest.importorskip("pocketsphinx")
    words = [w for w in pronunciation._dictionary() if w.isalpha() and len(w) > 2][::500]
    wrong = total = 0
    for word in words:
        ways = pronunciation.ways_in_dictionary(word)
        wrong += min(distance(read_letters(word), way) for way in ways)
        total += len(ways[0])
    assert len(words) > 200
    assert wrong / total < 0.22  # 0.17 over 1500 words


def test_words_are_looked_up_with_all_their_ways():
    pytest.importorskip("pocketsphinx")
    assert set(pronunciation.ways_in_dictionary("read")) == {("R", "EH", "D"), ("R", "IY", "D")}
    assert pronunciation.in_dictionary("hello")
    assert not pronunciation.in_dictionary("polyorama")
    assert pronunciation.ways_in_dictionary("polyorama") == ()


@pytest.mark.parametrize("espeak", [True, False])
def test_words_that_no_dictionary_has_are_pronounced(monkeypatch, espeak):
    pytest.importorskip("pocketsphinx")
    if espeak and shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    if not espeak:
        monkeypatch.setattr(pronunciation.shutil, "which", lambda name: None)
    found = pronunciation.pronounce(["wojtyschek", "polyorama's", "zzz", "hello", "'rock", "b"])
    assert all(ways and all(set(way) <= set(PHONES) for way in ways) for ways in found.values())
    assert found["wojtyschek"][0][0] in ("W", "V")
    assert found["wojtyschek"][0][-1] == "K"
    assert found["polyorama's"][0][-1] in ("Z", "S")
    assert found["'rock"] == (("R", "AA", "K"),)


def test_plurals_and_compounds_come_from_known_words(monkeypatch):
    pytest.importorskip("pocketsphinx")
    monkeypatch.setattr(pronunciation.shutil, "which", lambda name: None)
    found = pronunciation.pronounce(["giraffe's", "splats", "voicebox"])
    assert found["giraffe's"][0][-2:] == ("F", "S")
    assert found["splats"][0] == ("S", "P", "L", "AE", "T", "S")
    assert found["voicebox"][0] == ("V", "OY", "S", "B", "AA", "K", "S")


def test_the_ipa_becomes_phones():
    assert phones_of_ipa("d\u0292\u02c8\u028cd\u0292") == ("JH", "AH", "JH")
    assert phones_of_ipa("t\u0283\u02c8\u025c\u02d0t\u0283") == ("CH", "ER", "CH")
    assert phones_of_ipa("\u2603") == ()
