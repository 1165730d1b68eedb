"""The training of EcoFace: it learns, resumes to the same bytes, refuses what does not fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.ecoface.examples import Example, ExampleSet, read_examples, write_examples
from polyorama.face.ecoface.generate import EcoFace
from polyorama.face.ecoface.stages import STAGES, EmotionFeatures, TrainSettings
from polyorama.face.ecoface.training import fit_person, train, with_person
from polyorama.face.ecoface.weights import Units, load_weights, save_weights
from tests.engine.ecoface_samples import SMALL, small_set, small_weights

SHORT = TrainSettings(
    emotion_steps=4, sync_steps=3, motion_steps=5, batch=4, rows=24, warm_up=2, rate=2e-3
)


def _bytes(weights) -> bytes:
    parts = [weights.space.state_dict(), weights.vae.state_dict()]
    return b"".join(v.numpy().tobytes() for part in parts for v in part.values()) + (
        weights.prototypes.tobytes() + weights.probe.tobytes()
    )


@pytest.mark.parametrize("stop_at", [2, 6, 9])
def test_a_stopped_training_resumes_to_the_same_bytes(tmp_path, stop_at: int) -> None:
    data = small_set(6)
    whole = run(train(data, SMALL, tmp_path / "whole", SHORT))
    state = tmp_path / "state"
    job = train(data, SMALL, state, SHORT, keep_every=1)
    # Closing a job at a yield is how it is cancelled; what it kept last may be older or newer.
    for progress in job:
        if progress.done >= stop_at:
            break
    job.close()
    again = run(train(data, SMALL, state, SHORT, resume=True, keep_every=1))
    assert _bytes(again) == _bytes(whole)


def test_progress_counts_all_updates_and_names_stages(tmp_path) -> None:
    seen = list(train(small_set(4), SMALL, tmp_path / "state", SHORT))
    assert seen[-1].done == seen[-1].total == 12
    assert {p.stage for p in seen} == set(STAGES)
    assert "mse" in seen[-1].losses


def test_another_training_is_not_gone_on_with(tmp_path) -> None:
    state = tmp_path / "state"
    data = small_set(4)
    run(train(data, SMALL, state, SHORT))
    for other, what in (
        ((small_set(5), SMALL, SHORT), "other clips"),
        ((data, replace(SMALL, hidden=14), SHORT), "other sizes"),
        ((data, SMALL, replace(SHORT, seed=1)), "other settings"),
    ):
        with pytest.raises(UsageError, match=what):
            next(train(other[0], other[1], state, other[2], resume=True))
    state.write_bytes(state.read_bytes()[:-40])
    with pytest.raises(FileFormatError):
        next(train(data, SMALL, state, SHORT, resume=True))


def test_sizes_that_do_not_fit_the_clips_are_refused(tmp_path) -> None:
    with pytest.raises(UsageError, match="40"):
        next(train(small_set(3), replace(SMALL, content=9), tmp_path / "s", SHORT))


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> tuple[ExampleSet, object]:
    """A model that has learned the little that there is."""
    data = small_set(30, least=36)
    settings = TrainSettings(
        emotion_steps=40, sync_steps=10, motion_steps=160, batch=8, rows=32, warm_up=10,
        rate=6e-3, lambda_kl=0.05,
    )  # fmt: skip
    config = replace(SMALL, hidden=24, condition=12)
    return data, run(train(data, config, tmp_path_factory.mktemp("t") / "state", settings))


def test_motion_follows_content_emotion_and_person(trained) -> None:
    data, weights = trained
    model = EcoFace(weights)
    features = EmotionFeatures(weights.space, data, weights.units)
    errors, shuffled, still = [], [], []
    for n, example in enumerate(data.examples):
        emotion = features.heard[n][::2]
        out = model.generate(
            np.asarray(example.content, np.float32), emotion, example.person, temperature=0.0
        )
        errors.append(np.abs(out - example.motion).mean())
        wrong = np.asarray(example.content, np.float32)[::-1].copy()
        out = model.generate(wrong, emotion, example.person, temperature=0.0)
        shuffled.append(np.abs(out - example.motion).mean())
        still.append(np.abs(weights.units.mean["motion"] - example.motion).mean())
    assert np.mean(errors) < 0.75 * np.mean(still)
    assert np.mean(errors) < 0.75 * np.mean(shuffled)


def test_emotions_are_told_apart_by_sound_and_by_motion(trained) -> None:
    data, weights = trained
    features = EmotionFeatures(weights.space, data, weights.units)
    labels = data.labels[:, 1]
    for branch in (features.heard, features.seen):
        means = np.stack([rows.mean(0) for rows in branch])
        logits = means @ weights.probe[:, :-1].T + weights.probe[:, -1]
        assert (logits.argmax(1) == labels).mean() > 0.8


def test_a_face_is_learned_by_its_own_vector_alone(trained) -> None:
    data, weights = trained
    model = EcoFace(weights)
    before = [v.clone() for v in weights.vae.state_dict().values()]
    mine = ExampleSet(
        tuple(replace(e, person=0) for e in data.examples if e.person == 1), ("Me",), "arkit",
        "listener",
    )  # fmt: skip
    fit = run(fit_person(model, mine, steps=40))
    assert fit.person.shape == (12,)
    assert fit.after < fit.before
    after = list(weights.vae.state_dict().values())
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))
    again = EcoFace(with_person(weights, "Me", fit.person))
    assert again.speakers == ("Ada", "Bo", "Me")
    assert again.trained_on == "Made up for tests. The speaker Me was learned from clips of a face."
    content = np.asarray(data.examples[0].content, np.float32)
    emotion = weights.prototypes[0]
    assert np.allclose(
        again.generate(content, emotion, 2), model.generate(content, emotion, fit.person)
    )


def test_a_model_with_one_more_speaker_is_kept(tmp_path) -> None:
    weights = small_weights()
    more = with_person(weights, "Me", np.ones(SMALL.condition, np.float32))
    save_weights(more, tmp_path / "more.safetensors")
    again = load_weights(tmp_path / "more.safetensors")
    assert again.persons[-1] == "Me"
    even_more = with_person(again, "You", np.zeros(SMALL.condition, np.float32))
    assert even_more.config.persons == 4


def test_without_the_space_the_generator_does_not_learn_from_sound(tmp_path) -> None:
    data = small_set(4)
    other = replace(data, examples=tuple(
        replace(e, sound=np.asarray(e.sound)[::-1].copy()) for e in data.examples
    ))  # fmt: skip
    for space in (False, True):
        settings = replace(SHORT, emotion_space=space)
        one, two = (
            run(train(clips, SMALL, tmp_path / f"{space} {n}", settings)).vae.state_dict()
            for n, clips in enumerate((data, other))
        )
        assert all(torch.equal(one[name], two[name]) for name in one) is not space


def test_clips_are_kept_and_read_again(tmp_path) -> None:
    data = small_set(5)
    path = tmp_path / "clips.safetensors"
    write_examples(data, path)
    again = read_examples(path)
    assert again.fingerprint() == data.fingerprint()
    assert again.persons == data.persons
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FileFormatError):
        read_examples(path)


def test_parts_of_clips_lie_where_they_say_and_are_filled_up() -> None:
    data = small_set(4)
    batch = data.batch([0, 1, 1], 48, np.random.default_rng(0))
    for clip, start, motion, content, mask in zip(
        batch.clips, batch.starts, batch.motion, batch.content, batch.mask, strict=True
    ):
        example = data.examples[clip]
        count = int(mask.sum())
        assert count == min(48, len(example.motion) - start)
        assert np.allclose(motion[:count], example.motion[start : start + count])
        assert np.allclose(content[: 2 * count], example.content[2 * start : 2 * (start + count)])
        assert np.allclose(motion[count:], example.motion[-1])


def test_unequal_or_unfinished_clips_are_refused() -> None:
    good = small_set(1).examples[0]
    with pytest.raises(UsageError, match="unequal"):
        replace(good, content=good.content[:-1])
    with pytest.raises(UsageError, match="finite"):
        replace(good, motion=np.full_like(good.motion, np.nan))
    for labels in ({"emotion": 8}, {"emotion": -1}, {"level": 3}, {"person": -1}):
        with pytest.raises(UsageError, match="none"):
            replace(good, **labels)
    with pytest.raises(UsageError, match="flame"):
        ExampleSet((good,), ("Ada",), "flame")
    with pytest.raises(UsageError, match="no clip"):
        ExampleSet((), ("Ada",))
    with pytest.raises(UsageError, match="not listed"):
        ExampleSet((replace(good, person=3),), ("Ada",))


def test_units_are_those_of_the_clips() -> None:
    data = small_set(6)
    units = Units.of(data)
    rows = np.concatenate([e.motion for e in data.examples]).astype(np.float64)
    assert np.allclose(units.mean["motion"], rows.mean(0), atol=1e-6)
    assert np.allclose(units.spread["motion"], np.maximum(rows.std(0), 0.03), atol=1e-6)
    there = units.into("motion", data.examples[0].motion)
    assert np.allclose(units.out_of("motion", there), data.examples[0].motion, atol=1e-5)


def test_a_level_that_no_clip_has_lies_at_the_other() -> None:
    data = small_set(15)
    only = ExampleSet(
        tuple(e for e in data.examples if (e.emotion, e.level) != (2, 2)), data.persons
    )
    weights = small_weights()
    prototypes = EmotionFeatures(weights.space, only, weights.units).prototypes()
    assert np.allclose(prototypes[4], prototypes[3])
    assert not np.allclose(prototypes[5], prototypes[3])
    assert isinstance(only.examples[0], Example)
