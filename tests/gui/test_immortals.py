"""Python's constants outlive Qt, though PySide6 takes references to them away."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import polyorama_studio
from PySide6.QtCore import QPointF, QTimer

point, timer = QPointF(), QTimer()
timer.objectNameChanged.connect(len)
for _ in range(1_000_000):
    {call}
"""


@pytest.mark.parametrize("call", ["point.setX(1.0)", "timer.objectNameChanged.emit('a')"])
def test_a_million_calls_into_qt_leave_the_constants_alive(call: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
