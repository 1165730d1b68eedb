"""Wishes that no machine could fulfil are refused before anything is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from polyorama.cli import main
from polyorama.core import memory
from polyorama.errors import UsageError
from polyorama.io.formats import write_splats
from tests.engine.fakes import ball

if TYPE_CHECKING:
    from pathlib import Path

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.mark.parametrize(
    "words",
    [
        ["render", "a.obj", "-o", "a.png", "--surfels"],
        ["convert", "a.obj", "a.ply", "--surfels"],
        ["bench", "files", "--splats"],
        ["bench", "render", "a.splat", "--warmup", "0", "--frames"],
        ["bench", "render", "a.splat", "--warmup"],
    ],
)
@pytest.mark.parametrize("count", ["20000001", "99999999999999", "9" * 40, "-1"])
def test_counts_have_a_limit(
    words: list[str], count: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "a.obj").write_text(TRIANGLE)
    write_splats(ball(), tmp_path / "a.splat")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("polyorama.cli.DRAWING", frozenset())
    assert main([*words, count]) == 2
    message = capsys.readouterr().err
    assert message.startswith("polyorama: ")
    assert message.count("\n") == 1
    assert {entry.name for entry in tmp_path.iterdir()} == {"a.obj", "a.splat"}


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 10 * 2**30)
    memory.require_made(1000, 2000, "surfels")
    with pytest.raises(UsageError, match="20,000,000 surfels; ask for fewer"):
        memory.require_made(memory.MAX_MADE, 2000, "surfels")
    # Where the system does not tell, the limit alone decides.
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    memory.require_made(memory.MAX_MADE, 2000, "surfels")
    with pytest.raises(UsageError, match="ask for 1 to 20,000,000"):
        memory.require_made(memory.MAX_MADE + 1, 2000, "surfels")
