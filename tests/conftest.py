"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest


def shared_folder() -> Path:
    """Where real test files lie, if they are here."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("POLYORAMA_TEST_DATA", default))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real test files beside the checkout; tests that need it are skipped without."""
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"real test files are not here: {folder}")
    return folder


def pytest_configure() -> None:
    """Hear Ctrl-C even where the suite runs in the background, whose shell has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
