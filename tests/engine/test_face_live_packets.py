"""Faces over the network: Live Link Face and Open Sound Control."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.face.live.live_link import packet_of, read_packet
from polyorama.face.live.osc import osc_bundle, osc_message, read_osc
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS

DEVICE = "12345678-1234-5678-1234-567812345678"


def _weights(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0, 1, len(CHANNELS)).astype(np.float32)


def test_a_packet_is_laid_out_as_live_link_takes_it():
    weights = _weights()
    data = packet_of(weights, subject="Ära", device=DEVICE, time=2.51, fps=60)
    name = "Ära".encode()
    assert data[:4] == struct.pack("<i", 6)
    assert data[4:41] == b"$" + DEVICE.encode()
    assert struct.unpack(">i", data[41:45]) == (len(name),)
    assert data[45 : 45 + len(name)] == name
    rest = data[45 + len(name) :]
    frame, part, fps, denominator = struct.unpack(">ifii", rest[:16])
    assert (frame, fps, denominator) == (150, 60, 1)
    assert part == pytest.approx(0.6, abs=1e-5)
    assert rest[16] == 61
    assert len(rest) == 17 + 4 * 61
    values = np.frombuffer(rest[17:], ">f4")
    assert values[17] == weights[CHANNEL_INDEX["jawOpen"]]
    assert values[52] == weights[CHANNEL_INDEX["headYaw"]]


@pytest.mark.parametrize("subject", ["Face", "Ära 面", "x" * 1024])
def test_packets_are_read_back(subject):
    weights = _weights(3)
    found = read_packet(packet_of(weights, subject=subject, device=DEVICE, time=7.25))
    assert found.subject == subject
    assert found.device == DEVICE
    assert found.frame / found.fps == pytest.approx(7.25)
    np.testing.assert_array_equal(found.weights, weights)


def test_a_packet_that_ends_after_the_name_is_no_face_and_no_error():
    data = packet_of(_weights(), subject="Face", device=DEVICE, time=0.0)
    for extra in range(17):
        assert read_packet(data[: 49 + extra]).weights is None


def test_damaged_packets_end_in_a_sentence():
    data = packet_of(_weights(), subject="Face", device=DEVICE, time=0.0)
    for bad in (b"", data[:20], b"\7" + data[1:], data[:-1], data[:41] + b"\x7f" + data[42:]):
        with pytest.raises(UsageError):
            read_packet(bad)
    hurt = bytearray(data)
    hurt[-4:] = struct.pack(">f", float("nan"))
    with pytest.raises(UsageError, match="finite"):
        read_packet(bytes(hurt))
    for wrong in ({"subject": ""}, {"device": "me"}, {"subject": "x" * 1025}):
        with pytest.raises(UsageError):
            packet_of(_weights(), **({"subject": "Face", "device": DEVICE, "time": 0.0} | wrong))


def test_a_message_of_osc_is_as_its_standard_shows_it():
    assert osc_message("/oscillator/4/frequency", [440.0]) == (
        b"/oscillator/4/frequency\0,f\0\0" + bytes([0x43, 0xDC, 0, 0])
    )
    assert len(osc_message("/face", np.zeros(61))) % 4 == 0


def test_bundles_name_every_channel_and_are_read_back():
    weights = _weights(5)
    found = dict(read_osc(osc_bundle(weights, address="/stage/face")))
    assert len(found) == len(CHANNELS)
    for name, weight in zip(CHANNELS, weights, strict=True):
        assert found[f"/stage/face/{name}"] == (weight,)


def test_random_bytes_are_no_osc():
    rng = np.random.default_rng(2)
    good = osc_bundle(_weights())
    refused = 0
    for _ in range(300):
        data = bytearray(good[: int(rng.integers(1, len(good)))])
        data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        try:
            read_osc(bytes(data))
        except UsageError:
            refused += 1
    assert refused > 200
    with pytest.raises(UsageError, match="slash"):
        osc_message("face", [1.0])
