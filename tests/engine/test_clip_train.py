"""The training of Duoduo CLIP: what it changes, what it leaves, what it learns, how it goes on."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, OutputError, UnavailableError, UsageError
from polyorama.shapes.clip.captions import Captioned, captioned_models
from polyorama.shapes.clip.config import B32, ClipConfig, TextConfig, VisionConfig
from polyorama.shapes.clip.embedder import load_embedder
from polyorama.shapes.clip.load import load_clip, save_clip
from polyorama.shapes.clip.loss import info_nce, learning_rate
from polyorama.shapes.clip.net import Clip
from polyorama.shapes.clip.rendered import Rendered, render_job
from polyorama.shapes.clip.siglip import Siglip
from polyorama.shapes.clip.train import CURVES, TrainSettings, crops, joined, train, trainable
from polyorama.shapes.clip.train_state import read_state, write_state
from polyorama.shapes.clip.words import clip_words
from polyorama.verbs.shapes_train import MODEL, STATE, TABLE_OF_LOSSES, train_shapes_job
from tests.engine.clip_samples import VOCABULARY, plain, sample_clip, write_vocabulary

if TYPE_CHECKING:
    from polyorama.shapes.clip.train import TrainProgress

CPU = torch.device("cpu")
MICRO = ClipConfig(
    embed=32,
    vision=VisionConfig(width=64, layers=4, heads=1, mlp=128, patch=8, size=16),
    text=TextConfig(width=64, layers=1, heads=1, mlp=64, vocabulary=VOCABULARY, context=8),
    threshold=2,
)
SETTINGS = TrainSettings(epochs=4, batch=4, rate=3e-3, views=4)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYORAMA_MODELS", str(tmp_path / "models"))


def views_of(number: int, count: int, size: int) -> np.ndarray:
    """Stripes of two colours of one's own, shifted from view to view."""
    rng = np.random.default_rng(number)
    colours = rng.integers(0, 256, (2, 3))
    width = int(rng.integers(2, 6))
    views = np.empty((count, size, size, 3), np.uint8)
    for view in range(count):
        stripes = (np.arange(size) + view) // width % 2
        views[view] = colours[stripes][:, None]
    return views


def sample_data(count: int, views: int = 4, size: int = 16) -> Rendered:
    models = tuple(
        Captioned(f"{n:02}.glb", Path(f"{n:02}.glb"), (f"{chr(97 + n)} the chair",))
        for n in range(count)
    )
    return Rendered(models, np.stack([views_of(n, views, size) for n in range(count)]), {})


def trained(tmp_path: Path, data: Rendered, settings: TrainSettings, net: Clip | None = None,
            **options: Any) -> Any:  # fmt: skip
    words = clip_words([write_vocabulary(tmp_path)], MICRO.text)
    return train(
        net or sample_clip(MICRO), words, data, tmp_path / STATE, settings=settings,
        model_id="micro", device=CPU, **options,
    )  # fmt: skip


# -- losses --------------------------------------------------------------------------------------


def by_hand(a: np.ndarray, b: np.ndarray, scale: float, same: np.ndarray) -> float:
    """InfoNCE, a row at a time."""
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    total = 0.0
    for x, y in ((a, b), (b, a)):
        for i in range(len(x)):
            scores = [
                math.exp(scale) * float(x[i] @ y[j])
                for j in range(len(y))
                if j == i or not same[i, j]
            ]
            right = math.exp(scale) * float(x[i] @ y[i])
            total += math.log(sum(math.exp(score) for score in scores)) - right
    return total / (2 * len(a))


@pytest.mark.parametrize("labels", [[0, 1, 2, 3, 4], [0, 1, 0, 2, 0], [0, 0, 0, 0, 0]])
def test_the_loss_is_that_of_the_formula(labels: list[int]) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 5, 8))
    same = np.equal.outer(labels, labels)
    scale = 1.3
    result = info_nce(
        torch.from_numpy(a), torch.from_numpy(b), torch.tensor(scale), torch.from_numpy(same)
    )
    assert result.item() == pytest.approx(by_hand(a, b, scale, same), rel=1e-5)
    if len(set(labels)) == 1:  # nothing is wrong, so nothing is lost
        assert result.item() == 0.0


def test_the_rate_falls_by_half_a_cosine() -> None:
    rates = [learning_rate(5e-5, 1e-7, epoch, 80) for epoch in range(81)]
    assert rates[0] == 5e-5
    assert rates[80] == pytest.approx(1e-7)
    assert rates[40] == pytest.approx((5e-5 + 1e-7) / 2)
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=5e-5)
    theirs = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 80, 1e-7)
    for epoch in range(80):
        assert optimiser.param_groups[0]["lr"] == pytest.approx(rates[epoch], rel=1e-9)
        optimiser.step()
        theirs.step()


def test_crops_are_parts_of_their_pictures() -> None:
    size = 28  # of which 26 are kept
    ramp = np.broadcast_to(np.arange(size, dtype=np.uint8)[:, None] * 9, (size, size))
    pictures = torch.from_numpy(np.stack([ramp, ramp.T], axis=-1)[None].repeat(40, 0))
    pictures = torch.cat([pictures, pictures[..., :1]], dim=-1)
    result = crops(pictures, np.random.default_rng(0)).numpy() * 255.0 / 9.0
    assert result.shape == (40, 3, size, size)
    middle = result[:, :2, size // 2 - 1 : size // 2 + 1, size // 2 - 1 : size // 2 + 1]
    # The middle of a part that begins at 0, 1 or 2 lies at 12.5, 13.5 or 14.5, in both directions.
    corners = np.rint(middle.mean((2, 3)) - 12.5)
    np.testing.assert_allclose(middle.mean((2, 3)) - 12.5, corners, atol=0.05)
    assert {tuple(corner) for corner in corners} == {(y, x) for y in range(3) for x in range(3)}


# -- what is trained -----------------------------------------------------------------------------


def test_the_real_one_trains_six_blocks_of_attention_and_a_temperature() -> None:
    with torch.device("meta"):
        net = Clip(B32)
    parameters = dict(net.named_parameters())
    names = trainable(net)
    assert sum(parameters[name].numel() for name in names) == 6 * 2_362_368 + 1
    assert len(names) == 6 * 4 + 1
    assert not any(word in name for name in names for word in ("mlp", "ln_", "proj_in", "conv1"))


def test_views_of_plain_clip_are_made_to_meet_in_the_upper_half() -> None:
    net = sample_clip(plain(MICRO))
    result = joined(net)
    assert result.config == MICRO
    assert joined(sample_clip(replace(MICRO, threshold=3))).config.threshold == 3
    pictures = torch.randn(2, 1, 3, 16, 16)
    torch.testing.assert_close(result.encode_views(pictures), net.encode_views(pictures))


def test_what_is_frozen_stays_to_the_last_bit(tmp_path: Path) -> None:
    net = sample_clip(MICRO)
    before = {name: value.clone() for name, value in net.state_dict().items()}
    tuned, _ = run(trained(tmp_path, sample_data(6), SETTINGS, net))
    moving = set(trainable(tuned))
    for name, value in tuned.state_dict().items():
        assert torch.equal(value, before[name]) == (name not in moving), name
    for name, value in net.state_dict().items():
        assert torch.equal(value, before[name]), f"{name} of the network that was given"


def test_steps_are_as_the_settings_say(tmp_path: Path) -> None:
    # Nine models in batches of at most four: three batches an epoch.
    settings = replace(SETTINGS, epochs=6)
    job = trained(tmp_path, sample_data(9), settings)
    seen: list[TrainProgress] = []
    try:
        while True:
            seen.append(next(job))
    except StopIteration as stop:
        tuned, curves = stop.value
    assert [p.done for p in seen if p.preview is None] == [
        n for n in range(1, 19) if n % 10
    ]  # fmt: skip
    assert {p.total for p in seen} == {18}
    assert seen[-1].preview.rows.shape == (18, len(CURVES))
    np.testing.assert_array_equal(seen[-1].preview.rows, curves.rows)
    assert set(curves["views"]) == {1.0, 2.0}
    np.testing.assert_allclose(
        curves["loss"], curves["image_loss"] + curves["text_loss"], rtol=1e-5
    )
    rates = [learning_rate(3e-3, 1e-7, epoch, 6) for epoch in range(6) for _ in range(3)]
    np.testing.assert_allclose(curves["rate"], rates)
    assert abs(curves["scale"][0] - 1 / 0.07) < 0.2
    assert float(tuned.logit_scale.exp()) == pytest.approx(curves["scale"][-1])


def test_the_temperature_never_passes_a_hundred(tmp_path: Path) -> None:
    settings = replace(SETTINGS, epochs=30, rate=0.3)
    _, curves = run(trained(tmp_path, sample_data(4), settings))
    assert curves["scale"].max() <= 100.0 * (1 + 1e-5)


# -- what it learns ------------------------------------------------------------------------------


def hits_of(net: Clip, data: Rendered, words: Any) -> int:
    """How many captions find their own shape first."""
    values = torch.from_numpy(data.pixels[:, :2]).movedim(-1, 2).float() / 255.0
    mean = torch.tensor((0.48145466, 0.4578275, 0.40821073))[:, None, None]
    deviation = torch.tensor((0.26862954, 0.26130258, 0.27577711))[:, None, None]
    shapes, _ = net.encode_views((values - mean) / deviation)
    texts = net.encode_text(words([model.captions[0] for model in data.models]))
    unit = torch.nn.functional.normalize
    scores = unit(texts, dim=-1) @ unit(shapes, dim=-1).mT
    return int((scores.argmax(1) == torch.arange(len(texts))).sum())


def test_training_lowers_the_loss_and_words_find_their_shapes(tmp_path: Path) -> None:
    data = sample_data(12)
    words = clip_words([write_vocabulary(tmp_path)], MICRO.text)
    settings = replace(SETTINGS, epochs=60, batch=12)
    before = after = 0
    first = last = 0.0
    for seed in range(3):
        net = sample_clip(MICRO, seed)
        before += hits_of(net, data, words)
        tuned, curves = run(trained(tmp_path, data, replace(settings, seed=seed), net))
        after += hits_of(tuned, data, words)
        for name in ("image_loss", "text_loss"):
            assert curves[name][-5:].mean() < 0.9 * curves[name][:5].mean()
        first += curves["loss"][:5].mean()
        last += curves["loss"][-5:].mean()
    assert last < 0.7 * first
    # 36 tries with a chance of 1 in 12: 13 or more hits by luck have a probability under 1e-5.
    assert after >= 13
    assert after > before


# -- going on ------------------------------------------------------------------------------------


def assert_same(a: Clip, b: Clip) -> None:
    for name, value in a.state_dict().items():
        assert torch.equal(value, b.state_dict()[name]), name


@pytest.mark.parametrize("killed_at", [1, 3, 5, 8])
def test_killed_and_resumed_is_as_never_killed(tmp_path: Path, killed_at: int) -> None:
    data = sample_data(7)
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    whole, curves = run(trained(one, data, SETTINGS))
    job = trained(two, data, SETTINGS)
    while next(job).done < killed_at:
        pass
    job.close()
    again, resumed = run(trained(two, data, SETTINGS, resume=True))
    assert_same(whole, again)
    np.testing.assert_array_equal(resumed.rows, curves.rows)


def test_another_training_is_not_gone_on_with(tmp_path: Path) -> None:
    data = sample_data(6)
    run(trained(tmp_path, data, SETTINGS))
    with pytest.raises(UsageError, match="begun with other settings"):
        run(trained(tmp_path, data, replace(SETTINGS, seed=5), resume=True))
    other = replace(data, pixels=data.pixels[::-1].copy())
    with pytest.raises(UsageError, match="begun on other models or captions"):
        run(trained(tmp_path, other, SETTINGS, resume=True))
    words = clip_words([tmp_path], MICRO.text)
    job = train(sample_clip(MICRO), words, data, tmp_path / STATE, settings=SETTINGS,
                model_id="another", device=CPU, resume=True)  # fmt: skip
    with pytest.raises(UsageError, match="begun of another model"):
        run(job)


def test_a_state_before_the_first_step_is_gone_on_with(tmp_path: Path) -> None:
    data = sample_data(6)
    run(trained(tmp_path, data, SETTINGS))
    tensors, facts = read_state(tmp_path / STATE)
    kept = {n: t for n, t in tensors.items() if n.startswith(("weights/", "curves"))}
    facts = {key: value for key, value in facts.items() if key != "format"}
    write_state(tmp_path / STATE, kept, {**facts, "epoch": 3, "stepped": False})
    _, curves = run(trained(tmp_path, data, SETTINGS, resume=True))
    assert len(curves.rows) == len(tensors["curves"]) + 2


def test_a_rate_that_breaks_it_is_said(tmp_path: Path) -> None:
    net = sample_clip(MICRO)
    with torch.no_grad():
        net.visual.proj.fill_(torch.inf)
    with pytest.raises(UsageError, match=r"no longer a number at step 1; .* lower learning rate"):
        run(trained(tmp_path, sample_data(4), SETTINGS, net))


def test_a_damaged_state_says_so(tmp_path: Path) -> None:
    data = sample_data(6)
    run(trained(tmp_path, data, SETTINGS))
    path = tmp_path / STATE
    tensors, facts = read_state(path)
    for spoiled, numbers in (
        ({**tensors, "exp_avg/logit_scale": torch.ones(2)}, facts),
        ({n: t for n, t in tensors.items() if n != "step/logit_scale"}, facts),
        (tensors, {**facts, "epoch": 99}),
        (tensors, {**facts, "epoch": "two"}),
    ):
        numbers = {key: value for key, value in numbers.items() if key != "format"}
        write_state(path, spoiled, numbers)
        with pytest.raises(FileFormatError, match="is damaged"):
            run(trained(tmp_path, data, SETTINGS, resume=True))
    write_state(path, tensors, {**facts, "format": 9})
    with pytest.raises(FileFormatError, match="another version"):
        read_state(path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(FileFormatError, match="cut short"):
        read_state(path)
    save_clip(sample_clip(MICRO), path, "")
    with pytest.raises(FileFormatError, match="no interrupted training"):
        read_state(path)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"epochs": 0}, "an epoch or more"),
        ({"batch": 1}, "two or more"),
        ({"views": 1}, "from 2 to 24 sides"),
        ({"rate": 0.0}, "learning rate"),
        ({"rate": math.nan}, "learning rate"),
        ({"seed": -1}, "0 or more"),
    ],
)
def test_settings_out_of_range_are_refused(options: dict[str, Any], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        TrainSettings(**options)


# -- captions ------------------------------------------------------------------------------------


def make_models(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"model")
    return folder


def said(folder: Path) -> dict[str, tuple[str, ...]]:
    return {model.name: model.captions for model in captioned_models(folder)}


def test_names_are_captions_where_nothing_else_is(tmp_path: Path) -> None:
    make_models(tmp_path, "redChair_01.glb", "sub/wooden-table.obj", "notes.txt", ".hid/x.glb")
    assert said(tmp_path) == {
        "redChair_01.glb": ("red chair 01",), "sub/wooden-table.obj": ("wooden table",),
    }  # fmt: skip


def test_captions_of_a_json(tmp_path: Path) -> None:
    make_models(tmp_path, "a.glb", "b.glb", "c.glb")
    table = {"b.glb": ["a chair", " a chair ", "seat", ""], "a.glb": "table"}
    (tmp_path / "captions.json").write_text(json.dumps(table))
    assert said(tmp_path) == {"a.glb": ("table",), "b.glb": ("a chair", "seat")}


def test_captions_of_a_csv(tmp_path: Path) -> None:
    make_models(tmp_path, "a.glb", "b.glb")
    text = '\ufefffile,caption\na.glb,"a chair, red"\nb.glb,table\n\na.glb,seat\n'
    (tmp_path / "captions.csv").write_text(text, encoding="utf-8")
    assert said(tmp_path) == {"a.glb": ("a chair, red", "seat"), "b.glb": ("table",)}


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("captions.json", '{"a.glb": [1]}', "no list of texts"),
        ("captions.json", '{"a.glb": [""]}', "no caption of 'a.glb'"),
        ("captions.json", '{"z.glb": "x"}', "no model 'z.glb'"),
        ("captions.json", '{"../a.glb": "x"}', "outside"),
        ("captions.json", "[]", "no object"),
        ("captions.csv", "a.glb\n", "Row 1 is not a file and a caption"),
        ("captions.csv", "\xff", "no model"),
    ],
)
def test_captions_that_are_wrong(tmp_path: Path, name: str, text: str, word: str) -> None:
    make_models(tmp_path, "a.glb", "b.glb")
    (tmp_path / name).write_text(text if word != "no model" else '"z","x"\n', encoding="utf-8")
    with pytest.raises(FileFormatError, match=word):
        captioned_models(tmp_path)


def test_folders_with_too_little_or_too_much(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        captioned_models(tmp_path / "nothing")
    make_models(tmp_path, "a.glb")
    with pytest.raises(UsageError, match="at least two models"):
        captioned_models(tmp_path)
    (tmp_path / "captions.json").write_text("{}")
    (tmp_path / "captions.csv").write_text("")
    with pytest.raises(UsageError, match="keep one of them"):
        captioned_models(tmp_path)


# -- the verb ------------------------------------------------------------------------------------


def render(path: Path, count: int, size: int) -> np.ndarray:
    if path.stem == "broken":
        raise FileFormatError(f"This is no model: {path}")
    return views_of(ord(path.stem[0]), count, size)


def prepared(tmp_path: Path) -> tuple[Path, Path]:
    """A folder of models, and weights with their vocabulary."""
    models = make_models(tmp_path / "props", "a.glb", "broken.glb", "c.glb", "d.glb", "e.glb")
    weights = tmp_path / "weights"
    weights.mkdir()
    save_clip(sample_clip(plain(MICRO)), weights / "model.safetensors", "sixteen pixels")
    write_vocabulary(weights)
    return models, weights


def job_of(tmp_path: Path, out: str, **options: Any) -> Any:
    return train_shapes_job(
        tmp_path / "props", tmp_path / out, tmp_path / "weights",
        **{"settings": SETTINGS, "render": render, **options},
    )  # fmt: skip


def test_a_folder_of_models_becomes_a_model(tmp_path: Path) -> None:
    prepared(tmp_path)
    done = run(job_of(tmp_path, "out"))
    assert done.models == 4
    assert list(done.failed) == ["broken.glb"]
    # What was only needed on the way is gone.
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {MODEL, TABLE_OF_LOSSES, "bpe_simple_vocab_16e6.txt.gz"}
    loaded = load_clip(tmp_path / "out")
    assert loaded.net.config == MICRO
    assert loaded.origin == "sixteen pixels; fine-tuned on 4 models of the folder props"
    assert load_embedder(tmp_path / "out").embed_texts(["a chair"]).shape == (1, 32)
    with (tmp_path / "out" / TABLE_OF_LOSSES).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == [1, 2, 3, 4]
    assert [float(row["loss"]) for row in rows] == pytest.approx(
        list(done.curves["loss"]), rel=1e-6
    )
    with pytest.raises(UsageError, match="has ended in this folder"):
        run(job_of(tmp_path, "out"))


def test_a_killed_verb_goes_on_to_the_same_file(tmp_path: Path) -> None:
    prepared(tmp_path)
    run(job_of(tmp_path, "one"))
    job = job_of(tmp_path, "two")
    while getattr(next(job), "epoch", 0) < 2:
        pass
    job.close()
    assert (tmp_path / "two" / STATE).exists()
    assert not (tmp_path / "two" / MODEL).exists()
    with pytest.raises(UsageError, match="go on with --resume"):
        run(job_of(tmp_path, "two"))
    # The models need not be drawn again.
    run(job_of(tmp_path, "two", resume=True, render=None))
    a, b = ((tmp_path / name / MODEL).read_bytes() for name in ("one", "two"))
    assert a == b


def test_views_are_kept_until_their_models_change(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.glb" for name in "ab"]
    for path in paths:
        path.write_bytes(b"first")
    models = [Captioned(path.name, path, ("x",)) for path in paths]
    drawn: list[str] = []

    def counting(path: Path, count: int, size: int) -> np.ndarray:
        drawn.append(path.stem)
        return render(path, count, size)

    for _ in range(2):
        assert len(run(render_job(models, tmp_path, 2, 16, counting)).models) == 2
        assert drawn == ["a", "b"]
    paths[1].write_bytes(b"another")
    run(render_job(models, tmp_path, 2, 16, counting))
    assert drawn == ["a", "b", "a", "b"]


def test_what_cannot_be_trained_is_said_before_the_work(tmp_path: Path) -> None:
    _, weights = prepared(tmp_path)
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(OutputError, match="this is a file"):
        run(job_of(tmp_path, "file"))
    (weights / "bpe_simple_vocab_16e6.txt.gz").unlink()
    with pytest.raises(UnavailableError, match="polyorama models get clip-vocabulary"):
        run(job_of(tmp_path, "out"))
    with pytest.raises(UnavailableError, match="no GPU"):
        run(job_of(tmp_path, "out", device="cuda:99"))
    assert not (tmp_path / "out").exists()


def test_models_that_cannot_be_drawn_end_it(tmp_path: Path) -> None:
    models = [Captioned(f"{n}.glb", tmp_path / "broken.glb", ("x",)) for n in range(3)]
    with pytest.raises(UsageError, match="two are needed that can be drawn; This is no model"):
        run(render_job(models, tmp_path, 2, 16, render))


def test_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import argparse

    from polyorama.cli import shapes_train
    from polyorama.shapes import describing

    prepared(tmp_path)
    monkeypatch.setattr(describing, "render_file", render)
    parser = argparse.ArgumentParser()
    shapes_train.add_arguments(parser)
    words = [str(tmp_path / "props"), "--model", str(tmp_path / "weights"), "-o",
             str(tmp_path / "out"), "--epochs", "3", "--batch", "4", "--lr", "1e-3", "--views", "4",
             "--seed", "2"]  # fmt: skip
    assert shapes_train.run(parser.parse_args(words)) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Trained on 4 models in ")
    assert "left out: This is no model" in said.err
    assert len((tmp_path / "out" / TABLE_OF_LOSSES).read_text().splitlines()) == 4


def test_siglip_has_nothing_to_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyorama.verbs import shapes_train
    from tests.engine.clip_samples import SIGLIP

    prepared(tmp_path)
    loaded = replace(load_clip(tmp_path / "weights"), net=Siglip(SIGLIP), layout="siglip")
    monkeypatch.setattr(shapes_train, "load_clip", lambda _: loaded)
    with pytest.raises(UsageError, match="SigLIP has no blocks"):
        run(job_of(tmp_path, "out"))
