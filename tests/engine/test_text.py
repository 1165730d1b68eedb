"""How numbers are said."""

from __future__ import annotations

import pytest

from polyorama.core.text import bytes_of, count_of


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1 kB"), (1536, "1.54 kB"),
     (999_499, "999 kB"), (999_500, "1 MB"), (236_000_000, "236 MB"), (5_400_000_000, "5.4 GB")],
)  # fmt: skip
def test_sizes(size: int, text: str) -> None:
    assert bytes_of(size) == text


def test_counts() -> None:
    said = [count_of(n, "splat") for n in (0, 1, 2, 12_000)]
    assert said == ["0 splats", "1 splat", "2 splats", "12,000 splats"]
