"""Alignment in a process of its own: the same phones, the same refusals, and an end when asked."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import UnavailableError, UsageError
from polyorama.face.rigs.seal import _Area
from polyorama.face.speech import apart
from polyorama.face.speech.align import align, recognise
from polyorama.face.speech.alignment_study import flite
from polyorama.face.speech.apart import phones_apart

TEXT = "We bought a big map."
flite_is_here = pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")


@flite_is_here
def test_phones_are_those_of_this_process():
    pytest.importorskip("pocketsphinx")
    samples, _ = flite(TEXT)
    assert run(phones_apart(samples, TEXT)) == (TEXT, align(samples, TEXT))
    assert run(phones_apart(samples)) == recognise(samples)


def test_what_is_refused_there_is_refused_here():
    pytest.importorskip("pocketsphinx")
    with pytest.raises(UsageError, match="silent"):
        run(phones_apart(np.zeros(16000, np.float32), TEXT))


def test_closing_ends_the_process(monkeypatch):
    started = []
    real = apart.spawned
    monkeypatch.setattr(
        apart, "spawned", lambda *a, **k: started.append(real(*a, **k)) or started[-1]
    )
    job = phones_apart(np.zeros(16000, np.float32))
    next(job)
    assert started[0][0].is_alive()
    job.close()
    assert not started[0][0].is_alive()


def _dies(_connection, _samples, _text):
    raise SystemExit(3)


def test_a_process_that_dies_is_told(monkeypatch):
    monkeypatch.setattr(apart, "_serve", _dies)
    with pytest.raises(UnavailableError, match="ended before"):
        run(phones_apart(np.zeros(16000, np.float32)))


def test_doubles_of_a_place_outside_the_area_are_known_in_it():
    area = _Area(np.array([2, 3]), np.array([0, 1, 0, 3]))
    assert area.of[0] == area.of[2] >= 0
    assert area.of[1] == -1
    assert area.count == 2
