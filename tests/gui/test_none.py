"""None outlives Qt, though PySide6 takes its references away where Python counts them."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import polyorama_studio
from PySide6.QtCore import QPointF

point = QPointF()
for _ in range(1_000_000):
    point.setX(1.0)
"""


def test_a_million_calls_into_qt_leave_none_alive() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
