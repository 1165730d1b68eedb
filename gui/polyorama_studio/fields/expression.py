"""Numbers as people type them: `1/3`, `+=0.1`, `*2`, `90°`, `12 cm`, read by a small parser."""

from __future__ import annotations

import math
import re

__all__ = ["evaluate"]

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(\*\*|[-+*/()]|pi))"
)
_RELATIVE = re.compile(r"\s*(\+=|-=|\*=|/=|\*|/)(?!\*)\s*(.+)", re.DOTALL)
_ANGLES = {"deg": 1.0, "°": 1.0, "rad": 180.0 / math.pi, "turn": 360.0, "turns": 360.0}
_LENGTHS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0}
_TIMES = {"ms": 0.001, "s": 1.0, "min": 60.0}
_MINUS = "\N{MINUS SIGN}"
_LONGEST = 200
_DEEPEST = 40


def evaluate(text: str, present: float, unit: str = "") -> float | None:
    """The number that a text stands for, or None where it is no number.

    Parameters
    ----------
    text
        A number, arithmetic with ``+ - * / ** ( ) pi``, or a change of the present value: ``+=1``,
        ``-=1``, ``*2``, ``/2``. The property's own unit may follow; lengths, times and angles may
        be given in related ones.
    present
        The value that a change starts from.
    unit
        The property's unit as it is shown.
    """
    if len(text) > _LONGEST:
        return None
    text = text.replace(",", ".").replace(_MINUS, "-")
    relative = _RELATIVE.fullmatch(text)
    sign, rest = (relative[1][0], relative[2]) if relative else ("", text)
    rest, factor = _without_unit(rest.strip(), unit)
    value = _Parser(rest).whole()
    if value is None:
        return None
    try:
        value *= factor
        if sign == "+":
            value = present + value
        elif sign == "-":
            value = present - value
        elif sign == "*":
            value = present * value
        elif sign == "/":
            value = present / value
    except (OverflowError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None


def _without_unit(text: str, unit: str) -> tuple[str, float]:
    if text.endswith("%") and unit != "%":
        return text[:-1], 0.01
    if unit == "°":
        related = _ANGLES
    else:
        related = _TIMES if unit == "s" else _LENGTHS
    word = re.search(r"[a-z°]+$", text.lower())
    if word and word[0] in related:
        return text[: word.start()], related[word[0]]
    if unit and text.lower().endswith(unit.lower()):
        return text[: -len(unit)], 1.0
    return text, 1.0


class _Parser:
    """Recursive descent over a handful of signs."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        at = 0
        self._bad = False
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                self._bad = True
                return
            self._tokens.append(match[1] or match[2])
            at = match.end()
        self._at = 0
        self._depth = 0

    def whole(self) -> float | None:
        """The value of all of it, or None."""
        if self._bad or not self._tokens:
            return None
        try:
            value = self._sum()
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        if self._at != len(self._tokens) or isinstance(value, complex):
            return None
        return float(value)

    def _take(self, *signs: str) -> str:
        if self._at < len(self._tokens) and self._tokens[self._at] in signs:
            self._at += 1
            return self._tokens[self._at - 1]
        return ""

    def _sum(self) -> float:
        value = self._product()
        while sign := self._take("+", "-"):
            other = self._product()
            value = value + other if sign == "+" else value - other
        return value

    def _product(self) -> float:
        value = self._signed()
        while sign := self._take("*", "/"):
            other = self._signed()
            value = value * other if sign == "*" else value / other
        return value

    def _signed(self) -> float:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("too deep")
        sign = self._take("-", "+")
        value = self._signed() if sign else self._power()
        self._depth -= 1
        return -value if sign == "-" else value

    def _power(self) -> float:
        base = self._atom()
        if self._take("**"):
            exponent = self._signed()
            if abs(exponent) > 1000.0:
                raise OverflowError
            return base**exponent
        return base

    def _atom(self) -> float:
        if self._take("("):
            value = self._sum()
            if not self._take(")"):
                raise ValueError("open")
            return value
        if self._take("pi"):
            return math.pi
        if self._at >= len(self._tokens):
            raise ValueError("empty")
        self._at += 1
        return float(self._tokens[self._at - 1])
