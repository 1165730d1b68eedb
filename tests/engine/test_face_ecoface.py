"""EcoFace's networks and losses against slow references, and the keeping of weights."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch
from torch.nn import functional

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.ecoface.config import GROUPS, EcoFaceConfig, group_of
from polyorama.face.ecoface.ede import LOSSES, emotion_losses, inter_loss, supcon, triplet
from polyorama.face.ecoface.flow_vae import FlowVae, WaveNet
from polyorama.face.ecoface.losses import (
    LIPS,
    channel_weights,
    continuity,
    learning_rate,
    mouth_columns,
    mse,
)
from polyorama.face.ecoface.sync import SyncNet, negative_window, sync_loss, windows_at
from polyorama.face.ecoface.weights import load_weights, save_weights
from polyorama.face.tensor_files import read_tensor_file, write_tensor_file
from polyorama.scene.faces.channels import CHANNELS, EMOTIONS, region_of
from tests.engine.ecoface_samples import SMALL, small_weights


def test_the_paper_s_sizes_are_the_default() -> None:
    config = EcoFaceConfig(target="flame", persons=24)
    assert config.motion == 53
    assert EcoFaceConfig().motion == 55
    with torch.device("meta"):
        vae = FlowVae(config)
    assert vae.encoder.first.weight.shape == (256, 53, 8)
    assert vae.encoder.first.stride == (4,)
    assert vae.encoder.last.weight.shape == (32, 256, 1)
    assert len(vae.encoder.body.inner) == 8
    assert all(layer.weight.shape == (512, 256, 5) for layer in vae.encoder.body.inner)
    assert vae.decoder.first.weight.shape == (16, 256, 4)
    assert len(vae.decoder.body.inner) == 4
    assert len(vae.prior.couplings) == 4
    for coupling in vae.prior.couplings:
        assert coupling.first.weight.shape == (64, 8, 1)
        assert [layer.weight.shape for layer in coupling.body.inner] == [(128, 64, 3)] * 4
        assert coupling.last.weight.shape == (8, 64, 1)
    # Person one-hot, to 64; content and emotion of 1024, to 64 each.
    assert vae.person.weight.shape == (24, 64)
    assert vae.content.first.weight.shape == vae.emotion.first.weight.shape == (64, 1024, 3)
    # The prior sees two conditions, the decoder three.
    assert vae.prior.couplings[0].body.condition.weight.shape[1] == 128
    assert vae.decoder.body.condition.weight.shape[1] == 192
    count = sum(p.numel() for p in vae.parameters())
    assert 8e6 < count < 16e6


@pytest.mark.parametrize("field", ["hidden", "latent", "persons"])
def test_sizes_that_cannot_be_are_refused(field: str) -> None:
    with pytest.raises(UsageError):
        EcoFaceConfig(**{field: 0})


def test_sizes_that_do_not_split_are_refused() -> None:
    with pytest.raises(UsageError):
        EcoFaceConfig(latent=15)
    with pytest.raises(UsageError):
        EcoFaceConfig(kernel=4)
    with pytest.raises(UsageError):
        EcoFaceConfig(target="meta")


def test_groups_are_fifteen_and_numbered() -> None:
    assert len(GROUPS) == 15
    assert [group_of(emotion, level) for emotion, level in GROUPS] == list(range(15))


def _slow_wavenet(net: WaveNet, x: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Loops over layers and times, float64."""

    def conv(layer: torch.nn.Conv1d, rows: np.ndarray) -> np.ndarray:
        weight, bias = (p.detach().double().numpy() for p in (layer.weight, layer.bias))
        half = weight.shape[2] // 2
        out = np.tile(bias[:, None], (1, rows.shape[1]))
        for t in range(rows.shape[1]):
            for k in range(weight.shape[2]):
                if 0 <= t + k - half < rows.shape[1]:
                    out[:, t] += weight[:, :, k] @ rows[:, t + k - half]
        return out

    conditions = conv(net.condition, g)
    hidden, skips = net.hidden, np.zeros_like(x)
    for n, (inner, outer) in enumerate(zip(net.inner, net.outer, strict=True)):
        both = conv(inner, x) + conditions[2 * hidden * n : 2 * hidden * (n + 1)]
        y = conv(outer, np.tanh(both[:hidden]) / (1.0 + np.exp(-both[hidden:])))
        if n < len(net.inner) - 1:
            x, skips = x + y[:hidden], skips + y[hidden:]
        else:
            skips = skips + y
    return skips


def test_wavenet_is_its_slow_reference() -> None:
    torch.manual_seed(0)
    net = WaveNet(6, 5, 3, 4).double()
    rng = np.random.default_rng(0)
    x, g = rng.normal(size=(6, 13)), rng.normal(size=(4, 13))
    with torch.no_grad():
        fast = net(torch.from_numpy(x)[None], torch.ones(1, 1, 13), torch.from_numpy(g)[None])
    assert np.allclose(fast[0].numpy(), _slow_wavenet(net, x, g), atol=1e-12)


def _vae(seed: int = 0) -> FlowVae:
    torch.manual_seed(seed)
    vae = FlowVae(SMALL).double().eval()
    with torch.no_grad():
        # At first the flow is the identity, which would test nothing.
        for coupling in vae.prior.couplings:
            coupling.last.weight.normal_(0.0, 0.5)
            coupling.last.bias.normal_(0.0, 0.5)
    return vae


def test_the_flow_goes_there_and_back_and_changes_no_volume() -> None:
    vae = _vae()
    torch.manual_seed(1)
    z = torch.randn(1, SMALL.latent, 3, dtype=torch.float64)
    g = torch.randn(1, 2 * SMALL.condition, 3, dtype=torch.float64)
    ones = torch.ones(1, 1, 3, dtype=torch.float64)
    z_p = vae.prior(z, ones, g)
    assert (z_p - z).abs().max() > 0.1
    assert torch.allclose(vae.prior.inverse(z_p, ones, g), z, atol=1e-12)
    jacobian = torch.autograd.functional.jacobian(
        lambda flat: vae.prior(flat.view_as(z), ones, g).flatten(), z.flatten()
    )
    assert torch.linalg.det(jacobian).abs().item() == pytest.approx(1.0, abs=1e-9)


def test_the_prior_does_not_know_the_person_and_the_decoder_does() -> None:
    vae = _vae()
    torch.manual_seed(2)
    x = torch.randn(1, 16, SMALL.motion, dtype=torch.float64)
    content = torch.randn(1, 32, SMALL.content, dtype=torch.float64)
    emotion = torch.randn(1, 32, SMALL.emotion, dtype=torch.float64)
    outs, divergences = [], []
    for person in (0, 1):
        out, kl = vae(
            x, torch.ones(1, 16, dtype=torch.float64), content, emotion, torch.tensor([person]),
            torch.Generator().manual_seed(3),
        )  # fmt: skip
        outs.append(out)
        divergences.append(kl.item())
    assert divergences[0] == divergences[1]
    assert (outs[0] - outs[1]).abs().max() > 1e-3


def test_divergence_is_the_mean_of_log_q_minus_log_p() -> None:
    vae = _vae()
    torch.manual_seed(4)
    x = torch.randn(2, 16, SMALL.motion, dtype=torch.float64)
    content = torch.randn(2, 32, SMALL.content, dtype=torch.float64)
    emotion = torch.randn(2, 32, SMALL.emotion, dtype=torch.float64)
    mask = torch.ones(2, 16, dtype=torch.float64)
    mask[1, 8:] = 0.0
    _, kl = vae(x, mask, content, emotion, torch.tensor([0, 1]), torch.Generator().manual_seed(5))
    latents = mask[:, None, ::4]
    g = vae.conditions(content, emotion) * mask[:, None]
    squeezed = vae.squeeze(g) * latents
    mean, log_s = vae.encoder(x.transpose(1, 2), latents, squeezed)
    noise = torch.randn(mean.shape, generator=torch.Generator().manual_seed(5))
    z = mean + noise * log_s.exp()
    z_p = vae.prior(z * latents, latents, squeezed)
    log_q = torch.distributions.Normal(mean, log_s.exp()).log_prob(z)
    log_p = torch.distributions.Normal(0.0, 1.0).log_prob(z_p)
    wanted = ((log_q - log_p) * latents).sum() / latents.sum() / SMALL.latent
    assert kl.item() == pytest.approx(wanted.item(), rel=1e-6)


def test_dropping_conditions_out_takes_half_of_them() -> None:
    torch.manual_seed(0)
    vae = FlowVae(replace(SMALL, cond_drop=True)).eval()
    content, emotion = torch.randn(4, 64, SMALL.content), torch.randn(4, 64, SMALL.emotion)
    kept = vae.conditions(content, emotion)
    dropped = vae.conditions(content, emotion, torch.Generator().manual_seed(0))
    zero = (dropped == 0.0).double().mean().item()
    assert zero == pytest.approx(0.5, abs=0.05)
    assert torch.allclose(dropped[dropped != 0.0], 2.0 * kept[dropped != 0.0])


# -- losses ----------------------------------------------------------------------------------------


def test_supcon_is_its_slow_reference() -> None:
    rng = np.random.default_rng(0)
    f, labels = rng.normal(size=(9, 5)) * 0.3, np.array([0, 0, 0, 1, 1, 2, 2, 2, 3])
    total, anchors = 0.0, 0
    for i in range(9):
        positives = [p for p in range(9) if p != i and labels[p] == labels[i]]
        if not positives:
            continue
        below = sum(np.exp(f[i] @ f[a] / 0.07) for a in range(9) if a != i)
        total -= np.mean([np.log(np.exp(f[i] @ f[p] / 0.07) / below) for p in positives])
        anchors += 1
    assert anchors == 8
    fast = supcon(torch.from_numpy(f), torch.from_numpy(labels)).item()
    assert fast == pytest.approx(total / anchors, rel=1e-9)


def test_supcon_of_no_pair_is_nothing_and_of_large_features_finite() -> None:
    f = torch.randn(3, 4, requires_grad=True)
    alone = supcon(f, torch.tensor([0, 1, 2]))
    alone.backward()
    assert alone.item() == 0.0
    assert torch.isfinite(supcon(f * 1e3, torch.tensor([0, 0, 1])))


def test_triplet_is_its_slow_reference() -> None:
    rng = np.random.default_rng(1)
    f = rng.normal(size=(8, 3))
    emotions = np.array([1, 1, 1, 1, 2, 2, 2, 0])
    levels = np.array([1, 1, 2, 2, 1, 2, 2, 1])
    terms = []
    for i, p, n in permutations(range(8), 3):
        if emotions[i] != emotions[p] or levels[i] != levels[p]:
            continue
        if emotions[i] != emotions[n] or levels[i] == levels[n]:
            continue
        gap = np.linalg.norm(f[i] - f[p]) - np.linalg.norm(f[i] - f[n]) + 0.5
        terms.append(max(gap, 0.0))
    assert len(terms) > 8
    fast = triplet(*(torch.from_numpy(x) for x in (f, emotions, levels))).item()
    assert fast == pytest.approx(np.mean(terms), rel=1e-6)
    assert triplet(torch.randn(2, 3), torch.tensor([1, 2]), torch.tensor([1, 1])).item() == 0.0


def test_inter_loss_doubles_motion_linearly_and_cuts_to_the_shorter() -> None:
    video = torch.arange(6.0).view(1, 6, 1)
    # Between rows 0 and 1 lie 0.25 and 0.75.
    wanted = torch.tensor([0.0, 0.25, 0.75, 1.25, 1.75, 2.25]).view(1, 6, 1)
    assert inter_loss(wanted, video).item() == pytest.approx(0.0, abs=1e-12)
    assert inter_loss(wanted + 2.0, video).item() == pytest.approx(4.0)


def test_emotion_has_five_terms() -> None:
    torch.manual_seed(0)
    terms = emotion_losses(
        torch.randn(6, 8, 3), torch.randn(6, 4, 3), torch.tensor([0, 0, 1, 1, 1, 1]),
        torch.tensor([1, 1, 1, 1, 2, 2]),
    )  # fmt: skip
    assert tuple(terms) == LOSSES
    assert all(term.ndim == 0 and torch.isfinite(term) for term in terms.values())


def test_lips_weigh_ten_times_and_weights_have_mean_one() -> None:
    weights = channel_weights(SMALL).numpy()
    assert weights.mean() == pytest.approx(1.0, rel=1e-6)
    lips = [region_of(name) in ("mouth", "jaw", "tongue") for name in CHANNELS]
    assert np.allclose(weights[lips] / weights[np.logical_not(lips)].max(), LIPS, rtol=1e-5)
    assert mouth_columns(SMALL) == list(np.flatnonzero(lips))


def test_error_and_continuity_ignore_what_is_masked() -> None:
    rng = np.random.default_rng(2)
    out, x = (torch.from_numpy(rng.normal(size=(2, 6, 55))) for _ in range(2))
    mask = torch.ones(2, 6, dtype=torch.float64)
    mask[1, 4:] = 0.0
    weights = channel_weights(SMALL).double()
    error, steps, first = [], [], []
    for b, count in ((0, 6), (1, 4)):
        d = (out[b] - x[b]).numpy()
        error += [float((w * d[t] ** 2).mean()) for t in range(count) for w in [weights.numpy()]]
        steps += [
            float((weights.numpy() * (d[t + 1] - d[t]) ** 2).mean()) for t in range(count - 1)
        ]
        first.append(float((weights.numpy() * d[0] ** 2).mean()))
    assert mse(out, x, mask, weights).item() == pytest.approx(np.mean(error))
    wanted = np.mean(steps) + np.mean(first)
    assert continuity(out, x, mask, weights).item() == pytest.approx(wanted)


def test_the_learning_rate_warms_up_and_decays() -> None:
    rates = [learning_rate(n, 1e-3, 10, 100) for n in range(100)]
    assert np.argmax(rates) in (9, 10)
    assert rates[0] == pytest.approx(1e-4)
    ratios = np.array(rates[11:]) / np.array(rates[10:-1])
    assert np.allclose(ratios, ratios[0])
    assert 0.0 < rates[-1] < 0.06e-3


# -- sync ------------------------------------------------------------------------------------------


def test_sync_gives_cosines_and_its_loss_is_cross_entropy() -> None:
    torch.manual_seed(0)
    net = SyncNet(60, 12, 16).eval()
    cosine = net(torch.randn(7, 5, 60), torch.randn(7, 10, 12))
    assert cosine.shape == (7,)
    assert ((cosine >= 0.0) & (cosine <= 1.0 + 1e-6)).all()
    together = torch.tensor([1.0, 0.0, 1.0])
    values = torch.tensor([0.9, 0.2, 0.5])
    wanted = -np.mean([np.log(0.9), np.log(0.8), np.log(0.5)])
    assert sync_loss(values, together).item() == pytest.approx(wanted, rel=1e-6)


def test_towers_end_in_512() -> None:
    net = SyncNet(60, 1024, 64)
    assert net.mouth(torch.randn(2, 60, 5)).shape[1] == 512
    assert net.content(torch.randn(2, 1024, 10)).shape[1] == 512


def test_negatives_are_drawn_as_the_recipe_says() -> None:
    rng = np.random.default_rng(0)
    lengths = np.array([60, 50, 70])
    count, kinds = 6000, {"other": 0, "far": 0, "near": 0}
    for _ in range(count):
        clip, row = negative_window(rng, 0, 30, lengths)
        assert 0 <= row <= lengths[clip] - 5
        if clip != 0:
            kinds["other"] += 1
        elif abs(row - 30) >= 6 or abs(row - 30) == 5:
            kinds["far"] += 1
        else:
            assert 2 <= abs(row - 30) <= 4
            kinds["near"] += 1
    # A near shift of five rows looks as far as a far one: a quarter of 0.375.
    for kind, share in (("other", 0.25), ("far", 0.375 * 1.25), ("near", 0.375 * 0.75)):
        # Five standard deviations: less than one failure in a million runs.
        spread = 5.0 * np.sqrt(share * (1.0 - share) / count)
        assert abs(kinds[kind] / count - share) < spread


def test_negatives_of_short_clips_stay_inside() -> None:
    rng = np.random.default_rng(1)
    for length in (5, 6, 7, 9, 12):
        for _ in range(200):
            clip, row = negative_window(
                rng, 0, int(rng.integers(0, length - 4)), np.array([length])
            )
            assert clip == 0
            assert 0 <= row <= length - 5


def test_windows_begin_where_they_are_told() -> None:
    rows = torch.arange(24.0).view(2, 6, 2)
    cut = windows_at(rows, torch.tensor([1, 3]), 2)
    assert torch.equal(cut[0], rows[0, 1:3])
    assert torch.equal(cut[1], rows[1, 3:5])


# -- weights ---------------------------------------------------------------------------------------


def test_weights_are_kept_without_the_encoder(tmp_path) -> None:
    weights = small_weights()
    path = tmp_path / "model.safetensors"
    save_weights(weights, path)
    again = load_weights(path)
    assert again.config == weights.config
    assert again.persons == weights.persons
    assert dict(again.facts) == dict(weights.facts)
    assert len(again.digest) == 12
    assert not hasattr(again.vae, "encoder")
    kept = again.vae.state_dict()
    for name, value in weights.vae.state_dict().items():
        if not name.startswith("encoder."):
            assert functional.l1_loss(kept[name].double(), value.double()) < 1e-3
    assert np.allclose(again.prototypes, weights.prototypes)
    assert again.probe.shape == (len(EMOTIONS), SMALL.emotion + 1)
    assert path.stat().st_size < 2.2 * sum(p.numel() for p in weights.vae.parameters()) + 60_000


def test_damaged_weights_end_in_one_sentence(tmp_path) -> None:
    path = tmp_path / "model.safetensors"
    save_weights(small_weights(), path)
    data = path.read_bytes()
    for broken in (data[:50], data[: len(data) // 2], b"\xff" * 200, b"12345678"):
        path.write_bytes(broken)
        with pytest.raises(FileFormatError, match="model"):
            load_weights(path)


def test_weights_of_other_sizes_or_not_finite_are_refused(tmp_path) -> None:
    from safetensors.numpy import load_file, save_file

    path = tmp_path / "model.safetensors"
    save_weights(small_weights(), path)
    arrays = load_file(path)
    size = int.from_bytes(path.read_bytes()[:8], "little")
    meta = json.loads(path.read_bytes()[8 : 8 + size])["__metadata__"]
    header = json.loads(meta["polyorama-ecoface"])
    header["config"]["hidden"] = 8192
    save_file(arrays, path, {"polyorama-ecoface": json.dumps(header)})
    with pytest.raises(FileFormatError):
        load_weights(path)
    # Layers that no file could fill take no time or memory to be refused.
    for depth in ({"flows": 8192, "flow_layers": 8192}, {"emotion_layers": 64}, {"cond_drop": 2}):
        header = json.loads(meta["polyorama-ecoface"])
        header["config"] |= depth
        save_file(arrays, path, {"polyorama-ecoface": json.dumps(header)})
        with pytest.raises(FileFormatError, match="UsageError"):
            load_weights(path)
    for name, value in (("spread/sound", 0.0), ("vae/content.norm.running_var", -1.0)):
        wrong = {**arrays, name: np.full_like(arrays[name], value)}
        save_file(wrong, path, meta)
        with pytest.raises(FileFormatError, match="ValueError"):
            load_weights(path)
    arrays["prototypes"][0, 0] = np.nan
    save_file(arrays, path, meta)
    with pytest.raises(FileFormatError, match="finite"):
        load_weights(path)


def test_files_are_those_of_the_safetensors_library(tmp_path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    rng = np.random.default_rng(0)
    tensors = {
        "a": rng.normal(size=(3, 5)).astype(np.float16), "b": np.float32(2.5).reshape(()),
        "c": rng.integers(0, 9, (2, 0, 4)), "d": rng.normal(size=(4, 6))[:, ::2],
        "e": rng.integers(0, 255, 7).astype(np.uint8),
    }  # fmt: skip
    write_tensor_file(tmp_path / "ours", tensors, {"said": "é"})
    theirs = library.load_file(tmp_path / "ours")
    library.save_file(
        {k: np.asarray(v, order="C") for k, v in tensors.items()}, tmp_path / "theirs"
    )
    ours, facts = read_tensor_file(tmp_path / "ours", 1 << 20)
    again, _ = read_tensor_file(tmp_path / "theirs", 1 << 20)
    assert facts == {"said": "é"}
    for name, array in tensors.items():
        for found in (theirs[name], ours[name], again[name]):
            assert found.dtype == array.dtype
            assert np.array_equal(found, array)


@pytest.mark.parametrize(
    "change",
    [
        {"data_offsets": [0, 1 << 40]}, {"data_offsets": [8, 0]}, {"data_offsets": [-8, 0]},
        {"shape": [1 << 60]}, {"shape": [-2, -2]}, {"dtype": "F8"}, {"shape": None},
    ],
)  # fmt: skip
def test_headers_that_lie_are_refused(tmp_path, change: dict) -> None:
    entry = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16], **change}
    head = json.dumps({"a": entry}).encode()
    path = tmp_path / "lies"
    path.write_bytes(len(head).to_bytes(8, "little") + head + bytes(16))
    with pytest.raises(FileFormatError, match="damaged"):
        read_tensor_file(path, 1 << 20)
