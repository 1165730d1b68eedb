"""The gl rasterizer against cpu, and its promises; on Mesa's llvmpipe unless there is a GPU."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.types import Camera
from polyorama.errors import UnavailableError, UsageError
from polyorama.io.formats import read_splats
from polyorama.render.cpu import CpuRasterizer
from polyorama.render.gl import GlRasterizer, availability, is_software
from polyorama.render.gl import rasterizer as module
from polyorama.render.gl.context import open_context
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.state import PRESETS, Gaussians, RenderState
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gl
pytest.importorskip("vispy")

SIZE = (83, 61)
BACKGROUNDS = [(0.0, 0.0, 0.0), None, (0.9, 0.5, 0.2)]


def cloud_of(seed: int, count: int = 400, degree: int = 3) -> SplatCloud:
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4))
    return SplatCloud(
        means=rng.normal(size=(count, 3)),
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=np.exp(rng.normal(-2.5, 0.8, (count, 3))),
        opacities=rng.uniform(0, 1, count) ** 0.5,
        sh=rng.normal(size=(count, (degree + 1) ** 2, 3)) * 0.4,
    )


def view(**options) -> Camera:
    size = options.pop("size", SIZE)
    return Camera.look_at((1.0, -1.5, -3.5), (0.1, 0.0, 0.0), fov=50, size=size, **options)


def both(state, outputs=("rgba8", "color")):
    return GlRasterizer().render(state, outputs), CpuRasterizer().render(state, outputs)


def assert_agrees(frame, other):
    """Within 2/255 on 99.5 % of the pixels, and far closer on the whole."""
    assert frame.backend == "gl"
    away = np.abs(frame.rgba8.astype(int) - other.rgba8).max(axis=-1)
    assert (away <= 2).mean() >= 0.995
    assert (away <= 1).mean() >= 0.99
    assert np.abs(frame.color - other.color).mean() < 1e-4


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("antialiased", [False, True])
def test_a_capture_agrees_with_cpu(background, antialiased, shared_data: Path):
    cloud = read_splats(shared_data / "splats" / "plant.splat")
    camera = Camera.look_at((0, -0.25, 1.5), (0, 0, 0), fov=45, size=(1280, 720))
    constants = replace(PRESETS["gsplat-1.5.3"], antialiased=antialiased)
    state = RenderState(Gaussians(cloud), camera, background, constants)
    frame, other = both(state)
    assert_agrees(frame, other)
    assert other.rgba8.std() > 20
    assert frame.counts["visible"] == other.counts["visible"]


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("degree", [0, 3])
def test_random_scenes_agree_with_cpu(preset, degree):
    state = RenderState(Gaussians(cloud_of(1, degree=degree)), view(), None, PRESETS[preset])
    assert_agrees(*both(state))


def test_other_cameras_agree_with_cpu():
    gaussians = Gaussians(cloud_of(2))
    flat = Camera.orthographic((1, -1.5, -3.5), (0, 0, 0), height_in_world=3.0, size=SIZE)
    odd = replace(view(), fx=90.0, fy=50.0, cx=20.25, cy=45.5)
    for camera in (flat, odd, view(size=(1, 1)), view(size=(257, 3))):
        assert_agrees(*both(RenderState(gaussians, camera, None)))


def test_needles_and_giants_agree_with_cpu():
    cloud = cloud_of(3, count=300)
    scales = cloud.scales.copy()
    scales[:100, 0] *= 300.0
    scales[100:130] *= 400.0
    opacities = cloud.opacities.copy()
    opacities[100:130] = 0.02
    opacities[130:150] = 1.0
    state = RenderState(
        Gaussians(replace(cloud, scales=scales, opacities=opacities)), view(size=(320, 200)), None
    )
    frame, other = both(state)
    assert_agrees(frame, other)
    assert other.counts["visible"] > 250


def test_nothing_that_is_drawn_sees_the_edges_of_quads():
    # One splat alone: every pixel that cpu draws is drawn, and no other.
    for seed in range(12):
        cloud = cloud_of(seed, count=1)
        cloud = replace(cloud, means=np.zeros((1, 3)), opacities=np.ones(1))
        frame, other = both(RenderState(Gaussians(cloud), view(), None), ("color",))
        border = np.abs(other.color[..., 3] - 1 / 255) < 1e-4
        assert np.array_equal(
            (frame.color[..., 3] > 0) | border, (other.color[..., 3] > 0) | border
        )


def test_large_pictures_are_drawn_in_squares(monkeypatch):
    state = RenderState(Gaussians(cloud_of(4)), view(size=(150, 101)), None)
    whole = GlRasterizer().render(state, ("rgba8", "color"))
    painter = module._owner(os.getpid()).submit(lambda painter: painter).result()
    monkeypatch.setattr(painter, "largest", 32)
    parts = GlRasterizer().render(state, ("rgba8", "color"))
    assert np.abs(parts.color - whole.color).max() < 2e-3
    assert np.abs(parts.color - whole.color).mean() < 1e-6
    assert np.abs(parts.rgba8.astype(int) - whole.rgba8).max() <= 1


def test_depth_ids_and_features_are_those_of_cpu():
    rng = np.random.default_rng(0)
    gaussians = Gaussians(cloud_of(5), features=rng.normal(size=(400, 7)))
    state = RenderState(gaussians, view(), (0.3, 0.2, 0.1))
    outputs = ("rgba8", "color", "depth", "features")
    frame, other = both(state, outputs)
    assert_agrees(frame, other)
    for name in ("alpha", "expected_depth", "median_depth", "ids", "features"):
        assert np.array_equal(getattr(frame, name), getattr(other, name)), name
    alone = GlRasterizer().render(state, ("depth",))
    assert alone.rgba8 is None
    assert alone.backend == "gl"
    assert np.array_equal(alone.ids, other.ids)


def test_a_coarse_prefix_agrees_with_cpu():
    state = RenderState(Gaussians(cloud_of(6)), view(), None, limit=120)
    frame, other = both(state)
    assert_agrees(frame, other)
    assert frame.counts["visible"] == other.counts["visible"] <= 120


def test_nothing_to_draw_is_background():
    empty = cloud_of(0).subset(slice(0, 0))
    away = Camera.look_at((0, 0, -50), (0, 0, -90), size=SIZE)
    for background in BACKGROUNDS:
        for cloud, camera in ((empty, view()), (cloud_of(0), away)):
            frame, other = both(RenderState(Gaussians(cloud), camera, background))
            assert np.array_equal(frame.rgba8, other.rgba8)
            assert np.array_equal(frame.color, other.color)


def test_the_same_state_gives_the_same_bytes_and_frames_are_their_own():
    state = RenderState(Gaussians(cloud_of(7)), view())
    first, second = (GlRasterizer().render(state) for _ in range(2))
    assert np.array_equal(first.rgba8, second.rgba8)
    first.rgba8[:] = 7
    assert not np.array_equal(first.rgba8, second.rgba8)


def test_many_threads_share_one_context():
    states = [RenderState(Gaussians(cloud_of(s)), view(size=(60 + s, 50)), None) for s in range(6)]
    expected = [GlRasterizer().render(state).rgba8 for state in states]
    found: dict[int, np.ndarray] = {}

    def draw(i: int) -> None:
        for _ in range(3):
            found[i] = GlRasterizer().render(states[i]).rgba8

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(6):
        assert np.array_equal(found[i], expected[i])


def test_another_user_of_vispy_is_not_disturbed():
    from vispy import gloo
    from vispy.gloo.context import FakeCanvas, get_current_canvas

    canvas = FakeCanvas()
    buffer = gloo.VertexBuffer(np.zeros((3, 2), np.float32))
    canvas.context.glir.associate(buffer.glir)
    waiting = len(canvas.context.glir._shared._commands)
    state = RenderState(Gaussians(cloud_of(8)), view())
    assert_agrees(*both(state))
    assert_agrees(*both(replace(state, camera=view(size=(40, 30)))))
    assert get_current_canvas() is canvas
    assert len(canvas.context.glir._shared._commands) == waiting


def test_availability_names_the_driver_and_auto_passes_software_over():
    state = availability()
    assert state.ok
    assert state.reason
    if not state.hardware:
        assert is_software(state.reason)
        assert get_rasterizer("auto").name != "gl"
    assert get_rasterizer("gl").name == "gl"


@pytest.fixture
def fresh(monkeypatch):
    """A process that has not opened a context yet, as it seems."""
    owner = module._Owner()
    monkeypatch.setattr(module, "_owner", lambda _: owner)
    yield owner
    owner._thread.shutdown()


def test_a_context_that_cannot_be_had_is_told_and_not_tried_again(fresh, monkeypatch):
    tried = []

    def fail():
        tried.append(1)
        raise UnavailableError("OpenGL 3.3 is needed and this driver offers 2.1; get a newer one.")

    monkeypatch.setattr(module, "open_context", fail)
    for _ in range(2):
        state = availability()
        assert (state.ok, state.advice) == (False, "Get a newer one.")
        assert "offers 2.1" in state.reason
    with pytest.raises(UnavailableError, match=r"cannot run here: OpenGL 3\.3"):
        get_rasterizer("gl")
    with pytest.raises(UnavailableError, match=r"offers 2\.1"):
        GlRasterizer().render(RenderState(Gaussians(cloud_of(0)), view()))
    assert tried == [1]


def test_a_driver_that_lacks_a_function_is_told(fresh, monkeypatch):
    class Poor:
        def address(self, name: str) -> None:
            return None

        def close(self) -> None:
            closed.append(1)

    closed: list[int] = []
    monkeypatch.setattr(module, "open_context", Poor)
    state = availability()
    assert not state.ok
    assert "the driver has no glGetString" in state.reason
    assert closed == [1]


def test_a_context_that_is_given_back_is_gone(fresh, monkeypatch):
    """On the real driver: closed where no painter can be made, and the next one draws."""
    opened = []

    def keep():
        opened.append(open_context())
        return opened[-1]

    def fail(_context):
        raise RuntimeError("out of buffers")

    monkeypatch.setattr(module, "open_context", keep)
    with monkeypatch.context() as broken:
        broken.setattr("polyorama.render.gl.painter.Painter", fail)
        assert "out of buffers" in availability().reason
    if hasattr(opened[0], "_egl"):
        current = opened[0]._egl.eglGetCurrentContext
        current.restype = ctypes.c_void_p
        assert fresh._thread.submit(current).result() is None
    other = module._Owner()
    monkeypatch.setattr(module, "_owner", lambda _: other)
    assert availability().ok
    other._thread.shutdown()


def test_a_driver_that_fails_while_drawing_is_told(monkeypatch):
    painter = module._owner(os.getpid()).submit(lambda painter: painter).result()

    def fail(*_: object) -> None:
        raise RuntimeError("OpenGL got errors\n(drawing): GL_OUT_OF_MEMORY")

    monkeypatch.setattr(painter, "draw", fail)
    with pytest.raises(UnavailableError, match=r"driver failed \(OpenGL got errors \(drawing\)"):
        GlRasterizer().render(RenderState(Gaussians(cloud_of(0)), view()))


def test_asking_for_what_is_not_there_is_refused():
    state = RenderState(Gaussians(cloud_of(0)), view())
    with pytest.raises(UsageError, match="Unknown outputs"):
        GlRasterizer().render(state, ("smell",))
    with pytest.raises(UsageError, match="no feature channels"):
        GlRasterizer().render(state, ("features",))


def test_it_needs_no_display_and_ends_cleanly():
    code = (
        "import sys\n"
        "from polyorama.verbs.warm import tiny_scene\n"
        "from polyorama.render.resolve import draw\n"
        "document, camera = tiny_scene()\n"
        "frame = draw(document, camera, backend='gl')\n"
        "print(frame.backend, frame.rgba8[32, 32, :3].any(), 'PySide6' in sys.modules)"
    )
    variables = {n: v for n, v in os.environ.items() if n not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=variables
    )
    assert done.stdout.split() == ["gl", "True", "False"]
    assert done.stderr == ""
