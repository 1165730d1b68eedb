"""The registry of backends, what they say where they cannot run, and cuda with a stand-in."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import types
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest

from polyorama.core.types import Camera
from polyorama.errors import UnavailableError, UsageError
from polyorama.render import rasterizers
from polyorama.render.accumulate import Shot
from polyorama.render.cpu import CpuRasterizer
from polyorama.render.cuda import probe
from polyorama.render.gl import context, is_software
from polyorama.render.panorama import Projection
from polyorama.render.rasterizers import Availability, available_backends, get_rasterizer
from polyorama.render.shoot import Filming, drawing, finished, shoot
from polyorama.render.state import PRESETS, Gaussians, RenderState
from polyorama.scene.document import Document
from polyorama.scene.placement import matrix_of
from polyorama.scene.splats import SplatCloud
from polyorama.scene.stack import HIDDEN, SELECTED


def backend(name, monkeypatch, state, promising=None):
    """A module of that name whose rasterizer is its own name; counts how often it was asked."""
    module = types.ModuleType(f"fake_{name}")
    module.asked = 0

    def availability():
        module.asked += 1
        return state

    module.availability = availability
    module.create = lambda: types.SimpleNamespace(name=name)
    if promising is not None:
        module.promising = lambda: promising
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.fixture
def backends(monkeypatch):
    """Replace the registry by fakes: name -> (availability, promising)."""

    def use(**given):
        modules = {n: backend(n, monkeypatch, *state) for n, state in given.items()}
        monkeypatch.setattr(rasterizers, "_BACKENDS", {n: m.__name__ for n, m in modules.items()})
        return modules

    return use


HERE, AWAY = Availability(True), Availability.missing("It is not here; fetch it")


@pytest.mark.parametrize(
    ("cuda", "gl", "chosen"),
    [
        ((HERE, True), (HERE, True), "cuda"),
        ((AWAY, True), (HERE, True), "gl"),
        ((HERE, False), (HERE, True), "gl"),
        ((AWAY, True), (Availability(True, "llvmpipe", hardware=False), True), "cpu"),
        ((AWAY, True), (HERE, False), "cpu"),
        ((AWAY, False), (AWAY, False), "cpu"),
    ],
)
def test_auto_takes_the_best_that_draws_on_hardware(cuda, gl, chosen, backends, caplog):
    modules = backends(cuda=cuda, gl=gl, cpu=(HERE, None))
    with caplog.at_level(logging.INFO, "polyorama"):
        assert get_rasterizer("auto").name == chosen
    assert f"Drawing with {chosen}" in caplog.text
    for module, (_, promising) in zip((modules["cuda"], modules["gl"]), (cuda, gl), strict=True):
        if not promising:
            assert module.asked == 0, "auto may not spend time where there is no GPU"


def test_auto_goes_on_aloud_where_a_backend_cannot_be_made(backends, caplog):
    modules = backends(cuda=(HERE, True), cpu=(HERE, None))

    def fail():
        raise UnavailableError("The kernels could not be compiled.")

    modules["cuda"].create = fail
    assert get_rasterizer("auto").name == "cpu"
    assert "cuda is passed over: The kernels could not be compiled." in caplog.text
    with pytest.raises(UnavailableError, match="could not be compiled"):
        get_rasterizer("cuda")


def test_a_named_backend_is_asked_alone(backends):
    modules = backends(cuda=(AWAY, True), gl=(HERE, False), cpu=(HERE, None))
    assert get_rasterizer("gl").name == "gl"
    assert modules["cuda"].asked == modules["cpu"].asked == 0
    with pytest.raises(UnavailableError, match=r"'cuda' cannot run here: It is not here\. Fetch"):
        get_rasterizer("cuda")
    with pytest.raises(UsageError, match="choose auto, cuda, gl, cpu"):
        get_rasterizer("metal")


def test_nothing_that_draws_is_told(backends):
    backends(cuda=(AWAY, True), cpu=(Availability(False, "Broken"), None))
    with pytest.raises(UnavailableError, match=r"cuda: It is not here; cpu: Broken"):
        get_rasterizer("auto")


def test_availability_in_words():
    assert str(Availability.missing("a; b.")) == "a. B."
    assert str(Availability.missing("a.")) == "a."
    assert Availability.missing("a; b") == Availability(False, "a", "B.")


def test_every_backend_here_draws_or_says_why_not():
    states = available_backends()
    assert list(states) == ["cuda", "gl", "cpu"]
    assert states["cpu"].ok
    for state in states.values():
        assert state.ok or (state.reason and state.advice)


def test_auto_loads_no_driver_where_there_is_no_gpu():
    code = (
        "import sys, json\n"
        "from polyorama.render import cuda, gl\n"
        "cuda.promising = gl.promising = lambda: False\n"
        "from polyorama.render.rasterizers import get_rasterizer\n"
        "name = get_rasterizer('auto').name\n"
        "print(json.dumps([name, [m for m in ('torch', 'vispy', 'gsplat') if m in sys.modules]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["cpu", []]


@pytest.mark.parametrize(
    ("renderer", "software"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", True),
        ("softpipe", True),
        ("Google SwiftShader", True),
        ("GDI Generic", True),
        ("Apple Software Renderer", True),
        ("NVIDIA GeForce RTX 4090/PCIe/SSE2", False),
        ("AMD Radeon RX 7900 XTX (radeonsi, navi31, LLVM 17.0.6, DRM 3.57)", False),
        ("Mesa Intel(R) Arc(tm) A770 Graphics (DG2)", False),
        ("Apple M2", False),
    ],
)
def test_software_drivers_are_known(renderer, software):
    assert is_software(renderer) is software


def test_missing_egl_is_told(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(context.c, "CDLL", missing)
    with pytest.raises(UnavailableError, match=r"EGL is missing.*apt install"):
        context.EglContext()


def test_the_check_on_gpus_says_where_there_is_none():
    if available_backends()["cuda"].ok:
        pytest.skip("there is a GPU: run tests/gpu/check.py by hand")
    check = Path(__file__).resolve().parents[1] / "gpu" / "check.py"
    done = subprocess.run([sys.executable, str(check)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout.startswith("The cuda rasterizer cannot run here: ")
    assert done.stderr == ""


# What cuda says where it cannot run.


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with all that gsplat needs; keywords take things away."""

    def build(
        driver=True, packages=("torch", "gsplat"), version="2.9.0", cuda="12.8", gpu=True,
        init="", prebuilt=True, nvcc=None, gsplat="1.5.3",
    ):  # fmt: skip
        probe.availability.cache_clear()
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(probe, "promising", lambda: driver)
        folder = tmp_path / "gsplat"
        folder.mkdir(exist_ok=True)
        if prebuilt:
            (folder / "csrc.cpython-311-x86_64-linux-gnu.so").touch()
        spec = types.SimpleNamespace(submodule_search_locations=[str(folder)])
        monkeypatch.setattr(
            probe.importlib.util, "find_spec", lambda name: spec if name in packages else None
        )
        versions = {"torch": version, "gsplat": gsplat}

        def told(name):
            if versions.get(name) is None:
                raise PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(probe.importlib.metadata, "version", told)
        monkeypatch.setattr(probe, "_nvcc", lambda: nvcc)
        monkeypatch.setattr(probe, "build_log", lambda: tmp_path / "gsplat-build.log")

        def start():
            raise RuntimeError(f"{init}\nand more lines")

        torch = types.ModuleType("torch")
        torch.__version__ = version
        torch.version = types.SimpleNamespace(cuda=cuda)
        torch.cuda = types.SimpleNamespace(
            is_available=lambda: gpu, init=start, get_device_name=lambda: "Fake 4090"
        )
        monkeypatch.setitem(sys.modules, "torch", torch)
        return probe.availability()

    yield build
    probe.availability.cache_clear()
    probe._gsplat.cache_clear()


def test_cuda_draws_where_all_is_there(machine):
    assert machine() == Availability(True, "Fake 4090")
    assert machine(prebuilt=False, nvcc="/cuda/bin/nvcc").ok
    assert machine(gsplat="1.5.3+pt24cu124").ok
    assert machine(gsplat="1.5.12").ok


@pytest.mark.parametrize(
    ("missing", "reason", "advice"),
    [
        ({"driver": False}, "no NVIDIA driver", "install its driver"),
        ({"packages": ()}, "PyTorch is missing", r"polyorama\[cuda\]"),
        ({"packages": ("torch",)}, "gsplat is missing", r"polyorama\[cuda\]"),
        ({"gsplat": "1.5.2"}, r"gsplat 1\.5\.2 was found", r"'gsplat>=1\.5\.3,<1\.6'"),
        ({"gsplat": "1.6.0"}, r"gsplat 1\.6\.0 was found", r"'gsplat>=1\.5\.3,<1\.6'"),
        ({"gsplat": "1.4.0+pt24cu124"}, r"gsplat 1\.4\.0\+pt24cu124", "pip install"),
        ({"gsplat": None}, "version that it does not tell", "pip install"),
        ({"version": "2.9.0+cpu"}, r"2\.9\.0\+cpu.*processor alone", "pytorch.org"),
        ({"cuda": None}, "without CUDA", "pytorch.org"),
        ({"gpu": False, "init": "The driver is too old."}, "The driver is too old", "newer driver"),
    ],
)
def test_cuda_says_what_is_missing(missing, reason, advice, machine):
    import re

    state = machine(**missing)
    assert not state.ok
    assert re.search(reason, state.reason)
    assert re.search(advice, state.advice)


def test_cuda_without_kernels_needs_a_compiler(machine, tmp_path):
    state = machine(prebuilt=False)
    assert not state.ok
    assert "no compiled kernels" in state.reason
    assert "CUDA toolkit 12.8" in state.advice


def test_a_failed_build_is_remembered_by_its_log(machine, monkeypatch, tmp_path):
    assert machine(prebuilt=False, nvcc="/cuda/bin/nvcc").ok

    loads = []

    def fail(name):
        loads.append(name)
        try:
            raise subprocess.CalledProcessError(1, ["ninja", "-v"])
        except subprocess.CalledProcessError as error:
            raise RuntimeError("nvcc: error: no such architecture") from error

    monkeypatch.setattr(probe.importlib, "import_module", fail)
    monkeypatch.setattr(probe, "_compiled_before", lambda: True)
    path = tmp_path / "gsplat-build.log"
    with pytest.raises(UnavailableError, match=r"could not be compiled.*gsplat-build\.log"):
        probe.load_gsplat()
    assert "no such architecture" in path.read_text("utf-8")
    state = machine(prebuilt=False, nvcc="/cuda/bin/nvcc")
    assert not state.ok
    assert str(path) in state.advice
    with pytest.raises(UnavailableError, match=r"Delete the compiler's log"):
        probe.load_gsplat()
    assert loads == ["gsplat"], "minutes of compiling may not be spent again"
    # Another compiler is another chance.
    assert machine(prebuilt=False, nvcc="/newer/bin/nvcc").ok


def test_what_is_no_failed_build_is_not_remembered_as_one(machine, monkeypatch, tmp_path):
    machine()

    def fail(name):
        raise ImportError("No module named 'jaxtyping'")

    monkeypatch.setattr(probe.importlib, "import_module", fail)
    with pytest.raises(UnavailableError, match=r"cannot be loaded \(ImportError: No module named"):
        probe.load_gsplat()
    assert not (tmp_path / "gsplat-build.log").exists()
    assert machine().ok


@pytest.mark.parametrize("packages", [(), ("torch",)])
def test_loading_what_is_missing_says_what(packages, machine):
    machine(packages=packages)
    with pytest.raises(UnavailableError, match=r"is missing\. Install what NVIDIA GPUs need"):
        probe.load_gsplat()


def test_compiling_is_announced_and_keeps_off_stdout(machine, monkeypatch, caplog, capsys):
    machine(prebuilt=False, nvcc="/cuda/bin/nvcc")

    def load(name):
        print("gsplat: Setting up CUDA")  # noqa: T201
        return types.SimpleNamespace(_C=object())

    monkeypatch.setattr(probe.importlib, "import_module", load)
    monkeypatch.setattr(probe, "_compiled_before", lambda: False)
    probe.load_gsplat()
    assert "takes some minutes" in caplog.text
    assert capsys.readouterr().out == ""


def test_gsplat_without_a_toolkit_is_told(machine, monkeypatch):
    machine()
    monkeypatch.setattr(
        probe.importlib, "import_module", lambda name: types.SimpleNamespace(_C=None)
    )
    with pytest.raises(UnavailableError, match="CUDA toolkit"):
        probe.load_gsplat()


def test_promising_looks_at_device_nodes_alone(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Path, "exists", lambda self: False)
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter([self / "nvidia0"]))
    assert probe.promising()
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter([]))
    assert not probe.promising()


# The pipeline of cuda, with gsplat played by plain torch.


def scene(seed=3, count=60, degree=2, features=None):
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4))
    cloud = SplatCloud(
        means=rng.normal(size=(count, 3)) * 0.6,
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=np.exp(rng.normal(-2.0, 0.6, (count, 3))),
        opacities=rng.uniform(0, 1, count) ** 0.5,
        sh=rng.normal(size=(count, (degree + 1) ** 2, 3)) * 0.4,
    )
    channels = None if features is None else rng.normal(size=(count, features))
    return Gaussians(cloud, features=channels)


SIZE = (41, 35)


def camera(kind="pinhole"):
    if kind == "orthographic":
        return Camera.orthographic((1, -1.5, -3.5), (0, 0, 0), height_in_world=3.0, size=SIZE)
    return Camera.look_at((1, -1.5, -3.5), (0, 0, 0), fov=45, size=SIZE)


@pytest.fixture
def cuda(monkeypatch):
    """The cuda rasterizer on the CPU, with gsplat played by plain torch."""
    pytest.importorskip("torch")
    from polyorama.render import cuda_differentiable
    from polyorama.render.cuda import CudaRasterizer, pipeline
    from polyorama.render.cuda import rasterizer as module
    from tests.engine import fake_gsplat

    for place in (module, cuda_differentiable):
        monkeypatch.setattr(place, "load_gsplat", lambda: fake_gsplat)
    monkeypatch.setattr(pipeline, "_free_bytes", lambda device: 2**30)
    return lambda packed: CudaRasterizer(packed=packed, device="cpu")


def assert_same(frame, other):
    assert (np.abs(frame.rgba8.astype(int) - other.rgba8) <= 1).all()
    assert np.allclose(frame.color, other.color, atol=2e-5)
    assert np.allclose(frame.alpha, other.alpha, atol=2e-5)
    assert np.allclose(frame.expected_depth, other.expected_depth, atol=2e-3)
    same = frame.ids == other.ids
    assert same.mean() > 0.995
    assert (other.ids >= 0).mean() > 0.2
    assert np.allclose(frame.median_depth[same], other.median_depth[same], atol=1e-5)
    if other.features is not None:
        assert np.allclose(frame.features, other.features, atol=2e-5)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["pinhole", "orthographic"])
@pytest.mark.parametrize("antialiased", [False, True])
def test_cuda_puts_gsplat_together_as_cpu_draws(packed, kind, antialiased, cuda):
    constants = replace(PRESETS["gsplat-1.5.3"], antialiased=antialiased)
    state = RenderState(scene(features=5), camera(kind), (0.1, 0.6, 0.3), constants)
    outputs = ("rgba8", "color", "depth", "features")
    frame = cuda(packed).render(state, outputs)
    assert frame.backend == "cuda"
    assert_same(frame, CpuRasterizer().render(state, outputs))


def test_cuda_transparent_and_coarse(cuda):
    state = RenderState(scene(), camera(), None, limit=25)
    rasterizer = cuda(None)
    outputs = ("rgba8", "color", "depth")
    assert_same(rasterizer.render(state, outputs), CpuRasterizer().render(state, outputs))
    few = [rasterizer.render(replace(state, limit=n), ("color",)) for n in (5, 10, 15, 25)]
    assert len(state.gaussians.cache["cuda"]) <= 4
    assert few[0].rgba8 is None
    assert np.allclose(few[-1].color, rasterizer.render(state, ("color",)).color)


def test_cuda_finds_medians_behind_many_faint_splats(cuda, monkeypatch):
    # More splats in a tile than one batch holds, so that the search has to go on.
    rng = np.random.default_rng(0)
    count = 700
    cloud = SplatCloud(
        means=np.column_stack([rng.normal(0, 0.05, (count, 2)), np.linspace(0, 2, count)]),
        quats=np.tile([1.0, 0, 0, 0], (count, 1)), scales=np.full((count, 3), 0.1),
        opacities=np.full(count, 0.006), sh=rng.normal(size=(count, 1, 3)),
    )  # fmt: skip
    view = Camera.look_at((0, 0, -3), (0, 0, 0), fov=30, size=(20, 18))
    state = RenderState(Gaussians(cloud), view)
    outputs = ("depth",)
    frame, other = cuda(False).render(state, outputs), CpuRasterizer().render(state, outputs)
    assert other.ids.max() > 300
    assert (frame.ids == other.ids).mean() > 0.97
    assert (np.abs(frame.ids - other.ids) <= 2).all()


@pytest.mark.parametrize("packed", [False, True])
def test_cuda_searches_medians_in_bands_that_fit_into_memory(packed, cuda, monkeypatch):
    from polyorama.render.cuda import pipeline
    from tests.engine import fake_gsplat

    view = Camera.look_at((1, -1.5, -3.5), (0, 0, 0), fov=45, size=(35, 90))
    state = RenderState(scene(count=80), view)
    whole = CpuRasterizer().render(state, ("depth",))
    calls = []
    search = fake_gsplat.rasterize_to_indices_in_range

    def counted(first, last, through, *rest):
        result = search(first, last, through, *rest)
        calls.append((through.shape[1], len(result[0])))
        return result

    monkeypatch.setattr(fake_gsplat, "rasterize_to_indices_in_range", counted)
    heights = {}
    for pairs in (1, 80_000, 10**9):
        monkeypatch.setattr(
            pipeline, "_free_bytes", lambda device, n=pairs: 2 * n * pipeline._PAIR_BYTES
        )
        calls.clear()
        frame = cuda(packed).render(state, ("depth",))
        assert (frame.ids == whole.ids).mean() > 0.995
        same = frame.ids == whole.ids
        assert np.allclose(frame.median_depth[same], whole.median_depth[same], atol=1e-5)
        heights[pairs] = [height for height, _ in calls]
        assert sum(heights[pairs]) == 90
        if pairs > 1:
            assert max(count for _, count in calls) <= pairs
    assert heights[1] == [16] * 5 + [10]
    assert 1 < len(heights[80_000]) < 6
    assert heights[10**9] == [90]


def test_free_memory_of_a_gpu_counts_what_pytorch_keeps(monkeypatch):
    torch = pytest.importorskip("torch")
    from polyorama.render.cuda import pipeline

    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1000, 9000))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 500)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 200)
    assert pipeline._free_bytes(torch.device("cuda")) == 1300


def test_cuda_draws_nothing_where_nothing_is(cuda):
    empty = scene().cloud.subset(slice(0, 0))
    away = Camera.look_at((0, 0, -50), (0, 0, -90), size=SIZE)
    outputs = ("rgba8", "color", "depth")
    for background in ((0.2, 0.4, 1.0), None):
        for state in (
            RenderState(Gaussians(empty), camera(), background),
            RenderState(scene(), away, background),
        ):
            frame, other = (
                cuda(False).render(state, outputs),
                CpuRasterizer().render(state, outputs),
            )
            for name in ("rgba8", "color", "alpha", "expected_depth", "median_depth", "ids"):
                assert np.array_equal(getattr(frame, name), getattr(other, name)), name


def test_cuda_leaves_out_splats_that_are_not_numbers(cuda):
    good = scene()
    bad = {name: getattr(good.cloud, name).copy() for name in ("means", "quats", "scales", "sh")}
    bad["means"][3] = np.nan
    bad["quats"][7] = 0.0
    bad["scales"][9, 1] = np.inf
    bad["sh"][11, 0, 0] = np.nan
    kept = np.setdiff1d(np.arange(60), [3, 7, 9, 11])
    state = RenderState(Gaussians(replace(good.cloud, **bad)), camera())
    clean = RenderState(Gaussians(good.cloud.subset(kept)), camera())
    frame = cuda(False).render(state, ("color",))
    assert np.allclose(frame.color, cuda(False).render(clean, ("color",)).color, atol=1e-6)


def test_cuda_sends_splats_once(cuda, monkeypatch):
    rasterizer = cuda(False)
    sent = []
    upload = rasterizer._upload
    monkeypatch.setattr(rasterizer, "_upload", lambda g: sent.append(g) or upload(g))
    gaussians = scene()
    for _ in range(3):
        rasterizer.render(RenderState(gaussians, camera()))
    assert len(sent) == 1


def edited(**features):
    """Splats of which a third are moved, a third hidden, a fifth selected."""
    rng = np.random.default_rng(6)
    whole = scene(**features)
    turned = matrix_of((0.3, -0.2, 0.1), (20.0, 60.0, 0.0), (1.3, 1.3, 1.3))
    count = len(whole.cloud)
    state = HIDDEN * (rng.random(count) < 0.3) + SELECTED * (rng.random(count) < 0.2)
    return replace(
        whole, palette=np.stack([np.eye(4), turned])[:, :3], cache={}, state=state.astype(np.uint8),
        cloud=replace(whole.cloud, sh=whole.cloud.sh * np.float32(0.4)),  # no colour below 0
        palette_index=(rng.random(count) < 0.3).astype(np.uint16),
    )  # fmt: skip


@pytest.mark.parametrize("limit", [None, 20])
def test_cuda_draws_what_is_moved_hidden_and_selected(limit, cuda):
    outputs = ("rgba8", "color", "depth", "features")
    tint = (1.0, 0.7, 0.3)
    state = RenderState(edited(features=3), camera(), None, highlight=tint, limit=limit)
    frame, other = (r.render(state, outputs) for r in (cuda(False), CpuRasterizer()))
    if limit is None:
        assert_same(frame, other)
    hidden = np.flatnonzero(state.gaussians.state & HIDDEN)
    assert not np.isin(frame.ids, hidden).any()
    assert len(np.unique(frame.ids)) > 5


@pytest.mark.parametrize("packed", [False, True])
def test_cuda_keeps_the_shape_of_what_is_far_outside(packed, cuda):
    """Large splats beside a narrow picture, with the margin that faces of panoramas ask for."""
    rng = np.random.default_rng(5)
    count = 60
    turn = rng.uniform(0, 2 * np.pi, count)
    away = rng.uniform(0.3, 1.6, count)
    z = rng.uniform(1.5, 4.0, count)
    quats = rng.normal(size=(count, 4))
    cloud = SplatCloud(
        means=np.column_stack([z * away * np.cos(turn), z * away * np.sin(turn), z]),
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=rng.uniform(0.1, 0.9, (count, 3)), opacities=rng.uniform(0.2, 0.9, count),
        sh=rng.normal(size=(count, 4, 3)) * 0.4,
    )  # fmt: skip
    view = Camera.look_at((0, 0, 0), (0, 0, 1), (0, -1, 0), fov=40, size=(47, 31))
    plain = PRESETS["gsplat-1.5.3"]
    outputs = ("rgba8", "color", "depth")
    wide = RenderState(Gaussians(cloud), view, None, replace(plain, jacobian_margin=3.0))
    other = CpuRasterizer().render(wide, outputs)
    assert_same(cuda(packed).render(wide, outputs), other)
    narrow = CpuRasterizer().render(replace(wide, constants=plain), outputs)
    assert np.abs(narrow.color - other.color).max() > 0.05, "the margin decides nothing here"


@pytest.mark.parametrize("kind", ["equirectangular", "fisheye"])
def test_cuda_draws_panoramas_as_cpu_does(kind, cuda):
    filming = Filming(Projection(kind))
    size = (32, 16) if kind == "equirectangular" else (16, 16)
    view = Camera.look_at((0.2, 0, -0.5), (0, 0, 0), size=size)
    document = Document.of([scene(count=30).cloud], ["ball"])
    frames = [
        finished(shoot(drawing(r, document), Shot(view), filming, ("color", "depth")))
        for r in (cuda(None), CpuRasterizer())
    ]
    assert frames[0].color.shape[:2] == filming.size(view)[::-1]
    # The margin is rounded up to a pixel of the face, and these faces have few.
    assert np.abs(frames[0].color - frames[1].color).max() < 0.03
    assert np.abs(frames[0].color - frames[1].color).mean() < 5e-3
    assert (frames[0].ids == frames[1].ids).mean() > 0.92
    assert frames[0].color.std() > 0.05


@pytest.mark.parametrize(
    ("constants", "words"),
    [
        (PRESETS["inria"], "alpha cap of 0.99 "),
        (replace(PRESETS["gsplat-1.5.3"], jacobian_margin=0.1), "Jacobian margin"),
        (
            replace(PRESETS["gsplat-1.5.3"], antialiased=True, compensation_floor=0.005),
            "compensation floor",
        ),
    ],
)
def test_cuda_refuses_constants_it_does_not_have(constants, words, cuda):
    state = RenderState(scene(), camera(), constants=constants)
    with pytest.raises(UsageError, match=words):
        cuda(False).render(state)


def test_cuda_refuses_what_is_not_there(cuda):
    with pytest.raises(UsageError, match="Unknown outputs"):
        cuda(False).render(RenderState(scene(), camera()), ("smell",))
    with pytest.raises(UsageError, match="no feature channels"):
        cuda(False).render(RenderState(scene(), camera()), ("features",))


def test_cuda_out_of_memory_is_told(cuda, monkeypatch):
    import torch

    rasterizer = cuda(False)

    def full(*_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(rasterizer, "_render", full)
    with pytest.raises(UnavailableError, match="60 splats in a picture of 41x35"):
        rasterizer.render(RenderState(scene(), camera()))


@pytest.mark.parametrize("kind", ["pinhole", "orthographic"])
@pytest.mark.parametrize("antialiased", [False, True])
def test_cuda_gradients_are_those_of_cpu(kind, antialiased, cuda):
    torch = pytest.importorskip("torch")
    from polyorama.render.cuda_differentiable import rasterize_cuda
    from polyorama.render.differentiable import rasterize

    gaussians, view = scene(count=40, features=3), camera(kind)
    cloud = gaussians.cloud
    constants = replace(PRESETS["gsplat-1.5.3"], antialiased=antialiased)
    rng = np.random.default_rng(1)
    weights = [rng.normal(size=(SIZE[1], SIZE[0], *tail)) for tail in ((3,), (), (), (3,))]

    def leaves():
        arrays = (
            cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh, view.viewmat,
            gaussians.features, np.array([0.2, 0.5, 0.1]), np.zeros((40, 2)),
        )  # fmt: skip
        return [torch.tensor(np.asarray(a, np.float32), requires_grad=True) for a in arrays]

    def gradients(function):
        *inputs, features, background, screen = leaves()
        planes = function(
            *inputs, view.lens, features=features, background=background, screen=screen,
            constants=constants,
        )  # fmt: skip
        loss = sum(
            (plane * torch.tensor(w, dtype=torch.float32)).sum()
            for plane, w in zip(planes[:4], weights, strict=True)
        )
        loss.backward()
        return planes, [leaf.grad for leaf in (*inputs, features, background, screen)]

    planes, grads = gradients(rasterize_cuda)
    expected, wanted = gradients(rasterize)
    for plane, other in zip(planes[:4], expected[:4], strict=True):
        assert torch.allclose(plane, other, atol=1e-4)
    # gsplat's boxes are whole pixels, so it may list splats that touch no pixel's centre.
    assert set(expected[4].tolist()) <= set(planes[4].tolist())
    for grad, want in zip(grads, wanted, strict=True):
        assert grad.isfinite().all()
        scale = want.abs().max()
        assert scale > 0
        assert (grad - want).abs().max() < 2e-3 * scale


def test_the_check_on_gpus_holds_with_the_stand_in(cuda, monkeypatch, capsys):
    """So that it still runs on the day when there is a GPU."""
    from tests.gpu import check

    monkeypatch.setattr(check, "DEVICE", "cpu")
    table = check.Table()
    check.panoramas(table, 60, 12)
    check.fitting(table, 30, 32, 200)
    check.gradients(table, 30, (24, 16))
    told = capsys.readouterr().out
    assert table.well, told
    assert told.count("dB") == 1
    # What is not so is marked.
    table.row("a lie", ok=False)
    assert not table.well
    assert "a lie   <- NO" in capsys.readouterr().out


def test_cuda_gradients_of_an_empty_view_are_zero(cuda):
    torch = pytest.importorskip("torch")
    from polyorama.render.cuda_differentiable import rasterize_cuda

    cloud = scene(count=10).cloud
    away = Camera.look_at((0, 0, -50), (0, 0, -90), size=SIZE)
    arrays = (cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
    leaves = [torch.tensor(a, requires_grad=True) for a in arrays]
    planes = rasterize_cuda(
        *leaves, torch.tensor(away.viewmat, dtype=torch.float32), away.lens, features=None,
        background=torch.tensor([0.5, 0.0, 1.0]), screen=torch.zeros(10, 2),
        constants=PRESETS["gsplat-1.5.3"],
    )  # fmt: skip
    assert torch.equal(planes[0][3, 4], torch.tensor([0.5, 0.0, 1.0]))
    planes[0].sum().backward()
    assert torch.equal(leaves[0].grad, torch.zeros(10, 3))


def test_cuda_gradients_are_of_float32(cuda):
    torch = pytest.importorskip("torch")
    from polyorama.render.cuda_differentiable import rasterize_cuda

    cloud = scene(count=10).cloud
    arrays = (cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
    with pytest.raises(UsageError, match="float32"):
        rasterize_cuda(
            *(torch.tensor(a, dtype=torch.float64) for a in arrays), torch.eye(4), camera().lens,
            features=None, background=torch.zeros(3), screen=torch.zeros(10, 2),
            constants=PRESETS["gsplat-1.5.3"],
        )  # fmt: skip
