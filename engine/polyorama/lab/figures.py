"""Figures of a recorded run: the views of an experiment at a snapshot, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polyorama.core.arguments import check_kind
from polyorama.core.text import one_line, reason_of
from polyorama.errors import UsageError
from polyorama.lab.experiment import ExperimentError
from polyorama.lab.figure_page import FIGURE_SIZE, blank, captioned, grid_axes
from polyorama.lab.figure_views import Painter
from polyorama.lab.look import look_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polyorama.lab.experiment import Experiment
    from polyorama.lab.recording import Recording
    from polyorama.lab.space import Orbit
    from polyorama.lab.views import View

__all__ = ["figure_of", "views_of"]


def views_of(experiment: Experiment, names: Sequence[str] = ()) -> tuple[View, ...]:
    """The views of an experiment, or those of these ids, in this order.

    Raises
    ------
    UsageError
        If there is none of an id, or none at all.
    """
    check_kind(names, tuple | list, "views", "a list of ids")
    known = {view.id: view for view in experiment.pictures()}
    for name in names:
        if name not in known:
            there = ", ".join(known) or "none"
            raise UsageError(f"{experiment.id} has no view {name!r}; there are {there}.")
    views = tuple(known[name] for name in names) if names else tuple(known.values())
    if not views:
        raise UsageError(f"{experiment.id} has no views to draw.")
    return views


def figure_of(
    experiment: Experiment,
    recording: Recording,
    index: int = -1,
    *,
    views: Sequence[str] = (),
    size: tuple[int, int] = FIGURE_SIZE,
    theme: str = "dark",
    orbits: Mapping[str, Orbit] | None = None,
) -> Any:
    """A matplotlib figure of a snapshot.

    Parameters
    ----------
    experiment
        Whose views are drawn; it need not be reset.
    recording
        Has the snapshots and, for curves, what was before.
    index
        Which snapshot; negative from the end.
    views
        Ids of those to draw; () for all.
    size
        (width, height) in pixels.
    theme
        "dark" or "light".
    orbits
        From where views in space are seen, by their ids.

    Raises
    ------
    UnavailableError
        If matplotlib is not there.
    UsageError
        If there is no such snapshot or view, or the size or theme is none.
    ExperimentError
        If the values are not of the kind that a view names.
    """
    look = look_of(theme)
    chosen = views_of(experiment, views)
    figure = blank(size, look)
    row = recording.row_of(index)
    snapshot = recording.snapshot(row)
    painter = Painter(experiment, recording, row, snapshot, look, orbits or {})
    note = f"  {one_line(snapshot.note)}" if snapshot.note else ""
    foot = f"Seed {recording.seed}, step {snapshot.step:,}.{note}"
    below = captioned(figure, look, experiment.title, foot, experiment.caveat)
    spans = [view.span for view in chosen]
    for view, axes in zip(chosen, grid_axes(figure, spans, below), strict=True):
        try:
            painter.paint(view, axes)
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
            raise ExperimentError(
                f"The view {view.id!r} of {experiment.id} cannot be drawn from its values "
                f"({reason_of(error)})."
            ) from error
    return figure
