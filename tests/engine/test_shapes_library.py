"""The library: indexing in place, incremental, resumed, moved, damaged, and by two at once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, OutputError, PolyoramaError, UsageError
from polyorama.shapes.library import query
from polyorama.shapes.library import scan as scanning
from polyorama.shapes.library.asset import Query
from polyorama.shapes.library.notes import licence_of, plain_name
from polyorama.shapes.library.scan import Scan, scan
from polyorama.shapes.library.vectors import HEADER
from polyorama.shapes.load import ENDINGS
from tests.engine.shapes_library_samples import (
    FakeDescriber,
    FakeEmbedder,
    library,
    model,
    sum_of,
)

if TYPE_CHECKING:
    from polyorama.shapes.library.library import Library

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    model(folder / "chair_A_wood.glb", "red wooden chair", 120)
    model(folder / "tables" / "table.obj", "green table", 40)
    model(folder / "lamp.stl", "blue lamp", 900)
    return folder


def index(subject: Library, *folders: Path, **options: bool):
    return run(subject.index_job(folders, **options))


def names(subject: Library, query: Query, **options) -> list[str]:
    return [asset.path.name for asset in subject.assets(subject.search(query, **options).ids)]


def vectors_match(subject: Library) -> int:
    """Every asset's vector is that of the words in its own file; returns how many there are."""
    found = subject.search(Query())
    catalogue = subject.catalogue()
    matrix = subject._search().shelf.matrix(catalogue.rows)
    for asset in subject.assets(found.ids):
        place = catalogue.place[catalogue.where(np.array([asset.id]))[0]]
        words = asset.path.read_text().partition("|")[0].split()
        each = np.stack([sum_of([*words, f"view{i}"]) for i in range(4)])
        mean = each.mean(axis=0)
        np.testing.assert_allclose(matrix[place], mean / np.linalg.norm(mean), atol=1e-6)
    return len(found)


@pytest.mark.parametrize("name", ["", "a\0b", "~nobody_of_that_name"])
def test_names_that_are_none_say_so(tmp_path: Path, models: Path, name: str) -> None:
    subject = library(tmp_path / "library")
    with pytest.raises(FileFormatError, match=r"can be called|no such folder"):
        index(subject, models, name)  # type: ignore[arg-type]
    assert subject.folders() == ()
    subject.close()


def test_a_library_without_a_name_is_not_made_where_we_are() -> None:
    with pytest.raises(FileFormatError, match="can be called"):
        library("")  # type: ignore[arg-type]


def test_files_are_found_with_all_that_is_known(tmp_path: Path, models: Path) -> None:
    (models / "LICENSE.txt").write_text("Creative Commons Zero, CC0\npublicdomain/zero/1.0/")
    (models / "tables" / "manifest.json").write_text(json.dumps([
        {"file": "table.obj", "title": "Dining table", "tags": ["Wood", "kitchen"],
         "license": "CC-BY-4.0"},
    ]))  # fmt: skip
    subject = library(tmp_path / "lib")
    report = index(subject, models)
    assert (report.added, report.changed, report.moved, report.failures) == (3, 0, 0, ())
    table, chair = subject.find(models / "tables/table.obj"), subject.find(
        models / "chair_A_wood.glb"
    )  # fmt: skip
    assert table is not None
    assert chair is not None
    assert (table.caption, table.tags, table.licence) == (
        "Dining table", ("kitchen", "Wood"), "CC-BY-4.0",
    )  # fmt: skip
    assert (chair.caption, chair.licence, chair.format, chair.kind, chair.polygons) == (
        "chair A wood", "CC0-1.0", "glb", "mesh", 120,
    )  # fmt: skip
    assert chair.bytes == (models / "chair_A_wood.glb").stat().st_size
    picture = subject.thumbnail(chair.id)
    assert picture is not None
    assert picture[:4] == b"RIFF"
    assert vectors_match(subject) == 3


def test_unchanged_files_cost_a_look_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(2000):
        (folder / f"m{number}.glb").write_text(f"thing n{number % 7}")
    subject = library(tmp_path / "lib")
    assert index(subject, folder).added == 2000
    describer, embedder = FakeDescriber(), FakeEmbedder()
    again = library(tmp_path / "lib", describer=describer, embedder=embedder)
    opened: list[str] = []
    before = Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, *a, **k: opened.append(self.name) or before(self, *a, **k)
    )
    looks = 0
    stat = os.stat

    def counted(*arguments, **options):
        nonlocal looks
        looks += 1
        return stat(*arguments, **options)

    monkeypatch.setattr(scanning.os, "stat", counted)
    report = index(again)
    assert (report.unchanged, report.added) == (2000, 0)
    assert (describer.described, describer.asked, embedder.shapes) == ([], [], 0)
    assert not [name for name in opened if name.startswith("m")]
    assert looks < 100  # the walk brings the dates of all files along


def test_contents_that_are_alike_are_described_once(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    model(folder / "a.glb", "red chair")
    shutil.copy(folder / "a.glb", folder / "b.glb")
    describer = FakeDescriber()
    subject = library(tmp_path / "lib", describer=describer)
    assert index(subject, folder).added == 2
    shutil.copy(folder / "a.glb", folder / "c.glb")
    told = len(describer.described)
    assert index(subject).added == 1
    assert len(describer.described) == told
    assert vectors_match(subject) == 3


def test_a_moved_file_keeps_its_number_and_tags(tmp_path: Path, models: Path) -> None:
    describer = FakeDescriber()
    subject = library(tmp_path / "lib", describer=describer)
    index(subject, models)
    before = subject.find(models / "lamp.stl")
    assert before is not None
    subject.set_tags([before.id], ["desk", "Desk", " light "])
    subject.make_collection("lights")
    subject.collect("lights", [before.id])
    (models / "lamp.stl").rename(models / "tables" / "office_lamp.stl")
    told = len(describer.described)
    report = index(subject)
    assert (report.moved, report.gone, report.added) == (1, 0, 0)
    assert len(describer.described) == told
    after = subject.asset(before.id)
    assert after.path == models / "tables" / "office_lamp.stl"
    assert (after.caption, after.tags) == ("office lamp", ("Desk", "light"))
    assert names(subject, Query(collection="lights")) == ["office_lamp.stl"]


def test_what_is_gone_comes_back_as_it_was(tmp_path: Path, models: Path) -> None:
    describer = FakeDescriber()
    subject = library(tmp_path / "lib", describer=describer)
    index(subject, models)
    lamp = subject.find(models / "lamp.stl")
    assert lamp is not None
    subject.set_tags([lamp.id], ["mine"])
    kept = (models / "lamp.stl").read_bytes()
    (models / "lamp.stl").unlink()
    assert index(subject).gone == 1
    assert subject.find(models / "lamp.stl") is None
    assert "lamp.stl" not in names(subject, Query(words="lamp"))
    told = len(describer.described)
    (models / "light.stl").write_bytes(kept)
    assert index(subject).moved == 1
    assert len(describer.described) == told
    assert subject.asset(lamp.id).tags == ("mine",)


def test_a_changed_file_and_changed_dependencies_are_read_again(
    tmp_path: Path, models: Path
) -> None:
    subject = library(tmp_path / "lib")
    model(models / "rug.glb", "red rug", uses=["rug.png"])
    index(subject, models)
    rug = subject.find(models / "rug.glb")
    assert rug is not None
    assert index(subject).unchanged == 4
    (models / "rug.png").write_bytes(b"a texture that was missing")
    assert index(subject).changed == 1
    with_texture = subject.asset(rug.id)
    assert with_texture.content != rug.content
    (models / "rug.png").write_bytes(b"another texture, and longer")
    assert index(subject).changed == 1
    assert subject.asset(rug.id).content not in (rug.content, with_texture.content)
    model(models / "lamp.stl", "green lamp with shade", 901)
    assert index(subject).changed == 1
    assert names(subject, Query(words="shade"), limit=1) == ["lamp.stl"]
    assert vectors_match(subject) == 4


def test_what_lies_beside_is_followed_without_rendering(tmp_path: Path, models: Path) -> None:
    describer = FakeDescriber()
    subject = library(tmp_path / "lib", describer=describer)
    index(subject, models)
    told = len(describer.described)
    (models / "LICENCE.md").write_text(
        "Released under https://creativecommons.org/licenses/by/4.0/"
    )
    assert index(subject).changed == 3
    assert len(describer.described) == told
    assert {asset.licence for asset in subject.assets(subject.search(Query()).ids)} == {"CC-BY-4.0"}


def test_failures_are_told_once_and_again_when_asked(tmp_path: Path, models: Path) -> None:
    broken = model(models / "bad.glb", "broken thing")
    model(models / "worse.glb", "crash")
    describer = FakeDescriber()
    subject = library(tmp_path / "lib", describer=describer)
    report = index(subject, models)
    assert report.added == 3
    reasons = {failure.path.name: failure.reason for failure in report.failures}
    assert "The model is broken" in reasons["bad.glb"]
    assert "ZeroDivisionError: of a foreign reader" in reasons["worse.glb"]
    assert set(reasons) == {"bad.glb", "worse.glb"}
    told = len(describer.described)
    report = index(subject)
    assert (report.skipped, report.failures, len(describer.described)) == (2, (), told)
    report = index(subject, retry=True)
    assert len(report.failures) == 2
    model(broken, "repaired thing")
    assert index(subject).added == 1
    assert [failure.path.name for failure in subject.failures()] == ["worse.glb"]
    (models / "worse.glb").unlink()
    index(subject)
    assert subject.failures() == ()


def test_a_file_that_breaks_is_no_longer_found(tmp_path: Path, models: Path) -> None:
    subject = library(tmp_path / "lib")
    index(subject, models)
    lamp = subject.find(models / "lamp.stl")
    assert lamp is not None
    subject.set_tags([lamp.id], ["mine"])
    model(models / "lamp.stl", "broken lamp")
    assert len(index(subject).failures) == 1
    assert "lamp.stl" not in names(subject, Query())
    model(models / "lamp.stl", "whole lamp again")
    assert index(subject).changed == 1
    assert subject.asset(lamp.id).tags == ("mine",)


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, models: Path) -> None:
    class Restless(FakeDescriber):
        times = 1

        def describe(self, path: Path):
            found = super().describe(path)
            if path.name == "lamp.stl" and self.times:
                self.times -= 1
                model(path, f"yellow lamp {self.times}", 7)
            return found

    subject = library(tmp_path / "lib", describer=Restless())
    assert index(subject, models).added == 3
    assert names(subject, Query(words="yellow"), limit=1) == ["lamp.stl"]
    assert vectors_match(subject) == 3
    other = Restless()
    other.times = 1000
    restless = library(tmp_path / "lib2", describer=other)
    report = index(restless, models)
    assert "changes while it is read" in report.failures[0].reason
    other.times = 0
    assert index(restless).added == 1  # not skipped: nothing is known of it


KILLED = """
import sys, time
sys.path.insert(0, {root!r})
from pathlib import Path
from polyorama.core.jobs import run
from tests.engine.shapes_library_samples import FakeDescriber, library

class Slow(FakeDescriber):
    def describe(self, path):
        time.sleep(0.004)
        return super().describe(path)

subject = library(Path({lib!r}), describer=Slow(2))
print("ready", flush=True)
run(subject.index_job([{models!r}]))
"""


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    folder, lib = tmp_path / "models", tmp_path / "lib"
    for number in range(160):
        model(folder / f"{number:03}.glb", f"thing number n{number} of m{number % 13}")
    code = KILLED.format(root=str(ROOT), lib=str(lib), models=str(folder))
    reached = 0
    for goal in (16, 64):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        watcher = library(lib)
        deadline = time.monotonic() + 60
        while watcher.db.number("SELECT count(*) FROM assets") < goal:  # reads while it is written
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        reached = watcher.db.number("SELECT count(*) FROM assets")
        watcher.close()
    assert 64 <= reached < 160
    describer = FakeDescriber()
    subject = library(lib, describer=describer)
    report = index(subject)
    assert (report.unchanged, report.added) == (reached, 160 - reached)
    assert len(describer.described) == 160 - reached
    assert vectors_match(subject) == 160
    assert subject.check() == 0


def test_a_closed_job_keeps_what_it_did(tmp_path: Path) -> None:
    for number in range(40):
        model(tmp_path / "models" / f"{number}.glb", f"thing n{number}")
    subject = library(tmp_path / "lib")
    job = subject.index_job([tmp_path / "models"])
    while next(job).done < 21:
        pass
    job.close()
    known = subject.db.number("SELECT count(*) FROM assets")
    assert 20 <= known <= 24
    assert vectors_match(subject) == known
    assert index(subject).unchanged == known


@pytest.mark.parametrize("harm", ["cut", "foreign", "missing", "flipped"])
def test_torn_vectors_are_made_again(tmp_path: Path, models: Path, harm: str) -> None:
    subject = library(tmp_path / "lib")
    index(subject, models)
    subject.close()
    (file,) = (tmp_path / "lib" / "vectors").glob("*.f32")
    data = bytearray(file.read_bytes())
    if harm == "cut":
        file.write_bytes(data[:-30])
    elif harm == "foreign":
        file.write_bytes(b"something else" * 100)
    elif harm == "missing":
        file.unlink()
    else:
        data[70] ^= 0x55
        file.write_bytes(data)
    again = library(tmp_path / "lib")
    if harm != "flipped":
        with pytest.raises(FileFormatError, match="run the index again"):
            again.search(Query(words="chair"))
    report = index(again)
    assert report.changed == {"cut": 1, "foreign": 3, "missing": 3, "flipped": 1}[harm]
    assert vectors_match(again) == 3


def test_a_damaged_database_says_what_to_do(tmp_path: Path, models: Path) -> None:
    subject = library(tmp_path / "lib")
    index(subject, models)
    subject.close()
    path = tmp_path / "lib" / "library.db"
    data = bytearray(path.read_bytes())
    path.write_bytes(b"no database at all, " * 300)
    with pytest.raises(FileFormatError, match="move its folder away and index again") as caught:
        library(tmp_path / "lib")
    assert "\n" not in str(caught.value)
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(PolyoramaError, match="library"):
        library(tmp_path / "lib").check()


def test_other_databases_and_newer_ones_are_refused(tmp_path: Path) -> None:
    import sqlite3

    for name, sql, told in (
        ("a", "CREATE TABLE notes (a)", "is no library of shapes"),
        ("b", "PRAGMA user_version = 99", "newer version"),
    ):
        (tmp_path / name).mkdir()
        connection = sqlite3.connect(tmp_path / name / "library.db")
        connection.execute(sql)
        connection.close()
        with pytest.raises(FileFormatError, match=told):
            library(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(OutputError, match="--library"):
        library(tmp_path / "closed" / "lib")


def test_the_librarys_place_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="--library"):
        library(tmp_path / "file" / "lib")


def test_odd_names_and_links(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    odd = [
        "zwei\nZeilen.glb",
        "Stühle 🪑 'x\".glb",
        ".hidden.glb",
        "%s;DROP.glb",
        "a" * 200 + ".glb",
    ]
    for name in odd:
        model(folder / name, "red chair")
    raw = os.fsencode(folder) + b"/caf\xe9.glb"
    try:
        with open(raw, "wb") as file:
            file.write(b"blue cup|3|1 1 1")
        there = 5
    except OSError:  # a file system that takes text alone
        there = 4
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "self").symlink_to(folder / "self")
    (folder / "nothing.glb").symlink_to(tmp_path / "nowhere.glb")
    os.mkfifo(folder / "pipe.glb")
    subject = library(tmp_path / "lib")
    report = index(subject, folder)
    assert (report.added, report.failures) == (there, ())
    assert len(names(subject, Query(words="red chair"))) == there
    if there == 5:
        assert subject.assets(subject.search(Query(words="cup"), 1).ids)[0].path == Path(
            os.fsdecode(raw)
        )
    assert index(subject).unchanged == there


def test_a_drive_that_is_away_takes_nothing_with_it(tmp_path: Path, models: Path) -> None:
    subject = library(tmp_path / "lib")
    index(subject, models)
    models.rename(tmp_path / "unplugged")
    report = index(subject)
    assert (report.gone, len(report.failures)) == (0, 1)
    assert "cannot be read" in report.failures[0].reason
    assert len(subject.search(Query())) == 3
    (tmp_path / "unplugged").rename(models)
    assert index(subject).unchanged == 3


def test_another_model_makes_its_own_vectors(tmp_path: Path, models: Path) -> None:
    first = library(tmp_path / "lib")
    index(first, models)
    second = library(tmp_path / "lib", embedder=FakeEmbedder("fake-2"))
    with pytest.raises(UsageError, match="another model"):
        second.search(Query(words="chair"))
    assert index(second).changed == 3
    assert vectors_match(second) == 3
    assert vectors_match(first) == 3
    assert [count for *_, count in first.stats().models] == [3, 3]


def test_two_runs_at_once_are_refused(tmp_path: Path, models: Path) -> None:
    first, second = library(tmp_path / "lib"), library(tmp_path / "lib")
    job = first.index_job([models])
    next(job)
    with pytest.raises(OutputError, match="being indexed already"):
        index(second, models)
    run(job)
    assert index(second).unchanged == 3


def test_folders_are_watched_until_they_are_removed(tmp_path: Path, models: Path) -> None:
    subject = library(tmp_path / "lib")
    with pytest.raises(UsageError, match="watches no folder"):
        index(subject)
    with pytest.raises(FileFormatError, match="no such folder"):
        index(subject, tmp_path / "nowhere")
    index(subject, models, models / "tables")
    assert subject.folders() == (models, models / "tables")
    assert subject.remove_folder(models) == 2
    assert names(subject, Query()) == ["table.obj"]
    with pytest.raises(UsageError, match="not watched"):
        subject.remove_folder(models)
    assert all(path.exists() for path in (models / "lamp.stl", models / "tables" / "table.obj"))


def test_changes_are_seen_without_reading(tmp_path: Path, models: Path) -> None:
    import threading

    subject = library(tmp_path / "lib")
    index(subject, models)
    assert not subject.changes()
    model(models / "new.glb", "new thing")
    (models / "lamp.stl").unlink()
    found = subject.changes()
    assert (found.waiting, found.gone) == (
        (str(models / "new.glb"),), (str(models / "lamp.stl"),),
    )  # fmt: skip
    stopped = threading.Event()
    for seen in subject.watch(0.01, stopped):
        assert seen == found
        stopped.set()
    with pytest.raises(UsageError, match="above zero"):
        next(subject.watch(0.0, stopped))


def test_every_kind_that_can_be_read_is_found(tmp_path: Path) -> None:
    for ending in ENDINGS:
        (tmp_path / f"thing{ending.upper()}").touch()
    for other in ("thing.png", "thing.bin", "glb", ".glb", "thing.glb.part"):
        (tmp_path / other).touch()
    *_, found = scan([str(tmp_path)])
    assert {Path(path).suffix.lower() for path, _ in found.models} == ENDINGS
    assert len(found.models) == len(ENDINGS)
    assert {".3ds", ".glb", ".fbx", ".usdz", ".splat"} <= ENDINGS


def test_deep_and_looping_folders_are_walked_once(tmp_path: Path) -> None:
    model(tmp_path / "a" / "b" / "x.glb", "x")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a", target_is_directory=True)
    found = Scan()
    for now in scan([str(tmp_path / "a"), str(tmp_path / "a" / "b")]):
        found = now
    assert [os.path.relpath(path, tmp_path) for path, _ in found.models] == ["a/b/x.glb"]


def test_manifests_that_are_damaged_are_told(tmp_path: Path, models: Path) -> None:
    (models / "manifest.json").write_text('[{"file": "lamp.stl", "tags": 7, "title": 3}')
    subject = library(tmp_path / "lib")
    report = index(subject, models)
    assert report.added == 3
    assert [failure.path.name for failure in report.failures] == ["manifest.json"]
    (models / "manifest.json").write_text('[{"file": "lamp.stl", "tags": 7, "title": 3}, 5]')
    assert index(subject).failures == ()
    assert subject.assets(subject.search(Query(words="lamp"), 1).ids)[0].tags == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("License: (Creative Commons Zero, CC0)\n http://creativecommons.org/...", "CC0-1.0"),
        ("see https://creativecommons.org/licenses/by-nc-sa/3.0/legalcode", "CC-BY-NC-SA-3.0"),
        ("Attribution-ShareAlike 4.0 International", "CC-BY-SA-4.0"),
        ("Creative Commons Attribution 4.0 International Public License", "CC-BY-4.0"),
        ("Permission is hereby granted, free of\n charge, to any person obtaining a copy", "MIT"),
        ("Apache License\n  Version 2.0, January 2004", "Apache-2.0"),
        ("You may look but not touch.", ""),
    ],
)
def test_licences_are_known_by_their_sentences(text: str, name: str) -> None:
    assert licence_of(text) == name


def test_names_become_words() -> None:
    assert plain_name("chair_A_wood") == "chair A wood"
    assert plain_name("OfficeChair-02.final") == "Office Chair 02 final"
    assert plain_name("___") == "___"


def test_parallel_renderers_give_the_same_library(tmp_path: Path) -> None:
    for number in range(60):
        model(tmp_path / "models" / f"{number}.glb", f"thing n{number}")
    model(tmp_path / "models" / "bad.glb", "broken")
    subject = library(tmp_path / "lib", describer=FakeDescriber(4))
    report = index(subject, tmp_path / "models")
    assert (report.added, len(report.failures)) == (60, 1)
    assert vectors_match(subject) == 60


def filled(tmp_path: Path, count: int) -> tuple[Path, Library]:
    """A folder of so many things, and a library that has indexed it."""
    folder, subject = tmp_path / "models", library(tmp_path / "lib")
    for number in range(count):
        model(folder / f"{number}.glb", f"thing n{number}")
    index(subject, folder)
    return folder, subject


def long_gone(subject: Library) -> None:
    """What is gone has been gone since the beginning of time."""
    with subject.db.writing() as transaction:
        transaction.execute("UPDATE assets SET gone_at = 1.0 WHERE gone_at IS NOT NULL")


def test_what_is_long_gone_leaves_and_the_files_shrink(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyorama.shapes.library.shelf._COMPACTED_ROWS", 4)
    folder, subject = filled(tmp_path, 12)
    reader = library(tmp_path / "lib")
    assert vectors_match(reader) == 12
    for number in range(10):
        (folder / f"{number}.glb").unlink()
    assert index(subject).gone == 10
    assert subject.db.number("SELECT count(*) FROM vectors") == 12  # kept for a while
    long_gone(subject)
    (large,) = (tmp_path / "lib" / "vectors").glob("*.f32")
    before = large.stat().st_size
    index(subject)
    (small,) = (tmp_path / "lib" / "vectors").glob("*.f32")
    assert small != large
    assert small.stat().st_size < before / 3
    for table, rows in (("vectors", 2), ("contents", 2), ("thumbnails", 2), ("assets", 2)):
        assert subject.db.number(f"SELECT count(*) FROM {table}") == rows
    assert vectors_match(subject) == vectors_match(reader) == 2
    assert subject.check() == 0
    model(folder / "new.glb", "new thing")
    assert index(subject).added == 1
    assert vectors_match(reader) == 3


def test_what_is_compacted_while_it_is_read_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyorama.shapes.library.shelf._COMPACTED_ROWS", 4)
    folder, subject = filled(tmp_path, 12)
    for number in range(10):
        (folder / f"{number}.glb").unlink()
    index(subject)
    long_gone(subject)
    reader = library(tmp_path / "lib")
    reader.search(Query("thing"), 1)  # the old file is mapped
    load, runs = query.load_catalogue, []

    def meanwhile(*arguments: object) -> object:
        # As for a reader that has no catalogue yet.
        if not runs:
            runs.append(index(subject))  # rows are numbered anew before they are read
        return load(*arguments[:2], None)  # type: ignore[arg-type]

    monkeypatch.setattr(query, "load_catalogue", meanwhile)
    hits = reader.search(Query("thing n11"), 1, lexical=False)
    assert runs
    assert reader.asset(int(hits.ids[0])).path.name == "11.glb"
    again = library(tmp_path / "lib").search(Query("thing n11"), 1, lexical=False)
    assert hits.scores.tolist() == again.scores.tolist()


def test_a_library_that_is_emptied_shrinks_once_and_fills_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyorama.shapes.library.shelf._COMPACTED_ROWS", 4)
    folder, subject = filled(tmp_path, 6)
    for path in folder.iterdir():
        path.unlink()
    index(subject)
    long_gone(subject)
    for _ in range(3):
        index(subject)
    assert subject.db.one("SELECT generation, next_place, next_view FROM shelves") == (2, 0, 0)
    model(folder / "new.glb", "new thing")
    assert index(subject).added == 1
    assert vectors_match(subject) == 1
    (file,) = (tmp_path / "lib" / "vectors").glob("*.f32")
    assert file.stat().st_size == HEADER + 4 * subject.embedder.dimensions
