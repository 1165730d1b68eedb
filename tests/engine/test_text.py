"""How numbers are said."""

from __future__ import annotations

import pytest

from polyorama.core.text import bytes_of, count_of, one_line, reason_of


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


def test_names_are_printed_on_one_line_whatever_they_hold() -> None:
    assert one_line("Grüße, 日本 \N{CAT FACE} a b.ply") == "Grüße, 日本 \N{CAT FACE} a b.ply"
    assert one_line("a\nb\x1b[2J\x00\x9b") == r"a\nb\x1b[2J\x00\x9b"
    assert one_line(b"bad\xff.ply".decode("utf-8", "surrogateescape")) == r"bad\xff.ply"
    assert one_line("gpj.\N{RIGHT-TO-LEFT OVERRIDE}a\ud800") == r"gpj.\u202ea\ud800"


def test_errors_of_foreign_code_are_short_and_on_one_line() -> None:
    assert (
        reason_of(ValueError("a reward\n  is NaN\x1b[2J")) == r"ValueError: a reward is NaN\x1b[2J"
    )
    assert reason_of(SystemExit()) == "SystemExit"
    assert reason_of(KeyError("a" * 900)) == "KeyError: '" + "a" * 199
