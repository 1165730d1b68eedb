"""Fitting: it gets there, it can be stopped and gone on with, and it says what it cannot do."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch

from polyorama.core.jobs import run
from polyorama.core.types import Bounds, Camera
from polyorama.errors import (
    FileFormatError,
    OutputError,
    PolyoramaError,
    UnavailableError,
    UsageError,
)
from polyorama.render.rasterizers import Availability
from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.vision.fit import dataset as fit_dataset
from polyorama.vision.fit import optimise
from polyorama.vision.fit.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from polyorama.vision.fit.dataset import Dataset, Pictures, View, check_overlap
from polyorama.vision.fit.optimise import evaluate, fit
from polyorama.vision.fit.settings import FitSettings
from polyorama.vision.fit.start import first_guess, random_start, start_from_points
from tests.engine.capture_samples import dataset_of, photograph, sphere_cameras

SHORT = FitSettings(steps=150, sh_degree=1)


def blob(count=400, seed=0):
    """A ball of soft coloured splats that is opaque."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3))
    points *= 0.9 / np.linalg.norm(points, axis=1, keepdims=True)
    colors = 0.5 + 0.45 * np.sin(3.0 * points)
    return SplatCloud(
        points, np.tile([1.0, 0, 0, 0], (count, 1)), np.full((count, 3), 0.12),
        np.full(count, 0.95), sh_from_colors(colors)[:, None, :],
    )  # fmt: skip


@pytest.fixture(scope="module")
def dataset():
    return dataset_of(blob(), sphere_cameras(10, 48, distance=3.4), hold_out=5)


def arrays_of(cloud):
    return [cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh]


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(arrays_of(a), arrays_of(b), strict=True))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("strategy", ["default", "mcmc"])
def test_a_random_start_becomes_the_scene(dataset, strategy, seed):
    settings = replace(SHORT, strategy=strategy, seed=seed)
    start = first_guess(dataset, settings, random=300)
    before = evaluate(start, dataset.held_out)
    after = evaluate(run(fit(dataset, start=start, settings=settings)), dataset.held_out)
    assert before.psnr < 17
    assert after.psnr > 22
    assert after.ssim > before.ssim + 0.15
    assert len(after.each) == 2


def test_the_same_seed_gives_the_same_splats(dataset):
    settings = replace(SHORT, steps=40)
    once, again = (run(fit(dataset, settings=settings)) for _ in range(2))
    assert same(once, again)
    other = run(fit(dataset, settings=replace(settings, seed=5)))
    assert len(other) != len(once) or not same(other, once)


@pytest.mark.parametrize(
    "settings",
    [
        SHORT,
        replace(SHORT, strategy="mcmc"),
        replace(SHORT, exposure=True, background="random", steps=80),
    ],
    ids=["default", "mcmc", "exposure and backgrounds"],
)
@pytest.mark.parametrize("stop", [1, 47])
def test_stopped_and_resumed_is_as_never_stopped(dataset, settings, stop, tmp_path):
    start = first_guess(dataset, settings, random=200)
    whole = run(fit(dataset, start=start, settings=settings))
    kept = tmp_path / "scene.fit"
    job = fit(dataset, start=start, settings=settings, checkpoint=kept)
    for _ in range(stop):
        progress = next(job)
    assert progress.done == stop
    job.close()
    job = fit(dataset, start=start, settings=settings, checkpoint=kept, resume=True)
    # The bar begins where it was.
    assert next(job).done == stop
    assert same(run(job), whole)


def test_another_optimiser_works_and_resumes(dataset, tmp_path):
    def rprop(groups):
        return torch.optim.Rprop(groups, lr=1e-3)

    settings = replace(SHORT, steps=30)
    whole = run(fit(dataset, settings=settings, optimiser=rprop))
    job = fit(dataset, settings=settings, optimiser=rprop, checkpoint=tmp_path / "c.fit")
    for _ in range(17):
        next(job)
    job.close()
    resumed = fit(
        dataset, settings=settings, optimiser=rprop, checkpoint=tmp_path / "c.fit", resume=True
    )
    assert same(run(resumed), whole)


def test_progress_carries_numbers_and_previews(dataset):
    cameras = sphere_cameras(3, 32)
    seen = list(fit(dataset, settings=replace(SHORT, steps=20), preview=cameras, preview_every=10))
    assert [p.done for p in seen if p.preview is not None] == [0, 10, 20]
    for progress in seen:
        if progress.preview is not None:
            assert progress.preview.rgba8.shape == (32, 32, 4)
    assert seen[-1].decibels > 5
    assert seen[-1].splats > 0
    assert seen[-1].note.startswith("Fitting, ")


def test_masked_pixels_do_not_matter():
    cameras = sphere_cameras(8, 48, distance=3.4)
    clean = dataset_of(blob(), cameras)
    rng = np.random.default_rng(0)
    views = []
    for view in clean.views:
        pixels, mask = view.pixels.copy(), np.ones((48, 48), bool)
        mask[10:30, 8:40] = False
        pixels[~mask] = rng.integers(0, 255, (int((~mask).sum()), 3))
        views.append(View(view.name, view.camera, pixels, mask))
    spoilt = Dataset(tuple(View(v.name, v.camera, v.pixels) for v in views))
    masked = Dataset(tuple(views))
    start = random_start(clean, 300)
    scores = [
        evaluate(run(fit(d, start=start, settings=SHORT)), clean.views).psnr
        for d in (masked, spoilt)
    ]
    assert scores[0] > scores[1] + 3


def test_exposure_takes_up_what_differs_between_pictures():
    cameras = sphere_cameras(9, 48, distance=3.4)
    clean = dataset_of(blob(), cameras)
    gains = np.linspace(0.7, 1.0, 9)
    views = tuple(
        View(v.name, v.camera, np.rint(v.pixels * g).astype(np.uint8))
        for v, g in zip(clean.views, np.random.default_rng(1).permutation(gains), strict=True)
    )
    truth = Dataset(
        tuple(
            View(v.name, v.camera, np.rint(v.pixels * gains.mean()).astype(np.uint8))
            for v in clean.views
        )
    )
    start = random_start(truth, 300)
    settings = replace(SHORT, steps=300, sh_degree=0)
    plain, fitted = (
        evaluate(
            run(fit(Dataset(views), start=start, settings=replace(settings, exposure=e))),
            truth.views,
        ).psnr
        for e in (False, True)
    )
    assert fitted > plain + 0.5


def test_random_backgrounds_make_transparent_pictures_solid():
    cameras = sphere_cameras(8, 48, distance=3.4)
    cloud = blob()
    views = []
    for camera in cameras:
        rgba = photograph(cloud, camera, None)
        alpha = np.maximum(rgba[..., 3:], 1).astype(float)
        straight = np.minimum(rgba[..., :3] * 255.0 / alpha, 255).astype(np.uint8)
        views.append(View("v", camera, np.concatenate([straight, rgba[..., 3:]], axis=2)))
    dataset = Dataset(tuple(views))
    fitted = run(fit(dataset, settings=replace(SHORT, background="random", sh_degree=0)))
    white = dataset_of(cloud, cameras)
    white = Dataset(
        tuple(View("v", v.camera, photograph(cloud, v.camera, (1, 1, 1))) for v in white.views)
    )
    assert evaluate(fitted, white.views, background=(1, 1, 1)).psnr > 20
    assert evaluate(fitted, dataset.views, background=(1, 1, 1)).psnr > 20


def test_an_existing_cloud_is_a_start(dataset):
    rough = blob()
    rough = replace(rough, sh=rough.sh * np.float32(0.3), up=(0.0, 0.0, 1.0))
    before = evaluate(rough, dataset.held_out).psnr
    fitted = run(fit(dataset, start=rough, settings=SHORT))
    assert evaluate(fitted, dataset.held_out).psnr > before + 5
    assert fitted.up == (0.0, 0.0, 1.0)


def test_antialiased_scenes_say_so(dataset):
    settings = replace(SHORT, steps=3, antialiased=True)
    assert run(fit(dataset, settings=settings)).model == "antialiased"


def test_points_become_splats_as_large_as_their_gaps():
    x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
    points = np.stack([x.ravel(), y.ravel(), np.zeros(25)], axis=1)
    points[3] = np.nan
    cloud = start_from_points(points, np.full((25, 3), 0.25))
    assert len(cloud) == 24
    assert np.allclose(cloud.colors, 0.25)
    assert np.allclose(cloud.scales[11], 1.0)
    assert (cloud.scales > 0.9).all()
    assert np.allclose(cloud.opacities, 0.1)
    alone = start_from_points([[1, 2, 3]], [[1, 1, 1]])
    assert np.isfinite(alone.scales).all()
    twins = start_from_points([[0, 0, 0]] * 9, [[1, 1, 1]] * 9)
    assert (twins.scales > 0).all()
    with pytest.raises(UsageError, match="no point with finite"):
        start_from_points([[np.nan] * 3], [[1, 1, 1]])


def test_random_starts_keep_to_their_box_and_before_the_backdrop(dataset):
    box = Bounds((-0.5, -1, -1), (0.5, 1, 1))
    inside = random_start(dataset, 500, bounds=box)
    assert (np.abs(inside.means) <= [0.5, 1, 1]).all()
    carved = np.linalg.norm(random_start(dataset, 500).means, axis=1)
    assert (carved < 1.3).mean() > 0.7
    # The same pictures before a structured backdrop say nothing of what is empty.
    views = []
    for view in dataset.views:
        pixels = view.pixels.copy()
        pixels[pixels.max(axis=2) <= 2] = (90, 60, 30)
        views.append(View(view.name, view.camera, pixels))
    free = random_start(Dataset(tuple(views)), 500)
    assert (np.linalg.norm(free.means, axis=1) < 1.3).mean() < 0.6
    assert len(free) == 500


def test_reduced_targets_are_means(dataset):
    view = dataset.views[0]
    target = Pictures(dataset.views).target(0, 2)
    expected = view.pixels.reshape(24, 2, 24, 2, 3).mean(axis=(1, 3)) / 255
    assert np.allclose(target.photograph.numpy(), expected, atol=1e-6)
    assert target.lens.fx == view.camera.fx / 2
    assert (target.lens.width, target.lens.height) == (24, 24)


def test_a_view_is_kept_at_its_last_size_alone(dataset, monkeypatch):
    """Room for three full views: what coarse ones took is free again once they are outgrown."""
    mask = np.ones((48, 48), bool)
    views = [View(v.name, v.camera, v.pixels, mask) for v in dataset.views]
    bytes_of_one = 48 * 48 * (4 * 3 * 3 + 1)
    monkeypatch.setattr(fit_dataset, "_KEPT_BYTES", 3 * bytes_of_one)
    pictures = Pictures(views)
    for factor in (4, 2, 1):
        for index in range(3):
            pictures.target(index, factor)
    assert [pictures.target(i, 1) is pictures.target(i, 1) for i in range(4)] == [True] * 3 + [
        False
    ]
    monkeypatch.setattr(fit_dataset, "_KEPT_BYTES", 3 * bytes_of_one - 1)
    pictures = Pictures(views)
    for index in range(3):
        pictures.target(index)
    assert pictures.target(2) is not pictures.target(2)


def test_views_masked_as_a_whole_are_not_measured(dataset, caplog):
    view = dataset.views[0]
    blank = View("blank.png", view.camera, view.pixels, np.zeros((48, 48), bool))
    scores = evaluate(blob(), (view, blank))
    assert scores == evaluate(blob(), (view,))
    assert "masked as a whole: blank.png" in caplog.text
    with pytest.raises(UsageError, match="Every view"):
        evaluate(blob(), (blank,))


def test_pictures_are_hashed_once(dataset, tmp_path, monkeypatch):
    hashed = []
    real = optimise.hashlib.blake2b
    monkeypatch.setattr(
        optimise.hashlib, "blake2b", lambda **options: hashed.append(1) or real(**options)
    )
    written = []
    monkeypatch.setattr(optimise, "_CHECKPOINT_SECONDS", -1.0)
    monkeypatch.setattr(optimise, "write_checkpoint", lambda *_: written.append(1))
    run(fit(dataset, settings=replace(SHORT, steps=4), checkpoint=tmp_path / "a.fit"))
    assert len(written) == 4
    assert len(hashed) == 1


def test_a_resumed_film_does_not_flash_dark_where_opacities_were_lowered(dataset, tmp_path):
    settings = replace(SHORT, steps=520)
    cameras = sphere_cameras(1, 32)
    at = settings.schedule().reset
    kept = tmp_path / "a.fit"
    previews = {}
    for resume in (False, True):
        job = fit(
            dataset, start=blob(), settings=settings, preview=cameras, preview_every=at + 3,
            checkpoint=kept, resume=resume,
        )  # fmt: skip
        for progress in job:
            previews[resume] = progress.preview
            if progress.done == (at + 3 if resume else at):
                break
        job.close()
    assert previews[True].rgba8[..., :3].max() > 150


def test_the_focus_is_where_cameras_look():
    cameras = sphere_cameras(6, 32, center=(1.0, 2.0, 3.0), distance=2.0)
    views = tuple(View("v", c, np.zeros((32, 32, 3), np.uint8)) for c in cameras)
    dataset = Dataset(views)
    assert np.allclose(dataset.focus, (1, 2, 3), atol=0.02)
    assert np.allclose(dataset.up, (0, -1, 0), atol=0.1)
    assert dataset.bounds().low[0] < 1 < dataset.bounds().high[0]
    assert 1.8 < dataset.extent < 2.5


def apart():
    """Two cameras that look away from each other."""
    black = np.full((16, 16, 3), 9, np.uint8)
    left = Camera.look_at((-5, 0, 0), (-10, 0, 0), size=(16, 16))
    right = Camera.look_at((5, 0, 0), (10, 0, 0), size=(16, 16))
    return Dataset((View("a", left, black), View("b", right, black)))


def test_pictures_without_anything_in_common_are_told():
    with pytest.raises(UsageError, match="in two of the pictures"):
        run(fit(apart(), start=blob()))
    with pytest.raises(UsageError, match="in two of the pictures"):
        random_start(apart(), 100)


def test_views_that_see_nothing_are_named(dataset, caplog):
    camera = Camera.look_at((0, 0, -5), (0, 0, -50), size=(16, 16))
    away = View("away.png", camera, np.zeros((16, 16, 3), np.uint8))
    wider = Dataset((*dataset.views, away))
    assert check_overlap(wider, blob().means) == ["away.png"]
    run(fit(wider, start=blob(), settings=replace(SHORT, steps=1)))
    assert "1 of 9 pictures see nothing of the start: away.png" in caplog.text


def test_too_few_pictures_and_wrong_sizes_are_told(dataset):
    with pytest.raises(UsageError, match="There is one picture"):
        Dataset(dataset.views[:1])
    with pytest.raises(UsageError, match="There is no picture"):
        Dataset(())
    view = dataset.views[0]
    with pytest.raises(UsageError, match=r"its camera asks for \(48, 48, 3\)"):
        View("v", view.camera, np.zeros((48, 47, 3), np.uint8))
    with pytest.raises(UsageError, match="one size"):
        View("v", view.camera, view.pixels, np.ones((4, 4), bool))
    with pytest.raises(UsageError, match="no view to measure"):
        evaluate(blob(), ())


@pytest.mark.parametrize("seed", [-1, 2**63, 10**40, 0.5, True])
def test_seeds_that_no_generator_takes_are_told(seed):
    with pytest.raises(UsageError, match="A seed"):
        FitSettings(seed=seed)
    assert FitSettings(seed=2**63 - 1).seed == 2**63 - 1


@pytest.mark.parametrize("strategy", ["default", "mcmc"])
def test_never_more_splats_than_allowed_at_the_start_either(dataset, strategy):
    few = replace(SHORT, steps=2, strategy=strategy, most_splats=7)
    points = Dataset(dataset.views, points=blob().means, colors=blob().colors)
    guess = first_guess(points, few)
    assert len(guess) == 7
    every = {row.tobytes() for row in blob().means}
    assert {row.tobytes() for row in guess.means} <= every
    assert len(first_guess(dataset, few)) == 7
    assert len(run(fit(points, settings=few))) <= 7
    with pytest.raises(UsageError, match="begin with 400 splats, which is more than the 7"):
        run(fit(dataset, start=blob(), settings=few))


def test_what_could_not_be_delivered_is_kept(dataset, tmp_path):
    def refusing(_cloud):
        raise OutputError("The disk is full.")

    kept, taken = tmp_path / "a.fit", []
    with pytest.raises(OutputError, match="disk is full"):
        run(fit(dataset, settings=SHORT, checkpoint=kept, deliver=refusing))
    resumed = fit(dataset, settings=SHORT, checkpoint=kept, resume=True, deliver=taken.append)
    # Nothing is left to do.
    assert [progress.done for progress in resumed] == [SHORT.steps]
    assert same(taken[0], run(fit(dataset, settings=SHORT)))


def test_devices_that_are_not_there_are_told(dataset):
    with pytest.raises(UsageError, match="no device 'tape'"):
        run(fit(dataset, device="tape"))
    with pytest.raises(UsageError, match="choose cpu or cuda"):
        run(fit(dataset, device="meta"))


def test_fitting_on_cuda_asks_whether_gsplat_draws(dataset, monkeypatch):
    missing = Availability.missing("The package gsplat is missing; install it.")
    monkeypatch.setattr(optimise, "availability", lambda: missing)
    words = r"cannot be fitted on 'cuda' here: The package gsplat is missing\. Install it"
    for job in (lambda: run(fit(dataset, device="cuda")), lambda: optimise.fit_device("cuda")):
        with pytest.raises(UnavailableError, match=words):
            job()

    def fail():
        raise UnavailableError("The kernels could not be compiled.")

    monkeypatch.setattr(optimise, "availability", lambda: Availability(True))
    monkeypatch.setattr(optimise, "load_gsplat", fail)
    with pytest.raises(UnavailableError, match="could not be compiled"):
        run(fit(dataset, device="cuda"))


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: you tried ..."),
        torch.OutOfMemoryError("CUDA out of memory."),
    ],
)
def test_memory_that_runs_out_is_told(dataset, monkeypatch, error):
    calls = []

    def failing(*_arguments, **_options):
        calls.append(1)
        if len(calls) > 3:
            raise error
        return real(*_arguments, **_options)

    real = optimise.rasterize
    monkeypatch.setattr(optimise, "rasterize", failing)
    with pytest.raises(UnavailableError, match=r"Memory ran out at step 4 with [\d,]+ splats"):
        run(fit(dataset, settings=SHORT))


@pytest.mark.parametrize(
    "wild", [{"exposure": True, "exposure_rate": 1e38}, {"means_rate": 1e38, "steps": 20}]
)
def test_a_fit_that_diverges_is_told(dataset, wild):
    with pytest.raises(UsageError, match="lost its way at step"):
        run(fit(dataset, settings=replace(SHORT, **wild)))


def test_an_empty_start_is_told(dataset):
    with pytest.raises(UsageError, match="without any splat"):
        run(fit(dataset, start=blob().subset(slice(0, 0))))
    broken = replace(blob(3), means=np.full((3, 3), np.nan))
    with pytest.raises(UsageError, match="in two of the pictures"):
        run(fit(dataset, start=broken))


def stopped(dataset, path, settings=SHORT):
    job = fit(dataset, settings=settings, checkpoint=path)
    for _ in range(5):
        next(job)
    job.close()
    return path


def test_checkpoints_of_other_fits_are_told(dataset, tmp_path):
    path = stopped(dataset, tmp_path / "a.fit")
    with pytest.raises(UsageError, match="made with steps = 150, not 151"):
        run(fit(dataset, settings=replace(SHORT, steps=151), checkpoint=path, resume=True))
    fewer = Dataset(dataset.views[:-1])
    with pytest.raises(UsageError, match="other pictures"):
        run(fit(fewer, settings=SHORT, checkpoint=path, resume=True))
    with pytest.raises(UsageError, match="from which checkpoint"):
        run(fit(dataset, resume=True))
    with pytest.raises(FileFormatError, match="no such file"):
        run(fit(dataset, settings=SHORT, checkpoint=tmp_path / "b.fit", resume=True))


def rewritten(path, out, change):
    """A copy of a checkpoint with its facts changed."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "fit.json":
                facts = json.loads(data)
                change(facts)
                data = json.dumps(facts).encode()
            target.writestr(name, data)
    return out


@pytest.mark.parametrize("key", ["step", "order", "order_random", "optimiser", "settings", "error"])
def test_checkpoints_that_lack_something_are_told(dataset, tmp_path, key):
    path = stopped(dataset, tmp_path / "a.fit")
    bad = rewritten(path, tmp_path / "b.fit", lambda facts: facts.pop(key))
    with pytest.raises(FileFormatError, match="lacks something"):
        run(fit(dataset, settings=SHORT, checkpoint=bad, resume=True))


def test_damaged_checkpoints_never_do_more_than_a_sentence(dataset, tmp_path):
    path = stopped(dataset, tmp_path / "a.fit")
    whole = path.read_bytes()
    bad = tmp_path / "b.fit"
    rng = np.random.default_rng(0)
    for _ in range(60):
        content = bytearray(whole)
        at = int(rng.integers(len(content)))
        content[at : at + 4] = rng.bytes(4)
        bad.write_bytes(bytes(content[: int(rng.integers(1, len(content)))]))
        with pytest.raises(FileFormatError, match="no checkpoint"):
            read_checkpoint(bad)
    for at in rng.integers(0, len(whole), 40):
        content = bytearray(whole)
        content[at] ^= 0xFF
        bad.write_bytes(bytes(content))
        try:
            read_checkpoint(bad)
        except PolyoramaError:
            continue


def test_newer_and_packed_checkpoints_are_told(dataset, tmp_path):
    path = stopped(dataset, tmp_path / "a.fit")
    newer = rewritten(path, tmp_path / "b.fit", lambda facts: facts.update(format=99))
    with pytest.raises(FileFormatError, match="update Polyorama"):
        read_checkpoint(newer)
    with zipfile.ZipFile(tmp_path / "c.fit", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("fit.json", " " * 10_000_000)
    with pytest.raises(FileFormatError, match="no checkpoint"):
        read_checkpoint(tmp_path / "c.fit")


def test_checkpoints_hold_arrays_exactly(tmp_path):
    arrays = {
        "a/b": np.arange(6, dtype=np.float32).reshape(2, 3), "c": np.zeros((0, 3, 3), np.float32),
        "d": np.array(7.5), "random": np.arange(9, dtype=np.uint8),
    }  # fmt: skip
    write_checkpoint(tmp_path / "a.fit", Checkpoint({"step": 3}, arrays))
    back = read_checkpoint(tmp_path / "a.fit")
    assert back.facts["step"] == 3
    assert back.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back.arrays[name].dtype == array.dtype
        assert np.array_equal(back.arrays[name], array)
        assert back.arrays[name].shape == array.shape


def test_objects_in_a_checkpoint_are_never_loaded(tmp_path):
    import io

    stream = io.BytesIO()
    np.save(stream, np.array([{}], object), allow_pickle=True)
    with zipfile.ZipFile(tmp_path / "a.fit", "w") as archive:
        archive.writestr("fit.json", json.dumps({"polyorama": "fit", "format": 1}))
        archive.writestr("x.npy", stream.getvalue())
    with pytest.raises(FileFormatError, match="no checkpoint"):
        read_checkpoint(tmp_path / "a.fit")
