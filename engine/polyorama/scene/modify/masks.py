"""Masks by rule: which splats a modifier changes, asked of them as they are at its step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from polyorama.scene.modify.palette import baked
from polyorama.scene.modify.step import ARRAYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.scene.modify.step import Step
    from polyorama.scene.rules import Rule

    Mover = Callable[
        [NDArray[np.float32], NDArray[np.float64] | None, NDArray[np.uint16] | None],
        NDArray[np.float32],
    ]

__all__ = ["rule_mask", "rule_reads"]

_MOVES = ("palette", "palette_index")
_PLACES = {"x", "y", "z", "position", "pos", "mean", "means", "dist"}
_COLORS = {
    "color", "colour", "r", "g", "b", "red", "green", "blue", "hue", "saturation", "value",
    "brightness", "luminance",
}  # fmt: skip
_OPACITIES = {"opacity", "alpha"}
_NOTHING = {"index", "pi", "inf"}
_FUNCTIONS = {"min", "max", "mean", "sum", "length", "abs", "sqrt", "log", "exp", "finite"}


def rule_reads(rule: Rule) -> tuple[str, ...]:
    """Fields of a step that a rule looks at; all of them where it is not sure."""
    found: set[str] = set()
    for name in _names(rule.root):
        if name in _PLACES:
            found |= {"means", *_MOVES}
        elif name in _COLORS:
            found.add("sh")
        elif name in _OPACITIES:
            found.add("opacities")
        elif name not in _NOTHING:
            found |= {*ARRAYS, *_MOVES}
    return tuple(sorted(found | {"rows"}))


def rule_mask(step: Step, rule: Rule, mover: Mover) -> NDArray[np.bool_]:
    """(N,) bool, which splats a rule holds for once the palette has moved them.

    Parameters
    ----------
    step
        The splats.
    rule
        What is asked.
    mover
        Gives the moved centres of means, palette and index.

    Raises
    ------
    UsageError
        As `polyorama.scene.rules.Rule.mask`.
    """
    cloud = step.cloud()
    reads = rule_reads(rule)
    if step.palette is not None and "palette" in reads:
        if "scales" in reads:
            cloud = baked(cloud, step.palette, step.palette_index)
        else:
            cloud = replace(cloud, means=mover(step.means, step.palette, step.palette_index))
    return rule.mask(cloud)


def _names(node: Any) -> Iterator[str]:
    """Names that a rule's tree asks for, in lower case."""
    if node.kind == "call":
        if node.text not in _FUNCTIONS:
            yield node.text
    elif node.kind not in ("number", "part") and not node.children:
        yield node.text.lower()
    for child in node.children:
        yield from _names(child)
