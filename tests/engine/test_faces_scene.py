"""Faces as plain data, and how they are posed and drawn."""

from __future__ import annotations

import dataclasses
import json
import threading
import tracemalloc
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from polyorama.core.types import Camera
from polyorama.edit.editor import Editor
from polyorama.errors import FileFormatError, PolyoramaError, UsageError
from polyorama.io.content_npz import content_of, parts_of
from polyorama.io.journal import Journal
from polyorama.io.project import read_project, write_project
from polyorama.io.recovery import recoverable
from polyorama.io.soundtrack import SOUND_RATE, mix_audio, sounding
from polyorama.render import actors
from polyorama.render.actors import actor_cloud, parted
from polyorama.render.caches import forget
from polyorama.render.eye_shade import eye_shades
from polyorama.render.posing import light
from polyorama.render.resolve import draw, flatten, is_animated
from polyorama.render.shading import DEFAULT_RIG, SHOULDER, DirectionalLight, shade, tone
from polyorama.render.surfels import surfels_from_mesh
from polyorama.scene.codec import encode
from polyorama.scene.contents import Audio
from polyorama.scene.document import Document, Node
from polyorama.scene.faces.actor import Actor
from polyorama.scene.faces.channels import (
    ARKIT,
    CHANNEL_INDEX,
    CHANNELS,
    LIVE_LINK,
    REGIONS,
    mirrored,
    region_of,
)  # fmt: skip
from polyorama.scene.faces.morphs import Corrective, MorphRig, Rotor, Shapes
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import PHONES, VISEMES, Phone, PhoneTrack, Word, viseme_of
from polyorama.scene.faces.script import (
    ChannelKeys,
    CompSpan,
    EmotionKey,
    FaceScript,
    FaceStyle,
    Owner,
)
from tests.engine.face_samples import ball_rig, wavy


def test_there_are_52_shapes_and_61_live_values_and_each_has_one_region():
    assert len(ARKIT) == 52
    assert len(set(CHANNELS)) == 55
    assert len(LIVE_LINK) == 61
    assert LIVE_LINK[17] == "JawOpen"
    assert LIVE_LINK[51:53] == ("TongueOut", "HeadYaw")
    regions = [name for names in REGIONS.values() for name in names]
    assert sorted(regions) == sorted(CHANNELS)
    assert all(name in REGIONS[region_of(name)] for name in CHANNELS)
    with pytest.raises(KeyError):
        region_of("jawopen")


def test_mirroring_twice_gives_the_same_channel():
    assert mirrored("mouthSmileLeft") == "mouthSmileRight"
    assert mirrored("jawOpen") == "jawOpen"
    assert all(mirrored(mirrored(name)) == name for name in CHANNELS)
    assert all(mirrored(name) in CHANNEL_INDEX for name in CHANNELS)


def test_every_phone_has_a_viseme_and_tracks_do_not_overlap():
    assert len(PHONES) == 40
    assert {viseme_of(phone) for phone in PHONES} == set(VISEMES)
    track = PhoneTrack((Phone("P", 0.0, 0.1), Phone("AA", 0.1, 0.3, 1)))
    assert track.at(0.1) is track.phones[1]
    assert track.at(0.3) is None
    with pytest.raises(UsageError, match="overlap"):
        PhoneTrack((Phone("P", 0.0, 0.2), Phone("AA", 0.1, 0.3)))
    with pytest.raises(UsageError, match="no phone"):
        Phone("Q", 0.0, 1.0)
    assert track.at(-0.1) is None
    assert PhoneTrack().at(0.0) is None
    with pytest.raises(UsageError, match="cannot last"):
        Phone("P", 1.0, 1.0)
    with pytest.raises(UsageError, match="Stress"):
        Phone("AA", 0.0, 1.0, 5)
    with pytest.raises(UsageError, match="cannot last"):
        Word("pa", 1.0, 0.5)


def test_performances_are_read_between_rows_and_held_beyond():
    weights = np.zeros((3, 55))
    weights[:, 17] = [0.0, 1.0, 0.5]
    performance = Performance(weights, 10.0)
    assert performance.seconds == pytest.approx(0.3)
    found = [float(performance.at(time)[17]) for time in (-1.0, 0.05, 0.1, 0.15, 9.0)]
    assert found == pytest.approx([0.0, 0.5, 1.0, 0.75, 0.5])
    again = performance.resampled(20.0)
    assert again.weights[:, 17] == pytest.approx([0.0, 0.5, 1.0, 0.75, 0.5, 0.5])
    with pytest.raises(ValueError, match="read-only"):
        performance.weights[0, 0] = 1.0
    far = np.full((3, 55), 1e4)
    for bad in (np.zeros((3, 52)), np.full((3, 55), np.nan), np.zeros((0, 55)), far, -far):
        with pytest.raises(UsageError):
            Performance(bad)
    for rate in (0.0, -1.0, np.nan, np.inf, 1e-300, 1e9):
        with pytest.raises(UsageError, match="rows in a second"):
            Performance(weights, rate)
        with pytest.raises(UsageError, match="rows in a second"):
            performance.resampled(rate)


def test_scripts_refuse_what_makes_no_sense():
    with pytest.raises(UsageError, match="ascend"):
        FaceScript(emotion_keys=(EmotionKey(1.0, (0.0,) * 8), EmotionKey(0.5, (0.0,) * 8)))
    with pytest.raises(UsageError, match="ascend"):
        ChannelKeys("jawOpen", (0.0, 0.0), (0.0, 1.0))
    with pytest.raises(UsageError, match="no channel"):
        ChannelKeys("jaw", (0.0,), (0.0,))
    with pytest.raises(UsageError, match="limits"):
        FaceScript(limits=(("jawOpen", 0.5, 0.2),))
    with pytest.raises(UsageError, match="no region"):
        CompSpan("chin", 0.0, 1.0, 3)
    with pytest.raises(UsageError, match="seed"):
        CompSpan("mouth", 0.0, 1.0, -3)
    with pytest.raises(UsageError, match="moved by"):
        Owner("mouth", "me")
    with pytest.raises(UsageError, match="limits"):
        FaceScript(limits=(("jawOpen", 0.0, np.inf),))
    with pytest.raises(UsageError, match="time"):
        EmotionKey(1e300, (0.0,) * 8)
    for times, values in (((0.0, 1e300), (0.0, 1.0)), ((0.0, 1.0), (0.0, np.nan))):
        with pytest.raises(UsageError, match="finite"):
            ChannelKeys("jawOpen", times, values)
    with pytest.raises(UsageError, match="one row"):
        FaceScript(tracker=np.zeros((0, 55), np.float32))
    with pytest.raises(UsageError, match="finite"):
        FaceScript(emotion_features=np.full((4, 8), np.inf, np.float32))
    with pytest.raises(UsageError, match="rows of numbers"):
        FaceScript(emotion_features=np.zeros((4, 0), np.float32))


def test_a_script_begins_with_its_sound_and_shares_its_tables():
    sound = Audio(samples=np.zeros((100, 1)), rate=100, start=7.0)
    script = FaceScript(sound=sound, tracker=np.zeros((4, 55), np.float32))
    assert script.sound.start == 0.0
    assert Actor(rig=ball_rig(), script=script, start=2.0).voice.start == 2.0
    again = dataclasses.replace(script, seed=3)
    assert again.tracker is script.tracker
    assert again.sound is script.sound
    with pytest.raises(UsageError, match="55 channels"):
        FaceScript(tracker=np.zeros((4, 52), np.float32))


def _posed_slowly(rig: MorphRig, weights: dict[str, float]) -> np.ndarray:
    """The definition, in float64 and plain loops."""
    vertices = rig.mesh.vertices.astype(np.float64)
    named = dict(weights)
    for corrective in rig.correctives:
        product = 1.0
        for channel in corrective.channels:
            product *= weights.get(channel, 0.0)
        named[corrective.shape] = named.get(corrective.shape, 0.0) + product
    for name, weight in named.items():
        if name in rig.shapes.names:
            vertices += weight * rig.shapes.dense(name, len(vertices)).astype(np.float64)
    for rotor in rig.rotors:
        vector = sum(
            (weights.get(c, 0.0) * np.asarray(turn) for c, turn in rotor.channels.items()),
            np.zeros(3),
        )
        for vertex, amount in zip(rotor.indices, rotor.amounts, strict=True):
            turn = vector * float(amount)
            angle = np.linalg.norm(turn)
            if angle == 0.0:
                continue
            k = turn / angle
            cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
            matrix = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
            vertices[vertex] = rotor.pivot + matrix @ (vertices[vertex] - rotor.pivot)
    return vertices


def test_posing_is_shapes_then_correctives_then_turns():
    rig = ball_rig()
    weights = {"jawOpen": 0.7, "mouthClose": 0.4, "mouthSmileLeft": 0.5, "eyeLookOutLeft": 0.8,
               "headYaw": 0.4, "headPitch": -0.2, "headRoll": 0.1, "unknown": 3.0}  # fmt: skip
    np.testing.assert_allclose(rig.posed(weights), _posed_slowly(rig, weights), atol=2e-7)
    row = np.zeros(55)
    row[CHANNEL_INDEX["jawOpen"]] = 0.7
    np.testing.assert_array_equal(rig.posed(row), rig.posed({"jawOpen": 0.7}))
    still = {key: value for key, value in weights.items() if not key.startswith("head")}
    np.testing.assert_array_equal(rig.posed(weights, head=False), rig.posed(still))


def test_yaw_turns_to_the_faces_left_pitch_lifts_the_chin_roll_tips_to_the_left():
    rig = ball_rig()
    nose = int(np.argmax(rig.mesh.vertices[:, 2]))
    crown = int(np.argmin(rig.mesh.vertices[:, 1]))
    assert rig.posed({"headYaw": 0.3})[nose, 0] < rig.mesh.vertices[nose, 0] - 0.01
    assert rig.posed({"headPitch": 0.3})[nose, 1] < rig.mesh.vertices[nose, 1] - 0.01
    assert rig.posed({"headRoll": 0.3})[crown, 0] < rig.mesh.vertices[crown, 0] - 0.01


def test_rigs_say_what_moves_them_and_refuse_what_does_not_fit():
    rig = ball_rig()
    assert rig.channels == (
        "eyeLookOutLeft", "jawOpen", "mouthClose", "mouthSmileLeft", "headYaw", "headPitch",
        "headRoll",
    )  # fmt: skip
    assert len(rig.missing) == 48
    assert rig.mouth_width > 0.0
    with pytest.raises(UsageError, match="does not have"):
        dataclasses.replace(rig, regions={"lips": np.array([10**6])})
    with pytest.raises(UsageError, match="no shape"):
        dataclasses.replace(rig, correctives=(Corrective("gone", ("jawOpen",)),))
    with pytest.raises(UsageError, match="fit together"):
        Rotor("eye", np.arange(3), np.ones(2), np.zeros(3), {})
    with pytest.raises(UsageError, match="one name"):
        Shapes(("a", "a"), np.array([0, 0, 0]), np.zeros(0, np.int32), np.zeros((0, 3)))


def test_the_kernel_of_light_is_shade_and_tone():
    rng = np.random.default_rng(3)
    count = 400
    albedo, emission = rng.uniform(0, 1, (count, 3)), rng.uniform(0, 0.2, (count, 3))
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    openness = np.full(count, 1.0, np.float32)
    rig = dataclasses.replace(
        DEFAULT_RIG, key=DirectionalLight((0.3, -1.0, 0.4), (1.0, 0.9, 0.8), 0.9, softness=12.0)
    )
    expected = tone(
        shade(albedo.astype(np.float32), normals.astype(np.float32),
              np.zeros((count, 3), np.float32), rig, occlusion=openness)
        + emission.astype(np.float32)
    )  # fmt: skip
    from polyorama.core.color import linear_from_display

    suns = rig.directional
    out = np.empty((count, 3), np.float32)
    light(
        albedo, emission, normals, openness, np.zeros(count), np.eye(3), np.array([0.0, -1.0, 0.0]),
        rig.ambient * linear_from_display(rig.sky), rig.ambient * linear_from_display(rig.ground),
        np.array([np.asarray(s.direction) / np.linalg.norm(s.direction) for s in suns]),
        np.array([s.strength * linear_from_display(s.color) for s in suns]),
        np.sin(np.radians([s.softness for s in suns])), np.array([0.5, 0.3, 0.2]), rig.exposure,
        SHOULDER, out, 0, count,
    )  # fmt: skip
    np.testing.assert_allclose(out, expected, atol=3e-5)


def test_soft_skin_lets_red_light_past_the_edge_of_shadow():
    actor = Actor(rig=ball_rig(), surfels=4000)
    hard = dataclasses.replace(
        actor.rig, mesh=dataclasses.replace(
            actor.rig.mesh,
            materials=(dataclasses.replace(actor.rig.mesh.materials[0], softness=0.0),),
        ),
    )  # fmt: skip
    sun = dataclasses.replace(
        DEFAULT_RIG, key=DirectionalLight((1.0, 0.0, 0.0), softness=1.0), fill=None, rim=None,
        ambient=0.0,
    )  # fmt: skip
    soft = actor_cloud(actor, np.eye(4), sun, 0.0)
    other = actor_cloud(dataclasses.replace(actor, rig=hard), np.eye(4), sun, 0.0)
    edge = np.abs(soft.means[:, 0]) < 0.01
    gain = (soft.colors - other.colors)[edge].mean(axis=0)
    assert gain[0] > gain[2] > 0.0


def test_a_face_in_a_document_moves_with_time_and_is_the_mesh_moved():
    rig = ball_rig()
    performance = wavy(seed=2)
    actor = Actor(rig=rig, performance=performance, surfels=5000, start=1.0)
    document = Document((Node("face", actor),))
    assert is_animated(document)
    assert not is_animated(Document((Node("face", Actor(rig=rig)),)))
    before, early = flatten(document, 0.2).cloud, flatten(document, 0.9).cloud
    np.testing.assert_array_equal(before.means, early.means)
    later = flatten(document, 1.5).cloud
    assert np.abs(later.means - before.means).max() > 1e-3
    posed = rig.posed(performance.at(0.5))
    distance = np.linalg.norm(later.means[::50, None] - posed[None], axis=2).min(axis=1)
    assert distance.max() < 0.02


def test_a_face_is_seen_where_it_stands_and_turned_faces_are_lit_from_the_same_side():
    rig = ball_rig()
    camera = Camera.look_at((0, 0, 0.6), (0, 0, 0), fov=30, size=(160, 120))
    document = Document((Node("face", Actor(rig=rig, surfels=6000)),))
    frame = draw(document, camera)
    assert frame.rgba8[60, 80, :3].sum() > 150
    assert frame.rgba8[5, 5, :3].sum() == 0
    turned = np.diag([-1.0, -1.0, 1.0, 1.0])
    other = Document((Node("face", Actor(rig=rig, surfels=6000), turned),))
    upside = draw(other, camera)
    for picture in (frame.rgba8, upside.rgba8):
        assert picture[40, 88, :3].sum() > picture[82, 72, :3].sum()


def test_faces_are_counted_framed_and_pointed_at_like_meshes():
    from polyorama.scene.subject import document_points, splat_count

    document = Document((Node("face", Actor(rig=ball_rig(), surfels=7000)),))
    assert splat_count(document) == 7000
    assert len(document_points(document)[0]) == len(ball_rig().mesh.vertices)
    bounds = document.bounds()
    assert bounds is not None
    assert bounds.high == pytest.approx([0.1, 0.1, 0.1], abs=0.003)


def _scripted() -> Actor:
    rng = np.random.default_rng(4)
    sound = Audio(samples=rng.uniform(-0.5, 0.5, (8000, 1)), rate=16000)
    track = PhoneTrack((Phone("P", 0.05, 0.1), Phone("AA", 0.1, 0.3, 1)), (Word("pa", 0.05, 0.3),))
    script = FaceScript(
        sound=sound, transcript="pa", phones=track, source="mix", emotion="swapped",
        emotion_keys=(EmotionKey(0.0, (0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0)),),
        emotion_features=rng.normal(size=(2000, 64)).astype(np.float32), emotion_name="other.wav",
        speaker=3, seed=9, style=FaceStyle(jaw=0.5), tracker=wavy(0.5).weights,
        owners=(Owner("brows", "tracker"),), comp=(CompSpan("mouth", 0.0, 0.2, 5),),
        keys=(ChannelKeys("jawOpen", (0.1, 0.2), (0.0, 0.5)),), limits=(("jawOpen", 0.0, 0.8),),
    )  # fmt: skip
    return Actor(rig=ball_rig(), performance=wavy(), script=script, start=0.5, surfels=3000)


def _assert_same(one: Actor, other: Actor) -> None:
    left, right = (json.dumps(encode(actor, _Kept()), sort_keys=True) for actor in (one, other))
    assert left == right


class _Kept:
    """Stands for large parts by all that they hold."""

    largest_bits = 1 << 20

    def put(self, content):
        words, arrays = parts_of(content)
        return json.dumps(words) + "".join(
            f"{name} {array.dtype} {array.shape} {hash(array.tobytes())}"
            for name, array in arrays.items()
        )

    def get(self, key):
        raise KeyError(key)


def test_a_project_keeps_faces_bit_for_bit_and_shared_parts_once(tmp_path):
    actor = _scripted()
    script = dataclasses.replace(actor.script, seed=4)
    twin = dataclasses.replace(actor, script=script, start=2.0)
    document = Document((Node("face", actor, id="abc"), Node("twin", twin, id="def")))
    path = tmp_path / "face.poly"
    write_project(document, path)
    with zipfile.ZipFile(path) as archive:
        parts = [name for name in archive.namelist() if ".part." in name]
    assert len(parts) == 5  # the rig, the performance, the sound, emotion, tracker
    again = read_project(path)
    for node, given in zip(again.nodes, (actor, twin), strict=True):
        assert isinstance(node.content, Actor)
        _assert_same(node.content, given)
    assert again.nodes[0].content.rig is again.nodes[1].content.rig


@pytest.mark.parametrize("what", ["mesh", "faces of faces", "indices", "pivot", "deltas"])
def test_rigs_in_files_are_refused_before_they_are_used(what):
    words, arrays = parts_of(ball_rig())
    if what == "mesh":
        words["mesh"] = {"kind": "performance", "fps": 60.0}
        arrays["mesh.weights"] = np.zeros((1, 55), np.float32)
    elif what == "faces of faces":
        for _ in range(300):
            words = {"kind": "face-rig", "mesh": words}
    elif what == "indices":
        arrays["indices"] = np.stack([arrays["indices"]] * 2, axis=1)
    elif what == "pivot":
        arrays["rotor.0.pivot"] = np.full(3, np.nan)
    else:
        arrays["deltas"] = np.full_like(arrays["deltas"], 3e38)
    with pytest.raises(FileFormatError, match=r"a\.poly"):
        content_of(words, arrays, "a.poly")


def test_a_long_performance_is_read_into_its_own_memory_and_little_more(tmp_path):
    path = tmp_path / "long.poly"
    long = Performance(np.full((100_000, 55), 0.5, np.float32))
    write_project(Document((Node("face", Actor(rig=ball_rig(), performance=long)),)), path)
    tracemalloc.start()
    try:
        again = read_project(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(again.nodes[0].content.performance.weights, long.weights)
    assert peak < 1.6 * long.weights.nbytes


def test_damaged_faces_in_projects_end_in_a_sentence(tmp_path):
    path, bad = tmp_path / "face.poly", tmp_path / "bad.poly"
    write_project(Document((Node("face", _scripted()),)), path)
    rng = np.random.default_rng(1)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    said = []
    for _ in range(60):
        name = list(members)[int(rng.integers(len(members)))]
        data = bytearray(members[name])
        for at in rng.integers(0, min(len(data), 3000), 4):
            data[at] = rng.integers(256)
        with zipfile.ZipFile(bad, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, bytes(data) if member == name else content)
        try:
            read_project(bad)
        except PolyoramaError as error:
            said.append(str(error))
    assert len(said) > 20
    assert all(str(bad) in text for text in said)


def test_every_edit_of_a_face_survives_the_journal(tmp_path, monkeypatch):
    monkeypatch.setattr("polyorama.io.journal.state_folder", lambda: tmp_path / "state")
    monkeypatch.setattr("polyorama.io.recovery.state_folder", lambda: tmp_path / "state")
    path = tmp_path / "face.poly"
    write_project(Document((Node("face", _scripted(), id="abc"),)), path)
    editor = Editor(read_project(path))
    journal = Journal.start(editor.document, path, patience=30.0)
    journal.follow(editor)
    script = editor.document.node("abc").content.script
    louder = dataclasses.replace(script, style=FaceStyle(jaw=1.5))
    editor.run("set_face", node="abc", script=louder, performance=wavy(seed=7), title="Louder")
    edited = editor.document.node("abc").content
    assert [command.title for command in editor.history.commands] == ["Louder"]
    assert journal.flush(30.0)
    journal.close(discard=False)
    (found,) = recoverable(path)
    _assert_same(found.recover().node("abc").content, edited)
    editor.undo()
    assert editor.document.node("abc").content.script is script


def test_faces_are_changed_where_there_is_one():
    editor = Editor(Document((Node("face", _scripted(), id="abc"), Node("group", id="def"))))
    before = editor.document.node("abc").content.performance
    editor.run("set_face_rig", node="face", rig=ball_rig(8))
    assert len(editor.document.node("abc").content.rig.mesh.vertices) == 8 * 16 + 2
    assert editor.document.node("abc").content.performance is before
    with pytest.raises(UsageError, match="no face"):
        editor.run("set_face", node="def", script=None, performance=None)


def test_the_voice_of_a_face_is_heard_where_the_face_is_seen():
    actor = _scripted()
    document = Document((Node("face", actor, id="abc"),))
    (sound,) = sounding(document)
    assert sound.start == actor.start
    assert np.shares_memory(sound.samples, actor.script.sound.samples)
    mixed = mix_audio(document, start=0.0, seconds=1.0)
    assert not mixed[: SOUND_RATE // 2 - 100].any()
    assert mixed[SOUND_RATE // 2 + 100 :].any()
    hidden = Document((Node("face", actor, visible=False),))
    assert not list(sounding(hidden))


def test_what_is_looked_at_is_covered_more_densely_and_any_beginning_is_even():
    rig = ball_rig(40)
    cloud = actor_cloud(Actor(rig=rig, surfels=9000), np.eye(4), DEFAULT_RIG, 0.0)
    assert len(cloud) == 9000
    lips = rig.mesh.vertices[rig.regions["lips"]]
    away = np.linalg.norm(cloud.means[:, None] - lips[None, ::3], axis=2).min(axis=1)
    inside = away < 0.006
    heights = np.linspace(-1.0, 1.0, 20001)
    sphere = 0.1 * np.stack(
        [np.sqrt(1 - heights**2) * np.sin(2.39996 * np.arange(20001)), heights,
         np.sqrt(1 - heights**2) * np.cos(2.39996 * np.arange(20001))], axis=1,
    )  # fmt: skip
    area = (np.linalg.norm(sphere[:, None] - lips[None, ::3], axis=2).min(axis=1) < 0.006).mean()
    assert inside.mean() > 1.8 * area
    assert inside[:900].mean() == pytest.approx(inside.mean(), abs=0.06)


def test_two_views_cover_a_face_once_and_nobody_waits_to_let_go_of_it(monkeypatch):
    begun, go_on, covered = threading.Event(), threading.Event(), []
    real = actors._covering

    def slow(rig, count):
        covered.append(rig)
        begun.set()
        assert go_on.wait(60.0)
        return real(rig, count)

    monkeypatch.setattr(actors, "_covering", slow)
    actor = Actor(rig=ball_rig(), surfels=2000)
    with ThreadPoolExecutor(3) as pool:
        views = [
            pool.submit(actor_cloud, actor, np.eye(4), DEFAULT_RIG, time) for time in (0.0, 1.0)
        ]
        try:
            assert begun.wait(60.0)
            pool.submit(forget).result(timeout=60.0)
        finally:
            go_on.set()
        one, other = (view.result() for view in views)
    assert covered == [actor.rig]
    np.testing.assert_array_equal(one.means, other.means)


def test_parted_lips_let_light_into_the_mouth():
    rig = ball_rig()
    lower = rig.regions["lips"]
    upper = np.full(len(lower), int(np.argmax(rig.mesh.vertices[:, 2])))
    rig = dataclasses.replace(
        rig, landmarks={**rig.landmarks, "innerLipUpper": upper, "innerLipLower": lower}
    )
    without = dataclasses.replace(rig, landmarks={})
    closed, opened = np.zeros(55, np.float32), np.zeros(55, np.float32)
    opened[CHANNEL_INDEX["jawOpen"]] = 0.2
    assert parted(without, without.posed(closed), closed) == 0.0
    assert parted(without, without.posed(opened), opened) == pytest.approx(0.5)
    far = float(np.linalg.norm(rig.posed(closed)[upper] - rig.posed(closed)[lower], axis=1).max())
    assert parted(rig, rig.posed(closed), closed) == pytest.approx(
        min(far / rig.mouth_width / 0.1, 1.0)
    )


def test_the_shade_of_lids_stays_while_eyes_turn_under_it():
    rig = ball_rig(20)
    everything = np.arange(len(rig.mesh.vertices))
    eye = Rotor("leftEye", everything, np.ones(len(everything)), np.zeros(3),
                {"eyeLookDownLeft": (-0.5, 0.0, 0.0)})  # fmt: skip
    rig = dataclasses.replace(rig, rotors=(eye,))
    surfels = surfels_from_mesh(rig.mesh, 3000, rig=None, keep_buried=True, sides="one")
    below = (surfels.cloud.means[:, 1] > 0.02).astype(np.float32)
    (shade,) = eye_shades(rig, surfels, below)
    rest, looking = np.zeros(55, np.float32), np.zeros(55, np.float32)
    looking[CHANNEL_INDEX["eyeLookDownLeft"]] = 1.0
    front = surfels.cloud.means[shade.rows][:, 2] > 0.03
    assert np.abs(shade.seen(rest) - below[shade.rows])[front].mean() < 0.05
    turned = rig.posed(looking)[rig.mesh.triangles[surfels.triangle_ids]].mean(axis=1)[shade.rows]
    front = turned[:, 2] > 0.03
    assert np.abs(shade.seen(looking) - (turned[:, 1] > 0.02))[front].mean() < 0.05
    assert np.abs(shade.seen(looking) - below[shade.rows])[front].mean() > 0.15
