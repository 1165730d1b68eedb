"""How coarse a moving picture gets."""

from __future__ import annotations

import itertools

import pytest

from polyorama_studio.governor import FULL, Governor, Quality


def cost(quality: Quality, full_ms: float) -> float:
    """A renderer whose time goes with pixels and with splats."""
    return full_ms * quality.scale**2 * quality.share


@pytest.mark.parametrize("full_ms", [5.0, 60.0, 150.0, 900.0])
def test_moving_pictures_come_near_the_target(full_ms: float) -> None:
    governor = Governor(target_ms=42.0)
    governor.learn(FULL, full_ms)
    for _ in range(40):
        quality = governor.moving()
        governor.learn(quality, cost(quality, full_ms))
    took = cost(governor.moving(), full_ms)
    assert took <= 42.0 * 1.3
    assert took >= min(full_ms, 42.0) * 0.6


def test_a_wrong_first_guess_is_corrected() -> None:
    governor = Governor(target_ms=42.0)
    governor.learn(FULL, 4000.0)  # a machine that was busy
    for _ in range(60):
        quality = governor.moving()
        governor.learn(quality, cost(quality, 20.0))
    assert governor.moving().full


def test_pixels_go_before_splats() -> None:
    governor = Governor()
    governor.learn(FULL, 42.0 / 0.5)
    assert governor.moving().share == 1.0
    assert governor.moving().scale < 1.0
    governor.forget()
    governor.learn(FULL, 42.0 / 0.1)
    assert governor.moving().share < 1.0
    assert governor.moving().scale >= 0.5


def test_the_number_of_splats_does_not_swing() -> None:
    governor = Governor()
    governor.learn(FULL, 900.0)
    shares = []
    for step in range(200):
        quality = governor.moving()
        shares.append(quality.share)
        # A machine that is sometimes busy.
        governor.learn(quality, cost(quality, 900.0) * (1.6 if step % 7 == 0 else 1.0))
    settled = shares[40:]
    changes = sum(a != b for a, b in itertools.pairwise(settled))
    assert changes <= 2


def test_quality_in_numbers() -> None:
    assert FULL.full
    assert FULL.limit(1000) is None
    half = Quality(0.5, 0.25)
    assert half.size(1401, 849) == (700, 424)
    assert half.limit(1000) == 250
    assert half.limit(1) == 1


def test_pictures_of_other_qualities_do_not_count() -> None:
    governor = Governor()
    governor.learn(FULL, 200.0)
    before = governor.moving()
    governor.learn(Quality(0.75, 0.125), 1.0)
    assert governor.moving() == before


def test_refining_while_held_only_when_it_is_quick() -> None:
    governor = Governor(target_ms=42.0)
    assert not governor.may_refine_while_held()
    governor.learn(FULL, 80.0)
    assert governor.may_refine_while_held()
    governor.learn(FULL, 800.0)
    assert not governor.may_refine_while_held()
