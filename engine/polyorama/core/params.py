"""Parameters: fields of frozen dataclasses that know their bounds, unit and one line of help.

They make command-line flags, the inspector's fields and the checks of values read from files, so
that a number's range is written once.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal, cast

from polyorama.errors import UsageError

__all__ = [
    "Checked", "Parameter", "checked", "choice", "color", "flag", "number", "parameter_of",
    "parameters_of", "vector", "whole",
]  # fmt: skip

Kind = Literal["number", "whole", "flag", "choice", "vector", "color"]
_KEY = "polyorama.parameter"


@dataclass(frozen=True, slots=True)
class Parameter:
    """What is known about one field.

    Parameters
    ----------
    name
        The field's name.
    kind
        ``"number"`` is a float, ``"whole"`` an int, ``"flag"`` a bool, ``"choice"`` one of
        `choices`, ``"vector"`` a tuple of floats, ``"color"`` display RGB as three floats.
    default
        The field's default.
    low, high
        Bounds, inclusive, of each component.
    unit
        As it is shown, such as "s", "°" or "stops"; "" for none.
    help
        One line.
    choices
        For ``"choice"``.
    components
        Names of a vector's components, such as "xyz"; "" otherwise.
    soft
        Range that a slider spans, inside the bounds; None where dragging has no natural range.
    animated
        Whether it can be keyed on the timeline.
    live
        Whether an experiment that runs can take a new value.
    """

    name: str
    kind: Kind
    default: Any
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    help: str = ""
    choices: tuple[str, ...] = ()
    components: str = ""
    soft: tuple[float, float] | None = None
    animated: bool = True
    live: bool = False


def number(
    default: float,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    unit: str = "",
    help: str = "",
    soft: tuple[float, float] | None = None,
    animated: bool = True,
    live: bool = False,
) -> Any:
    """A float field within [low, high]."""
    return _field(
        Parameter(
            "", "number", default, low, high, unit, help, soft=soft, animated=animated, live=live
        )
    )


def whole(
    default: int,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    unit: str = "",
    help: str = "",
    soft: tuple[float, float] | None = None,
    animated: bool = True,
    live: bool = False,
) -> Any:
    """An int field within [low, high]."""
    return _field(
        Parameter(
            "", "whole", default, low, high, unit, help, soft=soft, animated=animated, live=live
        )
    )


def flag(default: bool, *, help: str = "", animated: bool = True, live: bool = False) -> Any:
    """A bool field."""
    return _field(Parameter("", "flag", default, help=help, animated=animated, live=live))


def choice(default: str, choices: tuple[str, ...], *, help: str = "", live: bool = False) -> Any:
    """A text field with a few possible values; not keyed."""
    return _field(
        Parameter("", "choice", default, help=help, choices=choices, animated=False, live=live)
    )


def vector(
    default: tuple[float, ...],
    low: float = -math.inf,
    high: float = math.inf,
    *,
    components: str = "xyz",
    unit: str = "",
    help: str = "",
    soft: tuple[float, float] | None = None,
) -> Any:
    """A field of as many floats as `components` has letters, each within [low, high]."""
    return _field(
        Parameter("", "vector", default, low, high, unit, help, components=components, soft=soft)
    )


def color(default: tuple[float, float, float], *, help: str = "") -> Any:
    """Display RGB, 0..1."""
    return _field(
        Parameter("", "color", default, 0.0, 1.0, help=help, components="rgb", soft=(0.0, 1.0))
    )


def _field(parameter: Parameter) -> Any:
    return dataclasses.field(default=parameter.default, metadata={_KEY: parameter})


_found: dict[type, tuple[Parameter, ...]] = {}


def parameters_of(cls: type) -> tuple[Parameter, ...]:
    """The parameters of a dataclass, in the order of its fields."""
    if cls not in _found:
        fields = dataclasses.fields(cls)
        _found[cls] = tuple(
            dataclasses.replace(f.metadata[_KEY], name=f.name) for f in fields if _KEY in f.metadata
        )
    return _found[cls]


def parameter_of(cls: type, name: str) -> Parameter:
    """One parameter by name.

    Raises
    ------
    UsageError
        If there is none.
    """
    for parameter in parameters_of(cls):
        if parameter.name == name:
            return parameter
    known = ", ".join(p.name for p in parameters_of(cls))
    raise UsageError(f"{cls.__name__} has no parameter {name!r}; there are {known}.")


def checked(parameter: Parameter, value: Any) -> Any:
    """The value in the parameter's own type.

    Raises
    ------
    UsageError
        If it is of another kind or out of bounds.
    """
    what = parameter.name
    if parameter.kind == "flag":
        if not isinstance(value, bool):
            raise UsageError(f"{what} is on or off (True or False), not {value!r}.")
        return value
    if parameter.kind == "choice":
        if value not in parameter.choices:
            raise UsageError(f"{what} is one of {', '.join(parameter.choices)}, not {value!r}.")
        return value
    if parameter.kind in ("vector", "color"):
        count = len(parameter.components)
        values = tuple(value) if hasattr(value, "__iter__") and not isinstance(value, str) else ()
        if len(values) != count:
            raise UsageError(f"{what} is {count} numbers, not {value!r}.")
        return tuple(_number(parameter, part) for part in values)
    if parameter.kind == "whole":
        result = _number(parameter, value)
        if result != int(result):
            raise UsageError(f"{what} is a whole number, not {value!r}.")
        return int(result)
    return _number(parameter, value)


class Checked:
    """What a frozen dataclass inherits from to hold every parameter to its bounds.

    A `__post_init__` of the dataclass's own calls that of this class first.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = checked(parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)


def _number(parameter: Parameter, value: Any) -> float:
    try:
        result = float("nan") if isinstance(value, bool | str) else float(cast("float", value))
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not math.isfinite(result):
        raise UsageError(f"{parameter.name} is a finite number, not {value!r}.")
    if not parameter.low <= result <= parameter.high:
        low, high = (
            f"{bound:,.0f}" if parameter.kind == "whole" and math.isfinite(bound) else f"{bound:g}"
            for bound in (parameter.low, parameter.high)
        )
        if math.isinf(parameter.high):
            text = f"at least {low}"
        else:
            text = f"at most {high}" if math.isinf(parameter.low) else f"between {low} and {high}"
        raise UsageError(f"{parameter.name} is {text}, not {result:g}.")
    return result
