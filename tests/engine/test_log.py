"""What the engine logs reaches the person at the command line, once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from polyorama.cli import main
from polyorama.core import log

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def quiet_again() -> Iterator[None]:
    logger = logging.getLogger("polyorama")
    before, level = list(logger.handlers), logger.level
    yield
    logger.handlers[:] = before
    logger.setLevel(level)


def test_a_warning_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    log.to_stderr()
    log.to_stderr()
    logging.getLogger("polyorama.io.ply").warning("%d rows are not finite: a.ply", 3)
    logging.getLogger("polyorama.io.ply").info("not shown")
    assert capsys.readouterr().err == "polyorama: warning: 3 rows are not finite: a.ply\n"


def test_the_variable_shows_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(log.LEVEL_VARIABLE, "INFO")
    log.to_stderr()
    logging.getLogger("polyorama.io").info("shown")
    logging.getLogger("polyorama.io").debug("not shown")
    assert capsys.readouterr().err == "polyorama: shown\n"


def test_an_unknown_level_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(log.LEVEL_VARIABLE, "loud")
    assert main(["doctor"]) == 2
    assert "POLYORAMA_LOG is 'loud'" in capsys.readouterr().err


def test_a_tracebacks_text_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    log.to_stderr()
    try:
        raise ValueError("inside")
    except ValueError:
        logging.getLogger("polyorama").exception("A plug-in failed")
    text = capsys.readouterr().err
    assert text.startswith("polyorama: A plug-in failed\n")
    assert "ValueError: inside" in text
