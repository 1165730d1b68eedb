"""SSIM, its gradients, masks: against a plain definition and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from polyorama.errors import UsageError
from polyorama.vision.fit import losses
from polyorama.vision.fit.losses import moments, photometric_loss, psnr, ssim

SIZES = [(1, 1), (7, 40), (33, 29), (70, 13)]


def pair(height, width, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand((height, width, 3), generator=generator, dtype=torch.float64)
    y = torch.rand((height, width, 3), generator=generator, dtype=torch.float64)
    return (0.5 * x + 0.5 * y).requires_grad_(), y


def ssim_by_definition(x, y):
    """One window at a time, weights and all, in NumPy."""
    offsets = np.arange(-5, 6)
    row = np.exp(-(offsets**2) / 4.5)
    window = np.outer(row, row) / row.sum() ** 2
    wide = [np.pad(a, ((5, 5), (5, 5), (0, 0))) for a in (x, y)]
    values = np.empty_like(x)
    for r in range(x.shape[0]):
        for c in range(x.shape[1]):
            a, b = (w[r : r + 11, c : c + 11] for w in wide)
            k = window[..., None]
            ma, mb = (k * a).sum((0, 1)), (k * b).sum((0, 1))
            va, vb = (k * a * a).sum((0, 1)) - ma**2, (k * b * b).sum((0, 1)) - mb**2
            both = (k * a * b).sum((0, 1)) - ma * mb
            values[r, c] = ((2 * ma * mb + 1e-4) * (2 * both + 9e-4)) / (
                (ma**2 + mb**2 + 1e-4) * (va + vb + 9e-4)
            )
    return values.mean()


@pytest.mark.parametrize("size", SIZES)
def test_both_ways_to_ssim_agree_with_the_definition(size):
    x, y = pair(*size)
    expected = ssim_by_definition(x.detach().numpy(), y.numpy())
    for function in (losses._Compiled, losses._Similarity):
        assert float(function.apply(x, y, *moments(y)).detach()) == pytest.approx(expected, 1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_both_gradients_agree_with_finite_differences(size):
    x, y = pair(*size)
    for function in (losses._Compiled, losses._Similarity):
        assert torch.autograd.gradcheck(
            lambda value, function=function: function.apply(value, y, *moments(y)),
            x, eps=1e-6, atol=1e-8, fast_mode=True,
        )  # fmt: skip


def test_gradients_of_gradients_and_changed_pictures_are_refused():
    x, y = pair(20, 20)
    for function in (losses._Compiled, losses._Similarity):
        with pytest.raises(UsageError, match="Gradients of gradients"):
            torch.autograd.grad(function.apply(x, y, *moments(y)), x, create_graph=True)
        value = function.apply(x, y, *moments(y))
        with torch.no_grad():
            x.mul_(0.5)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            value.backward()


def test_equal_pictures_are_alike():
    _, y = pair(20, 20)
    assert float(ssim(y, y)) == pytest.approx(1.0, abs=1e-12)
    assert psnr(y, y) == math.inf


def test_threads_do_not_change_the_sum_of_ssim(monkeypatch):
    x, y = pair(200, 31)
    two = torch.autograd.grad(ssim(x, y), x)[0]
    monkeypatch.setenv("POLYORAMA_CORES", "1")
    one = torch.autograd.grad(ssim(x, y), x)[0]
    assert torch.allclose(one, two, rtol=0, atol=1e-18)


def test_psnr_is_that_of_the_mean_squared_error():
    x = torch.full((4, 4, 3), 0.5)
    assert psnr(x + 0.1, x) == pytest.approx(20.0, abs=1e-4)
    mask = torch.zeros((4, 4), dtype=torch.bool)
    mask[0] = True
    worse = x.clone()
    worse[1:] += 0.4
    assert psnr(worse, x, mask) == math.inf


def test_masked_pixels_get_no_gradient_and_the_rest_what_it_would_have_alone():
    x, y = pair(24, 24)
    mask = torch.zeros((24, 24), dtype=torch.bool)
    mask[:12] = True
    loss = photometric_loss(x, y, ssim_weight=0.0, mask=mask)
    (grad,) = torch.autograd.grad(loss, x)
    assert not grad[12:].any()
    alone = photometric_loss(x[:12], y[:12], ssim_weight=0.0)
    assert float(loss.detach()) == pytest.approx(float(alone.detach()))
    (with_ssim,) = torch.autograd.grad(photometric_loss(x, y, mask=mask), x)
    assert not with_ssim[12:].any()
    assert with_ssim[:12].any()


def test_the_loss_is_the_weighted_sum():
    x, y = pair(16, 20)
    l1 = float((x - y).abs().mean().detach())
    similarity = float(ssim(x, y).detach())
    got = float(photometric_loss(x, y, ssim_weight=0.3).detach())
    assert got == pytest.approx(0.7 * l1 + 0.3 * (1 - similarity))
