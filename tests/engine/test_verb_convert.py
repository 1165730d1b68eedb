"""Convert: steps in order, merging, pieces, and what is refused."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.core.jobs import Progress, run
from polyorama.edit import actions, splat_ops
from polyorama.errors import OutputError, PolyoramaError, UsageError
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.project import read_project, write_project
from polyorama.io.stream import CHUNK
from polyorama.scene.document import Document, Node
from polyorama.scene.rules import parse_rule
from polyorama.scene.splats import concatenate
from polyorama.verbs.convert import convert, convert_job
from polyorama.verbs.inspect import inspect
from tests.engine.splat_samples import sample_cloud


@pytest.fixture
def files(tmp_path):
    """Two PLY files and what is in them."""
    first, second = sample_cloud(500, 1), sample_cloud(300, 2, seed=1)
    write_splats(first, tmp_path / "a.ply")
    write_splats(second, tmp_path / "b.ply")
    return tmp_path, first, second


def test_pieces_and_the_whole_give_the_same_file(files):
    folder, *_ = files
    steps = (
        actions.Transform(splat_ops.rotation_matrix([10, 20, 30])),
        actions.DropWhere(parse_rule("index in 100..550 and opacity < 0.5")),
        actions.Repair(),
    )
    done = convert([folder / "a.ply", folder / "b.ply"], folder / "streamed.ply", steps)
    assert done.streamed
    whole = run(
        actions.apply(
            concatenate([read_splats(folder / "a.ply"), read_splats(folder / "b.ply")]), steps
        )
    )
    streamed = read_splats(folder / "streamed.ply")
    assert (done.read, done.written) == (800, len(whole))
    assert streamed.sh_degree == 2
    for name in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_allclose(
            getattr(streamed, name), getattr(whole, name), rtol=2e-5, atol=2e-6
        )


def test_steps_that_need_everything_are_not_streamed(files):
    folder, *_ = files
    done = convert(folder / "a.ply", folder / "out.ply", [actions.Morton()])
    assert not done.streamed
    assert done.written == 500
    done = convert(folder / "a.ply", folder / "out.spz", spz_version=3)
    assert not done.streamed
    assert done.bytes_written == (folder / "out.spz").stat().st_size


def test_merged_files_share_columns_and_tags(tmp_path):
    a = sample_cloud(20, 1, extras={"a": np.arange(20.0), "b": np.ones(20)}, model="antialiased")
    b = sample_cloud(30, 1, seed=1, extras={"b": np.zeros(30)})
    write_splats(a, tmp_path / "a.ply")
    write_splats(b, tmp_path / "b.ply")
    convert([tmp_path / "a.ply", tmp_path / "b.ply"], tmp_path / "ab.ply")
    both = read_splats(tmp_path / "ab.ply")
    assert list(both.extras) == ["b"]
    np.testing.assert_array_equal(both.extras["b"], np.repeat([1, 0], [20, 30]))
    assert both.model == "default"


@pytest.fixture
def show(tmp_path):
    """A project of a moved, a hidden and a plain cloud, and a mesh beside it."""
    move = np.eye(4)
    move[:3, 3] = (10, 0, 0)
    nodes = (
        Node("moved", sample_cloud(30, 1), move),
        Node("hidden", sample_cloud(40, 1), visible=False),
        Node("plain", sample_cloud(50, 2, seed=1)),
    )
    write_project(Document(nodes, up=(0.0, 1.0, 0.0)), tmp_path / "show.poly")
    (tmp_path / "leaf.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    return tmp_path


def test_projects_are_flattened_and_meshes_become_surfels(show):
    done = convert(show / "show.poly", show / "a.ply")
    assert (done.read, done.written, done.streamed) == (80, 80, False)
    flat = read_splats(show / "a.ply")
    assert flat.sh_degree == 2
    assert flat.up == (0, 1, 0)
    np.testing.assert_array_equal(flat.means[:30, 0], sample_cloud(30, 1).means[:, 0] + 10)
    assert convert(show / "leaf.obj", show / "b.spz", surfels=77).written == 77
    done = convert([show / "show.poly", show / "leaf.obj"], show / "c.ply", surfels=20)
    assert done.written == 100


def test_a_project_as_output_keeps_nodes_unless_there_are_steps(show):
    write_splats(sample_cloud(9), show / "x.ply")
    inputs = [show / "x.ply", show / "leaf.obj", show / "show.poly"]
    done = convert(inputs, show / "out.poly", surfels=20)
    document = read_project(show / "out.poly")
    assert [node.name for node in document.nodes] == [
        "x", "leaf", "show", "moved", "hidden", "plain",
    ]  # fmt: skip
    assert (done.read, done.written) == (149, 149)
    move = actions.Transform(splat_ops.translation_matrix([0, 5, 0]))
    assert convert(inputs, show / "out.poly", [move], surfels=20).written == 109
    (node,) = read_project(show / "out.poly").nodes
    assert (node.name, len(node.content)) == ("out", 109)
    with pytest.raises(UsageError, match=r"no \.spz file"):
        convert(inputs, show / "out.poly", spz_version=3)


def test_empty_projects_are_told(show):
    write_project(Document((Node("group"),)), show / "none.poly")
    with pytest.raises(PolyoramaError, match=r"shows no splats.*none\.poly"):
        convert(show / "none.poly", show / "a.ply")


def test_info_counts_nodes_and_triangles(show, capsys):
    info = inspect(show / "show.poly")
    assert (info.format, info.nodes, info.visible, info.count) == ("project", 3, 2, 80)
    assert main(["info", str(show / "show.poly")]) == 0
    assert "3, 2 of them with splats that are visible" in capsys.readouterr().out
    info = inspect(show / "leaf.obj")
    assert (info.format, info.triangles, info.count) == ("mesh", 1, 100_000)


def test_an_input_may_be_the_output(files):
    folder, first, _ = files
    move = actions.Transform(splat_ops.translation_matrix([5, 0, 0]))
    convert(folder / "a.ply", folder / "a.ply", [move])
    moved = read_splats(folder / "a.ply")
    np.testing.assert_allclose(moved.means, first.means + np.array([5, 0, 0]), atol=1e-5)


def test_a_stopped_job_leaves_the_old_file(files):
    folder, *_ = files
    target = folder / "old.ply"
    target.write_bytes(b"precious")
    job = convert_job([folder / "a.ply"], target)
    assert isinstance(next(job), Progress)
    job.close()
    assert target.read_bytes() == b"precious"
    assert sorted(p.name for p in folder.iterdir()) == ["a.ply", "b.ply", "old.ply"]


def test_what_is_refused(files):
    folder, *_ = files
    a, out = folder / "a.ply", folder / "out.ply"
    with pytest.raises(UsageError):
        convert([], out)
    with pytest.raises(OutputError, match="kind of file"):
        convert(a, folder / "out.xyz")
    with pytest.raises(UsageError, match="spz"):
        convert(a, out, spz_version=3)
    with pytest.raises(UsageError, match="3 or 4"):
        convert(a, folder / "out.spz", spz_version=2)
    with pytest.raises(OutputError, match="Nothing is left"):
        convert(a, out, [actions.DropWhere(parse_rule("opacity >= 0"))])
    with pytest.raises(OutputError, match="Nothing is left"):
        convert(a, out, [actions.DropWhere(parse_rule("opacity >= 0")), actions.Morton()])
    with pytest.raises(PolyoramaError, match=r"missing\.ply"):
        convert(folder / "missing.ply", out)
    assert not out.exists()
    out.write_bytes(b"x")
    with pytest.raises(OutputError, match="exists"):
        convert(a, out, overwrite=False)
    assert out.read_bytes() == b"x"


def test_the_command_line_keeps_the_order_of_steps(files, capsys):
    folder, first, _ = files
    a, out = str(folder / "a.ply"), str(folder / "out.ply")
    assert main(["convert", a, "--scale", "2", "--translate", "-1,0,0", out]) == 0
    np.testing.assert_allclose(read_splats(out).means, 2 * first.means - [1, 0, 0], atol=1e-5)
    assert main(["convert", a, out, "--translate=-1,0,0", "--scale", "2", "--quiet"]) == 0
    np.testing.assert_allclose(read_splats(out).means, 2 * first.means - [2, 0, 0], atol=1e-5)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("500 splats") == 1


EVERY_STEP = """
    --repair --where opacity<0.05 --keep-where x<100 --flip yz --rotate 0,0,90
    --crop-box _,_,_,_,_,9 --cut-box 8,8,8,9,9,9 --crop-sphere 0,0,0,50 --cut-sphere 7,7,7,0.5
    --up-to -y --sh-degree 0 --floaters --floaters-with reach=9,share=0 --decimate 50% --morton
"""


def test_every_step_has_its_option(files, capsys):
    folder, *_ = files
    options = EVERY_STEP.split()
    code = main(["convert", str(folder / "a.ply"), str(folder / "o.ply"), *options])
    assert code == 0, capsys.readouterr().err
    result = read_splats(folder / "o.ply")
    assert result.sh_degree == 0
    assert 100 < len(result) <= 250


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--where", "opacty < 1"], "did you mean 'opacity'"),
        (["--decimate", "lots"], "10%"),
        (["--up-to", "w"], "Up is one of"),
        (["--flip", "xyq"], "letters x, y and z"),
        (["--floaters-with", "speed=3"], "reach, opacity and share"),
        (["--floaters-with", "reach=far"], "numbers"),
        (["--sh-degree", "7"], "0 to 3"),
        (["--scale", "0"], "flatten"),
        (["--spz-version", "3"], "no .spz"),
    ],
)
def test_bad_options_are_explained(files, capsys, options, words):
    folder, *_ = files
    code = main(["convert", str(folder / "a.ply"), str(folder / "o.ply"), *options])
    assert code == 2
    assert words in capsys.readouterr().err
    assert not (folder / "o.ply").exists()


@pytest.mark.parametrize(
    "options",
    [["--crop-box", "1,2,3"], ["--crop-sphere", "0,0,0"], ["--translate", "1,2"],
     ["--scale", "big"], ["--spz-version", "9"]],
)  # fmt: skip
def test_malformed_values_are_told_by_the_parser(files, capsys, options):
    folder, *_ = files
    with pytest.raises(SystemExit) as caught:
        main(["convert", str(folder / "a.ply"), str(folder / "o.ply"), *options])
    assert caught.value.code == 2
    assert options[0] in capsys.readouterr().err


def test_an_output_must_be_named(files, capsys):
    folder, *_ = files
    assert main(["convert", str(folder / "a.ply")]) == 2
    assert "output" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_long_files_go_through_in_bounded_memory(tmp_path):
    """3 M splats of degree 0 (168 MB), in a process of its own: far below what they take whole."""
    from polyorama.io.stream import open_sink

    piece = sample_cloud(CHUNK, 0)
    with open_sink(tmp_path / "long.ply") as sink:
        for _ in range(12):
            sink.write(piece)
    program = """
        import re, sys
        from pathlib import Path
        from polyorama.verbs.convert import convert
        from polyorama.edit.actions import DropWhere, Repair
        from polyorama.scene.rules import parse_rule
        rule = DropWhere(parse_rule("opacity < 0.5"))
        def peak():
            text = Path("/proc/self/status").read_text()
            return int(re.search(r"VmHWM:\\s+(\\d+) kB", text)[1]) / 1024
        before = peak()
        done = convert(sys.argv[1], sys.argv[2], [rule, Repair()])
        print(done.streamed, done.read, done.written, peak() - before)
    """
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program),
         str(tmp_path / "long.ply"), str(tmp_path / "short.splat")],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert told[0] == "True"
    assert int(told[1]) == 12 * CHUNK
    assert 0.4 < int(told[2]) / int(told[1]) < 0.6
    assert float(told[3]) < 250  # MB; the cloud alone would take 168 and its edits as much again


def test_every_local_action_works_on_a_piece():
    cloud = sample_cloud(200, 1)
    turn = actions.UpTo((0.0, 0.0, 1.0))
    np.testing.assert_array_equal(turn.piece(cloud, 0).means, run(turn.run(cloud)).means)
    with pytest.raises(TypeError, match="abstract"):
        actions.LocalAction()
