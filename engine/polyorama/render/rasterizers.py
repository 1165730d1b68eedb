"""The rasterizer protocol and the registry of backends."""

from __future__ import annotations

import importlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from polyorama.errors import UnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from polyorama.render.frame import Frame
    from polyorama.render.state import RenderState

log = logging.getLogger(__name__)

__all__ = ["Availability", "Rasterizer", "available_backends", "get_rasterizer"]


class Rasterizer(Protocol):
    """Turns a `RenderState` into a `Frame`."""

    name: str

    def render(self, state: RenderState, outputs: Iterable[str] = ("rgba8",)) -> Frame:
        """Draw `state`; `outputs` are names from `polyorama.render.frame.OUTPUTS`."""
        ...


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a backend can run here, and if not, why and what to do, in words.

    Parameters
    ----------
    ok
        Whether it draws here.
    reason
        Why it does not; where it does, what it draws with, or nothing.
    advice
        What to do about it, or nothing.
    hardware
        False where it draws, but no faster than `cpu` would: ``auto`` passes it over.
    """

    ok: bool
    reason: str = ""
    advice: str = ""
    hardware: bool = True

    @classmethod
    def missing(cls, words: str) -> Availability:
        """Of a backend that cannot run, from one sentence: why; what to do."""
        reason, _, advice = words.rstrip(".").partition("; ")
        return cls(False, reason, f"{advice[:1].upper()}{advice[1:]}." if advice else "")

    def __str__(self) -> str:
        if self.advice:
            return f"{self.reason}. {self.advice}"
        return self.reason if self.reason.endswith(".") else f"{self.reason}."


_BACKENDS = {
    "cuda": "polyorama.render.cuda",
    "gl": "polyorama.render.gl",
    "cpu": "polyorama.render.cpu",
}
"""Modules of the backends, best first. Each has ``availability()``, ``create()`` and, where the
former takes time, ``promising()``: whether it is worth asking, told at once."""


def available_backends(
    known: Mapping[str, Availability] | None = None,
) -> dict[str, Availability]:
    """Every backend, best first, with its availability on this machine.

    Parameters
    ----------
    known
        Answers that are known already, by name: those backends are not asked.
    """
    states = dict(known or {})
    return {
        name: states[name] if name in states else importlib.import_module(module).availability()
        for name, module in _BACKENDS.items()
    }


def get_rasterizer(name: str = "auto") -> Rasterizer:
    """Make a rasterizer.

    Parameters
    ----------
    name
        A backend's name, or ``"auto"`` for the best one that runs here: an NVIDIA GPU, another
        GPU, the processor. The choice is logged, and every frame names its backend.

    Raises
    ------
    UsageError
        If there is no such backend.
    UnavailableError
        If it cannot run here; the text says why.
    """
    if name == "auto":
        return _best()
    if name not in _BACKENDS:
        raise UsageError(f"There is no backend {name!r}; choose auto, {', '.join(_BACKENDS)}.")
    module = importlib.import_module(_BACKENDS[name])
    state = module.availability()
    if not state.ok:
        raise UnavailableError(f"The backend {name!r} cannot run here: {state}")
    return module.create()  # type: ignore[no-any-return]


def _best() -> Rasterizer:
    """The first backend that draws here on hardware of its own, or the last one that draws."""
    passed: list[str] = []
    for name, path in _BACKENDS.items():
        module = importlib.import_module(path)
        if not getattr(module, "promising", lambda: True)():
            passed.append(f"{name} has no GPU here")
            continue
        state = module.availability()
        if not (state.ok and state.hardware):
            passed.append(f"{name}: {state.reason.rstrip('.')}")
            continue
        try:
            rasterizer: Rasterizer = module.create()
        except UnavailableError as error:
            # It looked well until it was made: told aloud, since it will be expected to work.
            log.warning("The backend %s is passed over: %s", name, error)
            passed.append(f"{name}: {str(error).rstrip('.')}")
            continue
        why = f" ({state.reason})" if state.reason else ""
        log.info("Drawing with %s.", "; ".join([f"{name}{why}", *passed]))
        return rasterizer
    raise UnavailableError(f"No backend can draw here ({'; '.join(passed)}).")
