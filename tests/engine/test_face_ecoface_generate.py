"""EcoFace at work: parts of takes, speakers, chosen and swapped feelings, the map, content."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from polyorama.errors import FileFormatError, UnavailableError, UsageError
from polyorama.face.ecoface import content as content_module
from polyorama.face.ecoface import generate, senses
from polyorama.face.ecoface.config import CONTENT_FPS, FPS, GROUPS
from polyorama.face.ecoface.content import HubertContent, at_content_rate, content_of_phones
from polyorama.face.ecoface.ede import steadied
from polyorama.face.ecoface.generate import EcoFace, looped, noise_of, upsampled
from polyorama.face.ecoface.sound import SOUND, rows_of_sound, sound_rows
from polyorama.face.ecoface.space import EmotionMap
from polyorama.face.ecoface.threads import one_thread
from polyorama.scene.faces.channels import ARKIT, EMOTIONS
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import PHONES, Phone, PhoneTrack
from tests.engine.ecoface_samples import SMALL, small_weights


@pytest.fixture(scope="module")
def model() -> EcoFace:
    return EcoFace(small_weights())


def _inputs(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    content = rng.uniform(size=(2 * count, SMALL.content)).astype(np.float32)
    return content, rng.normal(size=(count, SMALL.emotion)).astype(np.float32)


# -- parts of takes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "stop"), [(0, 1), (0, 203), (100, 101), (57, 121), (150, 203), (202, 203)]
)
def test_a_part_is_that_of_the_whole_pass(model: EcoFace, start: int, stop: int) -> None:
    content, feeling = _inputs(203)
    whole = model.generate(content, feeling, 0.4, seed=5, temperature=1.0)
    part = model.generate(content, feeling, 0.4, seed=5, temperature=1.0, start=start, stop=stop)
    assert part.shape == (stop - start, 55)
    assert np.abs(part - whole[start:stop]).max() < 1e-5


def test_the_paper_s_layers_reach_no_farther_than_the_context() -> None:
    config = replace(
        SMALL, hidden=8, flow_hidden=8, flow_layers=4, decoder_layers=4, flows=4,
    )  # fmt: skip
    model = EcoFace(small_weights(config))
    content, feeling = _inputs(320)
    whole = model.generate(content, feeling, seed=1, temperature=1.0)
    assert config.context < 120
    for row in (150, 151, 152, 153):
        part = model.generate(content, feeling, seed=1, temperature=1.0, start=row, stop=row + 1)
        assert np.abs(part - whole[row : row + 1]).max() < 1e-5


def test_a_change_moves_rows_near_it_and_no_others(model: EcoFace) -> None:
    content, feeling = _inputs(240)
    before = model.generate(content, feeling, seed=2)
    content[300:302] = 1.0 - content[300:302]
    after = model.generate(content, feeling, seed=2)
    moved = np.flatnonzero(np.abs(after - before).max(1) > 1e-7)
    assert len(moved)
    reach = model.weights.config.context
    assert moved.min() >= 150 - reach
    assert moved.max() <= 150 + reach


def test_blocks_join_without_a_seam(model: EcoFace, monkeypatch: pytest.MonkeyPatch) -> None:
    content, feeling = _inputs(230)
    sound = sound_rows(np.random.default_rng(0).normal(size=150_000).astype(np.float32) * 0.1)
    face = Performance(np.random.default_rng(1).uniform(size=(230, 55)).astype(np.float32), 25.0)
    units = model.weights.units
    whole = model.generate(content, feeling, seed=9, temperature=1.0)
    heard = senses._by_blocks(model.weights.space.audio, units.into("sound", sound))
    seen = model.emotion_of_motion(face)
    monkeypatch.setattr(generate, "_BLOCK", 37)
    monkeypatch.setattr(senses, "_BLOCK", 37)
    again = model.generate(content, feeling, seed=9, temperature=1.0)
    assert again.shape == whole.shape
    assert np.abs(again - whole).max() < 1e-5
    parts = senses._by_blocks(model.weights.space.audio, units.into("sound", sound))
    assert np.abs(parts - heard).max() < 1e-5
    assert np.abs(model.emotion_of_motion(face) - seen).max() < 1e-5


def test_takes_are_their_seed_s_and_differ_with_temperature(model: EcoFace) -> None:
    content, feeling = _inputs(60)
    takes = [
        model.generate(content, feeling, seed=seed, temperature=heat)
        for seed, heat in ((0, 1.0), (0, 1.0), (1, 1.0), (0, 0.0), (1, 0.0))
    ]
    assert np.array_equal(takes[0], takes[1])
    assert not np.allclose(takes[0], takes[2], atol=1e-3)
    assert np.array_equal(takes[3], takes[4])


def test_noise_belongs_to_the_number_of_a_latent() -> None:
    whole = noise_of(3, 0, 300, 4)
    assert np.array_equal(noise_of(3, 60, 131, 4), whole[60:131])
    assert not np.array_equal(noise_of(4, 60, 131, 4), whole[60:131])
    # 64 numbers have a mean within 5 / 8 but once in a million runs; 1,200 likewise.
    assert abs(whole.mean()) < 5.0 / np.sqrt(whole.size)
    assert abs(whole.std() - 1.0) < 5.0 / np.sqrt(2.0 * whole.size)
    assert abs(np.corrcoef(whole[:-1].ravel(), whole[1:].ravel())[0, 1]) < 5.0 / np.sqrt(1196)


def test_shapes_stay_within_0_and_1(model: EcoFace) -> None:
    content, feeling = _inputs(40)
    wild = model.generate(content * 30.0, feeling * 30.0, seed=0, temperature=3.0)
    assert wild[:, : len(ARKIT)].min() >= 0.0
    assert wild[:, : len(ARKIT)].max() <= 1.0
    assert np.isfinite(wild).all()


def test_flame_has_53_values() -> None:
    model = EcoFace(small_weights(replace(SMALL, target="flame")))
    content, feeling = _inputs(20)
    assert model.generate(content, feeling).shape == (20, 53)
    with pytest.raises(UsageError, match="FLAME"):
        model.emotion_of_motion(Performance(np.zeros((10, 55), np.float32)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"content": np.zeros((40, 3), np.float32)}, "width"),
        ({"feeling": np.zeros((19, SMALL.emotion), np.float32)}, "feeling"),
        ({"start": 5, "stop": 5}, "within"),
        ({"start": 0, "stop": 21}, "within"),
        ({"temperature": 4.0}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"speaker": 7}, "speakers"),
        ({"speaker": np.zeros(3)}, "speakers"),
    ],
)
def test_what_does_not_fit_is_refused(model: EcoFace, change: dict, words: str) -> None:
    content, feeling = _inputs(20)
    given = {"content": content, "feeling": feeling, **change}
    content, feeling = given.pop("content"), given.pop("feeling")
    with pytest.raises(UsageError, match=words):
        model.generate(content, feeling, given.pop("speaker", 0), **given)


# -- speakers --------------------------------------------------------------------------------------


def test_speakers_are_mixed_and_carried_on(model: EcoFace) -> None:
    zero, one = model.person(0), model.person(1)
    assert np.allclose(model.person(0.25), 0.75 * zero + 0.25 * one)
    assert np.allclose(model.person(1.5), 1.5 * one - 0.5 * zero)
    assert np.allclose(model.person(-1), 2.0 * zero - one)
    assert np.array_equal(model.person(zero * 2.0), zero * 2.0)
    for wrong in (-1.1, 2.1, float("nan")):
        with pytest.raises(UsageError):
            model.person(wrong)


# -- feelings --------------------------------------------------------------------------------------


def test_chosen_feelings_lead_through_both_levels(model: EcoFace) -> None:
    prototypes = model.weights.prototypes
    for number in range(1, len(EMOTIONS)):
        for strength, level in ((0.5, 1), (1.0, 2)):
            asked = np.zeros(len(EMOTIONS))
            asked[number] = strength
            wanted = prototypes[GROUPS.index((number, level))]
            assert np.allclose(model.emotion_features_for(asked), wanted, atol=1e-5)
    assert np.allclose(model.emotion_features_for(np.eye(8)[0]), prototypes[0])
    both = np.zeros((3, 8))
    both[1, 2] = both[2, 2] = both[2, 4] = 0.5
    features = model.emotion_features_for(both)
    assert features.shape == (3, SMALL.emotion)
    assert np.allclose(features[0], prototypes[0])
    wanted = prototypes[3] + prototypes[7] - prototypes[0]
    assert np.allclose(features[2], wanted, atol=1e-5)
    with pytest.raises(UsageError):
        model.emotion_features_for(np.zeros(7))


def test_probabilities_are_a_softmax_of_the_probe(model: EcoFace) -> None:
    features = np.random.default_rng(0).normal(size=(40, SMALL.emotion))
    found = model.probabilities(features)
    assert found.shape == (40, 8)
    assert np.allclose(found.sum(1), 1.0, atol=1e-6)
    for t in (0, 20, 39):
        logits = model.weights.probe[:, :-1] @ features[t] + model.weights.probe[:, -1]
        wanted = np.exp(logits - logits.max())
        assert np.allclose(found[t], wanted / wanted.sum(), atol=1e-5)


@pytest.mark.parametrize("count", [1, 7, 130])
def test_feelings_are_steadied_as_a_slow_loop_does(count: int) -> None:
    features = np.random.default_rng(count).normal(size=(count, 3))
    found = steadied(features, 25.0)
    for t in range(count):
        total, weight = np.zeros(3), 0.0
        for k in range(-25, 26):
            if 0 <= t + k < count:
                share = 0.5 + 0.5 * np.cos(np.pi * k / 26)
                total, weight = total + share * features[t + k], weight + share
        assert np.allclose(found[t], total / weight, atol=1e-6)


def test_emotion_is_heard_and_seen_at_25_rows_a_second(model: EcoFace) -> None:
    samples = np.sin(np.arange(24000) / 16.0).astype(np.float32) * 0.2
    features, chances = model.emotion_of_sound(samples)
    assert features.shape == (rows_of_sound(24000), SMALL.emotion)
    assert len(chances) == len(features)
    face = Performance(np.random.default_rng(0).uniform(size=(90, 55)).astype(np.float32), 60.0)
    assert model.emotion_of_motion(face).shape == (38, SMALL.emotion)


def test_a_shorter_feeling_is_looped() -> None:
    rows = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(looped(rows, 7)[:, 0], [0, 2, 4, 0, 2, 4, 0])


# -- the map ---------------------------------------------------------------------------------------


def test_prototypes_go_to_the_map_and_back() -> None:
    rng = np.random.default_rng(1)
    found = EmotionMap.of(rng.normal(size=(15, 12)).astype(np.float32))
    assert np.allclose(found.places[0], 0.0)
    assert np.linalg.norm(found.places, axis=1).max() == pytest.approx(1.0, abs=1e-6)
    assert np.allclose(found.project(found.prototypes), found.places, atol=1e-5)
    assert np.allclose(found.lift(found.places), found.prototypes, atol=1e-4)
    assert found.places[4, 0] > 0.0
    assert abs(found.places[4, 1]) < 1e-6
    assert found.places[6, 1] <= 0.0


def test_the_map_is_always_the_same_and_keeps_distances_of_a_plane() -> None:
    rng = np.random.default_rng(2)
    flat = np.zeros((15, 12), np.float32)
    flat[:, :2] = rng.normal(size=(15, 2))
    turned = flat @ np.linalg.qr(rng.normal(size=(12, 12)))[0].astype(np.float32)
    one, other = EmotionMap.of(turned), EmotionMap.of(turned)
    assert np.array_equal(one.places, other.places)
    wanted = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    have = np.linalg.norm(one.places[:, None] - one.places[None], axis=2)
    scale = (wanted * have).sum() / (have * have).sum()
    assert np.allclose(have * scale, wanted, atol=0.02 * wanted.max())


def test_paths_on_the_map_are_continuous_and_bounded() -> None:
    found = EmotionMap.of(np.random.default_rng(3).normal(size=(15, 12)).astype(np.float32))
    path = np.stack([np.linspace(-1.5, 1.5, 400), np.linspace(-0.3, 0.8, 400)], 1)
    features = found.lift(path)
    assert features.shape == (400, 12)
    low, high = found.prototypes.min(0) - 1e-5, found.prototypes.max(0) + 1e-5
    assert ((features >= low) & (features <= high)).all()
    assert np.abs(np.diff(features, axis=0)).max() < 1.0
    with pytest.raises(UsageError):
        found.lift(np.zeros((3, 3)))
    with pytest.raises(UsageError):
        found.project(np.full((1, 12), np.nan))


# -- content and sound -----------------------------------------------------------------------------


def test_content_of_phones_is_where_phones_are() -> None:
    track = PhoneTrack((Phone("B", 0.2, 0.31), Phone("AA", 0.31, 0.55)))
    content = content_of_phones(track, 25)
    assert content.shape == (50, len(PHONES))
    shares = content.astype(np.float64) ** 2
    assert np.allclose(shares.sum(1), 1.0, atol=1e-5)
    # Slow: 1,000 instants in each row, then the blur over three rows.
    slow = np.zeros((50, len(PHONES)))
    for row in range(50):
        for k in range(1000):
            phone = track.at((row + (k + 0.5) / 1000) / CONTENT_FPS)
            slow[row, PHONES.index(phone.symbol) if phone else 0] += 1e-3
    ends = np.vstack([slow[:1], slow, slow[-1:]])
    slow = 0.25 * ends[:-2] + 0.5 * ends[1:-1] + 0.25 * ends[2:]
    assert np.allclose(shares, slow, atol=2e-3)


def test_content_rates() -> None:
    rows = np.arange(10.0)[:, None]
    assert at_content_rate(rows, 100.0, 6)[:, 0].tolist() == [0.5, 2.5, 4.5, 6.5, 8.5, 8.5]
    assert at_content_rate(rows, 50.0, 4)[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_content_asks_what_the_model_was_trained_on() -> None:
    weights = small_weights()
    other = EcoFace(replace(weights, facts={"features": "hubert large"}))
    with pytest.raises(UnavailableError, match="hubert large"):
        other.content(np.zeros(1600, np.float32))
    with pytest.raises(UsageError, match="phones"):
        other.content_of_phones(PhoneTrack(), 10)
    track = PhoneTrack((Phone("M", 0.1, 0.2),))
    assert EcoFace(weights).content_of_phones(track, 10).shape == (20, SMALL.content)


@pytest.mark.parametrize("count", [0, 1, 399, 640, 641, 16000, 16001])
def test_rows_of_sound_come_in_pairs_and_cover_it(count: int) -> None:
    rows = sound_rows(np.full(count, 0.01, np.float32))
    assert rows.shape == (2 * rows_of_sound(count), SOUND)
    assert np.isfinite(rows).all()
    assert rows_of_sound(count) * 640 >= count


def test_pitch_and_level_are_heard() -> None:
    t = np.arange(16000) / 16000.0
    pulse = np.sign(np.sin(2 * np.pi * 150.0 * t)).astype(np.float32) * 0.1
    low, high = sound_rows(pulse), sound_rows(np.sign(np.sin(2 * np.pi * 300.0 * t)) * 0.2)
    assert np.median(low[:, 0]) == pytest.approx(0.0, abs=0.05)
    assert np.median(high[:, 0]) == pytest.approx(1.0, abs=0.05)
    louder = np.median(high[:, 4]) - np.median(low[:, 4])
    assert louder == pytest.approx(0.602, abs=0.05)


# -- out -------------------------------------------------------------------------------------------


def test_upsampling_is_catmull_rom_and_keeps_rows() -> None:
    rows = np.zeros((26, 55))
    t = np.arange(26) / FPS
    rows[:, 17] = 0.5 + 0.3 * np.sin(2 * np.pi * 1.5 * t)
    rows[:, 52] = 0.2 * np.cos(2 * np.pi * 1.0 * t)
    made = upsampled(rows, 75.0)
    assert len(made) == 78
    assert np.allclose(made.weights[:76:3], rows[:26], atol=1e-6)
    times = np.arange(4, 70) / 75.0
    wanted = 0.5 + 0.3 * np.sin(2 * np.pi * 1.5 * times)
    assert np.abs(made.weights[4:70, 17] - wanted).max() < 0.01
    step = np.zeros((10, 55))
    step[5:, 17] = 1.0
    assert upsampled(step).weights[:, 17].max() <= 1.0
    assert upsampled(step).weights[:, 17].min() >= 0.0
    assert len(upsampled(np.zeros((1, 55)))) == 2


def test_weights_that_are_not_there_are_named(tmp_path) -> None:
    with pytest.raises(FileFormatError, match="no such file"):
        EcoFace.load(tmp_path / "none.safetensors")


def test_a_hubert_of_one_s_own(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    transformers = pytest.importorskip("transformers")
    settings = transformers.HubertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        conv_dim=(8,) * 7, num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2,
    )  # fmt: skip
    torch.manual_seed(0)
    net = transformers.HubertModel(settings).eval()
    net.save_pretrained(tmp_path)
    samples = np.random.default_rng(0).normal(size=16000).astype(np.float32) * 0.1
    content = HubertContent(tmp_path)
    rows = content.rows(samples)
    assert rows.shape == (2 * rows_of_sound(16000), 16)
    normal = (samples - samples.mean()) / np.sqrt(samples.var() + 1e-7)
    with torch.inference_mode():
        wanted = net(torch.from_numpy(normal)[None]).last_hidden_state[0].numpy()
    assert np.allclose(rows[: len(wanted)], wanted, atol=1e-5)
    # Long speech is heard in pieces: a row each, none of them far from those of the whole.
    monkeypatch.setattr(content_module, "_PIECE", 10)
    monkeypatch.setattr(content_module, "_AROUND", 7)
    pieces = content.rows(samples)
    assert pieces.shape == rows.shape
    near = np.linalg.norm(pieces[:, None] - rows[None], axis=2).argmin(1)
    assert (np.abs(near - np.arange(len(rows))) <= 1).mean() > 0.9
    with pytest.raises(FileFormatError, match="HuBERT"):
        HubertContent(tmp_path / "nothing")


def test_networks_work_in_one_thread_and_give_it_back(model: EcoFace) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 3
        with pytest.raises(UsageError), one_thread():
            model.person(99)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
