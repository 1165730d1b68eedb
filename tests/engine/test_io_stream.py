"""Splat files in pieces: the same clouds as when read whole, whole files or none."""

from __future__ import annotations

import logging
import tracemalloc

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.stream import CHUNK, open_sink, open_source, streams
from polyorama.scene.splats import concatenate
from tests.engine.splat_samples import sample_cloud

FIELDS = ("means", "quats", "scales", "opacities", "sh")


def same(one, other, tolerance=2e-6):
    assert len(one) == len(other)
    for name in FIELDS:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), tolerance, tolerance)


@pytest.mark.parametrize("name", ["a.ply", "a.splat", "a.compressed.ply"])
@pytest.mark.parametrize("size", [1, 333, 1000, 5000])
def test_pieces_join_to_what_is_read_whole(tmp_path, name, size):
    cloud = sample_cloud(1000 if size > 1 else 7, 2)
    write_splats(cloud, tmp_path / name)
    whole = read_splats(tmp_path / name)
    source = open_source(tmp_path / name)
    assert source.count == len(whole)
    assert source.sh_degree == whole.sh_degree
    for _ in range(2):  # a source may be read again
        pieces = list(source.chunks(size))
        assert {len(piece) for piece in pieces[:-1]} <= {size}
        same(concatenate(pieces), whole, 0)


def test_tags_come_with_the_source(tmp_path):
    cloud = sample_cloud(5, 1, model="antialiased", up=(0, 0, 1), comments=("hello",))
    write_splats(cloud, tmp_path / "a.ply")
    source = open_source(tmp_path / "a.ply")
    assert source.model == "antialiased"
    assert source.up == (0, 0, 1)
    assert "hello" in source.comments
    assert streams("a.ply")
    assert streams("b.SPLAT")
    assert not streams("a.compressed.ply")
    assert not streams("a.txt")


@pytest.mark.parametrize("name", ["b.ply", "b.compressed.ply"])
def test_a_sink_gives_the_file_that_a_whole_write_gives(tmp_path, name):
    cloud = sample_cloud(2000, 3, model="antialiased", comments=("hello",))
    with open_sink(tmp_path / name) as sink:
        for start in range(0, 2000, 300):
            sink.write(cloud.subset(slice(start, start + 300)))
        assert sink.count == 2000
        assert not (tmp_path / name).exists()
    write_splats(cloud, tmp_path / f"a{name[1:]}")
    one, other = read_splats(tmp_path / name), read_splats(tmp_path / f"a{name[1:]}")
    same(one, other, 0)
    assert one.model == other.model == "antialiased"
    assert one.comments == other.comments
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([name, f"a{name[1:]}"])


def test_splats_are_streamed_in_the_order_given(tmp_path):
    cloud = sample_cloud(1000, 0)
    with open_sink(tmp_path / "a.splat") as sink:
        for start in range(0, 1000, 300):
            sink.write(cloud.subset(slice(start, start + 300)))
    np.testing.assert_array_equal(read_splats(tmp_path / "a.splat").means, cloud.means)


@pytest.mark.parametrize("name", ["a.ply", "a.compressed.ply"])
def test_the_caller_may_decide_degree_and_tags(tmp_path, name):
    with open_sink(
        tmp_path / name, sh_degree=1, model="antialiased", up=(0, 1, 0), comments=("mine",)
    ) as sink:
        sink.write(sample_cloud(300, 0, comments=("theirs",)).subset(slice(0, 0)))
        sink.write(sample_cloud(300, 0))
        sink.write(sample_cloud(200, 3, seed=2))
    back = read_splats(tmp_path / name)
    assert len(back) == 500
    assert back.sh_degree == 1
    assert back.model == "antialiased"
    assert back.up == (0, 1, 0)
    assert "mine" in back.comments
    assert "theirs" not in back.comments


def test_extra_columns_come_from_the_first_piece(tmp_path, caplog):
    extras = {"id": np.arange(5, dtype=np.int16)}
    with caplog.at_level(logging.WARNING), open_sink(tmp_path / "a.ply") as sink:
        sink.write(sample_cloud(5, 0, extras=extras))
        sink.write(sample_cloud(2, 0))
    assert "no column id" in caplog.text
    assert read_splats(tmp_path / "a.ply").extras["id"].tolist() == [0, 1, 2, 3, 4, 0, 0]


@pytest.mark.parametrize("name", ["a.ply", "a.splat", "a.csv"])
def test_nothing_is_left_when_a_stream_breaks(tmp_path, name):
    def break_off():
        with open_sink(tmp_path / name) as sink:
            sink.write(sample_cloud(5, 0))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    with pytest.raises(OutputError, match="no splats"), open_sink(tmp_path / name):
        pass
    assert list(tmp_path.iterdir()) == []


def test_wrong_use_is_refused(tmp_path):
    with pytest.raises(UsageError, match="degree of 4"), open_sink(tmp_path / "a.ply", sh_degree=4):
        pass
    with pytest.raises(UsageError, match="level"), open_sink(tmp_path / "a.ply", level=3):
        pass
    with pytest.raises(OutputError), open_sink(tmp_path / "none" / "a.ply") as sink:
        sink.write(sample_cloud(3, 0))
    with pytest.raises(OutputError), open_sink(tmp_path / "a.txt") as sink:
        sink.write(sample_cloud(3, 0))
    with pytest.raises(FileFormatError):
        open_source(tmp_path / "none.ply")
    write_splats(sample_cloud(3, 0), tmp_path / "a.ply")
    with pytest.raises(UsageError, match="too small"):
        next(open_source(tmp_path / "a.ply").chunks(0))


def test_memory_does_not_grow_with_the_file(tmp_path):
    piece = sample_cloud(20_000, 0)
    for name, repeats in (("small.ply", 4), ("large.ply", 24)):
        with open_sink(tmp_path / name) as sink:
            for _ in range(repeats):
                sink.write(piece)
    peaks = []
    for name in ("small.ply", "large.ply"):
        tracemalloc.start()
        with open_sink(tmp_path / "out.splat") as sink:
            for cloud in open_source(tmp_path / name).chunks(20_000):
                sink.write(cloud)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
    assert len(read_splats(tmp_path / "out.splat")) == 480_000
    assert CHUNK >= 1 << 16
