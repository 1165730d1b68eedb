"""Rules: boolean expressions over the properties of splats, such as ``opacity < 0.05``.

A rule is read by a small tokenizer and a recursive-descent parser into a tree of its own; nothing
is ever handed to Python's evaluator, and length and depth are bounded. The grammar::

    rule        = either
    either      = both ("or" both)*
    both        = inverse ("and" inverse)*
    inverse     = "not" inverse | comparison
    comparison  = sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*
                | sum ["not"] "in" sum ".." sum
    sum         = term (("+" | "-") term)*
    term        = factor (("*" | "/") factor)*
    factor      = ("-" | "+") factor | power
    power       = atom ["**" factor]
    atom        = number | name ["." component] | function "(" either ("," either)* ")"
                | "(" either ")"

Names are those of `polyorama.scene.properties`, ``index``, ``pi``, ``inf``, and the file's extra
columns. Functions: ``min max mean sum`` (of a vector's components, or of several numbers),
``length`` of a vector, ``abs sqrt log exp``, ``finite``, and ``dist(x, y, z)``, the distance of
the splat from a point. A comparison with NaN is false. ``hue in 340..20`` goes through red.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.properties import PROPERTIES, find_property

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["FUNCTIONS", "MAX_DEPTH", "MAX_LENGTH", "Rule", "parse_rule"]

MAX_LENGTH = 2000
"""Longest rule in characters."""
MAX_DEPTH = 60
"""Deepest nesting of a rule."""

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[A-Za-z_][A-Za-z_0-9]*)
      | (?P<sign>\.\.|\*\*|<=|>=|==|!=|&&|\|\||[-+*/<>(),.!=])
    )""",
    re.VERBOSE,
)
_WORDS = {"and", "or", "not", "in"}
_SPELLINGS = {"&&": "and", "||": "or", "!": "not"}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
}
_REDUCTIONS: dict[str, tuple[Callable[..., Any], Callable[[Any, Any], Any]]] = {
    "min": (np.min, np.minimum),
    "max": (np.max, np.maximum),
    "sum": (np.sum, np.add),
    "mean": (np.mean, np.add),
}
_MAPS: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
}

FUNCTIONS = ("min", "max", "mean", "sum", "length", "abs", "sqrt", "log", "exp", "finite", "dist")
"""Every function that a rule may call."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "number", "name", "word", "sign" or "end"
    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Node:
    """One step of a rule: what it does, to what, and where in the text it stands."""

    kind: str
    start: int
    stop: int
    text: str = ""
    children: tuple[_Node, ...] = ()
    number: float = 0.0
    signs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A parsed rule; `mask` applies it to a cloud."""

    text: str
    root: _Node

    def mask(self, cloud: SplatCloud, first_index: int = 0) -> NDArray[np.bool_]:
        """Which splats the rule holds for.

        Parameters
        ----------
        cloud
            The splats.
        first_index
            The ``index`` of the first of them, for a cloud that is a chunk of a longer one.

        Returns
        -------
        (N,) bool.

        Raises
        ------
        UsageError
            If the rule names something that this cloud does not have, compares a vector, or
            calculates with a condition.
        """
        run = _Run(self.text, cloud, first_index)
        with np.errstate(all="ignore"):
            result = run.condition(self.root)
        return np.array(np.broadcast_to(result, (len(cloud),)), np.bool_)

    def __str__(self) -> str:
        return self.text


def parse_rule(text: str) -> Rule:
    """Read a rule.

    Raises
    ------
    UsageError
        If it cannot be read; the text shows the place with a caret.
    """
    if len(text) > MAX_LENGTH:
        raise UsageError(f"The rule has {len(text)} characters; at most {MAX_LENGTH} are read.")
    if not text.strip():
        raise UsageError('The rule is empty; write for example "opacity < 0.05".')
    return Rule(text, _Parser(text).parse())


def _fail(text: str, message: str, start: int, stop: int) -> NoReturn:
    """Raise with the line of the rule and carets below the place."""
    line = text.replace("\n", " ").replace("\t", " ")
    carets = " " * start + "^" * max(1, stop - start)
    raise UsageError(f"{message}\n  {line}\n  {carets}")


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            rest = len(text) - len(text[at:].lstrip())
            if rest >= len(text):
                break
            _fail(text, f"A rule cannot contain {text[rest]!r}.", rest, rest + 1)
        kind = match.lastgroup or ""
        word = match[kind]
        start, stop = match.span(kind)
        lowered = _SPELLINGS.get(word, word.lower() if kind == "name" else word)
        if lowered in _WORDS:
            kind, word = "word", lowered
        found.append(_Token(kind, word, start, stop))
        at = match.end()
    found.append(_Token("end", "", len(text), len(text) + 1))
    return found


class _Parser:
    """Recursive descent over the tokens; one method for each line of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0

    def parse(self) -> _Node:
        node = self._either()
        token = self._peek()
        if token.kind != "end":
            self._unexpected(token)
        return node

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *texts: str) -> _Token | None:
        token = self._peek()
        if token.kind in ("word", "sign") and token.text in texts:
            self._at += 1
            return token
        return None

    def _need(self, text: str, why: str) -> _Token:
        token = self._take(text)
        if token is None:
            here = self._peek()
            _fail(self._text, f"The rule lacks {text!r} {why}.", here.start, here.stop)
        return token

    def _unexpected(self, token: _Token) -> NoReturn:
        if token.kind == "end":
            message = "The rule ends too early; a value is missing."
        elif token.text == "=":
            message = "A rule compares with '==', not '='."
        elif token.text == "..":
            message = "A range needs 'in' before it, as in 'hue in 80..140'."
        else:
            message = f"{token.text!r} cannot stand here."
        _fail(self._text, message, token.start, token.stop)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            here = self._peek()
            _fail(self._text, f"The rule is nested deeper than {MAX_DEPTH}.", here.start, here.stop)

    def _either(self) -> _Node:
        return self._joined("or", self._both)

    def _both(self) -> _Node:
        return self._joined("and", self._inverse)

    def _joined(self, word: str, part: Callable[[], _Node]) -> _Node:
        parts = [part()]
        while self._take(word):
            parts.append(part())
        if len(parts) == 1:
            return parts[0]
        return _Node(word, parts[0].start, parts[-1].stop, children=tuple(parts))

    def _inverse(self) -> _Node:
        token = self._take("not")
        if token is None:
            return self._comparison()
        self._deeper()
        inner = self._inverse()
        self._depth -= 1
        return _Node("not", token.start, inner.stop, children=(inner,))

    def _comparison(self) -> _Node:
        parts = [self._sum()]
        negated = self._peek().text == "not" and self._tokens[self._at + 1].text == "in"
        if negated:
            self._at += 1
        if self._take("in"):
            parts.append(self._sum())
            self._need("..", "between the ends of a range, as in 'hue in 80..140'")
            parts.append(self._sum())
            kind = "outside" if negated else "in"
            return _Node(kind, parts[0].start, parts[-1].stop, children=tuple(parts))
        signs: list[str] = []
        while sign := self._take(*_COMPARISONS):
            signs.append(sign.text)
            parts.append(self._sum())
        if not signs:
            return parts[0]
        return _Node(
            "compare", parts[0].start, parts[-1].stop, children=tuple(parts), signs=tuple(signs)
        )

    def _sum(self) -> _Node:
        return self._chain(("+", "-"), self._term)

    def _term(self) -> _Node:
        return self._chain(("*", "/"), self._factor)

    def _chain(self, signs: tuple[str, ...], part: Callable[[], _Node]) -> _Node:
        parts = [part()]
        found: list[str] = []
        while sign := self._take(*signs):
            found.append(sign.text)
            parts.append(part())
        if not found:
            return parts[0]
        return _Node(
            "chain", parts[0].start, parts[-1].stop, children=tuple(parts), signs=tuple(found)
        )

    def _factor(self) -> _Node:
        sign = self._take("-", "+")
        if sign is None:
            return self._power()
        self._deeper()
        inner = self._factor()
        self._depth -= 1
        return _Node("sign", sign.start, inner.stop, sign.text, (inner,))

    def _power(self) -> _Node:
        base = self._atom()
        if self._take("**") is None:
            return base
        self._deeper()
        exponent = self._factor()
        self._depth -= 1
        return _Node("chain", base.start, exponent.stop, children=(base, exponent), signs=("**",))

    def _atom(self) -> _Node:
        token = self._peek()
        if token.kind == "number":
            self._at += 1
            return _Node("number", token.start, token.stop, number=float(token.text))
        if token.kind == "name":
            self._at += 1
            if self._take("("):
                return self._call(token)
            if self._take("."):
                part = self._peek()
                if part.kind != "name":
                    self._unexpected(part)
                self._at += 1
                owner = _Node("name", token.start, token.stop, token.text)
                return _Node("part", token.start, part.stop, part.text, (owner,))
            return _Node("name", token.start, token.stop, token.text)
        if self._take("("):
            self._deeper()
            inner = self._either()
            self._need(")", "to close this parenthesis")
            self._depth -= 1
            return inner
        self._unexpected(token)

    def _call(self, name: _Token) -> _Node:
        function = name.text.lower()
        if function not in FUNCTIONS:
            hint = _suggestion(function, FUNCTIONS)
            known = f"; there are {', '.join(FUNCTIONS)}" if not hint else ""
            _fail(
                self._text, f"There is no function {name.text!r}{hint}{known}.",
                name.start, name.stop,
            )  # fmt: skip
        self._deeper()
        arguments = [self._either()]
        while self._take(","):
            arguments.append(self._either())
        close = self._need(")", "to close the call")
        self._depth -= 1
        wanted = {"dist": 3}.get(function, len(arguments) if function in _REDUCTIONS else 1)
        if len(arguments) != wanted:
            _fail(
                self._text,
                f"{function} takes {wanted} value{'s' if wanted > 1 else ''}, "
                f"not {len(arguments)}.",
                name.start, close.stop,
            )  # fmt: skip
        return _Node("call", name.start, close.stop, function, tuple(arguments))


def _suggestion(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


class _Run:
    """Applies a tree to one cloud; values are floats, (N,) or (N, 3) arrays, or bool arrays."""

    def __init__(self, text: str, cloud: SplatCloud, first_index: int) -> None:
        self._text = text
        self._cloud = cloud
        self._first_index = first_index
        self._columns: dict[str, NDArray[Any]] = {}

    def condition(self, node: _Node) -> Any:
        """Evaluate a node that must be true or false."""
        value = self._value(node)
        if not _is_condition(value):
            self._fail("This is a number, where a condition such as 'opacity < 0.1' belongs.", node)
        return value

    def _fail(self, message: str, node: _Node) -> NoReturn:
        _fail(self._text, message, node.start, node.stop)

    def _number(self, node: _Node, *, vector: bool = False) -> Any:
        value = self._value(node)
        if _is_condition(value):
            self._fail("This is a condition, where a number belongs.", node)
        if not vector and np.ndim(value) == 2:
            what = self._text[node.start : node.stop]
            self._fail(
                f"{what} has several components; take max({what}), min({what}), length({what}) "
                "or one of them.",
                node,
            )
        return value

    def _value(self, node: _Node) -> Any:
        return getattr(self, f"_{node.kind}_value")(node)

    def _number_value(self, node: _Node) -> float:
        return node.number

    def _name_value(self, node: _Node) -> Any:
        lowered = node.text.lower()
        if lowered in ("pi", "inf"):
            return float(np.pi) if lowered == "pi" else float("inf")
        if node.text not in self._columns:
            self._columns[node.text] = self._column(node)
        return self._columns[node.text]

    def _column(self, node: _Node) -> NDArray[Any]:
        if node.text.lower() == "index":
            return np.arange(len(self._cloud), dtype=np.float64) + self._first_index
        entry = find_property(node.text, self._cloud)
        if entry is None:
            known = [*PROPERTIES, "index", *self._cloud.extras]
            hint = _suggestion(node.text, known) or f"; there are {', '.join(known)}."
            self._fail(f"Splats have no {node.text!r}{hint}", node)
        column = entry.compute(self._cloud)
        # Bytes and booleans would wrap around or not subtract.
        return column if column.dtype.kind == "f" else column.astype(np.float64)

    def _part_value(self, node: _Node) -> Any:
        (owner,) = node.children
        entry = find_property(owner.text, self._cloud)
        if entry is None:
            self._column(owner)  # raises with the right hint
        names = entry.components if entry is not None else ""
        # Any vector of three may be read as x y z or r g b.
        at = names.find(node.text.lower()) if len(node.text) == 1 else -1
        if at < 0:
            has = f"has the components {', '.join(names)}" if names else "has no components"
            self._fail(f"{owner.text} {has}, not {node.text!r}.", node)
        return self._name_value(owner)[:, at]

    def _or_value(self, node: _Node) -> Any:
        return self._fold(node, np.logical_or)

    def _and_value(self, node: _Node) -> Any:
        return self._fold(node, np.logical_and)

    def _fold(self, node: _Node, join: Callable[[Any, Any], Any]) -> Any:
        result = self.condition(node.children[0])
        for child in node.children[1:]:
            result = join(result, self.condition(child))
        return result

    def _not_value(self, node: _Node) -> Any:
        return np.logical_not(self.condition(node.children[0]))

    def _compare_value(self, node: _Node) -> Any:
        values = [self._number(child) for child in node.children]
        result: Any = np.bool_(True)
        for sign, left, right in zip(node.signs, values, values[1:], strict=False):
            result = np.logical_and(result, _COMPARISONS[sign](left, right))
        return result

    def _in_value(self, node: _Node) -> Any:
        value, low, high = (self._number(child) for child in node.children)
        inside = np.greater_equal(value, low), np.less_equal(value, high)
        if isinstance(low, float) and isinstance(high, float) and low > high:
            if node.children[0].text.lower() != "hue":
                self._fail(f"The range {low:g}..{high:g} is empty.", node)
            return np.logical_or(*inside)
        return np.logical_and(*inside)

    def _outside_value(self, node: _Node) -> Any:
        return np.logical_not(self._in_value(node))

    def _sign_value(self, node: _Node) -> Any:
        value = self._number(node.children[0], vector=True)
        return -value if node.text == "-" else value

    def _chain_value(self, node: _Node) -> Any:
        result = self._number(node.children[0], vector=True)
        for sign, child in zip(node.signs, node.children[1:], strict=True):
            value = self._number(child, vector=True)
            if np.ndim(result) == np.ndim(value) == 2 and result.shape[1] != value.shape[1]:
                self._fail("These vectors have different numbers of components.", node)
            result = _calculate(_ARITHMETIC[sign], result, value)
        return result

    def _call_value(self, node: _Node) -> Any:
        name = node.text
        if name == "dist":
            point = [self._number(child) for child in node.children]
            offsets = [self._cloud.means[:, a] - point[a] for a in range(3)]
            return np.sqrt(sum(np.square(o, dtype=np.float64) for o in offsets))
        values = [self._number(child, vector=True) for child in node.children]
        if name in _REDUCTIONS:
            return self._reduce(name, values, node)
        (value,) = values
        if name == "finite":
            finite = np.isfinite(value)
            return finite.all(axis=1) if finite.ndim == 2 else finite
        if name == "length":
            if np.ndim(value) != 2:
                self._fail("length is taken of a vector, such as scale or position.", node)
            return np.linalg.norm(value, axis=1)
        return _plain(_MAPS[name](value))

    def _reduce(self, name: str, values: list[Any], node: _Node) -> Any:
        over, pair = _REDUCTIONS[name]
        if len(values) == 1:
            if np.ndim(values[0]) != 2:
                self._fail(f"{name} needs a vector, such as scale, or several numbers.", node)
            return over(values[0], axis=1)
        # Vectors among several values count with all their components.
        flat = [over(v, axis=1) if np.ndim(v) == 2 else v for v in values]
        result = flat[0]
        for value in flat[1:]:
            result = pair(result, value)
        return _plain(result / len(flat) if name == "mean" else result)


def _calculate(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    # A vector meets one number a splat: align rows, not columns.
    if np.ndim(left) == 2 and np.ndim(right) == 1:
        right = right[:, None]
    elif np.ndim(left) == 1 and np.ndim(right) == 2:
        left = left[:, None]
    return _plain(operation(left, right))


def _is_condition(value: Any) -> bool:
    return bool(np.asarray(value).dtype == np.bool_)


def _plain(value: Any) -> Any:
    """Constants stay Python floats, so that 0.05 compares in a column's own precision."""
    return float(value) if np.ndim(value) == 0 else value
