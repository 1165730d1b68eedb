"""Gradients of the cpu rasterizer against finite differences in float64 and a torch reference."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from polyorama.core import memory
from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.render.cpu import CpuRasterizer
from polyorama.render.differentiable import rasterize
from polyorama.render.state import Constants, Gaussians, RenderState
from polyorama.scene.splats import SplatCloud
from tests.engine.torch_reference import rasterize_reference

SIZE = (37, 45)
NAMES = ("means", "quats", "scales", "opacities", "sh", "features", "viewmat", "background")


class Scene:
    """Random splats, a camera, and a random linear loss over every picture."""

    def __init__(
        self, seed, *, count=60, degree=3, channels=3, opacity=(0.02, 0.9999), kind="pinhole",
        dtype=torch.float64, inside=False, antialiased=False,
    ):  # fmt: skip
        rng = np.random.default_rng(seed)
        eye, fov = ((0.0, 0.0, -0.3), 80) if inside else ((1.0, -1.5, -3.5), 50)
        if kind == "pinhole":
            camera = Camera.look_at(eye, (0.1, 0, 0), fov=fov, size=SIZE)
        else:
            camera = Camera.orthographic(eye, (0.1, 0, 0), height_in_world=4.0, size=SIZE)
        self.camera = camera
        self.constants = Constants(antialiased=antialiased, near=0.05)
        bands = (degree + 1) ** 2
        values = {
            "means": rng.normal(size=(count, 3)) * 0.8,
            "quats": rng.normal(size=(count, 4)),
            "scales": np.exp(rng.normal(-1.5, 0.6, (count, 3))),
            "opacities": rng.uniform(*opacity, count),
            "sh": rng.normal(size=(count, bands, 3)) * 0.4,
            "features": rng.normal(size=(count, channels)),
            "viewmat": camera.viewmat,
            "background": np.array([0.3, 0.6, 0.1]),
        }
        self.values = {
            name: torch.tensor(value, dtype=dtype, requires_grad=True)
            for name, value in values.items()
        }
        height, width = SIZE[1], SIZE[0]
        shapes = [(height, width, 3), (height, width), (height, width), (height, width, channels)]
        self.weights = [torch.tensor(rng.normal(size=shape), dtype=dtype) for shape in shapes]

    def draw(self, render=rasterize, **changed):
        v = {**self.values, **changed}
        arguments = [v[n] for n in ("means", "quats", "scales", "opacities", "sh", "viewmat")]
        features = v["features"] if v["features"].shape[1] else None
        return render(
            *arguments, self.camera.lens, features=features, background=v["background"],
            constants=self.constants,
        )  # fmt: skip

    def loss(self, render=rasterize, **changed):
        drawn = self.draw(render, **changed)
        planes = (drawn.color, drawn.alpha, drawn.depth, drawn.features)
        pairs = [(w, p) for w, p in zip(self.weights, planes, strict=True) if p is not None]
        return sum((w * p).sum() for w, p in pairs)

    def gradients(self, render=rasterize):
        names = [n for n in NAMES if self.values[n].numel()]
        grads = torch.autograd.grad(self.loss(render), [self.values[n] for n in names])
        return dict(zip(names, grads, strict=True))


SCENES = {
    "plain": {"seed": 0},
    "antialiased": {"seed": 1, "antialiased": True},
    "orthographic": {"seed": 2, "kind": "orthographic", "degree": 2},
    "inside, Jacobian held": {"seed": 3, "inside": True, "degree": 1, "count": 30, "channels": 1},
    "saturated, alpha capped": {"seed": 4, "count": 300, "opacity": (0.95, 1.0)},
    "flat colours, no features": {"seed": 5, "degree": 0, "channels": 0},
}


@pytest.mark.parametrize("options", SCENES.values(), ids=SCENES)
def test_gradients_agree_with_finite_differences(options):
    """To 1e-6 of the gradient's size, along random directions of every input.

    The picture is discontinuous where alpha crosses 1/255 or transmittance 1e-4; of three steps,
    the best is taken, since a step that crosses says nothing about the derivative.
    """
    scene = Scene(**options)
    grads = scene.gradients()
    generator = torch.Generator().manual_seed(99)
    for name, grad in grads.items():
        value = scene.values[name].detach()
        for _ in range(6):
            direction = torch.randn(value.shape, generator=generator, dtype=torch.float64)
            if name == "viewmat":
                direction[3] = 0
            direction /= direction.norm()
            expected = (grad * direction).sum()
            errors = []
            for step in (1e-5, 1e-6, 1e-7):
                with torch.no_grad():
                    ahead = scene.loss(**{name: value + step * direction})
                    behind = scene.loss(**{name: value - step * direction})
                errors.append(abs((ahead - behind) / (2 * step) - expected) / grad.norm())
            assert min(errors) < 1e-6, name


def test_the_saturated_scene_meets_early_stop_and_the_cap():
    scene = Scene(**SCENES["saturated, alpha capped"])
    alpha = scene.draw().alpha
    assert (alpha > 1 - 1e-2).double().mean() > 0.5
    assert (scene.values["opacities"] > scene.constants.alpha_cap).any()


@pytest.mark.parametrize("options", SCENES.values(), ids=SCENES)
def test_pictures_and_gradients_agree_with_plain_torch(options):
    scene = Scene(**{**options, "count": min(options.get("count", 60), 120)})
    ours, theirs = scene.draw(), scene.draw(rasterize_reference)
    assert torch.allclose(ours.color, theirs.color, atol=1e-10)
    assert torch.allclose(ours.alpha, theirs.alpha, atol=1e-10)
    assert torch.allclose(ours.depth, theirs.depth, atol=1e-9)
    expected = scene.gradients(rasterize_reference)
    for name, grad in scene.gradients().items():
        assert torch.allclose(grad, expected[name], rtol=1e-7, atol=1e-7), name


def test_float32_gradients_are_close_to_float64():
    for options in SCENES.values():
        exact, single = Scene(**options).gradients(), Scene(**options, dtype=torch.float32)
        for name, grad in single.gradients().items():
            error = (grad.double() - exact[name]).norm() / exact[name].norm()
            assert error < 2e-3, name


def test_screen_receives_the_gradient_of_the_projected_means():
    scene = Scene(0)
    screen = torch.zeros((60, 2), dtype=torch.float64, requires_grad=True)
    v = scene.values
    drawn = rasterize(
        *(v[n] for n in ("means", "quats", "scales", "opacities", "sh", "viewmat")),
        scene.camera.lens, screen=screen,
    )  # fmt: skip
    (drawn.color * scene.weights[0]).sum().backward()
    assert screen.grad[drawn.visible].norm() > 0
    unseen = torch.ones(60, dtype=torch.bool)
    unseen[drawn.visible] = False
    assert not screen.grad[unseen].any()


def test_the_picture_is_that_of_the_rasterizer():
    scene = Scene(6, dtype=torch.float32)
    v = {n: t.detach().numpy() for n, t in scene.values.items()}
    cloud = SplatCloud(v["means"], v["quats"], v["scales"], v["opacities"], v["sh"])
    state = RenderState(
        Gaussians(cloud), scene.camera, tuple(map(float, v["background"])), scene.constants
    )
    frame = CpuRasterizer().render(state, {"color"})
    assert np.abs(frame.color[..., :3] - scene.draw().color.detach().numpy()).max() < 1e-6


def test_threads_do_not_change_gradients(monkeypatch):
    scene = Scene(7, count=3000, dtype=torch.float32)
    two = scene.gradients()
    monkeypatch.setenv("POLYORAMA_CORES", "1")
    one = scene.gradients()
    for name in two:
        assert torch.equal(one[name], two[name]), name


def test_nothing_to_see():
    scene = Scene(8)
    away = scene.values["means"].detach() + torch.tensor([0.0, 0.0, -100.0], dtype=torch.float64)
    loss = scene.loss(means=away.requires_grad_())
    loss.backward()
    assert not away.grad.any()


def test_wrong_tensors_are_told():
    scene = Scene(9)
    with pytest.raises(UsageError, match="quats has shape"):
        scene.loss(quats=scene.values["quats"][:5])
    with pytest.raises(UsageError, match="float32"):
        scene.loss(scales=scene.values["scales"].float())
    with pytest.raises(UsageError, match="SH coefficients"):
        scene.loss(sh=scene.values["sh"][:, :5])
    with pytest.raises(UsageError, match=r"background has shape \(2,\); expected \(3,\)"):
        scene.loss(background=torch.zeros(2, dtype=torch.float64))
    with pytest.raises(UsageError, match="background is torch"):
        scene.loss(background=torch.zeros(3))
    v = [scene.values[n] for n in ("means", "quats", "scales", "opacities", "sh", "viewmat")]
    with pytest.raises(UsageError, match=r"screen has shape \(59, 2\); expected \(60, 2\)"):
        rasterize(*v, scene.camera.lens, screen=torch.zeros((59, 2), dtype=torch.float64))


@pytest.mark.parametrize("changed", ["means", "opacities", "features", "color", "alpha"])
def test_a_tensor_changed_between_the_passes_is_told(changed):
    """What gradients are made of shares memory with it: silence would mean wrong gradients."""
    scene = Scene(10)
    drawn = scene.draw()
    loss = (drawn.color**2).sum() + drawn.alpha.sum() + drawn.features.sum()
    with torch.no_grad():
        {**scene.values, **drawn._asdict()}[changed].mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_gradients_of_gradients_are_refused():
    scene = Scene(11)
    means = scene.values["means"]
    with pytest.raises(UsageError, match="Gradients of gradients"):
        torch.autograd.grad(scene.loss(), means, create_graph=True)


def test_gradients_that_memory_cannot_hold_are_refused_before_it_is_taken(monkeypatch):
    scene = Scene(12)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(UsageError, match=r"not enough memory.*60 splats on a picture of 37x45"):
        scene.draw()
