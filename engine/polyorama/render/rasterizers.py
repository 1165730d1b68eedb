"""The rasterizer protocol and the registry of backends."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from polyorama.errors import UnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polyorama.render.frame import Frame
    from polyorama.render.state import RenderState

__all__ = ["Availability", "Rasterizer", "available_backends", "get_rasterizer"]


class Rasterizer(Protocol):
    """Turns a `RenderState` into a `Frame`."""

    name: str

    def render(self, state: RenderState, outputs: Iterable[str] = ("rgba8",)) -> Frame:
        """Draw `state`; `outputs` are names from `polyorama.render.frame.OUTPUTS`."""
        ...


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a backend can run here, and if not, why and what to do, in words."""

    ok: bool
    reason: str = ""


_BACKENDS = {"cpu": "polyorama.render.cpu"}


def available_backends() -> dict[str, Availability]:
    """Every known backend, best first, with its availability on this machine."""
    return {
        name: importlib.import_module(module).availability() for name, module in _BACKENDS.items()
    }


def get_rasterizer(name: str = "auto") -> Rasterizer:
    """Make a rasterizer.

    Parameters
    ----------
    name
        A backend's name, or ``"auto"`` for the best one that runs here.

    Raises
    ------
    UsageError
        If there is no such backend.
    UnavailableError
        If it cannot run here; the text says why.
    """
    states = available_backends()
    if name == "auto":
        name = next((backend for backend, state in states.items() if state.ok), "")
        if not name:
            reasons = "; ".join(f"{backend}: {state.reason}" for backend, state in states.items())
            raise UnavailableError(f"No backend can run here. {reasons}")
    if name not in states:
        raise UsageError(f"There is no backend {name!r}; choose auto, {', '.join(states)}.")
    if not states[name].ok:
        raise UnavailableError(f"The backend {name!r} cannot run here: {states[name].reason}")
    return importlib.import_module(_BACKENDS[name]).create()  # type: ignore[no-any-return]
