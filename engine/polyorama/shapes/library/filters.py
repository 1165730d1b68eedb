"""Filters: conditions in words, such as ``polys < 5000 and licence = CC0 and not tag = old``.

A condition is a field, a comparison and a value; ``in`` takes several values between commas.
``and`` binds closer than ``or``; ``not`` and parentheses are as usual; case never matters.
"""

from __future__ import annotations

import difflib
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.shapes.library.catalogue import Catalogue, Words

__all__ = ["FIELDS", "Condition", "Joined", "Node", "apply", "licence_forms", "matches", "parse"]

FIELDS: dict[str, str] = {
    "polys": "number", "splats": "number", "size": "number",
    "format": "word", "kind": "word", "licence": "word", "folder": "word", "tag": "word",
}  # fmt: skip
"""Every field and what it is compared with."""

_ALIASES = {"polygons": "polys", "license": "licence", "tags": "tag", "bytes": "size"}
_NUMERIC = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
    "!=": operator.ne,
}  # fmt: skip
_SPELLINGS = {"==": "=", "<>": "!=", "≤": "<=", "≥": ">=", "≠": "!=", "&&": "and", "||": "or"}
_UNITS = {
    "": 1.0, "k": 1e3, "m": 1e6, "b": 1.0, "byte": 1.0, "bytes": 1.0, "kb": 1e3, "mb": 1e6,
    "gb": 1e9, "kib": 1024.0, "mib": 1024.0**2, "gib": 1024.0**3,
}  # fmt: skip
_BYTES = frozenset(_UNITS) - {"", "k", "m"}
_LONGEST = 2000
_DEEPEST = 60
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>"[^"]*"|'[^']*')
      | (?P<sign><=|>=|==|!=|<>|&&|\|\||[<>=(),≤≥≠])
      | (?P<word>[^\s"'<>=!(),&|≤≥≠]+)
    )""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"(?i)^(\d+(?:_\d+)*(?:\.\d*)?|\.\d+)([a-z]*)$")
_VERSION = re.compile(r"-\d[\d.]*$")


@dataclass(frozen=True, slots=True)
class Condition:
    """A field compared with values.

    Parameters
    ----------
    field
        One of `FIELDS`.
    sign
        ``<``, ``<=``, ``>``, ``>=``, ``=`` or ``!=``; words know the last two alone.
    words
        Values of fields of words, in lower case; any of them may match.
    numbers
        Values of fields of numbers; sizes in bytes.
    """

    field: str
    sign: str
    words: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """Parts joined by "and", "or", or one part that is turned round by "not"."""

    word: str
    parts: tuple[Node, ...]


Node = Condition | Joined


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


def parse(text: str) -> Node | None:
    """The tree of a filter; None for an empty one.

    Raises
    ------
    UsageError
        Where it is no filter: what is wrong, at which letter, and what could stand there.
    """
    if not text.strip():
        return None
    return _Parser(text).parse()


def apply(
    node: Node | None, catalogue: Catalogue, tagged: Callable[[str], NDArray[np.int64]]
) -> NDArray[np.bool_]:
    """(N,) which assets of a catalogue are there and fulfil a filter.

    Parameters
    ----------
    node
        From `parse`; None lets all pass.
    catalogue
        Columns of N assets.
    tagged
        Gives the ids of all assets with a tag, which comes in lower case.
    """
    found = catalogue.present
    return found if node is None else found & _mask(node, catalogue, tagged)


def matches(field: str, text: str, wanted: str) -> bool:
    """Whether a text that an asset has is what a condition wants, in lower case.

    A licence matches with or without its version; a folder matches one name of the path, or some
    with slashes between.
    """
    text = text.casefold()
    if field == "licence":
        return wanted in licence_forms(text)
    if field == "folder":
        return f"/{wanted}/" in f"/{_plain_folder(text)}/"
    return text == wanted


def licence_forms(licence: str) -> frozenset[str]:
    """All that a condition may call a licence, in lower case: with its version and without."""
    known = licence.casefold() or "unknown"
    return frozenset((known, _VERSION.sub("", known)))


def _plain_folder(text: str) -> str:
    """A folder with slashes between its names alone."""
    return text.replace("\\", "/").strip("/")


def _mask(
    node: Node, catalogue: Catalogue, tagged: Callable[[str], NDArray[np.int64]]
) -> NDArray[np.bool_]:
    if isinstance(node, Joined):
        parts = [_mask(part, catalogue, tagged) for part in node.parts]
        if node.word == "not":
            return ~parts[0]
        join = np.logical_and if node.word == "and" else np.logical_or
        result: NDArray[np.bool_] = join.reduce(parts)
        return result
    if FIELDS[node.field] == "number":
        return _compared(node, catalogue)
    found = np.zeros(len(catalogue), np.bool_)
    if node.field == "tag":
        for word in node.words:
            found |= catalogue.mask(tagged(word))
    else:
        found = _among(node, catalogue.words[node.field])
    return ~found if node.sign == "!=" else found


def _compared(node: Condition, catalogue: Catalogue) -> NDArray[np.bool_]:
    column = catalogue.numbers[{"polys": "polygons", "size": "bytes"}.get(node.field, node.field)]
    if node.sign == "!=":
        return ~np.isin(column, node.numbers)
    found = np.zeros(len(column), np.bool_)
    for number in node.numbers:
        found |= _NUMERIC[node.sign](column, number)
    # What has no polygons has not few of them.
    return found & (column >= 0)


def _among(node: Condition, column: Words) -> NDArray[np.bool_]:
    fits = [any(matches(node.field, text, word) for word in node.words) for text in column.texts]
    result: NDArray[np.bool_] = np.array(fits, np.bool_)[column.codes]
    return result


class _Parser:
    """Recursive descent over the tokens; one method for each line of the grammar."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise UsageError(f"A filter has up to {_LONGEST:,} letters, not {len(text):,}.")
        self._tokens = self._read(text)
        self._at = 0
        self._depth = 0

    def parse(self) -> Node:
        node = self._joined("or")
        token = self._peek()
        if token.kind != "end":
            self._fail(token, "and, or, or the end", "a filter goes on with")
        return node

    def _read(self, text: str) -> list[_Token]:
        tokens: list[_Token] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                place = len(text) - len(text[at:].lstrip())
                raise UsageError(
                    f"The filter cannot contain {text[place]!r} at letter {place + 1}; put words "
                    f"with such signs in double quotes."
                )
            kind = str(match.lastgroup)
            word = match[kind]
            word = _SPELLINGS.get(word, word)
            if word in ("and", "or"):
                kind = "word"
            tokens.append(_Token(kind, word, match.start(kind)))
            at = match.end()
        return [*tokens, _Token("end", "", len(text))]

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *texts: str) -> _Token | None:
        token = self._peek()
        if token.kind in ("word", "sign") and token.text.lower() in texts:
            self._at += 1
            return token
        return None

    def _fail(self, token: _Token, known: str, what: str) -> NoReturn:
        place = "at its end" if token.kind == "end" else f"at letter {token.start + 1}"
        said = "nothing" if token.kind == "end" else repr(token.text)
        raise UsageError(f"The filter has {said} {place}, where {what} {known}.")

    def _joined(self, word: str) -> Node:
        parts = [self._part(word)]
        while self._take(word):
            parts.append(self._part(word))
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _part(self, word: str) -> Node:
        return self._joined("and") if word == "or" else self._inverse()

    def _inverse(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UsageError(f"The filter is nested deeper than {_DEEPEST} times; make it simpler.")
        if self._take("not"):
            node: Node = Joined("not", (self._inverse(),))
        elif self._take("("):
            node = self._joined("or")
            if self._take(")") is None:
                self._fail(self._peek(), "')'", "a parenthesis is closed by")
        else:
            node = self._condition()
        self._depth -= 1
        return node

    def _condition(self) -> Node:
        field = self._field()
        token = self._peek()
        kind = FIELDS[field]
        signs = tuple(_NUMERIC) if kind == "number" else ("=", "!=")
        negated = self._take("not") is not None
        if self._take("in"):
            return self._values(field, "!=" if negated else "=", many=True)
        if negated or self._take(*signs) is None:
            self._fail(
                self._peek(), f"{', '.join(signs)}, in, or not in", f"{field} is followed by"
            )
        return self._values(field, token.text, many=False)

    def _field(self) -> str:
        token = self._peek()
        known = f"one of {', '.join(FIELDS)}"
        if token.kind != "word":
            self._fail(token, known, "a condition begins with")
        name = token.text.lower()
        name = _ALIASES.get(name, name)
        if name not in FIELDS:
            close = difflib.get_close_matches(name, [*FIELDS, *_ALIASES], n=1)
            meant = f" (perhaps {close[0]} is meant)" if close else ""
            self._fail(token, known + meant, "a condition begins with")
        self._at += 1
        return name

    def _values(self, field: str, sign: str, *, many: bool) -> Condition:
        bracket = many and self._take("(") is not None
        numeric = FIELDS[field] == "number"
        words: list[str] = []
        numbers: list[float] = []
        while True:
            if numeric:
                numbers.append(self._number(field))
            else:
                words.append(self._word(field))
            if not many or self._take(",") is None:
                break
        if bracket and self._take(")") is None:
            self._fail(self._peek(), "')'", "a list is closed by")
        return Condition(field, sign, tuple(words), tuple(numbers))

    def _word(self, field: str) -> str:
        token = self._peek()
        if token.kind not in ("word", "text"):
            self._fail(token, "a word, as in " + _EXAMPLES[field], "there should be")
        self._at += 1
        word = token.text[1:-1] if token.kind == "text" else token.text
        if field == "format":
            word = word.removeprefix(".")
        if field == "folder":
            word = _plain_folder(word)
        if field == "licence" and not word:
            word = "unknown"
        return word.casefold()

    def _number(self, field: str) -> float:
        token = self._peek()
        match = _NUMBER.match(token.text) if token.kind == "word" else None
        known = f"a number, as in {_EXAMPLES[field]}"
        if match is None:
            self._fail(token, known, "there should be")
        self._at += 1
        unit = match[2].lower()
        after = self._peek()
        if not unit and after.kind == "word" and after.text.lower() in _UNITS:
            self._at += 1
            unit = after.text.lower()
        if unit not in _UNITS or (unit in _BYTES and field != "size"):
            self._fail(token, known, "there should be")
        return float(match[1].replace("_", "")) * _UNITS[unit]


_EXAMPLES = {
    "polys": "polys < 5000", "splats": "splats >= 10k", "size": "size > 1 MB",
    "format": "format in glb, gltf", "kind": "kind = splats", "licence": "licence = CC0",
    "folder": "folder = chairs", "tag": "tag = wood",
}  # fmt: skip
