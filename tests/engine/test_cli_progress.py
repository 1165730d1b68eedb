"""The progress bar of the command line."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time

import pytest

from polyorama.cli import progress
from polyorama.cli.stopping import ending_at_once
from polyorama.core.jobs import Progress


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Ascii(Terminal):
    encoding = "ascii"


def job(steps, note="Reading", pause=0.0):
    for i in range(steps):
        yield Progress(i, steps, note)
        time.sleep(pause)
    yield Progress(steps, steps, note)
    return "result"


def test_returns_the_result_and_draws_nothing_without_a_terminal():
    out = io.StringIO()
    assert progress.show(job(5), stream=out) == "result"
    assert out.getvalue() == ""


def test_draws_note_share_and_time_left_and_wipes_the_line(monkeypatch):
    monkeypatch.setattr(progress, "_SILENT_S", 0.0)
    monkeypatch.setattr(progress, "_REDRAW_S", 0.0)
    out = Terminal()
    assert progress.show(job(4, pause=0.06), stream=out) == "result"
    text = out.getvalue()
    assert "Reading" in text
    assert "100%" in text
    assert "left" in text
    assert "━" in text
    assert text.endswith("\r\x1b[2K")


def test_quick_jobs_draw_no_bar():
    out = Terminal()
    progress.show(job(3), stream=out)
    assert out.getvalue() == ""


def test_plain_terminals_get_plain_characters(monkeypatch):
    monkeypatch.setattr(progress, "_SILENT_S", 0.0)
    monkeypatch.setattr(progress, "_REDRAW_S", 0.0)
    out = Ascii()
    progress.show(job(3, note="Lesen…"), stream=out)
    out.getvalue().encode("ascii")
    assert "#" in out.getvalue()


def test_an_error_closes_the_job_and_is_passed_on():
    closed = []

    def failing():
        try:
            yield Progress(0, 1, "Working")
            raise ValueError("broken")
        finally:
            closed.append(True)

    with pytest.raises(ValueError, match="broken"):
        progress.show(failing(), stream=Terminal())
    assert closed == [True]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59.4, "59 s"), (65, "1:05 min"), (7800, "2:10 h")]
)
def test_clock(seconds, text):
    assert progress._clock(seconds) == text


_DEAF = """\
import hashlib
from polyorama.cli.stopping import ending_at_once
with ending_at_once():
    print("deaf", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="other processes cannot be interrupted there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_work_that_hears_no_signal_ends_at_once(number: int) -> None:
    """Ten minutes of work in one call of C; waiting for it would end in the timeout."""
    with subprocess.Popen(
        [sys.executable, "-c", _DEAF], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "deaf\n"
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 128 + number
    assert said == "polyorama: stopped.\n"


def test_who_listened_before_listens_again() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ending_at_once():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.set_wakeup_fd(-1) == -1


def test_programs_are_told_in_lines(monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, "lines")
    out = io.StringIO()
    assert progress.show(job(200), stream=out) == "result"
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert lines[0] == {"done": 0, "total": 200, "note": "Reading"}
    assert lines[-1] == {"done": 200, "total": 200, "note": "Reading"}
    assert len(lines) < 200
