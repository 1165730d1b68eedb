"""One sentence about the watched network, and which terms of the formula act."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.lab.training.feature_plane import LEARNT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.lab.training.feature_room import Room

__all__ = ["Watched", "acting_of", "note_of", "note_of_depths"]

_LAZY, _RICH = 0.1, 10.0


@dataclass(frozen=True, slots=True)
class Watched:
    """The network that is watched.

    Parameters
    ----------
    gamma, eta
        Where it stands.
    loss
        (T,) so far, as a share of that of saying 0; NaN once it has diverged.
    moved
        |theta - theta_0| / |theta_0| at the latest checkpoint.
    """

    gamma: float
    eta: float
    loss: NDArray[np.float64]
    moved: float

    @property
    def recent(self) -> float:
        """Mean of the last ten losses; 1 before all."""
        return float(self.loss[-10:].mean()) if len(self.loss) else 1.0

    @property
    def thrown(self) -> float:
        """The highest loss so far."""
        known = self.loss[np.isfinite(self.loss)]
        return float(known.max()) if len(known) else 1.0


def acting_of(watched: Watched, edge: float) -> dict[str, float]:
    """How strongly the terms of the formula act on the watched network, 0..1.

    Parameters
    ----------
    edge
        Largest stable rate there, in theory.
    """
    moved = watched.moved if math.isfinite(watched.moved) else 1.0
    # 0 at a thousandth and 1 where weights have moved as far as they are long.
    net = min(1.0, max(0.0, 1.0 + math.log10(max(moved, 1e-9)) / 3.0))
    loss = watched.recent
    return {
        "scale": 1.0,
        "net": net,
        "centre": 1.0 - net,
        "rate": min(1.0, watched.eta / edge),
        "loss": min(1.0, loss) if math.isfinite(loss) else 1.0,
        "lazy": float(watched.gamma <= 1.0),
        "rich": float(watched.gamma >= 1.0),
    }


def note_of(watched: Watched, room: Room, exponents: tuple[float, float], conclude: bool) -> str:
    """What is happening, in one sentence.

    Parameters
    ----------
    watched
        The network that is watched.
    room
        Its plane.
    exponents
        Where lazy and where rich, as `Room.exponents`.
    conclude
        Whether to tell the exponents, where they are known, not of the watched network.
    """
    if not len(watched.loss):
        return _beginning(len(room.plane.gammas))
    lazy, rich = exponents
    if conclude and math.isfinite(lazy) and math.isfinite(rich):
        what = "converge up to" if room.plane.task.entropy else "learn best at"
        return (
            f"Lazy networks {what} η ∝ γ^{lazy:.2f} (theory {room.lazy_power:g}); rich ones "
            f"converge up to η ∝ γ^{rich:.2f} (theory {2.0 / room.depth:.2f}); rows this coarse "
            f"leave ± {room.blur:.2f}."
        )
    return f"{_regime(watched.gamma)} {_moment(watched)}"


def note_of_depths(
    rooms: Sequence[Room], exponents: Sequence[tuple[float, float]], done: bool
) -> str:
    """What is happening on several planes, in one sentence.

    Parameters
    ----------
    rooms
        The planes.
    exponents
        Of each, as `note_of`.
    done
        Whether the run is over.
    """
    total = sum(len(room.plane.gammas) for room in rooms)
    if rooms[0].plane.steps == 0:
        return _beginning(total)
    if not done:
        alive = sum(int(room.plane.alive.sum()) for room in rooms)
        learnt = sum(int((room.plane.recent() < LEARNT).sum()) for room in rooms)
        return f"Of {total:,} networks {total - alive:,} have diverged and {learnt:,} have learnt."
    parts = [
        f"γ^{rich:.2f} for L = {room.depth} (theory {2.0 / room.depth:.2f})"
        for room, (_, rich) in zip(rooms, exponents, strict=True)
        if math.isfinite(rich)
    ]
    if not parts:
        return "Too few rich networks have learnt in these steps to fit an exponent."
    return (
        f"The largest rate of rich networks rises as {', '.join(parts)}; rows this coarse leave "
        f"± {rooms[0].blur:.2f}."
    )


def _beginning(count: int) -> str:
    return f"{count:,} networks start at the same weights and will see the same batches."


def _regime(gamma: float) -> str:
    if gamma <= _LAZY:
        return "The watched network is lazy."
    if gamma >= _RICH:
        return "The watched network is rich."
    return "The watched network is between lazy and rich."


def _moment(watched: Watched) -> str:
    recent, thrown, count = watched.recent, watched.thrown, len(watched.loss)
    if not np.isfinite(watched.loss[-1]):
        last = int(np.argmax(~np.isfinite(watched.loss))) + 1
        return f"It diverged at step {last:,}: its rate is above the edge."
    if thrown > 3.0 and recent < 0.9:
        if watched.gamma >= _RICH:
            return f"It overshot: the loss rose to {thrown:,.0f} times the start's, and came down."
        return (
            f"A catapult: the loss rose to {thrown:,.0f} times the start's, and the network "
            f"landed where the valley is flatter."
        )
    if recent > 1.1:
        return f"Its loss is {recent:,.2g} times that of the start: it overshoots."
    if recent > 0.9:
        if watched.gamma >= _RICH:
            return f"It stands on its plateau; its weights have moved by {watched.moved:.2g}."
        return "It has hardly begun: its rate is small for so many steps."
    if count > 30 and float(watched.loss[-30:-20].mean()) > 1.5 * recent:
        return f"It falls: {recent:.1%} of its loss are left."
    return f"{recent:.1%} of its loss are left; its weights have moved by {watched.moved:.2g}."
