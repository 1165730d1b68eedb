"""Writing as it is spoken: numbers, money, times, signs and abbreviations become English words."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from polyorama.core.text import quoted
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["cardinal", "ordinal", "spoken_words", "year"]

_MOST_LETTERS = 2_000_000
"""Letters of a transcript: more than ten hours of speech."""

_LONGEST_NUMBER = 15
"""Digits of a number that is read as one."""

_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = [
    "", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
]  # fmt: skip
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand"))
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
_FRACTIONS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8"}
_CURRENCIES = {
    "$": ("dollar", "cent"), "€": ("euro", "cent"), "£": ("pound", "penny"), "¥": ("yen", ""),
    "₹": ("rupee", "paisa"),
}  # fmt: skip
_PLURALS = {
    "penny": "pence", "yen": "yen", "paisa": "paise", "foot": "feet", "inch": "inches",
    "hertz": "hertz", "kilohertz": "kilohertz", "megahertz": "megahertz",
    "gigahertz": "gigahertz",
}  # fmt: skip
_UNITS = {
    "km": "kilometer", "m": "meter", "cm": "centimeter", "mm": "millimeter", "mi": "mile",
    "ft": "foot", "in": "inch", "kg": "kilogram", "g": "gram", "mg": "milligram", "lb": "pound",
    "lbs": "pound", "oz": "ounce", "l": "liter", "ml": "milliliter", "s": "second",
    "ms": "millisecond", "min": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "hz": "hertz",
    "khz": "kilohertz", "mhz": "megahertz", "ghz": "gigahertz", "kb": "kilobyte",
    "mb": "megabyte", "gb": "gigabyte", "tb": "terabyte", "kw": "kilowatt", "w": "watt",
    "v": "volt",
}  # fmt: skip
_UNIT_PHRASES = {
    "mph": "miles per hour", "kmh": "kilometers per hour", "km/h": "kilometers per hour",
    "m/s": "meters per second", "fps": "frames per second", "db": "decibels",
    "°c": "degrees celsius", "°f": "degrees fahrenheit", "°": "degrees", "%": "percent",
}  # fmt: skip
_ABBREVIATIONS = {
    "mr": "mister", "mrs": "missus", "ms": "miz", "dr": "doctor", "prof": "professor",
    "st": "saint", "jr": "junior", "sr": "senior", "vs": "versus", "etc": "et cetera",
    "no": "number", "vol": "volume", "fig": "figure", "dept": "department", "approx":
    "approximately", "inc": "incorporated", "ltd": "limited", "co": "company", "capt": "captain",
    "lt": "lieutenant", "sgt": "sergeant", "gen": "general", "rev": "reverend", "hon": "honorable",
    "ave": "avenue", "blvd": "boulevard", "jan": "january", "feb": "february", "aug": "august",
    "sept": "september", "oct": "october", "nov": "november", "dec": "december",
    "e.g": "for example", "i.e": "that is", "a.m": "a m", "p.m": "p m",
}  # fmt: skip
# With a full stop these end a sentence as often as they stand for something else.
_ONLY_BEFORE_NUMBERS = {"no", "vol", "fig"}
_ONLY_BEFORE_NAMES = {"mr", "mrs", "ms", "dr", "st", "prof", "capt", "lt", "sgt", "gen", "rev"}
_SIGNS = {
    "&": "and", "+": "plus", "=": "equals", "@": "at", "#": "number", "%": "percent",
    "°": "degrees", "\u00d7": "times", "÷": "divided by", "§": "section", "<": "less than",
    ">": "greater than", "©": "copyright", "™": "trademark", "~": "about",
}  # fmt: skip

_UNIT = "|".join(sorted(map(re.escape, {**_UNITS, **_UNIT_PHRASES}), key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:,\d{3})+|\d+"
_TOKEN = re.compile(
    rf"""
      (?P<time>\b(?:[01]?\d|2[0-3]):[0-5]\d\b(?::[0-5]\d\b)?)
    | (?P<currency>[$€£¥₹])\s?(?P<amount>{_NUMBER})(?P<cents>\.\d+)?
        (?:\s?(?P<scale>thousand|million|billion|trillion|k|m|bn)\b)?
    | (?P<plural>\b'?(?P<decade>(?:1[1-9]|20)?\d0)'?s\b)
    | (?P<ordinal>\b\d+)(?:st|nd|rd|th)\b
    | (?P<fraction>(?<![\d/.])\d{{1,3}}/\d{{1,3}}(?![\d/]))
    | (?P<minus>(?<![\w.])-)?(?P<number>{_NUMBER}|(?=\.\d))(?P<decimals>\.\d+)?
        (?:(?P<gap>\s?)(?P<unit>{_UNIT})(?![a-z']))?
    | (?P<initials>\b(?:[a-z]\.){{2,}})
    | (?P<word>[a-z]+(?:'[a-z]+)*'?|'[a-z]+)(?P<stop>\.(?=\s*[A-Za-z0-9]))?
    | (?P<sign>[&+=@\#%°\u00d7÷§<>©™~])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NOTE = re.compile(r"\[[^\]\n]{0,200}\]|<[^>\n]{0,200}>")
_REPLACED = str.maketrans(
    {
        # Apostrophes and dashes of typesetting, the minus sign.
        "\u2019": "'", "\u2018": "'", "\u00b4": "'", "`": "'", "\u2013": " ", "\u2014": " ",
        "\u2212": "-",
        # Latin letters that are no others with an accent.
        "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "ß": "ss", "đ": "d", "ð": "th", "þ": "th",
        "Æ": "Ae", "Œ": "Oe", "Ø": "O", "Ł": "L", "Đ": "D", "Ð": "Th", "Þ": "Th", "\u0131": "i",
    }
)  # fmt: skip


def spoken_words(text: str, known: Callable[[str], bool] = lambda word: True) -> tuple[str, ...]:
    """The words that an English reader says.

    Notes in square or angle brackets (``[laughs]``) are not spoken. Accents are dropped. Four
    digits alone from 1100 to 1999 and from 2010 to 2099 are read as a year.

    Parameters
    ----------
    text
        As it is written.
    known
        Whether a word, in small letters, is in the dictionary; words in capitals that are not are
        spelled letter by letter where they cannot be read (``HTML``).

    Returns
    -------
    tuple of str
        Words in small letters, with apostrophes inside.

    Raises
    ------
    UsageError
        If it is longer than any recording, or mostly written in letters that are not Latin.
    """
    if len(text) > _MOST_LETTERS:
        raise UsageError(
            f"The transcript has {len(text):,} letters, more than {_MOST_LETTERS:,}; align a "
            "shorter recording."
        )
    for sign, plain in _FRACTIONS.items():
        text = text.replace(sign, " " + plain)
    plain = unicodedata.normalize("NFKD", _NOTE.sub(" ", text).translate(_REPLACED))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    _check_letters(plain)
    words: list[str] = []
    for match in _TOKEN.finditer(plain):
        words += " ".join(_say(match, known)).split()
    return tuple(words)


def cardinal(number: int) -> str:
    """A whole number in words: ``cardinal(342)`` is "three hundred forty two"."""
    if number < 0:
        return "minus " + cardinal(-number)
    if number >= 10**15:
        return " ".join(_ONES[int(digit)] for digit in str(number))
    parts = []
    for size, name in _SCALES:
        if number >= size:
            parts.append(f"{cardinal(number // size)} {name}")
            number %= size
    if number >= 100:
        parts.append(f"{_ONES[number // 100]} hundred")
        number %= 100
    if number >= 20:
        parts.append(_TENS[number // 10])
        number %= 10
        if number:
            parts.append(_ONES[number])
    elif number or not parts:
        parts.append(_ONES[number])
    return " ".join(parts)


def ordinal(number: int) -> str:
    """The place of a number: ``ordinal(21)`` is "twenty first"."""
    *front, last = cardinal(number).split()
    if last in _ORDINALS:
        last = _ORDINALS[last]
    else:
        last = last[:-1] + "ieth" if last.endswith("y") else last + "th"
    return " ".join([*front, last])


def year(number: int) -> str:
    """A year from 1100 to 2099: ``year(1984)`` is "nineteen eighty four"."""
    century, rest = divmod(number, 100)
    if 2000 <= number < 2010:
        return cardinal(number)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def _check_letters(text: str) -> None:
    foreign = [letter for letter in text if letter.isalpha() and not letter.isascii()]
    latin = sum(letter.isascii() and letter.isalpha() for letter in text)
    if len(foreign) > 0.2 * (latin + len(foreign)) and len(foreign) > 2:
        sample = quoted("".join(foreign[:12]))
        raise UsageError(
            f"The transcript is written in letters that English does not read ({sample}); leave "
            "it out, and phones are found by listening."
        )


def _say(match: re.Match[str], known: Callable[[str], bool]) -> Iterator[str]:
    """What is said for a token, as one or more words."""
    found = match.groupdict()
    if found["time"]:
        yield from _say_time(found["time"])
    elif found["currency"]:
        yield from _say_money(found)
    elif found["plural"]:
        yield _say_decade(int(found["decade"]))
    elif found["ordinal"]:
        digits = found["ordinal"]
        yield ordinal(int(digits)) if len(digits) <= _LONGEST_NUMBER else _digits(digits)
    elif found["fraction"]:
        yield _say_fraction(*map(int, found["fraction"].split("/")))
    elif found["number"] is not None:
        yield from _say_number(found)
    elif found["initials"]:
        short = found["initials"].rstrip(".").lower()
        yield _ABBREVIATIONS.get(short, " ".join(short.split(".")))
    elif found["word"]:
        yield _say_word(found["word"], bool(found["stop"]), match, known)
    else:
        yield _SIGNS[found["sign"]]


def _say_time(text: str) -> Iterator[str]:
    hour, minute, *_ = (int(part) for part in text.split(":"))
    yield cardinal(hour)
    if minute:
        yield f"{'oh ' if minute < 10 else ''}{cardinal(minute)}"
    else:
        yield "o'clock" if 0 < hour <= 12 else "hundred"


def _say_money(found: dict[str, str]) -> Iterator[str]:
    amount, cents = found["amount"].replace(",", ""), found["cents"]
    name, small = _CURRENCIES[found["currency"]]
    scale = found["scale"]
    if scale:
        short = {"k": "thousand", "m": "million", "bn": "billion"}
        yield f"{_say_decimal(amount, cents)} {short.get(scale.lower(), scale.lower())}"
        yield _PLURALS.get(name, name + "s")
        return
    yield f"{_say_decimal(amount, None)} {_counted(1 if amount.lstrip('0') == '1' else 2, name)}"
    if cents and len(cents) == 3 and small:
        if int(cents[1:]):
            yield f"and {cardinal(int(cents[1:]))} {_counted(int(cents[1:]), small)}"
    elif cents:
        yield f"point {_digits(cents[1:])}"


def _counted(number: int, noun: str) -> str:
    return noun if number == 1 else _PLURALS.get(noun, noun + "s")


def _say_decade(number: int) -> str:
    words = (year(number) if number >= 1100 else cardinal(number)).split()
    last = words[-1]
    words[-1] = last[:-1] + "ies" if last.endswith("y") else last + "s"
    return " ".join(words)


def _say_fraction(top: int, bottom: int) -> str:
    if bottom == 2 and top:
        return f"{cardinal(top)} {'half' if top == 1 else 'halves'}"
    if bottom < 2 or top == 0:
        return f"{cardinal(top)} over {cardinal(bottom)}"
    if bottom == 4:
        return f"{cardinal(top)} quarter{'' if top == 1 else 's'}"
    return f"{cardinal(top)} {ordinal(bottom)}{'' if top == 1 else 's'}"


def _say_decimal(whole: str, decimals: str | None) -> str:
    # A number beyond names of numbers is read digit by digit.
    said = cardinal(int(whole)) if len(whole) <= _LONGEST_NUMBER else _digits(whole)
    if decimals:
        said += f" point {_digits(decimals[1:])}"
    return said


def _digits(digits: str) -> str:
    return " ".join(_ONES[int(digit)] for digit in digits)


def _say_number(found: dict[str, str]) -> Iterator[str]:
    digits = found["number"].replace(",", "") or "0"
    if found["minus"]:
        yield "minus"
    unit = (found["unit"] or "").lower()
    is_year = (
        "," not in found["number"]
        and len(digits) == 4
        and (1100 <= int(digits) <= 1999 or 2010 <= int(digits) <= 2099)
    )
    if len(digits) > 1 and digits[0] == "0":
        yield _digits(digits)
        if found["decimals"]:
            yield f"point {_digits(found['decimals'][1:])}"
    elif is_year and not found["decimals"] and unit not in (*_UNITS, *_UNIT_PHRASES):
        yield year(int(digits))
    else:
        yield _say_decimal(digits, found["decimals"])
    one = digits == "1" and not found["decimals"]
    if unit in _UNIT_PHRASES:
        yield _UNIT_PHRASES[unit]
    # "10 in the morning" is no length; "10in" is.
    elif unit == "in" and found["gap"]:
        yield unit
    elif unit:
        yield _counted(1 if one else 2, _UNITS[unit])


def _say_word(word: str, stopped: bool, match: re.Match[str], known: Callable[[str], bool]) -> str:
    small = word.lower()
    if stopped and small in _ABBREVIATIONS:
        after = match.string[match.end() :].lstrip()[:1]
        if small in _ONLY_BEFORE_NUMBERS:
            return _ABBREVIATIONS[small] if after.isdigit() else small
        if small not in _ONLY_BEFORE_NAMES or after.isupper():
            return _ABBREVIATIONS[small]
    if small in ("mr", "mrs", "dr", "vs", "etc") and not word.isupper():
        return _ABBREVIATIONS[small]
    return _as_read(word, known)


def _as_read(word: str, known: Callable[[str], bool]) -> str:
    """A word, or its letters where it is in capitals and cannot be read."""
    small = word.lower()
    if known(small) or not word.isupper() or len(word) == 1:
        return small.strip("'") if not known(small) else small
    readable = re.search("[aeiouy]", small) and not re.search("[^aeiouy']{4}", small)
    if readable and len(word) > 3:
        return small
    return " ".join(letter for letter in small if letter != "'")
