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
    atom        = number ["views"] | name ["." component]
                | function "(" either ("," either)* ")" | "dist" "(" "node" text ")"
                | "selected" ["(" text ")"] | "(" either ")"

Names are those of `polyorama.scene.properties`, ``index``, ``pi``, ``inf``, and the file's extra
columns. Functions: ``min max mean sum`` (of a vector's components, or of several numbers),
``length`` of a vector, ``abs sqrt log exp``, ``finite``, and ``dist(x, y, z)``, the distance of
the splat from a point. A comparison with NaN is false. ``hue in 340..20`` goes through red.

Inside a scene a rule may also ask for ``dist(node "pot")``, the distance from the nearest splat or
vertex of a node; ``selected``, what is selected, and ``selected("leaves")``, a named selection; and
``visible_from``, from how many of the scene's cameras a splat is seen. See `Surroundings`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.properties import PROPERTIES, find_property
from polyorama.scene.rule_grammar import (
    FUNCTIONS,
    MAX_DEPTH,
    MAX_LENGTH,
    Parser,
    RuleNode,
    fail,
    suggestion,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["FUNCTIONS", "MAX_DEPTH", "MAX_LENGTH", "Rule", "Surroundings", "parse_rule"]

_CHUNK = 1 << 16
"""Splats that are looked at together: their columns stay in a core's cache."""

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
_REDUCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "min": np.minimum,
    "max": np.maximum,
    "sum": np.add,
    "mean": np.add,
}
_MAPS: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
}


class Surroundings(Protocol):
    """The scene round a cloud, for rules that ask about it."""

    def distance_to(self, name: str) -> NDArray[Any]:
        """(N,) distances in world units from the nearest splat or vertex of a node."""
        ...

    def selected(self, name: str) -> NDArray[np.bool_]:
        """(N,) bool: what is selected, or with a name, what a named selection holds."""
        ...

    def visible_from(self) -> NDArray[Any]:
        """(N,) numbers of the scene's cameras from which a splat is seen."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """A parsed rule; `mask` applies it to a cloud."""

    text: str
    root: RuleNode

    def mask(
        self, cloud: SplatCloud, first_index: int = 0, around: Surroundings | None = None
    ) -> NDArray[np.bool_]:
        """Which splats the rule holds for.

        Parameters
        ----------
        cloud
            The splats.
        first_index
            The ``index`` of the first of them, for a cloud that is a chunk of a longer one.
        around
            The scene round the cloud, for rules that ask about it.

        Returns
        -------
        (N,) bool.

        Raises
        ------
        UsageError
            If the rule names something that this cloud does not have, compares a vector,
            calculates with a condition, or asks about a scene and there is none.
        """
        return self._pieces(cloud, first_index, around, "condition", np.bool_)

    def numbers(
        self, cloud: SplatCloud, first_index: int = 0, around: Surroundings | None = None
    ) -> NDArray[np.float32]:
        """What the text comes to for each splat, where it is a number such as ``max(scale)``.

        Parameters
        ----------
        cloud, first_index, around
            As of `mask`.

        Returns
        -------
        (N,) float32.

        Raises
        ------
        UsageError
            As `mask`, or if it is a condition.
        """
        return self._pieces(cloud, first_index, around, "number", np.float32)

    def _pieces(
        self,
        cloud: SplatCloud,
        first_index: int,
        around: Surroundings | None,
        what: str,
        dtype: type[np.generic],
    ) -> NDArray[Any]:
        """All splats' answers, a chunk at a time on all cores."""
        if len(cloud) <= _CHUNK:
            return self._part(cloud, first_index, around, what, dtype)
        from polyorama.core.compile import parallel_for  # it brings in the compiler

        answers = np.empty(len(cloud), dtype)
        scene = None if around is None else _Kept(around)

        def task(_: int, start: int, stop: int) -> None:
            piece = None if scene is None else _Slice(scene, start, stop)
            answers[start:stop] = self._part(
                cloud.subset(slice(start, stop)), first_index + start, piece, what, dtype
            )

        parallel_for(task, len(cloud), -(-len(cloud) // _CHUNK))
        return answers

    def _part(
        self,
        cloud: SplatCloud,
        first_index: int,
        around: Surroundings | None,
        what: str,
        dtype: type[np.generic],
    ) -> NDArray[Any]:
        run = _Run(self.text, cloud, first_index, around)
        with np.errstate(all="ignore"):
            result = getattr(run, what)(self.root)
            return np.array(np.broadcast_to(result, (len(cloud),)), dtype)

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
    return Rule(text, Parser(text).parse())


class _Kept:
    """Asks the scene each question once, whichever thread comes first."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, str], NDArray[Any]] = {}

    def answer(self, question: str, name: str = "") -> NDArray[Any]:
        """The whole cloud's answer."""
        with self._lock:
            if (question, name) not in self._answers:
                ask = getattr(self._around, question)
                self._answers[question, name] = ask() if question == "visible_from" else ask(name)
            return self._answers[question, name]


@dataclass(frozen=True, slots=True)
class _Slice:
    """The surroundings of a run of splats."""

    kept: _Kept
    start: int
    stop: int

    def distance_to(self, name: str) -> NDArray[Any]:
        return self.kept.answer("distance_to", name)[self.start : self.stop]

    def selected(self, name: str) -> NDArray[np.bool_]:
        return self.kept.answer("selected", name)[self.start : self.stop]

    def visible_from(self) -> NDArray[Any]:
        return self.kept.answer("visible_from")[self.start : self.stop]


class _Run:
    """Applies a tree to one cloud; values are floats, (N,) or (N, 3) arrays, or bool arrays."""

    def __init__(
        self, text: str, cloud: SplatCloud, first_index: int, around: Surroundings | None
    ) -> None:
        self._text = text
        self._cloud = cloud
        self._first_index = first_index
        self._around = around
        self._columns: dict[str, NDArray[Any]] = {}

    def condition(self, node: RuleNode) -> Any:
        """Evaluate a node that must be true or false."""
        value = self._value(node)
        if not _is_condition(value):
            self._fail("This is a number, where a condition such as 'opacity < 0.1' belongs.", node)
        return value

    def _fail(self, message: str, node: RuleNode) -> NoReturn:
        fail(self._text, message, node.start, node.stop)

    def number(self, node: RuleNode, *, vector: bool = False) -> Any:
        """Evaluate a node that must be a number, or with `vector`, may be several."""
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

    def _value(self, node: RuleNode) -> Any:
        return getattr(self, f"_{node.kind}_value")(node)

    def _number_value(self, node: RuleNode) -> float:
        return node.number

    def _name_value(self, node: RuleNode) -> Any:
        lowered = node.text.lower()
        if lowered in ("pi", "inf"):
            return float(np.pi) if lowered == "pi" else float("inf")
        if node.text not in self._columns:
            self._columns[node.text] = self._column(node)
        return self._columns[node.text]

    def _column(self, node: RuleNode) -> NDArray[Any]:
        if node.text.lower() == "index":
            return np.arange(len(self._cloud), dtype=np.float64) + self._first_index
        entry = find_property(node.text, self._cloud)
        if entry is None:
            known = [*PROPERTIES, "index", *self._cloud.extras]
            hint = suggestion(node.text, known) or f"; there are {', '.join(known)}."
            self._fail(f"Splats have no {node.text!r}{hint}", node)
        column = entry.compute(self._cloud)
        # Bytes and booleans would wrap around or not subtract.
        return column if column.dtype.kind == "f" else column.astype(np.float64)

    def _part_value(self, node: RuleNode) -> Any:
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

    def _or_value(self, node: RuleNode) -> Any:
        return self._fold(node, np.logical_or)

    def _and_value(self, node: RuleNode) -> Any:
        return self._fold(node, np.logical_and)

    def _fold(self, node: RuleNode, join: Callable[[Any, Any], Any]) -> Any:
        result = self.condition(node.children[0])
        for child in node.children[1:]:
            result = join(result, self.condition(child))
        return result

    def _not_value(self, node: RuleNode) -> Any:
        return np.logical_not(self.condition(node.children[0]))

    def _compare_value(self, node: RuleNode) -> Any:
        values = [self.number(child) for child in node.children]
        result: Any = np.bool_(True)
        for sign, left, right in zip(node.signs, values, values[1:], strict=False):
            result = np.logical_and(result, _COMPARISONS[sign](left, right))
            if sign == "!=":  # NaN differs from everything, but says nothing
                result = np.logical_and(result, _is_number(left) & _is_number(right))
        return result

    def _in_value(self, node: RuleNode) -> Any:
        value, low, high = (self.number(child) for child in node.children)
        inside = np.greater_equal(value, low), np.less_equal(value, high)
        if isinstance(low, float) and isinstance(high, float) and low > high:
            if node.children[0].text.lower() != "hue":
                self._fail(f"The range {low:g}..{high:g} is empty.", node)
            return np.logical_or(*inside)
        return np.logical_and(*inside)

    def _outside_value(self, node: RuleNode) -> Any:
        numbers = [_is_number(self.number(child)) for child in node.children]
        known = numbers[0] & numbers[1] & numbers[2]
        return np.logical_and(np.logical_not(self._in_value(node)), known)

    def _scene(self, node: RuleNode) -> Surroundings:
        if self._around is None:
            self._fail("This asks about a scene; here is only one cloud of splats.", node)
        return self._around

    def _distance_value(self, node: RuleNode) -> Any:
        return self._scene(node).distance_to(node.text)

    def _selected_value(self, node: RuleNode) -> Any:
        return self._scene(node).selected(node.text)

    def _visible_value(self, node: RuleNode) -> Any:
        return self._scene(node).visible_from().astype(np.float64)

    def _sign_value(self, node: RuleNode) -> Any:
        value = self.number(node.children[0], vector=True)
        return -value if node.text == "-" else value

    def _chain_value(self, node: RuleNode) -> Any:
        result = self.number(node.children[0], vector=True)
        for sign, child in zip(node.signs, node.children[1:], strict=True):
            value = self.number(child, vector=True)
            if np.ndim(result) == np.ndim(value) == 2 and result.shape[1] != value.shape[1]:
                self._fail("These vectors have different numbers of components.", node)
            result = _calculate(_ARITHMETIC[sign], result, value)
        return result

    def _call_value(self, node: RuleNode) -> Any:
        name = node.text
        if name == "dist":
            point = [self.number(child) for child in node.children]
            offsets = [self._cloud.means[:, a] - point[a] for a in range(3)]
            return np.sqrt(sum(np.square(o, dtype=np.float64) for o in offsets))
        values = [self.number(child, vector=True) for child in node.children]
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

    def _reduce(self, name: str, values: list[Any], node: RuleNode) -> Any:
        pair = _REDUCTIONS[name]
        if len(values) == 1:
            if np.ndim(values[0]) != 2:
                self._fail(f"{name} needs a vector, such as scale, or several numbers.", node)
            return _over_components(name, values[0])
        # Vectors among several values count with all their components.
        flat = [_over_components(name, v) if np.ndim(v) == 2 else v for v in values]
        result = flat[0]
        for value in flat[1:]:
            result = pair(result, value)
        return _plain(result / len(flat) if name == "mean" else result)


def _over_components(name: str, vector: NDArray[Any]) -> NDArray[Any]:
    """Folds columns, which is several times faster than asking numpy for each row of three."""
    result = vector[:, 0]
    for column in range(1, vector.shape[1]):
        result = _REDUCTIONS[name](result, vector[:, column])
    return result / vector.shape[1] if name == "mean" else result


def _calculate(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    # A vector meets one number a splat: align rows, not columns.
    if np.ndim(left) == 2 and np.ndim(right) == 1:
        right = right[:, None]
    elif np.ndim(left) == 1 and np.ndim(right) == 2:
        left = left[:, None]
    return _plain(operation(left, right))


def _is_number(value: Any) -> Any:
    return np.equal(value, value)


def _is_condition(value: Any) -> bool:
    return bool(np.asarray(value).dtype == np.bool_)


def _plain(value: Any) -> Any:
    """Constants stay Python floats, so that 0.05 compares in a column's own precision."""
    return float(value) if np.ndim(value) == 0 else value
