"""The protocol of experiments: parameters, a seed, steps, and pictures of what happens.

A subclass writes four methods: `begin`, `advance`, `observe` and `views`. All that a run does
follows from its seed, its parameters and rivals, and the changes made to it on the way; however
the steps are grouped, the same steps give the same state, bit for bit on one machine.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from polyorama.core.arguments import check_kind, check_whole, said
from polyorama.core.params import Parameter, checked, parameter_of, parameters_of
from polyorama.core.text import reason_of
from polyorama.errors import PolyoramaError, UsageError
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.views import View

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.lab.claims import Claim
    from polyorama.lab.formula import Formula

__all__ = [
    "Canvas", "Experiment", "ExperimentError", "ExperimentParams", "Paper", "Preset", "Rival",
    "check_seed",
]  # fmt: skip

_MOST_SEED = 2**63 - 1


class ExperimentError(PolyoramaError):
    """An experiment could not go on; the text says which, at what step and why."""


def check_seed(seed: int) -> None:
    """Refuse what is no seed.

    Raises
    ------
    UsageError
        If it is no whole number from 0 to 2^63 - 1.
    """
    check_whole(seed, "seed")
    if not 0 <= seed <= _MOST_SEED:
        raise UsageError(f"A seed is a whole number from 0 to {_MOST_SEED}, not {seed}.")


@dataclass(frozen=True)
class ExperimentParams:
    """Base of the parameters of an experiment; fields are made by `polyorama.core.params`.

    Those marked ``live`` may be changed while it runs.

    Raises
    ------
    UsageError
        If a value is of another kind or out of its bounds.
    """

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = checked(parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)


@dataclass(frozen=True, slots=True)
class Rival:
    """A method that is compared with others on the same luck.

    Parameters
    ----------
    id, title
        A short word for keys and flags, and its name.
    help
        One line: what it is and where from.
    """

    id: str
    title: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """Parameters worth showing, on a key of the stage.

    Parameters
    ----------
    title
        Sentence case.
    values
        Parameters that differ from their defaults.
    rivals
        Ids of those that take part; () for the experiment's own choice.
    help
        What to look for.
    """

    title: str
    values: Mapping[str, Any]
    rivals: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True)
class Canvas:
    """An array that a person may paint, or take from a picture.

    Parameters
    ----------
    name, title
        As a parameter's.
    shape
        Rows and columns, the first row at the bottom.
    low, high
        Bounds of its values.
    whole
        Whether the values are whole numbers (kinds of cells).
    labels
        With `whole`: names of the kinds from `low` on; () otherwise.
    """

    name: str
    title: str
    shape: tuple[int, int]
    low: float = 0.0
    high: float = 1.0
    whole: bool = False
    labels: tuple[str, ...] = ()

    def checked(self, array: ArrayLike) -> NDArray[np.float64]:
        """The array as float64 of the canvas's shape.

        Raises
        ------
        UsageError
            If it is of another shape, not finite, out of bounds or not whole where it must be.
        """
        try:
            values = np.array(array, np.float64)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{self.title} is a table of numbers, not {said(array)}.") from error
        if values.shape != self.shape:
            rows, columns = self.shape
            raise UsageError(
                f"{self.title} is {rows} rows of {columns} numbers, not an array of {values.shape}."
            )
        if not np.isfinite(values).all():
            raise UsageError(f"{self.title} has to be finite everywhere.")
        if values.min() < self.low or values.max() > self.high:
            raise UsageError(f"{self.title} lies between {self.low:g} and {self.high:g}.")
        if self.whole and not np.array_equal(values, np.round(values)):
            raise UsageError(f"{self.title} is made of whole numbers.")
        values.setflags(write=False)
        return values


@dataclass(frozen=True, slots=True)
class Paper:
    """What a method is published as.

    Parameters
    ----------
    title, authors, venue
        As cited.
    link
        Where it can be read.
    """

    title: str
    authors: str
    venue: str
    link: str = ""


class Experiment(abc.ABC):
    """A method at work.

    Parameters
    ----------
    params
        An instance of the class's `Params`; None for the defaults.
    rivals
        Ids of the methods that take part, in any order; None for `first_rivals`.
    paintings
        Arrays for canvases, by name; those that are not named stay as the experiment has them.

    Raises
    ------
    UsageError
        If the parameters are another experiment's, or a rival or canvas is not known.
    """

    id: ClassVar[str]
    """Room and name, as ``"bandits/log-li"``."""
    title: ClassVar[str]
    summary: ClassVar[str]
    """One sentence for the gallery."""
    paper: ClassVar[Paper | None] = None
    caveat: ClassVar[str] = ""
    """What must be said wherever its results show, as "A reconstruction: ..."; "" for nothing."""
    Params: ClassVar[type[ExperimentParams]]
    rivals: ClassVar[tuple[Rival, ...]] = ()
    first_rivals: ClassVar[tuple[str, ...]] = ()
    """Ids of those that take part unless others are chosen; () for all."""
    presets: ClassVar[tuple[Preset, ...]] = ()
    canvases: ClassVar[tuple[Canvas, ...]] = ()
    formula: ClassVar[Formula | None] = None
    rate: ClassVar[float] = 60.0
    """Elementary steps a second at normal speed."""

    def __init__(
        self,
        params: ExperimentParams | None = None,
        rivals: tuple[str, ...] | None = None,
        paintings: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self.params: Any = self.Params() if params is None else params
        if not isinstance(self.params, self.Params):
            raise UsageError(f"{self.id} takes parameters of its own kind, {self.Params.__name__}.")
        check_kind(rivals, tuple | list | None, "rivals", "a list of ids")
        check_kind(paintings, Mapping | None, "paintings", "arrays by canvas")
        self.active = self._known_rivals(rivals)
        self.paintings: dict[str, NDArray[np.float64]] = {}
        for name, array in (paintings or {}).items():
            self.paintings[name] = self.canvas(name).checked(array)
        self.seed = 0
        self.steps = 0
        self._started = False

    def _known_rivals(self, chosen: tuple[str, ...] | None) -> tuple[str, ...]:
        known = tuple(rival.id for rival in self.rivals)
        wanted = (self.first_rivals or known) if chosen is None else tuple(chosen)
        for name in wanted:
            if name not in known:
                there = ", ".join(known) or "none"
                raise UsageError(f"{self.id} has no rival {name!r}; there are {there}.")
        if known and not wanted:
            raise UsageError(f"{self.id} needs at least one of its methods: {', '.join(known)}.")
        return tuple(name for name in known if name in wanted)

    # What a subclass writes

    @abc.abstractmethod
    def begin(self, seed: int) -> None:
        """Put everything at its start; all luck comes from `polyorama.lab.streams` and the seed."""

    @abc.abstractmethod
    def advance(self, count: int) -> int:
        """Do up to `count` elementary steps; returns how many, fewer only at the end of the run."""

    @abc.abstractmethod
    def observe(self) -> Snapshot:
        """What there is to see now, with `self.steps` as its step; changes nothing."""

    @abc.abstractmethod
    def views(self) -> tuple[View, ...]:
        """The pictures, first the most telling; what is there may depend on `params` alone."""

    def changed(self, name: str) -> None:  # noqa: B027 - most have nothing to do here
        """Called after a live parameter or a canvas was changed."""

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """What the paper claims, each with what is measured here and when it holds."""
        return ()

    # What everybody calls

    def reset(self, seed: int) -> Snapshot:
        """Start anew.

        Raises
        ------
        UsageError
            If the seed is no whole number from 0 to 2^63 - 1.
        ExperimentError
            If the method cannot begin.
        """
        check_seed(seed)
        self.seed, self.steps = int(seed), 0
        self._guarded(self.begin, self.seed)
        self._started = True
        return self._observed()

    def step(self, count: int = 1) -> Snapshot:
        """Do up to `count` elementary steps and look.

        Raises
        ------
        UsageError
            If it was not reset before, or `count` is no whole number.
        ExperimentError
            If the method fails, or stops without being at its end.
        """
        self._check_started()
        check_whole(count, "count")
        done = self._advanced(count) if count > 0 else 0
        self.steps += done
        snapshot = self._observed()
        if done < count and not snapshot.done:
            # Whoever waits for a step to come would wait for ever.
            raise ExperimentError(
                f"{self.id} stands still at step {self.steps:,} and does not say that it is done; "
                f"mend what its advance returns, or done in its observe."
            )
        return snapshot

    def set(self, name: str, value: Any) -> None:
        """Change a live parameter.

        Raises
        ------
        UsageError
            If there is none of that name, it is not live, or the value does not fit it.
        ExperimentError
            If the method fails over it, which then has the value.
        """
        parameter = parameter_of(self.Params, name)
        if self._started and not parameter.live:
            raise UsageError(f"{name} cannot be changed while {self.id} runs; reset it first.")
        self.params = dataclasses.replace(self.params, **{name: checked(parameter, value)})
        if self._started:
            self._guarded(self.changed, name)

    def paint(self, name: str, array: ArrayLike) -> None:
        """Replace what is on a canvas.

        Raises
        ------
        UsageError
            If there is no such canvas or the array does not fit it.
        ExperimentError
            As `set`.
        """
        self.paintings[name] = self.canvas(name).checked(array)
        if self._started:
            self._guarded(self.changed, name)

    def pictures(self) -> tuple[View, ...]:
        """Its views.

        Raises
        ------
        ExperimentError
            If they cannot be made, are no views, or two have the same id.
        """
        views = self._guarded(self.views)
        known = isinstance(views, tuple) and all(isinstance(view, View) for view in views)
        if not known or len({view.id for view in views}) < len(views):
            raise ExperimentError(
                f"The views of {self.id} are a tuple of views, each with an id of its own; mend "
                f"the experiment."
            )
        return tuple(views)

    @classmethod
    def canvas(cls, name: str) -> Canvas:
        """A canvas by name.

        Raises
        ------
        UsageError
            If there is none.
        """
        for canvas in cls.canvases:
            if canvas.name == name:
                return canvas
        there = ", ".join(c.name for c in cls.canvases) or "none"
        raise UsageError(f"{cls.id} has no canvas {name!r}; there are {there}.")

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Its parameters, in order."""
        return parameters_of(cls.Params)

    def _check_started(self) -> None:
        if not self._started:
            raise UsageError(f"{self.id} has to be reset with a seed before it can step.")

    def _advanced(self, count: int) -> int:
        done = self._guarded(self.advance, count)
        whole = isinstance(done, int | np.integer) and not isinstance(done, bool)
        if not whole or not 0 <= done <= count:
            raise ExperimentError(
                f"{self.id} says after step {self.steps:,} that it did {said(done)} of {count:,} "
                f"steps; its advance returns how many it did."
            )
        return int(done)

    def _observed(self) -> Snapshot:
        snapshot = self._guarded(self.observe)
        if not isinstance(snapshot, Snapshot) or snapshot.step != self.steps:
            shown = f"step {snapshot.step}" if isinstance(snapshot, Snapshot) else said(snapshot)
            raise ExperimentError(
                f"{self.id} shows {shown} at step {self.steps:,}; its observe returns a Snapshot "
                f"of self.steps."
            )
        return snapshot

    def _guarded(self, function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except PolyoramaError:
            raise
        except (Exception, SystemExit) as error:
            raise ExperimentError(
                f"{self.id} failed at step {self.steps:,} ({reason_of(error)}); reset it, or mend "
                f"the experiment."
            ) from error
