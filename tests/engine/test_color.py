"""The sRGB curve: its inverse, known values, precision and ends."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.color import display_from_linear, linear_from_display


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-8)])
def test_the_curves_undo_each_other(dtype, tolerance):
    shades = np.linspace(0, 4, 801, dtype=dtype).reshape(-1, 3)
    light = linear_from_display(shades)
    assert light.dtype == dtype
    assert light.shape == shades.shape
    back = display_from_linear(light)
    assert back.dtype == dtype
    # The two published thresholds differ by 2e-8, so the joint is not exact.
    np.testing.assert_allclose(back, shades, rtol=0, atol=4 * tolerance)


def test_known_values():
    np.testing.assert_allclose(
        linear_from_display([0, 0.04045, 0.5, 1]), [0, 0.0031308, 0.2140411, 1], atol=1e-7
    )
    assert linear_from_display((0.2, 0.4, 0.6)).dtype == np.float32
    assert linear_from_display(0.5).shape == ()


def test_nothing_is_darker_than_black():
    assert np.array_equal(linear_from_display([-1.0, -1e-9]), [0, 0])
    assert np.array_equal(display_from_linear(np.array([-1.0, 0.0])), [0, 0])
