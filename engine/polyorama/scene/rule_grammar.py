"""The grammar of rules: from text to a tree; see `polyorama.scene.rules`."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "COMPARISONS", "FUNCTIONS", "MAX_DEPTH", "MAX_LENGTH", "REDUCTIONS", "Parser", "RuleNode",
    "fail", "suggestion",
]  # fmt: skip

MAX_LENGTH = 2000
"""Longest rule in characters."""
MAX_DEPTH = 60
"""Deepest nesting of a rule."""

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<text>"[^"\n]*"|'[^'\n]*')
      | (?P<name>[A-Za-z_][A-Za-z_0-9]*)
      | (?P<sign>\.\.|\*\*|<=|>=|==|!=|&&|\|\||[-+*/<>(),.!=])
    )""",
    re.VERBOSE,
)
_WORDS = {"and", "or", "not", "in"}
_SPELLINGS = {"&&": "and", "||": "or", "!": "not"}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
REDUCTIONS = ("min", "max", "mean", "sum")

FUNCTIONS = ("min", "max", "mean", "sum", "length", "abs", "sqrt", "log", "exp", "finite", "dist")
"""Every function that a rule may call."""


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # "number", "name", "word", "sign" or "end"
    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class RuleNode:
    """One step of a rule: what it does, to what, and where in the text it stands."""

    kind: str
    start: int
    stop: int
    text: str = ""
    children: tuple[RuleNode, ...] = ()
    number: float = 0.0
    signs: tuple[str, ...] = ()


def fail(text: str, message: str, start: int, stop: int) -> NoReturn:
    """Raise with the line of the rule and carets below the place."""
    line = text.replace("\n", " ").replace("\t", " ")
    carets = " " * start + "^" * max(1, stop - start)
    raise UsageError(f"{message}\n  {line}\n  {carets}")


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            rest = len(text) - len(text[at:].lstrip())
            if rest >= len(text):
                break
            fail(text, f"A rule cannot contain {text[rest]!r}.", rest, rest + 1)
        kind = match.lastgroup or ""
        word = match[kind]
        start, stop = match.span(kind)
        lowered = _SPELLINGS.get(word, word.lower() if kind == "name" else word)
        if lowered in _WORDS:
            kind, word = "word", lowered
        found.append(Token(kind, word, start, stop))
        at = match.end()
    found.append(Token("end", "", len(text), len(text) + 1))
    return found


class Parser:
    """Recursive descent over the tokens; one method for each line of the grammar."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0

    def parse(self) -> RuleNode:
        """The tree of the whole text."""
        node = self._either()
        token = self._peek()
        if token.kind != "end":
            self._unexpected(token)
        return node

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _take(self, *texts: str) -> Token | None:
        token = self._peek()
        if token.kind in ("word", "sign") and token.text in texts:
            self._at += 1
            return token
        return None

    def _need(self, text: str, why: str) -> Token:
        token = self._take(text)
        if token is None:
            here = self._peek()
            fail(self._source, f"The rule lacks {text!r} {why}.", here.start, here.stop)
        return token

    def _unexpected(self, token: Token) -> NoReturn:
        if token.kind == "end":
            message = "The rule ends too early; a value is missing."
        elif token.text == "=":
            message = "A rule compares with '==', not '='."
        elif token.text == "..":
            message = "A range needs 'in' before it, as in 'hue in 80..140'."
        else:
            message = f"{token.text!r} cannot stand here."
        fail(self._source, message, token.start, token.stop)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            here = self._peek()
            message = f"The rule is nested deeper than {MAX_DEPTH}."
            fail(self._source, message, here.start, here.stop)

    def _either(self) -> RuleNode:
        return self._joined("or", self._both)

    def _both(self) -> RuleNode:
        return self._joined("and", self._inverse)

    def _joined(self, word: str, part: Callable[[], RuleNode]) -> RuleNode:
        parts = [part()]
        while self._take(word):
            parts.append(part())
        if len(parts) == 1:
            return parts[0]
        return RuleNode(word, parts[0].start, parts[-1].stop, children=tuple(parts))

    def _inverse(self) -> RuleNode:
        token = self._take("not")
        if token is None:
            return self._comparison()
        self._deeper()
        inner = self._inverse()
        self._depth -= 1
        return RuleNode("not", token.start, inner.stop, children=(inner,))

    def _comparison(self) -> RuleNode:
        parts = [self._sum()]
        negated = self._peek().text == "not" and self._tokens[self._at + 1].text == "in"
        if negated:
            self._at += 1
        if self._take("in"):
            parts.append(self._sum())
            self._need("..", "between the ends of a range, as in 'hue in 80..140'")
            parts.append(self._sum())
            kind = "outside" if negated else "in"
            return RuleNode(kind, parts[0].start, parts[-1].stop, children=tuple(parts))
        signs: list[str] = []
        while sign := self._take(*COMPARISONS):
            signs.append(sign.text)
            parts.append(self._sum())
        if not signs:
            return parts[0]
        return RuleNode(
            "compare", parts[0].start, parts[-1].stop, children=tuple(parts), signs=tuple(signs)
        )

    def _sum(self) -> RuleNode:
        return self._chain(("+", "-"), self._term)

    def _term(self) -> RuleNode:
        return self._chain(("*", "/"), self._factor)

    def _chain(self, signs: tuple[str, ...], part: Callable[[], RuleNode]) -> RuleNode:
        parts = [part()]
        found: list[str] = []
        while sign := self._take(*signs):
            found.append(sign.text)
            parts.append(part())
        if not found:
            return parts[0]
        return RuleNode(
            "chain", parts[0].start, parts[-1].stop, children=tuple(parts), signs=tuple(found)
        )

    def _factor(self) -> RuleNode:
        sign = self._take("-", "+")
        if sign is None:
            return self._power()
        self._deeper()
        inner = self._factor()
        self._depth -= 1
        return RuleNode("sign", sign.start, inner.stop, sign.text, (inner,))

    def _power(self) -> RuleNode:
        base = self._atom()
        if self._take("**") is None:
            return base
        self._deeper()
        exponent = self._factor()
        self._depth -= 1
        parts = (base, exponent)
        return RuleNode("chain", base.start, exponent.stop, children=parts, signs=("**",))

    def _atom(self) -> RuleNode:
        token = self._peek()
        if token.kind == "number":
            self._at += 1
            if self._peek().text in ("view", "views"):  # visible_from < 3 views
                self._at += 1
            return RuleNode("number", token.start, token.stop, number=float(token.text))
        if token.kind == "name":
            self._at += 1
            lowered = token.text.lower()
            if lowered == "visible_from":
                return RuleNode("visible", token.start, token.stop)
            if lowered == "selected":
                return self._selected(token)
            if self._take("("):
                if lowered == "dist" and self._peek().text.lower() == "node":
                    return self._distance(token)
                return self._call(token)
            if self._take("."):
                part = self._peek()
                if part.kind != "name":
                    self._unexpected(part)
                self._at += 1
                owner = RuleNode("name", token.start, token.stop, token.text)
                return RuleNode("part", token.start, part.stop, part.text, (owner,))
            return RuleNode("name", token.start, token.stop, token.text)
        if self._take("("):
            self._deeper()
            inner = self._either()
            self._need(")", "to close this parenthesis")
            self._depth -= 1
            return inner
        self._unexpected(token)

    def _text(self) -> Token:
        token = self._peek()
        if token.kind != "text":
            fail(
                self._source, 'A name in quotes is missing, as in dist(node "pot").',
                token.start, token.stop,
            )  # fmt: skip
        self._at += 1
        return token

    def _distance(self, name: Token) -> RuleNode:
        self._at += 1  # the word node
        title = self._text()
        close = self._need(")", "to close the call")
        return RuleNode("distance", name.start, close.stop, title.text[1:-1])

    def _selected(self, name: Token) -> RuleNode:
        if self._take("(") is None:
            return RuleNode("selected", name.start, name.stop)
        title = self._text()
        close = self._need(")", "to close the call")
        return RuleNode("selected", name.start, close.stop, title.text[1:-1])

    def _call(self, name: Token) -> RuleNode:
        function = name.text.lower()
        if function not in FUNCTIONS:
            hint = suggestion(function, FUNCTIONS)
            known = f"; there are {', '.join(FUNCTIONS)}" if not hint else ""
            fail(
                self._source, f"There is no function {name.text!r}{hint}{known}.",
                name.start, name.stop,
            )  # fmt: skip
        self._deeper()
        arguments = [self._either()]
        while self._take(","):
            arguments.append(self._either())
        close = self._need(")", "to close the call")
        self._depth -= 1
        wanted = {"dist": 3}.get(function, len(arguments) if function in REDUCTIONS else 1)
        if len(arguments) != wanted:
            fail(
                self._source,
                f"{function} takes {wanted} value{'s' if wanted > 1 else ''}, "
                f"not {len(arguments)}.",
                name.start, close.stop,
            )  # fmt: skip
        return RuleNode("call", name.start, close.stop, function, tuple(arguments))


def suggestion(name: str, known: Iterable[str]) -> str:
    """Words that name what was perhaps meant, or "" where nothing is near."""
    close = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
