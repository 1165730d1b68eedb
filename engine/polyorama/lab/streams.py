"""Random streams that are the same for the same seed and name, whoever else draws."""

from __future__ import annotations

import zlib

import numpy as np

__all__ = ["stream", "torch_seed"]


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """A generator of its own for a part of an experiment.

    Rivals that are to meet the same luck ask for the same names.

    Parameters
    ----------
    seed
        The run's.
    names
        Of the part, such as ``"rewards"`` or ``"init", 3``.
    """
    return np.random.Generator(np.random.PCG64(_sequence(seed, names)))


def torch_seed(seed: int, *names: str | int) -> int:
    """A seed for `torch.Generator.manual_seed`, of its own for a part of an experiment."""
    return int(_sequence(seed, names).generate_state(1, np.uint64)[0] >> 1)


def _sequence(seed: int, names: tuple[str | int, ...]) -> np.random.SeedSequence:
    keys = [zlib.crc32(name.encode()) if isinstance(name, str) else name for name in names]
    return np.random.SeedSequence([seed, *keys])
