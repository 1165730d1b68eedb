"""The branch that sees pictures: AV-HuBERT's layers, and a training that looks at frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.face.ecoface.examples import read_examples, write_examples
from polyorama.face.ecoface.frames import FrameEncoder, frames_in_units
from polyorama.face.ecoface.generate import EcoFace
from polyorama.face.ecoface.stages import TrainSettings
from polyorama.face.ecoface.training import train
from polyorama.face.ecoface.weights import load_weights, save_weights
from polyorama.scene.faces.performance import Performance
from tests.engine.ecoface_samples import SMALL, small_set


def test_layers_are_the_published_ones() -> None:
    net = FrameEncoder(1024)
    first, _, act, pool = net.front
    assert first.weight.shape == (64, 1, 5, 7, 7)
    assert first.stride == (1, 2, 2)
    assert isinstance(act, torch.nn.PReLU)
    assert pool.stride == (1, 2, 2)
    assert [block.conv2.weight.shape[0] for block in net.trunk] == [
        64, 64, 128, 128, 256, 256, 512, 512,
    ]  # fmt: skip
    assert net.last.weight.shape == (1024, 512)
    # A ResNet-18's trunk has 11.2 million weights, all but its first layer and its classes.
    trunk = sum(p.numel() for p in net.trunk.parameters())
    assert 11.1e6 < trunk < 11.3e6
    x = torch.zeros(1, 1, 3, 128, 128)
    with torch.no_grad():
        assert net.front(x).shape == (1, 64, 3, 32, 32)
        assert net.eval()(x).shape == (1, 3, 1024)


def test_frames_are_in_units_of_their_spread() -> None:
    frames = np.full((2, 128, 128), 255, np.uint8)
    frames[1] = 0
    units = frames_in_units(frames)
    assert units.shape == (1, 2, 128, 128)
    assert units[0, 0].mean().item() == pytest.approx((1.0 - 0.49863) / 0.19283, rel=1e-5)
    assert units[0, 1].mean().item() == pytest.approx(-0.49863 / 0.19283, rel=1e-5)
    for wrong in (np.zeros((2, 64, 64), np.uint8), np.zeros((2, 128, 128), np.float32)):
        with pytest.raises(UsageError, match="128"):
            frames_in_units(wrong)


def test_a_model_learns_from_frames_and_sees_them(tmp_path) -> None:
    data = small_set(1, least=12)
    rng = np.random.default_rng(0)
    seen = tuple(
        replace(e, frames=rng.integers(0, 256, (len(e.motion), 128, 128)).astype(np.uint8))
        for e in data.examples
    )
    pictured = replace(data, examples=seen)
    write_examples(pictured, tmp_path / "clips")
    again = read_examples(tmp_path / "clips")
    assert again.fingerprint() == pictured.fingerprint() != data.fingerprint()
    settings = TrainSettings(
        emotion_steps=1, sync_steps=1, motion_steps=1, batch=2, rows=12, warm_up=0
    )
    config = replace(SMALL, video="frames")
    weights = run(train(again, config, tmp_path / "state", settings))
    save_weights(weights, tmp_path / "model")
    model = EcoFace(load_weights(tmp_path / "model"))
    found = model.emotion_of_frames(seen[0].frames[:7])
    assert found.shape == (7, SMALL.emotion)
    assert np.isfinite(found).all()
    with pytest.raises(UsageError, match="pictures"):
        model.emotion_of_motion(Performance(np.zeros((5, 55), np.float32)))
    with pytest.raises(UsageError, match="no frames"):
        run(train(data, config, tmp_path / "other", settings))


def test_frames_have_a_row_a_row_of_motion() -> None:
    example = small_set(1).examples[0]
    with pytest.raises(UsageError, match="frames"):
        replace(example, frames=np.zeros((3, 128, 128), np.uint8))


def test_a_model_of_motion_says_that_it_sees_no_pictures() -> None:
    from tests.engine.ecoface_samples import small_weights

    with pytest.raises(UsageError, match="motion"):
        EcoFace(small_weights()).emotion_of_frames(np.zeros((3, 128, 128), np.uint8))


def test_flame_is_trained_as_arkit_is(tmp_path) -> None:
    data = small_set(4)
    flame = tuple(
        replace(e, motion=np.random.default_rng(n).normal(size=(len(e.motion), 53)).astype("f4"))
        for n, e in enumerate(data.examples)
    )
    settings = TrainSettings(
        emotion_steps=1, sync_steps=1, motion_steps=2, batch=2, rows=12, warm_up=0
    )
    weights = run(train(
        replace(data, examples=flame, target="flame"), replace(SMALL, target="flame"),
        tmp_path / "state", settings,
    ))  # fmt: skip
    content = np.asarray(data.examples[0].content, np.float32)
    assert EcoFace(weights).generate(content, weights.prototypes[0]).shape[1] == 53
