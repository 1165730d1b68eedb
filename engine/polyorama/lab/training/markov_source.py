"""A source of symbols whose statistics are known exactly, for language models to learn.

The next symbol c after a, b has a probability in proportion to

    (c + 1)^-common  *  rank(c for a)^-own  *  rank(c for b)^-own

Zipf's law three times: some symbols are frequent and some rare, as in a text, and each symbol ranks
all symbols in a way of its own, one for being the last and one for being the last but one. So two
earlier symbols matter, each adds its own logits as an attention head can, and the entropy that no
model can beat is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MarkovSource"]

_SETTLED = 200
"""Powers of the chain after which its distribution is stationary to rounding."""


@kernel
def _walk(cumulative, uniforms, symbols):
    """Fill `symbols` from the third on, by inversion of the cumulative distributions."""
    for row in range(symbols.shape[0]):
        for i in range(2, symbols.shape[1]):
            line = cumulative[symbols[row, i - 2], symbols[row, i - 1]]
            symbols[row, i] = np.searchsorted(line, uniforms[row, i], side="right")


@dataclass(frozen=True, slots=True, eq=False)
class MarkovSource:
    """A second-order Markov source.

    Parameters
    ----------
    probabilities
        (V, V, V): of c after a, b.
    entropy
        Nats a symbol in the long run: the least cross-entropy that any model can reach.
    """

    probabilities: NDArray[np.float64]
    entropy: float
    _cumulative: NDArray[np.float64]

    @classmethod
    def zipf(cls, vocabulary: int, common: float, own: float, seed: int) -> MarkovSource:
        """A source with random rankings.

        Parameters
        ----------
        vocabulary
            Symbols.
        common, own
            Exponents of Zipf's law: of the symbols' frequency, and of what each asks of the next.
        seed
            Of the rankings.
        """
        luck = stream(seed, "rankings")
        logits = -np.log(np.arange(1, vocabulary + 1, dtype=np.float64))
        before = np.stack([luck.permutation(own * logits) for _ in range(vocabulary)])
        last = np.stack([luck.permutation(own * logits) for _ in range(vocabulary)])
        weights = np.exp(common * logits + before[:, None, :] + last[None, :, :])
        probabilities = weights / weights.sum(axis=2, keepdims=True)
        cumulative = np.cumsum(probabilities, axis=2)
        cumulative[:, :, -1] = 1.0  # sums of rounded numbers may stop short of it
        return cls(probabilities, _entropy(probabilities), cumulative)

    def sample(self, rows: int, length: int, luck: np.random.Generator) -> NDArray[np.int64]:
        """Rows of symbols, (rows, length), of at least 2; the first two of each are uniform.

        So the second symbol cannot be told, and a whole row costs a little more than `entropy`.
        """
        symbols = np.empty((rows, length), np.int64)
        symbols[:, :2] = luck.integers(len(self.probabilities), size=(rows, 2))
        _walk(self._cumulative, luck.random((rows, length)), symbols)
        return symbols


def _entropy(probabilities: NDArray[np.float64]) -> float:
    """Entropy of the next symbol under the stationary distribution of pairs, nats."""
    vocabulary = len(probabilities)
    pairs = np.full((vocabulary, vocabulary), 1.0 / vocabulary**2)
    for _ in range(_SETTLED):
        pairs = np.einsum("ab,abc->bc", pairs, probabilities)
    each = -(probabilities * np.log(probabilities)).sum(axis=2)
    return float((pairs * each).sum())
