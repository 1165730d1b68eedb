"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real test files beside the checkout; tests that need it are skipped without."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("POLYORAMA_TEST_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"real test files are not here: {folder}")
    return folder
