"""Experiments from plain values: an id, parameters by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polyorama.core.params import parameter_of
from polyorama.lab.catalog import experiment_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from polyorama.lab.experiment import Experiment

__all__ = ["made"]


def made(
    name: str,
    params: Mapping[str, Any] | None = None,
    rivals: tuple[str, ...] | None = None,
    paintings: Mapping[str, ArrayLike] | None = None,
) -> Experiment:
    """An experiment, not reset.

    Parameters
    ----------
    name
        Its id, or ``path.py:Class``.
    params
        Parameters that are not at their default.
    rivals, paintings
        As of `Experiment`.

    Raises
    ------
    UsageError, UnavailableError
        If there is none, or it does not take these.
    """
    cls = experiment_class(name)
    for key in params or {}:
        parameter_of(cls.Params, key)
    return cls(cls.Params(**dict(params or {})), rivals, paintings)
