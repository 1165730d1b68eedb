"""One picture as a film camera takes it: projection, stereo, sampling and grade, put together.

`shoot` asks any rasterizer for as many sharp pinhole pictures as it takes:

    stereo( grade( average over lens and shutter( panorama of faces( rasterizer ))))
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from polyorama.errors import UsageError
from polyorama.render.accumulate import Sampling, Shot, Softening, accumulate, softening_of
from polyorama.render.frame import OUTPUTS, Frame
from polyorama.render.light import to_bytes
from polyorama.render.normals import blended_normals, facing_normals
from polyorama.render.panorama import Projection, panorama, sphere_faces
from polyorama.render.post import Grade, grade_light, show
from polyorama.render.resolve import resolve
from polyorama.render.stereo import Stereo, eye_shot, packed, slice_faces
from polyorama.render.wide import faced

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from polyorama.core.types import Camera
    from polyorama.render.rasterizers import Rasterizer
    from polyorama.render.state import Constants, Gaussians, RenderState
    from polyorama.scene.document import Document

__all__ = ["SHOT_OUTPUTS", "Draw", "Filming", "draw_count", "drawing", "finished", "shoot"]

SHOT_OUTPUTS = OUTPUTS | {"linear", "normals"}
"""What can be asked of `shoot`: what rasterizers make, linear light, and normals."""

_REACH = 1.5
"""Of the faces of panoramas, see `Draw`."""


@dataclass(frozen=True, slots=True)
class Filming:
    """How pictures are taken, beyond where the camera is.

    Parameters
    ----------
    projection
        Perspective, equirectangular or fisheye.
    stereo
        Two eyes, or None. With an equirectangular projection this is omni-directional stereo.
    sampling
        Supersampling, depth of field, motion blur.
    grade
        Exposure, bloom, vignette, tone curve.

    Raises
    ------
    UsageError
        If the parts contradict each other.
    """

    projection: Projection = field(default_factory=Projection)
    stereo: Stereo | None = None
    sampling: Sampling = field(default_factory=Sampling)
    grade: Grade = field(default_factory=Grade)

    def __post_init__(self) -> None:
        kind = self.projection.kind
        if kind != "perspective" and self.sampling.dof is not None:
            raise UsageError(
                "Depth of field needs a direction of view, which a panorama does not have; leave "
                "out --dof, or --equirect and --fisheye."
            )
        if kind == "equirectangular" and self.grade.vignette:
            raise UsageError("A 360 degree picture has no corners to darken; leave out --vignette.")
        if kind == "perspective" or self.stereo is None:
            return
        if self.stereo.convergence is not None:
            raise UsageError("In a panorama the eyes look parallel; leave out --convergence.")
        if kind == "fisheye" and self.projection.fov > 200.0:
            raise UsageError(
                f"A stereo fisheye of {self.projection.fov:g} degrees would see from behind the "
                "eyes; choose up to 200, or --equirect."
            )

    @property
    def is_plain(self) -> bool:
        """Whether a rasterizer's picture is the picture."""
        return self == Filming()

    @property
    def is_panorama(self) -> bool:
        """Whether it is one equirectangular picture of all directions."""
        return self.projection.kind == "equirectangular" and self.stereo is None

    def size(self, camera: Camera) -> tuple[int, int]:
        """Width and height of the whole picture in pixels: both eyes'."""
        width, height = camera.width, camera.height
        if self.stereo is None:
            return width, height
        wide = self.stereo.layout == "side-by-side"
        return (2 * width, height) if wide else (width, 2 * height)


class Draw(Protocol):
    """Draws one sharp picture."""

    def __call__(
        self,
        camera: Camera,
        outputs: tuple[str, ...],
        *,
        reach: float = 0.0,
        softening: Softening | None = None,
        time: float | None = None,
    ) -> Frame:
        """The frame of `camera`.

        Parameters
        ----------
        reach
            Tangent of the angle from the view up to which the footprints of splats outside the
            picture keep their shape, where that is more than the renderer's constants say. Without
            it the glow of a large splat would end at the edge of a narrow picture.
        softening
            Widens what is out of focus, see `polyorama.render.accumulate.Softening`.
        time
            Of the document, s; None is the drawing's own.
        """
        ...


def drawing(
    rasterizer: Rasterizer,
    document: Document | Gaussians,
    *,
    background: tuple[float, float, float] | str | None = "document",
    constants: Constants | str | None = None,
    limit: int | None = None,
    time: float = 0.0,
) -> Draw:
    """A function that draws one sharp picture of a document, "normals" included.

    Parameters
    ----------
    rasterizer, document, background, constants, limit, time
        As of `polyorama.render.resolve.resolve`.
    """
    own_time = time
    softened: list[tuple[Softening, Gaussians, Gaussians]] = []

    def soft(whole: Gaussians, softening: Softening) -> Gaussians:
        # All samples of a shot share one, while the document rests.
        kept = softened[0] if softened else None
        if kept is None or kept[0] is not softening or kept[1] is not whole:
            made = replace(whole, cloud=softening.applied(whole.cloud), cache={})
            softened[:] = [(softening, whole, made)]
        return softened[0][2]

    def draw(
        camera: Camera,
        outputs: tuple[str, ...],
        *,
        reach: float = 0.0,
        softening: Softening | None = None,
        time: float | None = None,
    ) -> Frame:
        state = resolve(
            document, camera, background=background, constants=constants, limit=limit,
            time=own_time if time is None else time,
        )  # fmt: skip
        if softening is not None or reach or "normals" in outputs:
            state = state.baked()  # what follows reads where splats are, and how they lie
        half = 0.5 * min(camera.width / camera.fx, camera.height / camera.fy)
        if (1.0 + state.constants.jacobian_margin) * half < reach:
            wider = replace(state.constants, jacobian_margin=reach / half - 1.0)
            state = replace(state, constants=wider)
        if softening is not None:
            state = replace(state, gaussians=soft(state.gaussians, softening))
        if reach and "color" in outputs:
            state = _faced(state, reach)
        if "normals" not in outputs:
            return rasterizer.render(state, outputs)
        plain = tuple(name for name in outputs if name != "normals")
        frame = rasterizer.render(state, plain) if plain else Frame(backend=rasterizer.name)
        if len(state.gaussians.cloud) == 0:
            return replace(frame, normals=_nothing(camera))
        whole = state.gaussians
        facing = replace(whole, features=facing_normals(whole, camera), cache={})
        seen = rasterizer.render(replace(state, gaussians=facing), ("features",))
        assert seen.features is not None
        return replace(frame, normals=blended_normals(seen.features))

    return draw


def _faced(state: RenderState, reach: float) -> RenderState:
    """The state with splats that look wide as all faces of a panorama show them."""
    whole = state.gaussians
    cloud = faced(whole.cloud, state.camera, reach)
    if cloud is whole.cloud:
        return state
    return replace(state, gaussians=replace(whole, cloud=cloud, cache={}))


def _nothing(camera: Camera) -> Any:
    import numpy as np

    return np.zeros((camera.height, camera.width, 3), np.float32)


def draw_count(shot: Shot, filming: Filming, outputs: Iterable[str]) -> int:
    """How often a rasterizer draws for one such picture, to tell how far it is."""
    wanted, camera = set(outputs), shot.camera
    if shot.dof is not None:
        filming = replace(filming, sampling=replace(filming.sampling, dof=shot.dof))
    if filming.is_plain and not wanted & {"linear"}:
        return 1
    faces = 1
    if not filming.projection.is_plain:
        ods = filming.stereo is not None and filming.projection.kind == "equirectangular"
        faces = (
            len(slice_faces(filming.stereo, 1))
            if ods and filming.stereo is not None
            else len(sphere_faces(filming.projection, camera.width, camera.height))
        )
    passes = filming.sampling.count if wanted & {"rgba8", "color", "linear"} else 0
    passes += bool(wanted - {"rgba8", "color", "linear"})
    return faces * passes * (1 if filming.stereo is None else 2)


def shoot(
    draw: Draw,
    shot: Shot,
    filming: Filming,
    outputs: Iterable[str] = ("rgba8",),
    *,
    opaque: bool = True,
) -> Generator[None, None, Frame]:
    """Take one picture; yields after every frame that the rasterizer drew.

    Colour follows all of `filming`. Depth, ids, normals and features are those of the middle of
    the lens and of the shutter's time, one value a pixel, since averages of them mean nothing.

    Parameters
    ----------
    draw
        Draws a sharp picture, such as `drawing` gives.
    shot, filming
        What is taken, and how.
    outputs
        Names from `SHOT_OUTPUTS`.
    opaque
        Whether the picture has a background colour.

    Raises
    ------
    UsageError
        If an output is unknown, or settings and camera contradict each other.
    """
    wanted = tuple(outputs)
    unknown = sorted(set(wanted) - SHOT_OUTPUTS)
    if unknown:
        raise UsageError(f"Unknown outputs {unknown}; choose from {sorted(SHOT_OUTPUTS)}.")
    if shot.dof is not None:
        filming = replace(filming, sampling=replace(filming.sampling, dof=shot.dof))
    if filming.is_plain and "linear" not in wanted:
        frame = draw(shot.camera, wanted, time=shot.time)
        yield
        return frame
    stereo = filming.stereo
    if stereo is None:
        frame = yield from _one_eye(draw, shot, filming, wanted, opaque, 0)
        return frame
    eyes = []
    for side in (-1, 1):
        turned = shot
        if filming.projection.kind != "equirectangular":
            turned = eye_shot(shot, stereo, side)
        eye = yield from _one_eye(draw, turned, filming, wanted, opaque, side)
        eyes.append(eye)
    return packed(eyes, stereo)


def finished(steps: Generator[None, None, Frame]) -> Frame:
    """Run `shoot` to its end."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]


def _one_eye(
    draw: Draw,
    shot: Shot,
    filming: Filming,
    wanted: tuple[str, ...],
    opaque: bool,
    side: int,
) -> Generator[None, None, Frame]:
    projection, stereo = filming.projection, filming.stereo
    equirect = projection.kind == "equirectangular"
    faces = slice_faces(stereo, side) if stereo is not None and equirect else None

    def view(
        camera: Camera, names: tuple[str, ...], time: float | None
    ) -> Generator[None, None, Frame]:
        def once(camera: Camera, names: tuple[str, ...]) -> Generator[None, None, Frame]:
            frame = draw(
                camera, names, reach=0.0 if projection.is_plain else _REACH,
                softening=softening if "color" in names else None, time=time,
            )  # fmt: skip
            yield
            return frame

        if projection.is_plain:
            frame = yield from once(camera, names)
        else:
            frame = yield from panorama(once, camera, projection, names, faces=faces, opaque=opaque)
        return frame

    softening = softening_of(shot, filming.sampling)
    colors = {"rgba8", "color", "linear"}
    rest = tuple(name for name in wanted if name not in colors)
    if "features" in rest and not projection.is_plain:
        raise UsageError("Feature channels cannot be drawn as a panorama.")
    frame = Frame()
    if rest:
        frame = yield from view(shot.camera, rest, shot.time)
    if not colors & set(wanted):
        return frame
    light = yield from accumulate(view, shot, filming.sampling)
    light = grade_light(light, filming.grade, wraps=equirect)
    if "linear" in wanted:
        frame = replace(frame, linear=light)
    if colors & {"rgba8", "color"} & set(wanted):
        shown = show(light, filming.grade.tone)
        frame = replace(
            frame,
            color=shown if "color" in wanted else None,
            rgba8=to_bytes(shown) if "rgba8" in wanted else None,
        )
    return frame
