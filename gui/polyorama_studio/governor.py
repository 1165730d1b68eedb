"""How coarse a moving picture must be to keep up: fewer pixels first, then fewer splats."""

from __future__ import annotations

from dataclasses import dataclass

from polyorama.core.types import MAX_SIDE

__all__ = ["FULL", "MOST_PIXELS", "Governor", "Quality", "fitting_size"]

MOST_PIXELS = 2**26
"""A picture in a window has at most so many, twice those of an 8K screen."""

_STEP = 1 / 16
_LEAST_SCALE = 0.5
_SHARES = (1.0, 0.5, 0.25, 0.125, 0.0625)
"""Few steps, since the engine sorts anew for each number of splats."""
_FEWER, _MORE = 0.22, 0.7
"""Shares of the pixels below and above which the number of splats changes."""
_START = 0.25


def fitting_size(width: int, height: int) -> tuple[int, int]:
    """The largest picture of that shape, in pixels, that can be drawn: sides and area are bounded.

    A window spread over several screens may be larger; its picture is stretched then.
    """
    scale = min(MAX_SIDE / max(width, height), (MOST_PIXELS / (width * height)) ** 0.5)
    if scale >= 1.0:
        return width, height
    # Rounded down, so that neither bound is passed.
    return max(1, int(width * scale)), max(1, int(height * scale))


@dataclass(frozen=True, slots=True)
class Quality:
    """What is drawn: a share of the picture's side and a share of the splats, 0 to 1 each."""

    scale: float = 1.0
    share: float = 1.0

    @property
    def full(self) -> bool:
        """Whether nothing is left out."""
        return self.scale >= 1.0 and self.share >= 1.0

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Picture size in pixels."""
        return max(1, round(width * self.scale)), max(1, round(height * self.scale))

    def limit(self, count: int) -> int | None:
        """Splats to draw of `count`, or None for all."""
        return None if self.share >= 1.0 else max(1, round(count * self.share))


FULL = Quality()


class Governor:
    """Learns from the time of each moving picture what the next one may cost.

    Parameters
    ----------
    target_ms
        Wanted milliseconds a picture while moving.
    """

    def __init__(self, target_ms: float = 42.0) -> None:
        self.target_ms = target_ms
        self.full_ms: float | None = None
        self._budget = _START
        self._share = 1.0
        self._share_seen: float | None = None

    def moving(self) -> Quality:
        """Quality of the next picture while something moves.

        The budget is a share of the full picture's cost, which goes with pixels and with splats:
        the side shrinks to half first, and only then half of the splats go, and half again.
        """
        side = (self._budget / self._share) ** 0.5
        return Quality(min(1.0, max(_LEAST_SCALE, round(side / _STEP) * _STEP)), self._share)

    def learn(self, quality: Quality, milliseconds: float) -> None:
        """Take in what a picture of that quality has cost."""
        if milliseconds <= 0.0:
            return
        if quality.full:
            if self.full_ms is None:
                self._set_budget(self.target_ms / milliseconds)
            self.full_ms = milliseconds
        if quality.share != self._share_seen:
            # The first picture with so many splats also pays for choosing them.
            self._share_seen = quality.share
        elif quality == self.moving():
            ratio = self.target_ms / milliseconds
            if not 0.8 < ratio < 1.3:
                # Half-way there in one step: quick enough, without swinging.
                self._set_budget(self._budget * min(1.5, max(0.4, ratio)) ** 0.6)

    def _set_budget(self, budget: float) -> None:
        self._budget = min(1.0, max(_LEAST_SCALE**2 * _SHARES[-1], budget))
        # The two thresholds lie apart, so that the number of splats does not swing.
        at = _SHARES.index(self._share)
        while at + 1 < len(_SHARES) and self._budget / _SHARES[at] < _FEWER:
            at += 1
        while at > 0 and self._budget / _SHARES[at] > _MORE:
            at -= 1
        self._share = _SHARES[at]

    def may_refine_while_held(self) -> bool:
        """Whether a full picture is so quick that it may be drawn between two drags."""
        return self.full_ms is not None and self.full_ms < 3.0 * self.target_ms

    def forget(self) -> None:
        """Start anew, for another scene."""
        self.full_ms = None
        self._budget = _START
        self._share = 1.0
        self._share_seen = None
