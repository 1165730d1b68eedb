"""Formulas as shapes: typeset once, then painted in any colours, term by term."""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyorama.errors import UnavailableError

if TYPE_CHECKING:
    from polyorama.lab.formula import Formula

__all__ = ["Typeset", "marked_latex", "typeset"]

_SIZE = 24.0
"""Size of the type that formulas are set in, px; they are drawn at any size."""
_TALLEST = 8.0 * _SIZE
"""Of a line, px."""
_FENCE = re.compile(r"\\(?:left|right)(?![a-z])\.?")
_TERM = re.compile(r"\\term\{([^{}]*)\}\{")
_BREAK = re.compile(r"\\\\|\\q?quad(?![a-z])|\n\s*\n")
_NS = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a formula.

    Parameters
    ----------
    box
        Left, top, width and height of the view box, px at `_SIZE`.
    parts
        SVG texts by the term whose shapes they hold; "" has what belongs to none.
    """

    box: tuple[float, float, float, float]
    parts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Typeset:
    """A formula as lines of shapes."""

    lines: tuple[Line, ...]


def marked_latex(latex: str) -> tuple[str, tuple[str, ...]]:
    r"""LaTeX in which each ``\term{name}{...}`` is a colour, and the names in their order.

    The n-th name has the colour #0000nn, counted from 1; terms may lie in one another.
    """
    names: list[str] = []
    out: list[str] = []
    closing: list[int] = []
    depth = at = 0
    while at < len(latex):
        found = _TERM.match(latex, at)
        if found is not None:
            name = found[1]
            if name not in names:
                names.append(name)
            out.append("{\\color{#%06x}{" % (names.index(name) + 1))
            closing.append(depth)
            depth += 1
            at = found.end()
            continue
        letter = latex[at]
        if letter == "\\" and at + 1 < len(latex):
            out.append(latex[at : at + 2])
            at += 2
            continue
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if closing and closing[-1] == depth:
                closing.pop()
                letter = "}}"
        out.append(letter)
        at += 1
    return "".join(out), tuple(names)


def typeset(formula: Formula) -> Typeset:
    """Set a formula; takes some tenths of a second, so do it beside the GUI thread.

    Raises
    ------
    UnavailableError
        If the typesetter is not installed, or cannot read the LaTeX.
    """
    try:
        with warnings.catch_warnings():
            # It asks for its font in a way that newer Pythons frown at.
            warnings.simplefilter("ignore", DeprecationWarning)
            import ziamath
    except ImportError as error:
        raise UnavailableError(
            "Formulas need ziamath, which is not installed: pip install 'polyorama[gui]'"
        ) from error
    ziamath.config.svg2 = False
    lines = []
    for piece in filter(str.strip, _split(formula.latex)):
        latex, names = marked_latex(piece)
        try:
            line = _line(ziamath.Latex(latex, size=_SIZE).svg(), names)
            if line.box[3] > _TALLEST:  # fences round large operators grow without end
                line = _line(ziamath.Latex(_FENCE.sub("", latex), size=_SIZE).svg(), names)
        except Exception as error:
            raise UnavailableError(f"This formula cannot be set ({error}): {piece}") from error
        lines.append(line)
    return Typeset(tuple(lines))


def _split(latex: str) -> list[str]:
    """The lines of a formula: it is broken where it says so, outside of all braces."""
    pieces, start, depth, inside = [], 0, 0, 0
    at = 0
    while at < len(latex):
        if latex.startswith("\\begin", at):
            inside += 1
        elif latex.startswith("\\end", at):
            inside -= 1
        found = _BREAK.match(latex, at) if depth == 0 and inside == 0 else None
        if found is not None:
            pieces.append(latex[start:at])
            start = at = found.end()
            continue
        letter = latex[at]
        if letter == "\\":
            at += 2
            continue
        depth += (letter == "{") - (letter == "}")
        at += 1
    return [*pieces, latex[start:]]


def _line(svg: str, names: tuple[str, ...]) -> Line:
    root = ElementTree.fromstring(svg)
    left, top, width, height = (float(v) for v in root.attrib["viewBox"].split())
    groups: dict[str, list[str]] = {}
    for element in root.iter():
        tag = element.tag.removeprefix(_NS)
        if tag not in ("path", "rect", "line", "polygon", "polyline"):
            continue
        color = element.get("fill", "black")
        color = element.get("stroke", color) if color == "none" else color
        groups.setdefault(_name(color, names), []).append(_plain(element, tag))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="{left} {top} {width} {height}">'
    )
    parts = {name: head + "".join(shapes) + "</svg>" for name, shapes in groups.items()}
    return Line((left, top, width, height), parts)


def _name(color: str, names: tuple[str, ...]) -> str:
    if not re.fullmatch("#0000[0-9a-f]{2}", color):
        return ""
    number = int(color[1:], 16)
    return names[number - 1] if 1 <= number <= len(names) else ""


def _plain(element: ElementTree.Element, tag: str) -> str:
    """A shape without its colour and namespace: its place alone is kept."""
    attributes = dict(element.attrib)
    for paint in ("fill", "stroke"):
        if attributes.get(paint, "none") != "none":
            attributes[paint] = "black"
    words = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return f"<{tag} {words}/>"
