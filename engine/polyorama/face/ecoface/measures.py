"""Measures of motion on a rig, and a judge of feelings that has seen no model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.morphs import MorphRig, Rotor, Shapes
from polyorama.scene.mesh import Mesh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.faces.phones import PhoneTrack

__all__ = ["EmotionJudge", "FaceMeter", "interval", "part_of"]

CLOSED_GAP = 0.02
"""Gap of lips that count as closed, as a share of the mouth's width."""


class FaceMeter:
    """Errors of motion in millimetres on a rig.

    Parameters
    ----------
    rig
        With the regions "lips" and "upperFace" and landmarks of the inner lips, in metres.

    Raises
    ------
    UsageError
        If it has not.
    """

    def __init__(self, rig: MorphRig) -> None:
        try:
            kept = [rig.regions["lips"], rig.regions["upperFace"]]
            kept += [rig.landmarks["innerLipUpper"], rig.landmarks["innerLipLower"]]
        except KeyError as error:
            raise UsageError(f"Errors cannot be measured on a rig without {error}.") from None
        self._width = rig.mouth_width
        self._rig, places = part_of(rig, np.unique(np.concatenate(kept)))
        self._lips, self._upper, self._over, self._under = (places[ids] for ids in kept)

    def vertices(self, motion: NDArray[np.floating]) -> NDArray[np.float32]:
        """(T, V, 3) mm: what is measured of (T, 55) motion, the head held still."""
        return 1000.0 * np.stack([self._rig.posed(row, head=False) for row in motion])

    def lip_error(self, one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
        """LVE, mm: the largest distance of a lip vertex in each frame, its mean over frames."""
        return self._largest(one, other, self._lips)

    def upper_error(self, one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
        """EVE, mm: the same over eyes, brows and forehead (EmoTalk)."""
        return self._largest(one, other, self._upper)

    def dynamics_gap(self, true: NDArray[np.float32], made: NDArray[np.float32]) -> float:
        """FDD, mm: how much more the upper face truly varies in time than it is made to vary.

        Mean over vertices of std_t |d| true less made, d being the way from rest (CodeTalker).
        """
        rest = 1000.0 * self._rig.mesh.vertices[self._upper]
        spread = [
            np.linalg.norm(x[:, self._upper] - rest, axis=2).std(axis=0) for x in (true, made)
        ]
        return float((spread[0] - spread[1]).mean())

    def gaps(self, vertices: NDArray[np.float32]) -> NDArray[np.float64]:
        """(T,) widest gap of the inner lips as a share of the mouth's width at rest."""
        between = vertices[:, self._over] - vertices[:, self._under]
        widest = np.linalg.norm(between.astype(np.float64), axis=2).max(axis=1)
        return np.asarray(widest / (1000.0 * self._width))

    def closed(
        self, motion: NDArray[np.floating], fps: float, track: PhoneTrack, symbols: frozenset[str]
    ) -> list[bool]:
        """For each phone of some kinds whether the lips are closed at a frame of it.

        Of phones shorter than a frame the nearest frame is looked at.
        """
        result = []
        for phone in track.phones:
            if phone.symbol not in symbols:
                continue
            first, last = int(np.ceil(phone.start * fps)), int(np.ceil(phone.end * fps)) - 1
            if last < first:
                first = last = round(0.5 * (phone.start + phone.end) * fps)
            if first >= len(motion):
                continue
            rows = motion[first : min(last, len(motion) - 1) + 1]
            result.append(bool(self.gaps(self.vertices(rows)).min() < CLOSED_GAP))
        return result

    def _largest(
        self, one: NDArray[np.float32], other: NDArray[np.float32], ids: NDArray[np.int64]
    ) -> float:
        far = np.linalg.norm(one[:, ids] - other[:, ids], axis=2).max(axis=1)
        return float(far.mean(dtype=np.float64))


def part_of(rig: MorphRig, kept: NDArray[np.integer]) -> tuple[MorphRig, NDArray[np.int64]]:
    """A rig of some vertices alone, which is quick to pose, and where each vertex went (or -1)."""
    places = np.full(len(rig.mesh.vertices), -1, np.int64)
    places[kept] = np.arange(len(kept))
    shapes = rig.shapes
    inside = places[shapes.indices] >= 0
    counts = np.concatenate([[0], np.cumsum(inside)])
    rotors = tuple(
        Rotor(
            rotor.name, places[rotor.indices][places[rotor.indices] >= 0].astype(np.int32),
            rotor.amounts[places[rotor.indices] >= 0], rotor.pivot, rotor.channels,
        )
        for rotor in rig.rotors
    )  # fmt: skip
    small = MorphRig(
        Mesh(vertices=rig.mesh.vertices[kept], triangles=np.zeros((1, 3), np.int32)),
        Shapes(
            shapes.names, counts[shapes.starts], places[shapes.indices][inside].astype(np.int32),
            shapes.deltas[inside],
        ),
        rotors, rig.correctives, name=rig.name, credit=rig.credit,
    )  # fmt: skip
    return small, places


@dataclass(frozen=True, slots=True, eq=False)
class EmotionJudge:
    """Logistic regression of emotions on the mean in time of each channel of a clip.

    It is fitted to motion by rules of sentences and speakers other than those that it judges, and
    shares nothing with any model.

    Parameters
    ----------
    mean, spread
        (55,) of what it looks at.
    weights
        (8, 56) logits, the last column constant.
    """

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def fit(
        cls, motions: Sequence[NDArray[np.floating]], emotions: Sequence[int], decay: float = 1e-3
    ) -> EmotionJudge:
        """A judge of (T, 55) motions of known emotions."""
        import torch

        looks = np.stack([_look(motion) for motion in motions])
        mean, spread = looks.mean(0), np.maximum(looks.std(0), 0.02)
        x = torch.from_numpy(np.hstack([(looks - mean) / spread, np.ones((len(looks), 1))]))
        y = torch.tensor(list(emotions))
        weights = torch.zeros(len(EMOTIONS), x.shape[1], dtype=torch.float64, requires_grad=True)
        optimiser = torch.optim.LBFGS([weights], max_iter=100, line_search_fn="strong_wolfe")
        # Neutral has one level, others two; all emotions count alike.
        share = 1.0 / torch.bincount(y, minlength=len(EMOTIONS)).clamp_min(1).double()

        def closure() -> torch.Tensor:
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(x @ weights.T, y, share)
            loss = loss + decay * weights.square().sum()
            loss.backward()  # type: ignore[no-untyped-call]
            return loss

        optimiser.step(closure)  # type: ignore[no-untyped-call]
        return cls(mean, spread, weights.detach().numpy())

    def emotion(self, motion: NDArray[np.floating]) -> int:
        """Place in `EMOTIONS` of what (T, 55) motion most likely shows."""
        look = (_look(motion) - self.mean) / self.spread
        return int((self.weights[:, :-1] @ look + self.weights[:, -1]).argmax())


def _look(motion: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.asarray(np.asarray(motion, np.float64).mean(0))


def interval(
    values: Sequence[Sequence[float]], rounds: int = 2000, seed: int = 0
) -> tuple[float, float, float]:
    """Mean of all, and the 95 % interval of means of as many clips drawn from them (bootstrap).

    Takes and phones of one clip are no independent draws, so clips are drawn whole.

    Parameters
    ----------
    values
        Those of each clip; none is empty.
    """
    totals = np.array([np.sum(clip, dtype=np.float64) for clip in values])
    counts = np.array([len(clip) for clip in values], np.float64)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(totals), (rounds, len(totals)))
    means = totals[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(totals.sum() / counts.sum()), float(low), float(high)
