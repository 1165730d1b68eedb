"""Compile the kernels for this processor once, so that no picture waits for the compiler.

Kernels are cached on disk, in the user's cache folder or where NUMBA_CACHE_DIR says. A small stamp
beside them says that all have been compiled for this processor; it goes when the cache goes.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from llvmlite import binding

import polyorama
from polyorama.core.jobs import Progress, run
from polyorama.core.types import Camera
from polyorama.io.formats import FORMATS, read_splats, write_splats
from polyorama.render.accumulate import Sampling
from polyorama.render.frame import OUTPUTS
from polyorama.render.panorama import Projection
from polyorama.render.post import Grade
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.resolve import resolve
from polyorama.render.shoot import Filming
from polyorama.render.state import Gaussians, RenderState
from polyorama.scene.document import Document
from polyorama.scene.modifiers import MODIFIERS, make_modifier
from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.scene.stack import stacked
from polyorama.verbs.film import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.core.jobs import Job

__all__ = ["cache_folders", "is_warm", "prepare", "prepare_fit", "tiny_scene", "warm"]

_NOTE = "Preparing the renderer for this processor, once"
_STAMP = "polyorama-warm.txt"


def tiny_scene(degree: int = 0) -> tuple[Document, Camera]:
    """Eight splats of SH `degree` 0 to 3, and a camera of 64 x 64 pixels that sees them."""
    corners = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3, indexing="ij"), axis=-1).reshape(8, 3)
    harmonics = np.zeros((8, (degree + 1) ** 2, 3), np.float32)
    harmonics[:, 0] = sh_from_colors(corners + 0.5)
    cloud = SplatCloud(
        means=corners.astype(np.float32),
        quats=np.tile(np.array([1, 0, 0, 0], np.float32), (8, 1)),
        scales=np.full((8, 3), 0.2, np.float32),
        opacities=np.full(8, 0.8, np.float32),
        sh=harmonics,
    )
    camera = Camera.look_at((0.3, -0.4, -3.0), (0.0, 0.0, 0.0), size=(64, 64))
    return Document.of([cloud], ["Eight splats"]), camera


def warm() -> Job[None]:
    """Compile every kernel of renderer, fitting, edit stacks, faces and files; leave the stamp.

    Raises
    ------
    PolyoramaError
        If a kernel does not run here.
    """
    with tempfile.TemporaryDirectory() as folder:
        steps = [*_drawing_steps(), _film_step, *_file_steps(Path(folder)), _stack_step, _fit_step,
                 _face_step]  # fmt: skip
        for done, step in enumerate(steps):
            yield Progress(done, len(steps), _NOTE)
            step()
    yield Progress(len(steps), len(steps), _NOTE)
    _mark()


def prepare() -> Job[None]:
    """The part of `warm` that pictures need, and only where it was not done before."""
    if is_warm():
        return
    steps = _drawing_steps()
    for done, step in enumerate(steps):
        yield Progress(done, len(steps), _NOTE)
        step()
    _mark()


def prepare_fit() -> Job[None]:
    """Compile or load what a fit needs before it begins.

    A fit ends at Ctrl-C after the step at hand, and no step shall wait for the compiler.
    """
    yield Progress(0, 1, "Preparing to fit")
    _fit_step()


def is_warm() -> bool:
    """Whether the renderer was compiled for this processor and this source before."""
    fingerprint = _fingerprint()
    folders = _render_folders()
    for folder in folders:
        try:
            if (folder / _STAMP).read_text(encoding="ascii") != fingerprint:
                return False
        except (OSError, UnicodeDecodeError):
            return False
    return bool(folders)


def cache_folders() -> list[Path]:
    """Where the compiled kernels of all modules loaded so far lie; empty if nowhere can be."""
    return _folders("polyorama.")


def _render_folders() -> list[Path]:
    get_rasterizer("cpu")
    return _folders("polyorama.render.cpu.")


def _folders(prefix: str) -> list[Path]:
    folders = set()
    for name, module in list(sys.modules.items()):
        if name.startswith(prefix):
            for value in list(vars(module).values()):
                path = getattr(getattr(value, "stats", None), "cache_path", None)
                if isinstance(path, str):
                    folders.add(Path(path))
    return sorted(folders)


def _mark() -> None:
    fingerprint = _fingerprint()
    for folder in _render_folders():
        (folder / _STAMP).write_text(fingerprint, encoding="ascii")


def _fingerprint() -> str:
    """A hash of all that numba's cache depends on: sources, its version, Python, the processor."""
    from numba import __version__

    digest = hashlib.sha256()
    root = Path(polyorama.__file__).parent
    for path in sorted([*root.glob("core/*.py"), *root.glob("render/cpu/*.py")]):
        digest.update(path.read_bytes())
    features = str(binding.get_host_cpu_features().flatten())
    for word in (__version__, platform.python_version(), binding.get_host_cpu_name(), features):
        digest.update(word.encode())
    return digest.hexdigest()


def _drawing_steps() -> list[Callable[[], object]]:
    rasterizer = get_rasterizer("cpu")

    def draw(outputs: set[str], degree: int = 0) -> Callable[[], object]:
        def step() -> object:
            state = resolve(*tiny_scene(degree))
            if "features" in outputs:
                cloud = state.gaussians.cloud
                features = np.ones((len(cloud), 3), np.float32)
                gaussians = Gaussians(cloud, features)
                state = RenderState(gaussians, state.camera, state.background, state.constants)
            return rasterizer.render(state, outputs)

        return step

    def draw_edited() -> object:
        state = resolve(*tiny_scene(0))
        count = len(state.gaussians.cloud)
        edited = replace(
            state.gaussians, palette=np.eye(3, 4)[None], cache={},
            palette_index=np.zeros(count, np.uint16), state=np.zeros(count, np.uint8),
        )  # fmt: skip
        return rasterizer.render(replace(state, gaussians=edited))

    each = [draw({output}) for output in sorted(OUTPUTS)]
    degrees = [draw({"rgba8"}, degree) for degree in (1, 2, 3)]
    return [*each, draw(set(OUTPUTS)), *degrees, draw_edited]


def _film_step() -> object:
    """Panoramas, averaging and grading, in one small picture."""
    document, camera = tiny_scene(0)
    filming = Filming(
        Projection("equirectangular"), None, Sampling(supersample=2), Grade(bloom=0.5)
    )
    outputs = ("rgba8", "depth", "normals")
    small = camera.resized(16, 8)
    return render(document, small, backend="cpu", outputs=outputs, filming=filming)


def _face_step() -> None:
    """A face that moves; without open3d there is none."""
    from polyorama.errors import UnavailableError
    from polyorama.render.actors import actor_cloud
    from polyorama.render.shading import DEFAULT_RIG
    from polyorama.scene.faces.actor import Actor
    from polyorama.scene.faces.morphs import MorphRig, Rotor, Shapes
    from polyorama.scene.mesh import Mesh

    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    mesh = Mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32))
    turn = Rotor(
        "head",
        np.arange(4, dtype=np.int32),
        np.ones(4, np.float32),
        np.zeros(3),
        {"headYaw": (0.0, -1.0, 0.0)},
    )
    rig = MorphRig(mesh, Shapes.of_dense({"jawOpen": corners}), rotors=(turn,))
    rig.posed({"jawOpen": 0.5, "headYaw": 0.1})
    with contextlib.suppress(UnavailableError):
        actor_cloud(Actor(rig=rig, surfels=1000), np.eye(4), DEFAULT_RIG, 0.0)


def _stack_step() -> object:
    """Every modifier, in one stack; decimation alone, since it carries out what moved."""
    document, _ = tiny_scene(1)
    stack = [make_modifier(kind, id=kind) for kind in MODIFIERS if kind != "decimate"]
    stack.append(make_modifier("fill", id="paint", shading=False))
    stack.append(make_modifier("sh-level", id="fade", level=0.5))
    node = replace(document.nodes[0], modifiers=tuple(stack))
    fewer = replace(node, modifiers=(make_modifier("decimate", id="decimate"),))
    shown = stacked(document, node)
    return shown.means(), shown.baked(), stacked(document, fewer)


def _fit_step() -> object:
    """Gradients, similarity and neighbours, in one step of a tiny fit."""
    # Only here, since pictures do without torch, which takes long to load.
    from polyorama.vision.fit.dataset import Dataset, View
    from polyorama.vision.fit.optimise import fit

    document, camera = tiny_scene()
    moved = Camera.look_at((-0.6, -0.4, -3.0), (0.0, 0.0, 0.0), size=(64, 64))
    views = []
    for number, view in enumerate((camera, moved)):
        pixels = get_rasterizer("cpu").render(resolve(document, view)).rgba8
        assert pixels is not None
        views.append(View(f"view {number}", view, np.ascontiguousarray(pixels[..., :3])))
    return run(fit(Dataset(tuple(views), ()), steps=1))


def _file_steps(folder: Path) -> list[Callable[[], object]]:
    document, _camera = tiny_scene(degree=1)
    cloud = document.nodes[0].splats
    assert cloud is not None

    def both_ways(ending: str) -> Callable[[], object]:
        def step() -> object:
            path = folder / f"tiny{ending}"
            # This format has no harmonics, and says so when it is given some.
            write_splats(cloud.with_sh_degree(0) if ending == ".splat" else cloud, path)
            return read_splats(path)

        return step

    endings = [entry.endings[0] for entry in FORMATS if entry.writes and entry.reads]
    return [both_ways(ending) for ending in endings]
