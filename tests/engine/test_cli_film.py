"""`polyorama render` as a film camera: every flag, every kind of file, every contradiction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest
from PIL import Image

from polyorama.cli import main
from polyorama.cli.filming import filming_of
from polyorama.core.types import Camera
from polyorama.io.exr import NOTHING, read_exr_text
from polyorama.io.project import write_project
from polyorama.scene.document import Document
from polyorama.scene.splats import SplatCloud, sh_from_colors
from tests.engine.cli_samples import enter_scene
from tests.engine.exr_reader import read_exr
from tests.engine.fakes import DotRasterizer, ball_document, dots

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["dots"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with ball.splat and cams.json."""
    enter_scene(tmp_path, monkeypatch, splats=60)
    return tmp_path


def render(*words: str) -> int:
    return main(["render", "ball.splat", "--backend", "cpu", *words])


def pixels(path: str) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGBA")).astype(int)


def frames_in(path: str) -> list[np.ndarray]:
    with av.open(path) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


MOVE = ["--size", "144x96", "--fps", "8"]


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["--dolly", "1:0.5"], 8), (["--dolly-zoom", "1:20"], 8), (["--hold", "0.5"], 4),
        (["--turntable", "1", "--handheld", "7:0.5"], 8),
        (["--cameras", "cams.json", "--fly", "1", "--handheld", "0:0"], 8),
        (["--hold", "1", "--frames", "2:6:2"], 2),
    ],
)  # fmt: skip
def test_movements_make_films(folder: Path, words: list[str], count: int) -> None:
    assert render("-o", "a.mp4", *MOVE, *words) == 0
    assert len(frames_in("a.mp4")) == count


def test_a_dolly_goes_nearer_and_a_hand_sways(folder: Path) -> None:
    assert render("-o", "f/##.png", *MOVE, "--dolly", "1:2") == 0
    wide = [
        np.ptp(np.nonzero(pixels(f"f/{i:02d}.png")[..., :3].max(axis=2) > 60)[1]) for i in (0, 7)
    ]
    assert wide[1] == pytest.approx(wide[0] / 2, abs=3)
    assert render("-o", "h/##.png", *MOVE, "--hold", "1", "--handheld", "3:2") == 0
    assert not np.array_equal(pixels("h/00.png"), pixels("h/05.png"))
    assert render("-o", "g/##.png", *MOVE, "--hold", "1") == 0
    assert np.array_equal(pixels("g/00.png"), pixels("g/05.png"))


def test_a_target_turns_the_saved_view_where_it_is(folder: Path) -> None:
    saved = Camera.look_at((0, 0, -5), (0, 0, 0), fov=30, size=(40, 40))
    write_project(ball_document(camera=saved), "show.poly")
    common = ["--backend", "cpu", "--float"]
    assert main(["render", "show.poly", *common, "a.npy", "--target", "0.4,0,0"]) == 0
    turned = Camera.look_at((0, 0, -5), (0.4, 0, 0), fov=30, size=(40, 40))
    write_project(ball_document(camera=turned), "turned.poly")
    assert main(["render", "turned.poly", *common, "b.npy"]) == 0
    assert np.array_equal(np.load("a.npy"), np.load("b.npy"))


def test_lens_and_shutter_blur(folder: Path) -> None:
    still = ["--size", "64x48", "--eye", "0,0,-4", "--target", "0,0,0", "--up", "0,-1,0"]
    assert render("-o", "sharp.png", *still) == 0
    lens = ["--dof", "f/1.4@8", "--sensor", "900", "--samples", "16"]
    assert render("-o", "soft.png", *still, *lens) == 0
    edges = [np.abs(np.diff(pixels(n)[..., 1], axis=1)).mean() for n in ("sharp.png", "soft.png")]
    assert edges[1] < 0.6 * edges[0]
    with Image.open("soft.png") as image:
        assert image.text["Comment"].endswith("--dof f/1.4@8 --sensor 900 --samples 16")
    # Without a sensor too, whatever the scale of the scene.
    assert render("-o", "near.png", *still, "--dof", "f/1.4@6", "--samples", "16") == 0
    blurred = np.abs(pixels("near.png") - pixels("sharp.png"))[..., :3].max()
    assert blurred > 20
    turn = ["--size", "64x48", "--turntable", "1", "--fps", "6", "--frames", "1"]
    assert render("-o", "0/#.png", *turn) == 0
    assert render("-o", "1/#.png", *turn, "--shutter", "1", "--samples", "12") == 0
    edges = [np.abs(np.diff(pixels(f"{i}/1.png")[..., 1], axis=1)).mean() for i in (0, 1)]
    assert edges[1] < 0.8 * edges[0]
    # A frame on its own is blurred as in the whole film.
    whole = ["--size", "64x48", "--turntable", "1", "--fps", "6", "--shutter", "1"]
    assert render("-o", "2/#.png", *whole, "--samples", "12") == 0
    assert np.array_equal(pixels("2/1.png"), pixels("1/1.png"))


def test_panoramas_say_what_they_are(folder: Path) -> None:
    around = ["--eye", "0,0,-2", "--size", "64x32", "--equirect"]
    for name in ("a.png", "a.jpg", "a.webp"):
        assert render("-o", name, *around) == 0
        with Image.open(name) as image:
            assert image.size == (64, 32)
            packet = image.info.get("xmp") or image.text["XML:com.adobe.xmp"]
            assert b"equirectangular" in (packet if isinstance(packet, bytes) else packet.encode())
    assert render("-o", "tb.png", *around, "--stereo", "top-bottom", "--interaxial", "0.1") == 0
    assert pixels("tb.png").shape == (64, 64, 4)
    assert render("-o", "sbs.png", "--size", "40x30", "--stereo", "side-by-side") == 0
    assert pixels("sbs.png").shape == (30, 80, 4)
    assert render("-o", "fish.png", "--fisheye", "200", "--size", "40x40") == 0
    assert pixels("fish.png")[0, 0].tolist() == [0, 0, 0, 255]
    clear = ["--fisheye", "200", "--size", "40x40", "--background", "transparent"]
    assert render("-o", "fishc.png", *clear) == 0
    assert pixels("fishc.png")[0, 0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["a.mp4", "a.webm"])
def test_films_say_that_they_surround(folder: Path, name: str) -> None:
    around = ["--eye", "0,0,-2", "--size", "64x32", "--equirect", "--hold", "0.25", "--fps", "8"]
    for stereo, kind in ((["--stereo", "top-bottom", "--interaxial", "0.1"], 2), ([], 0)):
        assert render("-o", name, *around, *stereo) == 0
        with av.open(name) as container:
            sides = next(container.decode(video=0)).side_data
            told = {side.type.name: bytes(side) for side in sides}
        assert told["SPHERICAL"][:4] == bytes(4)
        assert told.get("STEREO3D", b"\0")[0] == kind


def test_panoramas_are_level(folder: Path) -> None:
    """The middle row is the horizon, however the camera was tilted."""
    base = ["--equirect", "--size", "64x32", "--up", "0,-1,0", "--depth"]
    assert render(*base, "a.npy", "--eye", "0,-3,-3", "--target", "0,-3,0") == 0
    assert render(*base, "b.npy", "--eye", "0,-3,-3", "--target", "0,0,0") == 0
    assert np.array_equal(np.load("a.npy"), np.load("b.npy"))


def test_the_grade_changes_pixels_and_is_told(folder: Path) -> None:
    base = ["--size", "144x96", "--background", "#444444"]
    assert render("-o", "0.png", *base) == 0
    for i, words in enumerate(
        [["--exposure", "1.5"], ["--bloom", "0.8"], ["--vignette", "0.7"], ["--tonemap", "aces"],
         ["--tonemap", "agx"], ["--supersample", "3"]], 1
    ):  # fmt: skip
        assert render("-o", f"{i}.png", *base, *words) == 0
        assert not np.array_equal(pixels("0.png"), pixels(f"{i}.png"))
        with Image.open(f"{i}.png") as image:
            assert image.text["Comment"].endswith(" ".join(words))


def test_layers_for_compositing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ["--size", "144x96", "--background", "transparent"]
    assert render("-o", "a.exr", *base) == 0
    assert "Wrote a.exr (144x96" in capsys.readouterr().out
    assert render("-o", "b.png", "--exr", "b.exr", "--float", "b.npy", "--depth", "b.png.png",
                  *base) == 0  # fmt: skip
    channels, _ = read_exr("a.exr")
    assert set(channels) >= {"R", "A", "Z", "normal.X", "id.splat", "id.node"}
    assert np.array_equal(channels["R"], read_exr("b.exr")[0]["R"])
    assert read_exr_text("a.exr")["Comment"].startswith("polyorama render ball.splat --size 144x96")
    alpha = np.load("b.npy")[..., 3]
    assert np.abs(channels["A"].astype(float) - alpha).max() < 1e-3
    assert set(np.unique(channels["id.node"])) == {0, 1}
    # EXR is light: a display value of one half is 0.214 in it, exposure doubles it, and the tone
    # curve, which is the screen's, leaves it alone.
    plain = ["--size", "8x8", "--background", "0.5,0.5,0.5", "--eye", "9,9,9", "--target", "9,8,19"]
    assert render("-o", "c.exr", *plain, "--exposure", "1", "--tonemap", "aces") == 0
    assert read_exr("c.exr")[0]["R"].max() == pytest.approx(0.428, abs=2e-3)


@pytest.mark.parametrize("around", [[], ["--equirect", "--size", "64x32"]])
def test_a_glow_owns_no_pixel_of_the_mattes(folder: Path, around: list[str]) -> None:
    glow = SplatCloud(
        np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]), np.full((1, 3), 0.9), np.array([0.3]),
        sh_from_colors(np.array([[1.0, 0.9, 0.5]]))[:, None, :],
    )  # fmt: skip
    card = replace(glow, scales=np.array([[0.2, 0.2, 0.01]]), opacities=np.array([0.99]))
    write_project(Document.of([card, glow], ["card", "glow"]), "lamp.poly")
    words = ["--eye", "0,0,-3", "--target", "0,0,0", "--size", "48x32", *around]
    assert main(["render", "lamp.poly", "--backend", "cpu", "-o", "a.exr", *words]) == 0
    channels, told = read_exr("a.exr")
    assert told["nodes"] == "card\nglow"
    alone = ["--background", "transparent", "--float", "a.npy"]
    assert main(["render", "lamp.poly", "--backend", "cpu", *alone, *words]) == 0
    alpha = np.load("a.npy")[..., 3]
    # The card is in the middle of its glow, and where only the glow is there is light.
    faint = (alpha > 0.05) & (alpha < 0.45)
    assert faint.any()
    assert channels["id.node"][alpha > 0.7].min() >= 1
    for name in ("id.node", "id.splat", "normal.X", "normal.Z"):
        assert not channels[name][faint].any()
    assert (channels["Z"][faint] == NOTHING).all()
    assert (channels["Z"][alpha > 0.7] < 4).all()


def test_numbered_layers_go_on(dots: DotRasterizer, folder: Path) -> None:
    words = ["render", "ball.splat", "-o", "f/##.exr", "--cameras", "cams.json"]
    dots.stop_after = 12
    assert main(words) == 130
    there = len(list((folder / "f").iterdir()))
    assert 1 <= there < 6
    dots.stop_after = None
    drawn = dots.drawn
    assert main([*words, "--resume"]) == 0
    assert len(list((folder / "f").iterdir())) == 6
    assert dots.drawn - drawn < 3 * 6


@pytest.mark.parametrize(
    ("name", "words"),
    [("a.mov", []), ("a.webm", []), ("a.gif", []), ("a.webp", []), ("a.mp4", ["--codec", "h265"]),
     ("b.mov", ["--codec", "h264"])],
)  # fmt: skip
def test_kinds_of_films(folder: Path, name: str, words: list[str]) -> None:
    base = [*MOVE, "--turntable", "1", *words]
    assert render("-o", name, *base) == 0
    if name.endswith(("gif", "webp")):
        with Image.open(name) as image:
            assert image.n_frames == 8
            told = image.info.get("comment", b"").decode() or image.getexif()[0x010E]
    else:
        with av.open(name) as container:
            assert sum(1 for packet in container.demux(video=0) if packet.size) == 8
            told = {k.lower(): v for k, v in container.metadata.items()}["comment"]
    assert "polyorama render ball.splat --size 144x96 --turntable 1 --fps 8" in told
    if words:
        return
    assert render("-o", name, *base, "--background", "transparent") == 0


@pytest.mark.parametrize(
    ("name", "words", "letters"),
    [
        ("a.mov", ["--background", "transparent"], b"ap4h"), ("a.mov", [], b"ap4h"),
        ("a.mkv", ["--codec", "prores"], b"ap4h"), ("a.mov", ["--codec", "h265"], b"hvc1"),
        ("a.mp4", ["--codec", "h265"], b"hvc1"), ("a.m4v", [], b"avc1"),
    ],
)  # fmt: skip
def test_films_are_tagged_as_what_they_are(
    folder: Path, name: str, words: list[str], letters: bytes
) -> None:
    """Apple's players go by these four letters; ProRes of any other than ap4h is no 4444."""
    assert render("-o", name, *MOVE, "--hold", "1", *words) == 0
    data = (folder / name).read_bytes()
    assert letters in data
    assert not any(other in data for other in (b"apch", b"apcn", b"hev1"))
    with av.open(name) as container:
        context = container.streams.video[0].codec_context
        if letters == b"ap4h":
            # Decoders give 4444 its 12 bits.
            alpha = "a" if words and words[0] == "--background" else ""
            assert (context.profile, context.pix_fmt) == ("4444", f"yuv{alpha}444p12le")


@pytest.mark.parametrize("name", ["a.webm", "a.mkv"])
def test_browsers_are_told_of_alpha(folder: Path, name: str) -> None:
    alpha_mode = b"\x53\xc0\x81\x01"  # Matroska's element AlphaMode, one byte, 1
    for words, told in ((["--background", "transparent"], True), ([], False)):
        assert render("-o", name, *MOVE, "--hold", "1", "--codec", "vp9", *words) == 0
        assert (alpha_mode in (folder / name).read_bytes()) == told


SAME = [
    ("a.png", ["--dof", "f/2@target", "--sensor", "400", "--samples", "4", "--bloom", "0.3"]),
    ("a.exr", ["--supersample", "2"]),
    ("a.npy", ["--equirect", "--size", "32x16"]),
    ("a.mp4", ["--turntable", "1", "--fps", "6", "--shutter", "0.5", "--samples", "3"]),
    ("a.webm", ["--hold", "1", "--fps", "6", "--handheld", "5:1"]),
]


@pytest.mark.parametrize(("name", "words"), SAME)
def test_the_same_command_gives_the_same_bytes(folder: Path, name: str, words: list[str]) -> None:
    out = ["--float", name] if name.endswith("npy") else ["-o", name]
    size = [] if "--size" in words else ["--size", "144x96"]
    made = []
    for _ in range(2):
        assert render(*out, *size, *words) == 0
        made.append((folder / name).read_bytes())
    assert made[0] == made[1]


FLAT = ["--ortho", "2"]
CONTRADICTIONS = [
    (["-o", "a.png", "--dof", "f/0@target"], "f/0"),
    (["-o", "a.png", "--dof", "f/2.8@0"], "focus distance of 0"),
    (["-o", "a.png", "--dof", "f/2.8@moon"], "cannot be focused on"),
    (["-o", "a.png", "--dof", "f/2.8@1,2"], "cannot be focused on"),
    (["-o", "a.png", "--dof", "f/2.8", "--eye", "0,0,-4", "--target", "0,1,-9", "--size", "8x8",
      "--dof", "f/2.8@0,0,0"], "behind the camera"),
    (["-o", "a.png", "--dof", "f/2.8", *FLAT], "--dof and --ortho contradict"),
    (["-o", "a.png", "--dof", "f/2.8", "--equirect"], "--dof and --equirect contradict"),
    (["-o", "a.png", "--sensor", "24"], "--dof"),
    (["-o", "a.png", "--samples", "9"], "--dof or --shutter"),
    (["-o", "a.png", "--dof", "f/2", "--samples", "0"], "0 samples"),
    (["-o", "a.mp4", "--turntable", "1", "--shutter", "-1"], "shutter of -1"),
    (["-o", "a.png", "--supersample", "9"], "1, 2, 3 or 4"),
    (["-o", "a.png", "--supersample", "4", "--size", "9000x10"], "too large"),
    (["-o", "a.png", "--equirect", *FLAT], "--equirect and --ortho contradict"),
    (["-o", "a.png", "--fisheye", "180", *FLAT], "--fisheye and --ortho contradict"),
    (["-o", "a.png", "--stereo", "top-bottom", *FLAT], "--stereo and --ortho contradict"),
    (["-o", "a.png", "--equirect", "--fisheye", "90"], "contradict"),
    (["-o", "a.png", "--equirect", "--size", "64x64"], "twice as wide"),
    (["-o", "a.png", "--equirect", "--size", "40000x20000"], "40000x20000"),
    (["-o", "a.png", "--equirect", "--vignette", "0.5", "--size", "8x4"], "--vignette"),
    (["-o", "a.png", "--fisheye", "400"], "400"),
    (["-o", "a.png", "--stereo", "anaglyph"], "anaglyph"),
    (["-o", "a.png", "--interaxial", "0.1"], "--stereo"),
    (["-o", "a.png", "--stereo", "top-bottom", "--interaxial", "0"], "0 apart"),
    (["-o", "a.png", "--stereo", "top-bottom", "--convergence", "-2"], "-2"),
    (["-o", "a.png", "--exposure", "99"], "99 stops"),
    (["-o", "a.png", "--tonemap", "film"], "aces"),
    (["-o", "a.png", "--bloom", "2"], "bloom of 2"),
    (["-o", "a.png", "--codec", "h264"], "film's"),
    (["-o", "a.mp4", "--hold", "1", "--codec", "divx"], "divx"),
    (["-o", "a.mp4", "--hold", "1", "--codec", "vp9"], ".webm"),
    (["-o", "a.m4v", "--hold", "1", "--codec", "h265"], ".mp4 or .mov"),
    (["-o", "a.mp4", "--hold", "1", "--background", "transparent"], "no transparency"),
    (["-o", "a.mp4", "--hold", "1", "--turntable", "1"], "contradict"),
    (["-o", "a.mp4", "--dolly", "1:0.5", "--cameras", "cams.json"], "contradict"),
    (["-o", "a.mp4", "--dolly", "1:0"], "dolly"),
    (["-o", "a.mp4", "--dolly-zoom", "1:180"], "180"),
    (["-o", "a.gif", "--hold", "1", "--fps", "60"], "at most 50"),
    (["-o", "a.gif"], "--hold SECONDS"),
    (["-o", "a.mp4", "--hold", "1", "--exr", "a.exr"], "sequence"),
    (["-o", "a.exr", "--exr", "b.exr"], "either -o or --exr"),
    (["--exr", "a.png"], ".exr"),
]  # fmt: skip


@pytest.mark.parametrize("command", ["render", "edit", "export"])
@pytest.mark.parametrize("time", ["nan", "-1e400", "soon"])
def test_times_that_are_none(
    folder: Path, command: str, time: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "ball.splat", "-o", "a.ply", f"--time={time}"])
    assert f"'{time}' is no time in seconds" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "said"), CONTRADICTIONS)
def test_contradictions(
    folder: Path, dots: DotRasterizer, words: list[str], said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(["render", "ball.splat", *words]) == 2
    message = capsys.readouterr().err
    assert said in message
    assert message.startswith("polyorama: ")
    assert message.count("\n") == 1
    left = {entry.name for entry in folder.iterdir()} - {"ball.splat", "cams.json"}
    assert left == set()


@pytest.mark.parametrize(
    "words",
    [["--dof", "2.8"], ["--dof", "f/x"], ["--dolly", "4"], ["--handheld", "a:1"],
     ["--handheld", "-1:1"], ["--dolly-zoom", "1:nan"]],
)  # fmt: skip
def test_words_that_are_no_values(
    folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        render("-o", "a.mp4", *words)
    assert caught.value.code == 2
    said = capsys.readouterr().err
    # One sentence, and no usage of forty options above it.
    assert said.startswith(f"polyorama: {words[0]}: ")
    assert said.endswith("; polyorama render --help tells more.\n")
    assert said.count("\n") == 1


def test_stereo_defaults_follow_the_target() -> None:
    import argparse

    names = ("dof", "sensor", "shutter", "samples", "supersample", "seed", "equirect", "fisheye",
             "interaxial", "convergence", "exposure", "bloom", "vignette", "tonemap")  # fmt: skip
    options = argparse.Namespace(**dict.fromkeys(names), stereo="side-by-side")
    camera = Camera.look_at((0, 0, -6), (0, 0, 0))
    stereo = filming_of(options, camera, np.zeros(3)).stereo
    assert stereo.interaxial == pytest.approx(0.2)
    assert stereo.convergence == pytest.approx(6.0)
    options.equirect = True
    assert filming_of(options, camera, np.zeros(3)).stereo.convergence is None
