"""The loop: draw a view, compare, step, refine; again.

::

    job = fit(dataset, start=start_from_points(dataset.points, dataset.colors), steps=7000)
    cloud = run(job)
"""

from __future__ import annotations

import functools
import hashlib
import logging
import math
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import torch

from polyorama.core.jobs import Progress, run
from polyorama.core.text import count_of
from polyorama.errors import FileFormatError, OutputError, UnavailableError, UsageError
from polyorama.render.cuda import availability
from polyorama.render.cuda.probe import load_gsplat
from polyorama.render.differentiable import rasterize
from polyorama.render.frame import Frame
from polyorama.render.state import PRESETS
from polyorama.vision.fit.checkpoint import (
    Checkpoint,
    flat_state,
    full_state,
    read_checkpoint,
    write_checkpoint,
)
from polyorama.vision.fit.dataset import Pictures, check_overlap
from polyorama.vision.fit.density import Default
from polyorama.vision.fit.losses import photometric_loss, psnr, ssim
from polyorama.vision.fit.mcmc import Mcmc
from polyorama.vision.fit.model import NAMES, Natural, TrainedSplats, adam, parameters_of
from polyorama.vision.fit.settings import FitSettings
from polyorama.vision.fit.start import first_guess

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from polyorama.core.jobs import Job
    from polyorama.core.types import Camera
    from polyorama.scene.splats import SplatCloud, SplatModel
    from polyorama.vision.fit.dataset import Dataset, View
    from polyorama.vision.fit.density import Strategy
    from polyorama.vision.fit.model import OptimiserFactory

__all__ = ["FitProgress", "Scores", "evaluate", "evaluate_job", "fit", "fit_device", "one_thread"]

log = logging.getLogger(__name__)

_CHECKPOINT_SECONDS = 60.0
_SMOOTHING = 0.02


@dataclass(frozen=True, slots=True)
class FitProgress(Progress):
    """Progress of a fit.

    Parameters
    ----------
    splats
        How many there are.
    decibels
        PSNR against the pictures fitted to, a running mean; NaN before the first step.
    """

    splats: int = 0
    decibels: float = math.nan


class Scores(NamedTuple):
    """Agreement with views: means, and PSNR in dB of each."""

    psnr: float
    ssim: float
    each: tuple[float, ...]


def fit(
    dataset: Dataset,
    *,
    start: SplatCloud | None = None,
    settings: FitSettings | None = None,
    steps: int | None = None,
    strategy: Literal["default", "mcmc"] | None = None,
    optimiser: OptimiserFactory = adam,
    device: str = "cpu",
    preview: Sequence[Camera] = (),
    preview_every: int = 100,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    deliver: Callable[[SplatCloud], object] | None = None,
) -> Job[SplatCloud]:
    """Fit splats to pictures, as a job that yields a `FitProgress` every step.

    Closing the job cancels it. With a checkpoint, what was reached is kept then, and about once a
    minute; resumed, the run goes on to the very splats it would have come to on the device cpu. On
    CUDA sums are taken in any order, and no two runs agree to the last bit.

    Parameters
    ----------
    dataset
        The pictures.
    start
        The first guess; None is `start.first_guess`: the dataset's points, else random ones.
    settings
        All numbers; None is the defaults.
    steps, strategy
        In place of those of `settings`.
    optimiser
        Makes a torch optimiser of parameter groups, one tensor each, with "name" and "lr".
    device
        Where to work: "cpu", or a CUDA device.
    preview
        Cameras: now and then the progress carries a Frame from the next of them, in turn.
    preview_every
        Steps between previews; the start has one too.
    checkpoint
        File to keep the run in.
    resume
        Whether to go on from that file.
    deliver
        Takes the splats to where they shall be kept. Where that fails, the checkpoint keeps them.

    Raises
    ------
    UsageError
        If no part of the start is in two pictures, or the checkpoint is that of another fit.
    FileFormatError
        If the checkpoint cannot be read.
    OutputError
        If it cannot be written.
    UnavailableError
        If the device cannot draw here, or memory ran out.
    """
    settings = settings or FitSettings()
    if steps is not None:
        settings = replace(settings, steps=steps)
    if strategy is not None:
        settings = replace(settings, strategy=strategy)
    if preview_every < 1:
        raise UsageError(f"A preview every {preview_every} steps cannot be drawn.")
    if resume and checkpoint is None:
        raise UsageError("To go on with a fit, say from which checkpoint.")
    if start is None:
        start = first_guess(dataset, settings)
    if not len(start):
        raise UsageError("A fit cannot begin without any splat.")
    most = settings.most_splats
    if most is not None and len(start) > most:
        raise UsageError(
            f"The fit would begin with {count_of(len(start), 'splat')}, which is more than the "
            f"{most:,} that it may have; begin with fewer, or allow more."
        )
    loop = _Loop(dataset, start, settings, optimiser, device)
    try:
        with _words_for_memory(loop):
            if resume:
                loop.restore(Path(str(checkpoint)))
                yield loop.progress(None)
            kept_at = time.monotonic()
            if preview:
                shown = loop.step // preview_every
                yield loop.progress(loop.preview(preview[shown % len(preview)]))
            while loop.step < settings.steps:
                with one_thread():
                    loop.advance()
                    frame = None
                    if preview and loop.step % preview_every == 0:
                        shown = loop.step // preview_every
                        frame = loop.preview(preview[shown % len(preview)])
                if checkpoint is not None and time.monotonic() - kept_at > _CHECKPOINT_SECONDS:
                    write_checkpoint(checkpoint, loop.checkpoint())
                    kept_at = time.monotonic()
                yield loop.progress(frame)
            cloud = loop.cloud()
            if deliver is not None:
                deliver(cloud)
            return cloud
    except GeneratorExit:
        if checkpoint is not None:
            write_checkpoint(checkpoint, loop.checkpoint())
        raise
    except OutputError:
        if checkpoint is not None:
            # If that cannot be written either, the first cause is the one to tell.
            with suppress(OutputError):
                write_checkpoint(checkpoint, loop.checkpoint())
        raise


def evaluate(
    cloud: SplatCloud,
    views: Sequence[View],
    *,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    device: str = "cpu",
) -> Scores:
    """As `evaluate_job`, and wait for it.

    Raises
    ------
    UsageError, UnavailableError
        As `evaluate_job`.
    """
    return run(evaluate_job(cloud, views, background=background, device=device))


def evaluate_job(
    cloud: SplatCloud,
    views: Sequence[View],
    *,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    device: str = "cpu",
) -> Job[Scores]:
    """Measure splats against views: PSNR and SSIM over the pixels that count; as a job.

    Views that are masked as a whole are left out, with a warning that names them.

    Raises
    ------
    UsageError
        If there is no view, or nothing of any counts.
    UnavailableError
        If the device cannot draw here.
    """
    if not views:
        raise UsageError("There is no view to measure with.")
    blank = [view.name for view in views if view.blank]
    if len(blank) == len(views):
        raise UsageError("Every view to measure with is masked as a whole.")
    if blank:
        log.warning("Not measured, for masked as a whole: %s", _some(blank))
        views = [view for view in views if not view.blank]
    place = fit_device(device)
    pictures = Pictures(views, place, background=background, keep=False)
    arrays = (cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
    natural = Natural(*(torch.from_numpy(array.copy()).to(place) for array in arrays))
    constants = replace(PRESETS["gsplat-1.5.3"], antialiased=cloud.model == "antialiased")
    under = torch.tensor(background, dtype=torch.float32, device=place)
    each: list[float] = []
    similarities: list[float] = []
    for index in range(len(views)):
        yield Progress(index, len(views), "Measuring")
        with torch.no_grad(), one_thread():
            target = pictures.target(index)
            drawn = rasterize(
                *natural, target.viewmat, target.lens, background=under, constants=constants
            )
            photograph, known = target.photograph, target.known
            color = drawn.color.clamp(0.0, 1.0)
            if target.mask is not None:
                color = torch.where(target.mask[..., None], color, photograph)
            each.append(psnr(color, photograph, target.mask))
            similarities.append(float(ssim(color, photograph, known)))
    return Scores(float(np.mean(each)), float(np.mean(similarities)), tuple(each))


class _Loop:
    """A fit between two steps: everything that a checkpoint keeps."""

    def __init__(
        self,
        dataset: Dataset,
        start: SplatCloud,
        settings: FitSettings,
        optimiser: OptimiserFactory,
        device: str,
    ) -> None:
        blind = check_overlap(dataset, start.means)
        if blind:
            log.warning(
                "%s of %d pictures see nothing of the start: %s", len(blind), len(dataset.views),
                _some(blind),
            )  # fmt: skip
        self.dataset, self.settings = dataset, settings
        self.extent = dataset.extent
        self._optimiser, self._start = optimiser, start
        self._device = fit_device(device)
        fixed = None if settings.background == "random" else settings.background
        self._pictures = Pictures(dataset.views, self._device, background=fixed)
        exposures = None
        if settings.exposure:
            exposures = torch.eye(3, 4, device=self._device).repeat(len(dataset.views), 1, 1)
        self.splats = self._trained(
            parameters_of(start, settings.sh_degree, self._device), exposures
        )
        self._strategy = self._make_strategy()
        self._random = torch.Generator(self._device).manual_seed(settings.seed)
        self._order_random = np.random.default_rng(settings.seed)
        self._order: list[int] = []
        self._constants = replace(PRESETS["gsplat-1.5.3"], antialiased=settings.antialiased)
        self._error = math.nan
        self.step = 0

    def _trained(
        self, values: dict[str, torch.Tensor], exposures: torch.Tensor | None
    ) -> TrainedSplats:
        rates = self.settings.rates(self.extent)
        return TrainedSplats(values, rates, self._optimiser, exposures=exposures)

    def _make_strategy(self) -> Strategy:
        s = self.settings
        cameras = (view.camera for view in self.dataset.views)
        most = max(s.most(sum(c.width * c.height for c in cameras)), 1)
        if s.strategy == "mcmc":
            return Mcmc(
                s.schedule(), most, min_opacity=s.min_opacity, noise_rate=s.noise_rate,
                opacity_weight=s.opacity_weight, scale_weight=s.scale_weight,
            )  # fmt: skip
        return Default(
            s.schedule(), self.extent, most, prune_opacity=s.prune_opacity,
            grow_gradient=s.grow_gradient, grow_scale=s.grow_scale, prune_scale=s.prune_scale,
        )  # fmt: skip

    def advance(self) -> None:
        """Take one step."""
        s, splats = self.settings, self.splats
        step = self.step + 1
        index = self._next_view()
        camera = self.dataset.views[index].camera
        factor = s.factor_at(step, min(camera.width, camera.height))
        target = self._pictures.target(index, factor)
        rate = s.means_rate_at(self.step) * self.extent
        splats.set_rate("means", rate)
        background = self._background()
        screen = torch.zeros((len(splats), 2), device=self._device, requires_grad=True)
        drawn = rasterize(
            *splats.natural(s.degree_at(self.step)), target.viewmat, target.lens,
            background=background, screen=screen, constants=self._constants,
        )  # fmt: skip
        color = drawn.color
        if splats.exposures is not None:
            splats.set_rate("exposures", s.exposure_rate_at(self.step))
            affine = splats.exposures[index]
            color = color @ affine[:, :3].T + affine[:, 3]
        photograph, known = target.over(background)
        loss = photometric_loss(
            color, photograph, ssim_weight=s.ssim_weight, mask=target.mask, known=known
        )
        if not math.isfinite(float(loss.detach())):
            raise _lost(step)
        self._watch_error(color.detach(), photograph, target.mask)
        penalty = self._strategy.penalty(splats)
        (loss if penalty is None else loss + penalty).backward()  # type: ignore[no-untyped-call]
        assert screen.grad is not None
        self._strategy.watch(drawn, screen.grad, target.lens, step)
        splats.step()
        if splats.exposures is not None:
            self._center(splats.exposures)
        self._strategy.refine(splats, step, rate, self._random)
        self.step = step

    def _next_view(self) -> int:
        if not self._order:
            self._order = self._order_random.permutation(len(self.dataset.views)).tolist()
        return self._order.pop()

    def _background(self) -> torch.Tensor:
        if self.settings.background == "random":
            return torch.rand(3, generator=self._random, device=self._device)
        return torch.tensor(self.settings.background, dtype=torch.float32, device=self._device)

    def _watch_error(
        self, color: torch.Tensor, photograph: torch.Tensor, mask: torch.Tensor | None
    ) -> None:
        squared = (color.clamp(0.0, 1.0) - photograph).square_()
        error = float((squared if mask is None else squared[mask]).mean())
        if math.isnan(error):
            # Nothing of this picture counts.
            return
        if math.isnan(self._error):
            self._error = error
        self._error += _SMOOTHING * (error - self._error)

    @staticmethod
    @torch.no_grad()
    def _center(exposures: torch.Tensor) -> None:
        """Keep the mean exposure at the identity: else it and the colours could drift together."""
        exposures -= exposures.mean(dim=0) - torch.eye(3, 4, device=exposures.device)

    def progress(self, preview: Frame | None) -> FitProgress:
        """How far this is."""
        decibels = -10.0 * math.log10(self._error) if self._error > 0.0 else math.nan
        note = f"Fitting, {len(self.splats):,} splats"
        if not math.isnan(decibels):
            note += f", {decibels:.1f} dB"
        return FitProgress(
            self.step, self.settings.steps, note, preview, len(self.splats), decibels
        )

    @torch.no_grad()
    def preview(self, camera: Camera) -> Frame:
        """The splats as they are now."""
        background = self.settings.background
        under = torch.zeros(3) if background == "random" else torch.tensor(background)
        natural = self.splats.natural(self.settings.degree_at(self.step))
        shown = self._strategy.opacities_to_show(self.splats, self.step)
        drawn = rasterize(
            *natural._replace(opacities=shown),
            torch.tensor(camera.viewmat, dtype=torch.float32, device=self._device),
            camera.lens, background=under.float().to(self._device), constants=self._constants,
        )  # fmt: skip
        color = (drawn.color.clamp(0.0, 1.0) * 255.0).round().to(torch.uint8).cpu().numpy()
        rgba8 = np.concatenate([color, np.full_like(color[..., :1], 255)], axis=2)
        return Frame(rgba8=rgba8, backend=self._device.type)

    def cloud(self) -> SplatCloud:
        """The splats as a value."""
        cloud = self.splats.cloud()
        if not len(cloud):
            raise _lost(self.step)
        model: SplatModel = "antialiased" if self.settings.antialiased else "default"
        return replace(cloud, model=model, up=self._start.up)

    @functools.cached_property
    def _fingerprint(self) -> str:
        """A hash of all pictures and cameras."""
        digest = hashlib.blake2b(digest_size=16)
        for view in self.dataset.views:
            digest.update(repr((view.name, view.camera.lens)).encode())
            digest.update(view.camera.viewmat.tobytes())
            digest.update(np.ascontiguousarray(view.pixels).data)
            if view.mask is not None:
                digest.update(np.packbits(view.mask).tobytes())
        return digest.hexdigest()

    def checkpoint(self) -> Checkpoint:
        """Everything, as plain arrays and JSON."""
        optimiser, arrays = flat_state(self.splats.optimiser.state_dict())
        for name in NAMES:
            arrays[f"splats/{name}"] = _array(self.splats[name])
        if self.splats.exposures is not None:
            arrays["exposures"] = _array(self.splats.exposures)
        for name, tensor in self._strategy.state().items():
            arrays[f"strategy/{name}"] = _array(tensor)
        arrays["random"] = _array(self._random.get_state())
        facts = {
            "pictures": self._fingerprint,
            "settings": asdict(self.settings),
            "device": self._device.type,
            "step": self.step,
            "error": None if math.isnan(self._error) else self._error,
            "order": self._order,
            "order_random": self._order_random.bit_generator.state,
            "optimiser": optimiser,
        }
        return Checkpoint(facts, arrays)

    def restore(self, path: Path) -> None:
        """Go on from a checkpoint."""
        kept = read_checkpoint(path)
        try:
            self._check_same(kept.facts, path)
            self._take(kept)
        except (KeyError, TypeError, ValueError, RuntimeError, AttributeError, IndexError) as error:
            raise FileFormatError(
                f"This checkpoint lacks something ({error}); begin again without --resume: {path}"
            ) from error

    def _check_same(self, facts: dict[str, Any], path: Path) -> None:
        if facts["pictures"] != self._fingerprint:
            raise UsageError(
                f"This checkpoint belongs to other pictures or cameras; begin again without "
                f"--resume: {path}"
            )
        if facts["device"] != self._device.type:
            raise UsageError(
                f"This checkpoint was made on {facts['device']!r}; go on there, or begin again "
                f"without --resume: {path}"
            )
        ours = asdict(self.settings)
        for name, theirs in facts["settings"].items():
            value = list(ours[name]) if isinstance(ours[name], tuple) else ours[name]
            if value != theirs:
                raise UsageError(
                    f"This checkpoint was made with {name.replace('_', ' ')} = {theirs}, not "
                    f"{value}; use the same, or begin again without --resume: {path}"
                )

    def _take(self, kept: Checkpoint) -> None:
        facts, arrays = kept.facts, kept.arrays
        parts: dict[str, dict[str, Any]] = {"splats": {}, "strategy": {}, "state": {}}
        for name, array in arrays.items():
            room, _, rest = name.partition("/")
            if room in parts:
                parts[room][name if room == "state" else rest] = array
        values = {k: torch.from_numpy(v).to(self._device) for k, v in parts["splats"].items()}
        count = len(values["means"])
        shapes = {name: tuple(self.splats[name].shape[1:]) for name in NAMES}
        for name, shape in shapes.items():
            if tuple(values[name].shape) != (count, *shape):
                raise ValueError(f"{name} of shape {tuple(values[name].shape)}")
        exposures = self.splats.exposures
        if exposures is not None:
            exposures = torch.from_numpy(arrays["exposures"]).to(exposures)
        self.splats = self._trained(values, exposures)
        optimiser = self.splats.optimiser
        optimiser.load_state_dict(
            full_state(facts["optimiser"], parts["state"], optimiser.state_dict())
        )
        self._strategy.restore(
            {k: torch.from_numpy(v).to(self._device) for k, v in parts["strategy"].items()}
        )
        self._random.set_state(torch.from_numpy(arrays["random"]))
        self._order_random.bit_generator.state = facts["order_random"]
        self._order = [int(index) for index in facts["order"]]
        if any(not 0 <= index < len(self.dataset.views) for index in self._order):
            raise ValueError("an order of other views")
        self._error = math.nan if facts["error"] is None else float(facts["error"])
        self.step = int(facts["step"])


def _some(names: Sequence[str]) -> str:
    """Names for one line: the first three."""
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def _lost(step: int) -> UsageError:
    return UsageError(
        f"The fit lost its way at step {step}: its values are no longer finite; lower the learning "
        f"rates."
    )


def _array(tensor: torch.Tensor) -> Any:
    return tensor.detach().cpu().numpy()


def fit_device(name: str) -> torch.device:
    """The device of that name, once it is sure that splats can be fitted there.

    On CUDA this may compile gsplat's kernels, so ask before long work that would be in vain.

    Raises
    ------
    UsageError
        If there is no such device.
    UnavailableError
        If it cannot draw here; the text says why.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UsageError(f"There is no device {name!r}; choose cpu or cuda.") from None
    if device.type not in ("cpu", "cuda"):
        raise UsageError(f"Splats cannot be fitted on {name!r}; choose cpu or cuda.")
    if device.type == "cuda":
        state = availability()
        if not state.ok:
            raise UnavailableError(f"Splats cannot be fitted on {name!r} here: {state}")
        load_gsplat()
    return device


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep torch on the calling thread meanwhile.

    The tensors are small, and the renderer's kernels share the cores by themselves: torch's own
    waiting threads would spin in their way (measured: three to five times slower).
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def _words_for_memory(loop: _Loop) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # torch raises a RuntimeError where the system has no memory left, a kind of it on CUDA.
        text = str(error).lower()
        if isinstance(error, MemoryError) or "out of memory" in text or "not enough memory" in text:
            raise UnavailableError(
                f"Memory ran out at step {loop.step + 1} with {len(loop.splats):,} splats; allow "
                f"fewer splats, or reduce the pictures more."
            ) from error
        raise
