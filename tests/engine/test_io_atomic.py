"""Files appear whole or not at all, and replacing one keeps what is its owner's."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from polyorama.errors import OutputError
from polyorama.io.atomic import atomic_write, atomic_write_all, check_target


def put(target, text):
    with atomic_write(target) as temporary:
        temporary.write_text(text)


def test_a_new_file_has_the_mode_that_any_new_file_has(tmp_path):
    (tmp_path / "plain").write_text("x")
    put(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    for mode in (0o640, 0o755):
        target.chmod(mode)
        put(target, "new")
        assert stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
def test_the_umask_of_the_process_is_left_alone(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(os, "umask", asked.append)
    threads = [threading.Thread(target=put, args=(tmp_path / f"{i}", "x")) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(tmp_path.iterdir())) == 4
    assert asked == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("this system makes no links for us")
    put(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["far", "link.txt"]
    real.unlink()
    put(link, "again")
    assert (link.is_symlink(), real.read_text()) == (True, "again")


def test_files_that_belong_together_change_together_or_not_at_all(tmp_path):
    targets = [tmp_path / "a.bin", tmp_path / "a.txt"]
    for target in targets:
        target.write_text("old")

    def write(last):
        with atomic_write_all(targets) as (first, second):
            first.write_text("new")
            assert targets[0].read_text() == "old"
            last(second)

    def fail(_path):
        raise KeyboardInterrupt

    for trouble, kind in ((fail, KeyboardInterrupt), (os.remove, OutputError)):
        with pytest.raises(kind):
            write(trouble)
        assert [target.read_text() for target in targets] == ["old", "old"]
        assert len(os.listdir(tmp_path)) == 2
    write(lambda path: path.write_text("new"))
    assert [target.read_text() for target in targets] == ["new", "new"]
    assert len(os.listdir(tmp_path)) == 2


def test_one_target_that_cannot_be_written_spares_the_other(tmp_path):
    (tmp_path / "b").mkdir()
    with (
        pytest.raises(OutputError, match=r"folder.*b$"),
        atomic_write_all([tmp_path / "a", tmp_path / "b"]),
    ):
        pytest.fail("the block must not begin")
    with (
        pytest.raises(OutputError, match="Cannot write here"),
        atomic_write_all([tmp_path / "a", tmp_path / "no" / "b"]),
    ):
        pytest.fail("the block must not begin")
    assert os.listdir(tmp_path) == ["b"]


def test_what_cannot_be_written_is_known_beforehand(tmp_path):
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").write_text("x")
    for name, said in [
        ("folder.png", "is a folder"), ("no/a.png", "exist|No such"),
        ("file/a.png", "exist|Not a dir"),
        ("a" * 300 + ".png", "too long"), ("a\0b.png", r"zero byte: .*a\\x00b"),
    ]:  # fmt: skip
        for check in (check_target, lambda target: put(target, "x")):
            with pytest.raises(OutputError, match=said) as caught:
                check(tmp_path / name)
            assert "\0" not in str(caught.value)
    with pytest.raises(OutputError, match="without a name"):
        check_target("")
    check_target(tmp_path / "new.png")
    check_target(tmp_path / "file")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.png"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only here"
)
def test_a_folder_that_is_read_only_is_known_beforehand(tmp_path):
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(OutputError, match="read-only"):
            check_target(tmp_path / "a.png")
    finally:
        tmp_path.chmod(0o755)


def test_long_names_in_any_alphabet_can_be_written(tmp_path):
    name = "\N{CAT FACE}" * 62 + ".txt"
    put(tmp_path / name, "x")
    assert os.listdir(tmp_path) == [name]
