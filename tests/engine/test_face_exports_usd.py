"""Takes as USD: what OpenUSD's own skinning shows, and what is read again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError, UnavailableError
from polyorama.face.exports.usd import need_usd, write_take_usd
from polyorama.face.exports.usd_parsing import parse_take_usd
from polyorama.face.exports.usd_reading import read_take_usd
from polyorama.face.take import Take
from polyorama.scene.contents import Audio
from polyorama.scene.faces.channels import ARKIT, CHANNEL_INDEX
from polyorama.scene.faces.performance import Performance
from tests.engine.face_samples import ball_rig, wavy
from tests.engine.face_takes import PHONES, PROVENANCE, nodding_rig, take

pxr = pytest.importorskip("pxr", reason="OpenUSD is not installed")


@pytest.mark.parametrize("ending", [".usda", ".usdc", ".usd"])
@pytest.mark.parametrize("fps", [60.0, 24000 / 1001])
def test_a_take_is_read_again_equal(tmp_path, ending, fps):
    path = tmp_path / f"take{ending}"
    wrote = take(fps=fps)
    write_take_usd(wrote, nodding_rig(), path)
    notes = []
    read = parse_take_usd(path, notes)
    np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=1e-5)
    assert read.performance.fps == fps
    assert read.provenance == PROVENANCE
    assert read.phones == PHONES
    np.testing.assert_allclose(read.sound.samples, wrote.sound.samples, atol=2e-5)
    assert notes == []


def test_a_sound_starts_where_it_did(tmp_path, capfd):
    wrote = take()
    sound = Audio(samples=wrote.sound.samples, rate=16000, start=0.25, gain=0.5)
    write_take_usd(replace(wrote, sound=sound), ball_rig(), tmp_path / "take.usdc")
    read = parse_take_usd(tmp_path / "take.usdc")
    assert read.sound.start == pytest.approx(0.25)
    np.testing.assert_allclose(read.sound.samples, 0.5 * wrote.sound.samples, atol=2e-5)
    assert capfd.readouterr() == ("", "")


def test_openusd_shows_the_rig(tmp_path):
    from pxr import Usd, UsdGeom, UsdSkel

    rig = ball_rig()
    rows = np.zeros((3, 55), np.float32)
    rows[1, [CHANNEL_INDEX[n] for n in ("jawOpen", "mouthClose", "headYaw")]] = 0.8, 0.5, 0.4
    rows[2, [CHANNEL_INDEX[n] for n in ("eyeLookOutLeft", "headPitch", "headRoll")]] = 1, 0.3, -0.2
    path = tmp_path / "take.usdc"
    write_take_usd(Take(Performance(rows, 30.0), PROVENANCE), rig, path)
    stage = Usd.Stage.Open(str(path))
    assert UsdSkel.BakeSkinning(Usd.PrimRange.Stage(stage))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/Face/Mesh"))
    for frame, weights in enumerate(rows):
        points = np.array(mesh.GetPointsAttr().Get(frame))
        expected = rig.posed(weights) * (-1.0, -1.0, 1.0)
        np.testing.assert_allclose(points, expected, atol=2e-6)


def test_the_stage_says_what_programs_look_for(tmp_path):
    from pxr import Usd, UsdGeom, UsdShade

    write_take_usd(take(), nodding_rig(), tmp_path / "take.usda")
    stage = Usd.Stage.Open(str(tmp_path / "take.usda"))
    assert stage.GetTimeCodesPerSecond() == 60.0
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, 89.0)
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert stage.GetDefaultPrim().GetTypeName() == "SkelRoot"
    names = stage.GetPrimAtPath("/Face/Skeleton/Take").GetAttribute("blendShapes").Get()
    assert list(names)[:52] == list(ARKIT)
    mesh = stage.GetPrimAtPath("/Face/Mesh")
    parts = UsdGeom.Subset.GetAllGeomSubsets(UsdGeom.Mesh(mesh))
    assert len(parts) == 2
    look, _ = UsdShade.MaterialBindingAPI(parts[1]).ComputeBoundMaterial()
    assert look.GetPath() == "/Face/Looks/look1"
    assert (tmp_path / "take.texture1.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "take.take.wav").read_bytes()[:4] == b"RIFF"


def test_the_mesh_is_read_as_any_other_shape(tmp_path):
    from polyorama.shapes.loaders.usd import read

    rig = nodding_rig()
    write_take_usd(take(), rig, tmp_path / "take.usdc")
    found = read(tmp_path / "take.usdc")
    assert sum(len(part.triangles) for part in found.parts) == len(rig.mesh.triangles)


def foreign(path, attributes, rate=24):
    path.write_text(
        f'#usda 1.0\n(\n timeCodesPerSecond = {rate}\n)\ndef SkelRoot "Avatar"\n{{\n'
        f'def SkelAnimation "Anim"\n{{\n{attributes}\n}}\n}}\n'
    )
    return path


SHAPES = 'uniform token[] blendShapes = ["JawOpen", "mouthSmile_L", "Wink"]\n'


def test_other_programs_animations_are_read(tmp_path):
    weights = "float[] blendShapeWeights.timeSamples = { 5: [0, 1, 0], 6: [0.5, 0.5, 1] }"
    notes = []
    read = parse_take_usd(foreign(tmp_path / "a.usda", SHAPES + weights), notes)
    assert read.performance.fps == 24.0
    np.testing.assert_allclose(read.performance.channel("jawOpen"), [0, 0.5])
    np.testing.assert_allclose(read.performance.channel("mouthSmileLeft"), [1, 0.5])
    assert any("Wink" in text for text in notes)
    # What was read under a name before is forgotten.
    still = "float[] blendShapeWeights = [0.25, 0, 0]"
    read = parse_take_usd(foreign(tmp_path / "a.usda", SHAPES + still))
    np.testing.assert_allclose(read.performance.channel("jawOpen"), [0.25])


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ("", "no animation of ARKit"),
        ("float[] blendShapeWeights = [1, 2]", "not as many as blendShapes"),
        (SHAPES + "float[] blendShapeWeights = [1, 2]", "not as many as blendShapes"),
        (SHAPES + "float[] blendShapeWeights = [nan, 0, 0]", "finite"),
        (SHAPES + "float[] blendShapeWeights", "no numbers"),
        (SHAPES + "float[] blendShapeWeights.timeSamples = { 0: [1, 2, 3], 1: [1] }", "as many"),
        ('uniform token[] blendShapes = ["a"]\nfloat[] blendShapeWeights = [1]', "ARKit"),
        (SHAPES + "float[] blendShapeWeights = [1, 2", "cannot be read|no USD"),
        (SHAPES + 'string blendShapeWeights = "x"', "no numbers|finite"),
    ],
)
def test_bad_files_are_refused_in_words(tmp_path, attributes, words, capfd):
    path = foreign(tmp_path / "bad.usda", attributes)
    with pytest.raises(FileFormatError, match=words) as raised:
        parse_take_usd(path)
    assert "bad.usda" in str(raised.value)
    assert capfd.readouterr().out == ""


def test_a_damaged_file_is_refused_or_equal(tmp_path):
    wrote = Take(wavy(0.3), PROVENANCE)
    write_take_usd(wrote, ball_rig(4), tmp_path / "take.usdc")
    whole = (tmp_path / "take.usdc").read_bytes()
    for size in range(0, len(whole), len(whole) // 11):
        (tmp_path / "cut.usdc").write_bytes(whole[:size])
        with pytest.raises(FileFormatError):
            parse_take_usd(tmp_path / "cut.usdc")
    with pytest.raises(FileFormatError, match="no such file"):
        parse_take_usd(tmp_path / "missing.usdc")


def test_a_sound_that_is_missing_or_elsewhere_is_left_out_and_it_is_said(tmp_path):
    write_take_usd(take(), ball_rig(), tmp_path / "take.usda")
    (tmp_path / "take.take.wav").unlink()
    notes = []
    assert parse_take_usd(tmp_path / "take.usda", notes).sound is None
    assert any("sound is left out" in text for text in notes)
    text = (tmp_path / "take.usda").read_text().replace("./take.take.wav", "../../secret.wav")
    (tmp_path / "take.usda").write_text(text)
    notes = []
    assert parse_take_usd(tmp_path / "take.usda", notes).sound is None
    assert any("outside" in text for text in notes)


def test_nothing_half_written_stays(tmp_path):
    rows = np.zeros((2, 55), np.float32)
    rows[1, CHANNEL_INDEX["headYaw"]] = 3.5
    with pytest.raises(OutputError, match="180"):
        write_take_usd(replace(take(), performance=Performance(rows), emotion=None), ball_rig(),
                       tmp_path / "take.usda")  # fmt: skip
    assert not list(tmp_path.iterdir())


def test_without_openusd_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pxr.Usd", None)
    with pytest.raises(UnavailableError, match=r"polyorama\[face\]"):
        need_usd()


# --- in a process of its own -----------------------------------------------------------------


def test_a_take_is_read_in_a_process_of_its_own(tmp_path):
    wrote = take()
    write_take_usd(wrote, nodding_rig(), tmp_path / "take.usdc")
    read = read_take_usd(tmp_path / "take.usdc")
    np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=1e-5)
    assert read.provenance == PROVENANCE
    np.testing.assert_allclose(read.sound.samples, wrote.sound.samples, atol=2e-5)


def test_what_the_process_says_is_heard(tmp_path):
    weights = "float[] blendShapeWeights = [0.25, 0, 1]"
    notes = []
    read_take_usd(foreign(tmp_path / "a.usda", SHAPES + weights), notes)
    assert any("Wink" in text for text in notes)
    with pytest.raises(FileFormatError, match=r"no animation of ARKit.*bad\.usda"):
        read_take_usd(foreign(tmp_path / "bad.usda", ""))


def test_a_process_that_hangs_or_dies_costs_one_file(tmp_path, monkeypatch):
    path = foreign(tmp_path / "a.usda", SHAPES + "float[] blendShapeWeights = [0, 0, 0]")
    with pytest.raises(FileFormatError, match="longer than"):
        read_take_usd(path, seconds=0.01)
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(FileFormatError, match="brings its reader down"):
        read_take_usd(path)
    monkeypatch.setattr("sys.executable", str(tmp_path / "none"))
    with pytest.raises(UnavailableError, match="cannot be started"):
        read_take_usd(path)


def test_names_that_are_no_text_are_refused(tmp_path):
    path = foreign(tmp_path / "bad.usda", SHAPES + "float[] blendShapeWeights = [0, 0, 0]")
    path.write_bytes(path.read_bytes().replace(b"Wink", b"W\xfa\xfb"))
    with pytest.raises(FileFormatError, match=r"bad\.usda"):
        parse_take_usd(path)
    path.write_bytes(path.read_bytes().replace(b"SkelAnimation", b"Skel\xfaAnimation"))
    with pytest.raises(FileFormatError, match=r"bad\.usda"):
        parse_take_usd(path)
