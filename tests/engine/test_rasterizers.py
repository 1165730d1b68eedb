"""The registry of backends."""

from __future__ import annotations

import pytest

from polyorama.errors import UnavailableError
from polyorama.render import cpu
from polyorama.render.rasterizers import Availability, get_rasterizer


def test_where_nothing_can_draw_the_reason_is_told(monkeypatch) -> None:
    monkeypatch.setattr(cpu, "availability", lambda: Availability(False, "Install numba."))
    with pytest.raises(UnavailableError, match=r"No backend can run here. cpu: Install numba\."):
        get_rasterizer("auto")
    with pytest.raises(UnavailableError, match=r"'cpu' cannot run here: Install numba\."):
        get_rasterizer("cpu")
