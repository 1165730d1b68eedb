"""The listener: spectra and normalisation in pieces, runtime, streams, decoding, files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.listener import (
    CURVES,
    PHONE_CURVES,
    Listener,
    Listening,
    curves_of,
    phones_of,
)
from polyorama.face.listener.closure import CLOSURE_BIAS, CLOSURE_WEIGHTS, SpectrumDips
from polyorama.face.listener.decoding import best_path
from polyorama.face.listener.mel import HOP, MELS, RATE, WINDOW, MelStream, RunningNorm, filterbank
from polyorama.face.listener.runtime import NetworkState, StepNetwork
from polyorama.face.listener.targets import smoothed
from polyorama.face.listener.weights import read_weights, write_weights
from polyorama.scene.faces.phones import PHONES


def _speechlike(seconds: float, seed: int = 0, level: float = 0.1) -> np.ndarray:
    """Bursts of harmonics with pauses, so that levels and spectra change."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * RATE)) / RATE
    voice = sum(np.sin(2 * np.pi * 120 * k * t + rng.uniform(0, 6)) / k for k in range(1, 30))
    shape = np.interp(t, np.arange(0, seconds + 1, 0.09), rng.random(int(seconds / 0.09) + 13)[
        : len(np.arange(0, seconds + 1, 0.09))]) ** 3  # fmt: skip
    return (level * voice * shape + rng.normal(scale=1e-3, size=len(t))).astype(np.float32)


def _pieces(samples: np.ndarray, seed: int = 1):
    rng = np.random.default_rng(seed)
    at = 0
    while at < len(samples):
        n = int(rng.choice([0, 1, 7, 100, 160, 320, 401, 5000]))
        yield samples[at : at + n]
        at += n


def _network(seed: int = 0, delays=(1, 3)):
    torch = pytest.importorskip("torch")
    from polyorama.face.listener.network import ListenerNetwork

    torch.manual_seed(seed)
    return ListenerNetwork(delays).eval()


def _arrays(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    arrays = _network(seed).arrays(1)
    arrays["norm.mean"] = rng.normal(-3, 0.5, MELS).astype(np.float32)
    arrays["norm.variance"] = rng.uniform(3, 7, MELS).astype(np.float32)
    arrays["norm.peak"] = np.array([-12.0], np.float32)
    return arrays


def test_filterbank_is_of_area_one_and_rises_in_frequency():
    for warp in (0.85, 1.0, 1.18):
        bank = filterbank(warp).astype(np.float64)
        assert bank.shape == (257, MELS)
        assert np.allclose(bank.sum(0), 1.0, atol=1e-5)
        centres = np.arange(257) @ bank
        assert (np.diff(centres) > -1e-6).all()
    low = np.arange(257) @ filterbank(1.18)
    assert low[20] == pytest.approx(1.18 * (np.arange(257) @ filterbank())[20], rel=0.05)


def test_spectra_equal_a_plain_reference():
    sound = _speechlike(0.4)
    got = MelStream().push(sound)
    exact = sound.astype(np.float64)
    emphasised = exact - 0.97 * np.concatenate([[0.0], exact[:-1]])
    y = np.concatenate([np.zeros(WINDOW - HOP), emphasised])
    taper = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    bank = filterbank().astype(np.float64)
    wanted = []
    for j in range(len(sound) // HOP):
        window = y[j * HOP : j * HOP + WINDOW] * taper / np.sqrt((taper**2).sum())
        bins = np.arange(257)[:, None] * np.arange(WINDOW)
        spectrum = np.exp(-2j * np.pi * bins / 512) @ window
        wanted.append(np.log(np.abs(spectrum) ** 2 @ bank + 1e-6))
    assert got.shape == (len(sound) // HOP, MELS)
    assert np.abs(got - np.array(wanted)).max() < 1e-3


def test_spectra_in_pieces_are_those_of_the_whole():
    sound = _speechlike(1.3)
    stream = MelStream()
    got = np.concatenate([stream.push(piece) for piece in _pieces(sound)])
    assert np.abs(got - MelStream().push(sound)).max() < 1e-5


def test_normalised_channels_do_not_depend_on_loudness_or_pieces():
    mean, variance = np.full(MELS, -3, np.float32), np.full(MELS, 5, np.float32)
    spectra = MelStream().push(_speechlike(6.0, level=0.2))

    def normal(x: np.ndarray) -> np.ndarray:
        return RunningNorm(mean, variance, -13.0).push(x)

    one = normal(spectra)
    louder = normal(spectra + 2.0)
    assert np.abs(one - louder)[100:].max() < 0.05
    norm = RunningNorm(mean, variance, -13.0)
    parts = np.concatenate([norm.push(spectra[a : a + 37]) for a in range(0, len(spectra), 37)])
    assert np.array_equal(parts, one)
    # Several sounds in step are each as if alone.
    pair = RunningNorm(mean, variance, -13.0, (2,)).push(np.stack([spectra, spectra + 2.0], 1))
    assert np.abs(pair[:, 0] - one).max() < 1e-5
    assert np.abs(pair[:, 1] - louder).max() < 1e-5


def test_normalisation_follows_a_channel_and_forgets_the_profile():
    rng = np.random.default_rng(3)
    wanted = rng.uniform(-2, 2, MELS)
    speech = rng.normal(size=(900, MELS)) + wanted
    speech[::3] -= 9.0  # Pauses between, which must not count.
    norm = RunningNorm(np.zeros(MELS, np.float32), np.ones(MELS, np.float32), -13.0)
    out = norm.push(speech.astype(np.float32))
    loud = np.arange(900) % 3 != 0
    assert np.abs(out[600:][loud[600:]].mean(0)).max() < 0.4
    assert np.abs(norm.mean - norm.mean.mean() - (wanted - wanted.mean())).max() < 0.3


def test_runtime_equals_the_network_that_was_trained():
    torch = pytest.importorskip("torch")
    network = _network(4)
    rng = np.random.default_rng(4)
    steps = rng.normal(size=(60, 160)).astype(np.float32)
    for at, delay in enumerate((1, 3)):
        arrays = {**_arrays(), **network.arrays(delay)}
        state = NetworkState(StepNetwork(arrays))
        parts = [state.push(steps[a : a + n]) for a, n in ((0, 1), (1, 1), (2, 30), (32, 28))]
        with torch.no_grad():
            logits, features = network(torch.from_numpy(steps)[None])[at]
        assert np.abs(np.concatenate([p[0] for p in parts]) - logits[0].numpy()).max() < 1e-4
        assert np.abs(np.concatenate([p[1] for p in parts]) - features[0].numpy()).max() < 1e-4


@pytest.mark.parametrize("lookahead", [20, 30, 60])
def test_a_stream_tells_what_listening_to_the_whole_tells(lookahead):
    listener = Listener(StepNetwork(_arrays()), lookahead)
    sound = _speechlike(1.23)
    whole = listener.listen(sound)
    assert len(whole) == -(-len(sound) // 320)
    stream = listener.stream()
    for _ in range(2):
        parts = [stream.push(piece) for piece in _pieces(sound)]
        parts.append(stream.finish())
        for name in ("posteriors", "features", "curves"):
            got = np.concatenate([getattr(p, name) for p in parts])
            assert got.shape == getattr(whole, name).shape
            assert np.abs(got - getattr(whole, name)).max() < 1e-5
    assert np.allclose(whole.posteriors.sum(1), 1.0, atol=1e-5)


@pytest.mark.parametrize("lookahead", [20, 30, 60])
def test_a_frame_comes_exactly_when_its_lookahead_is_there_and_looks_no_further(lookahead):
    listener = Listener(StepNetwork(_arrays()), lookahead)
    sound = _speechlike(0.8)
    stream = listener.stream()
    told = 0
    for hop in range(len(sound) // HOP):
        told += len(stream.push(sound[hop * HOP : (hop + 1) * HOP]))
        heard_ms = 10 * (hop + 1)
        # Frame k has its middle at 20 k + 10 ms.
        assert told == max(0, (heard_ms - lookahead - 10) // 20 + 1)
    base = listener.listen(sound).posteriors
    k = 15
    last = (20 * k + 10 + lookahead) * RATE // 1000
    changed = sound.copy()
    changed[last:] = 0.3
    assert np.array_equal(listener.listen(changed).posteriors[: k + 1], base[: k + 1])
    changed[last - HOP : last] = 0.3
    assert not np.array_equal(listener.listen(changed).posteriors[k], base[k])


def test_reset_forgets():
    listener = Listener(StepNetwork(_arrays()), 20)
    sound = _speechlike(0.5)
    stream = listener.stream()
    first = stream.push(sound)
    stream.reset()
    assert np.array_equal(stream.push(sound).posteriors, first.posteriors)


def test_sound_that_is_none_is_refused_and_odd_sound_is_borne():
    listener = Listener(StepNetwork(_arrays()), 20)
    for bad in (np.zeros((4, 2), np.float32), np.zeros(9, np.int16), np.array([0.0, np.nan])):
        with pytest.raises(UsageError):
            listener.listen(bad)
    assert len(listener.listen(np.zeros(0, np.float32))) == 0
    for sound in (np.zeros(16000), np.ones(16000), np.full(1, 0.5), 1e6 * _speechlike(0.3)):
        heard = listener.listen(np.asarray(sound, np.float32))
        assert np.isfinite(heard.posteriors).all()
        assert np.isfinite(heard.features).all()
    for lookahead in (0, 10, 25, 500):
        with pytest.raises(UsageError):
            Listener(listener.network, lookahead)


def test_weights_are_read_as_written_and_damage_is_named(tmp_path):
    arrays = _arrays()
    path = tmp_path / "w.safetensors"
    write_weights(path, arrays, {"lookahead_ms": "20"})
    again, texts = read_weights(path)
    assert texts["lookahead_ms"] == "20"
    assert set(again) == set(arrays)
    for name, array in arrays.items():
        assert again[name].shape == array.shape
        assert np.allclose(again[name], array, rtol=1e-3, atol=1e-4)
    assert Listener.load(20, path).latency_s == 0.02
    with pytest.raises(FileFormatError, match="not trained"):
        Listener.load(60, path)
    with pytest.raises(UsageError):
        Listener.load(40)
    with pytest.raises(FileFormatError, match="no such file"):
        Listener.load(20, tmp_path / "none.safetensors")
    safetensors = pytest.importorskip("safetensors.numpy")
    assert np.array_equal(safetensors.load_file(path)["out.bias"].astype(np.float32),
                          again["out.bias"])  # fmt: skip


def test_hostile_weights_are_refused(tmp_path):
    path = tmp_path / "w.safetensors"

    def put(header: object, body: bytes = b"\0" * 64) -> None:
        head = json.dumps(header).encode()
        path.write_bytes(len(head).to_bytes(8, "little") + head + body)

    entry = {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}
    for bad in (
        [1], {"a": 3}, {"a": {**entry, "dtype": "I64"}}, {"a": {**entry, "shape": [3]}},
        {"a": {**entry, "shape": [-1, -2]}}, {"a": {**entry, "data_offsets": [0, 999]}},
        {"a": {**entry, "data_offsets": [4, 0]}}, {"__metadata__": 3},
        {"a": {**entry, "shape": [float("inf")]}},
    ):  # fmt: skip
        put(bad)
        with pytest.raises(FileFormatError):
            read_weights(path)
    put({"a": entry}, b"\x00\x7e" * 2)
    with pytest.raises(FileFormatError, match="not finite"):
        read_weights(path)
    put({"a": {**entry, "dtype": "U8", "shape": [4]}})
    with pytest.raises(FileFormatError, match="no floats"):
        read_weights(path)
    deep = b"[" * 150_000
    path.write_bytes(len(deep).to_bytes(8, "little") + deep)
    with pytest.raises(FileFormatError, match="damaged"):
        read_weights(path)
    path.write_bytes((2**60).to_bytes(8, "little") + b"{}")
    with pytest.raises(FileFormatError):
        read_weights(path)
    for name in ("conv1.weight", "norm.peak", "gru2.bias_hh_l0"):
        arrays = _arrays()
        arrays[name] = arrays[name][:0]
        with pytest.raises(FileFormatError):
            StepNetwork(arrays)
        del arrays[name]
        with pytest.raises(FileFormatError):
            StepNetwork(arrays)
    arrays = _arrays()
    arrays["norm.variance"][3] = -1.0
    with pytest.raises(FileFormatError, match="below 0"):
        StepNetwork(arrays)


def _best_by_trying_all(scores: np.ndarray) -> float:
    """The best total over all sequences whose runs last two frames or more."""
    frames, classes = scores.shape

    def best(t: int, last: int) -> float:
        if t == frames:
            return 0.0
        totals = []
        for c in range(classes):
            if c == last:
                continue
            for n in range(2, frames - t + 1):
                rest = best(t + n, c)
                totals.append(scores[t : t + n, c].sum() + rest - (2.0 if last >= 0 else 0.0))
        return max(totals, default=-np.inf)

    return best(0, -1)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_path_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    scores = 3 * rng.normal(size=(int(rng.integers(2, 9)), 3))
    path = best_path(scores)
    edges = np.flatnonzero(np.diff(path)) + 1
    runs = np.diff([0, *edges, len(path)])
    assert runs.min() >= 2
    total = scores[np.arange(len(path)), path].sum() - 2.0 * len(edges)
    assert total == pytest.approx(_best_by_trying_all(scores))


def _told(path: list[int], certainty: float = 0.9) -> Listening:
    posteriors = np.full((len(path), 40), (1 - certainty) / 39, np.float32)
    posteriors[np.arange(len(path)), path] = certainty
    curves = np.zeros((len(path), 3), np.float32)
    return Listening(posteriors, np.zeros((len(path), 4), np.float32), curves)


def test_phones_are_told_without_flicker_and_silence():
    b, aa = PHONES.index("B"), PHONES.index("AA")
    track = phones_of(_told([0] * 5 + [b] * 3 + [aa] * 4 + [b] + [aa] * 4 + [0] * 4))
    assert [(p.symbol, p.start, p.end) for p in track.phones] == [
        ("B", 0.1, 0.16), ("AA", 0.16, pytest.approx(0.34)),
    ]  # fmt: skip
    assert phones_of(_told([])).phones == ()
    assert len(phones_of(_told([b])).phones) == 1


def test_curves_lie_between_what_was_heard_and_what_phones_say():
    told = _told([PHONES.index("AA")] * 3, certainty=1.0)
    curves = curves_of(told)
    assert np.allclose(curves.jaw, 0.3)
    assert np.allclose(curves.closure, 0.0)
    assert CURVES == ("jaw", "rounding", "closure")
    assert PHONE_CURVES[PHONES.index("M"), 2] == 1.0
    assert PHONE_CURVES[PHONES.index("UW"), 1] == 1.0


def test_smoothing_keeps_constants_and_the_place_of_a_bump():
    bump = np.zeros((41, 1))
    bump[20] = 1.0
    out = smoothed(bump, 50.0)[:, 0]
    assert out.argmax() == 20
    assert out.sum() == pytest.approx(1.0, abs=1e-5)
    assert np.allclose(out, out[::-1], atol=1e-7)
    assert np.allclose(smoothed(np.ones((7, 2)), 50.0), 1.0, atol=1e-6)


def test_dips_are_measured_where_the_upper_spectrum_falls():
    steps = np.full((40, 2, MELS), 0.5, np.float32)
    steps[20:24, :, 20:] = -2.5
    flat = steps.reshape(40, -1)
    for delay in (1, 3):
        rows = SpectrumDips(delay).push(flat)
        # At step s frame s - delay is answered, which lies in the steps of its number and the next.
        shut = rows[20 + delay : 23 + delay]
        assert np.allclose(shut, [3.0, 2.0, -2.5])
        assert np.allclose(rows[9 + delay : 19 + delay], [0.0, 0.0, 0.5])
        again = SpectrumDips(delay)
        parts = [again.push(flat[a:b]) for a, b in ((0, 3), (3, 3), (3, 4), (4, 40))]
        assert np.array_equal(np.concatenate(parts), rows)


def test_closures_are_told_from_their_terms():
    listener = Listener(StepNetwork(_arrays()), 60)
    sound = _speechlike(0.7)
    told = listener.listen(sound)
    terms = listener.closure_terms(sound)
    assert terms.shape == (len(told), len(CLOSURE_WEIGHTS))
    logit = terms @ np.array(CLOSURE_WEIGHTS) + CLOSURE_BIAS
    assert np.allclose(told.curves[:, 2], 1 / (1 + np.exp(-logit)), atol=1e-4)
    shut = told.posteriors[:, [PHONES.index(p) for p in "PBM"]].sum(1)
    assert np.allclose(terms[:, 0], np.log(shut / (1 - shut)), atol=1e-3)
