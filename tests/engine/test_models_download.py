"""Models from a server: whole, cut short, changed, wrong, endless, elsewhere, without space."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from polyorama.core.jobs import run
from polyorama.errors import OutputError, UnavailableError, UsageError
from polyorama.models import catalog, checks, download, lock, store
from polyorama.models.getting import get_job
from polyorama.models.pins import RECORD
from tests.engine.model_server import Offer, Server, hash_of, model, serving, weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama.models.entry import Entry

DATA = weights(300_000)
OTHER = weights(300_000, fill=9)
PATH = "/net.safetensors"


@pytest.fixture
def server(tmp_path, monkeypatch) -> Iterator[Server]:
    monkeypatch.setenv("POLYORAMA_MODELS", str(tmp_path / "models"))
    monkeypatch.delenv("POLYORAMA_MODELS_MIRROR", raising=False)
    # Whatever proxy the machine has, a server on the machine itself is asked directly.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with serving() as running:
        yield running


def known(monkeypatch: pytest.MonkeyPatch, server: Server, **facts: object) -> Entry:
    """Make a model the only one that is known; `facts` are known of its file beforehand."""
    entry = model(address=server.address + PATH, **facts)
    monkeypatch.setattr(catalog, "ENTRIES", (entry,))
    return entry


def target() -> Path:
    return store.folder() / "net" / "net.safetensors"


def part() -> Path:
    return store.part_of(target())


def record() -> dict[str, object]:
    return json.loads((store.folder() / "net" / RECORD).read_text())["files"]["net.safetensors"]


def leftovers() -> set[str]:
    return {path.name for path in target().parent.iterdir()} - {".lock"}


def test_a_whole_file_comes_with_its_progress(server, monkeypatch) -> None:
    known(monkeypatch, server, bytes=len(DATA), sha256=hash_of(DATA))
    server.offers[PATH] = Offer(DATA)
    steps = list(get_job("net"))
    assert target().read_bytes() == DATA
    assert leftovers() == {"net.safetensors", RECORD}
    getting = [step for step in steps if step.note == "Getting net.safetensors"]
    assert all(before.done < after.done for before, after in pairwise(getting))
    assert (getting[-1].done, getting[-1].total) == (len(DATA), len(DATA))
    assert record() == {
        "bytes": len(DATA), "sha256": hash_of(DATA), "origin": "known",
        "source": server.address + PATH,
    }  # fmt: skip
    # What is there is checked, not downloaded again.
    assert run(get_job("net")).state == "present"
    assert len(server.asked) == 1


def test_nothing_is_downloaded_unless_it_is_asked_for(server, monkeypatch) -> None:
    entry = known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA)
    assert store.standing(entry).state == "missing"
    with pytest.raises(UnavailableError, match=r"not here; get it with: polyorama models get net$"):
        store.path("net")
    assert server.asked == []
    assert not store.folder().exists()


@pytest.mark.parametrize("length", [True, False])
def test_the_first_hash_is_kept_where_none_is_known(server, monkeypatch, length) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, length=length)
    file = run(get_job("net")).files[0]
    assert (file.sha256, file.origin) == (hash_of(DATA), "download")
    # Later it is held to that hash: another file of the same kind and size is not taken.
    target().unlink()
    server.offers[PATH] = Offer(OTHER)
    with pytest.raises(UnavailableError, match=r"has the hash .* where it should have .*renewed"):
        run(get_job("net"))
    assert leftovers() == {RECORD}
    server.offers[PATH] = Offer(DATA)
    assert run(get_job("net")).state == "present"


def test_a_hash_that_the_server_states_is_kept_and_checked(server, monkeypatch) -> None:
    known(monkeypatch, server)
    stated = {"X-Linked-Etag": f'"{hash_of(DATA)}"', "Location": "/elsewhere"}
    server.offers[PATH] = Offer(status=302, headers=stated)
    server.offers["/elsewhere"] = Offer(OTHER)
    with pytest.raises(UnavailableError, match="has the hash"):
        run(get_job("net"))
    assert leftovers() == set()
    server.offers["/elsewhere"] = Offer(DATA)
    assert run(get_job("net")).files[0].origin == "server"
    # A server that says beforehand that it has another file is not even asked for it.
    target().unlink()
    stated["X-Linked-Etag"] = f'"{hash_of(OTHER)}"'
    with pytest.raises(UnavailableError, match=r"has another .*nothing was downloaded"):
        run(get_job("net"))


def test_a_connection_that_breaks_is_taken_up_again(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, cuts=[100_000, 50_000])
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert server.ranges == ["", "bytes=100000-", "bytes=150000-"]
    assert [condition for *_, condition in server.asked] == ["", '"first"', '"first"']


def test_a_download_that_failed_goes_on_next_time(server, monkeypatch) -> None:
    entry = known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, cuts=[100_000, 0])
    with pytest.raises(UnavailableError, match=r"broke .*the 100 kB that came stay, and the same"):
        run(get_job("net"))
    assert store.standing(entry).state == "begun"
    with pytest.raises(UnavailableError, match="only partly here; get the rest with: polyorama"):
        store.path("net")
    assert part().read_bytes() == DATA[:100_000]
    server.asked.clear()
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert server.ranges == ["bytes=100000-"]
    assert leftovers() == {"net.safetensors", RECORD}


def test_closing_the_job_keeps_the_part(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, cuts=[120_000], stall=True)
    job = get_job("net")
    while next(job).done < 120_000:
        pass
    job.close()
    assert part().read_bytes() == DATA[:120_000]
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert server.ranges == ["", "bytes=120000-"]


def test_what_was_downloaded_but_not_named_is_not_downloaded_again(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA)
    job = get_job("net")
    while not next(job).note.startswith("Checking"):
        pass
    job.close()
    assert part().read_bytes() == DATA
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert server.ranges == ["", f"bytes={len(DATA)}-"]


def test_a_server_that_gives_no_parts_is_asked_for_all(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, cuts=[100_000, 0], ranges=False)
    with pytest.raises(UnavailableError):
        run(get_job("net"))
    run(get_job("net"))
    assert target().read_bytes() == DATA


def test_a_file_that_changed_in_between_is_begun_anew(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, cuts=[100_000, 0])
    with pytest.raises(UnavailableError):
        run(get_job("net"))
    server.offers[PATH] = Offer(OTHER, etag='"second"')
    run(get_job("net"))
    assert target().read_bytes() == OTHER


def test_a_server_that_ignores_the_condition_does_not_mix_two_files(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, cuts=[100_000, 0])
    with pytest.raises(UnavailableError):
        run(get_job("net"))
    monkeypatch.setattr("tests.engine.model_server.same_version", lambda condition, etag: True)
    server.offers[PATH] = Offer(OTHER, etag='"second"')
    run(get_job("net"))
    assert target().read_bytes() == OTHER


def test_a_server_that_sends_another_stretch_does_not_mix_them(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, cuts=[100_000], shift=1000)
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert server.ranges == ["", "bytes=100000-", ""]


def test_an_empty_file_is_none(server, monkeypatch) -> None:
    entry = known(monkeypatch, server)
    target().parent.mkdir(parents=True)
    target().touch()
    assert store.standing(entry).state == "damaged"
    server.offers[PATH] = Offer(DATA)
    assert run(get_job("net")).state == "present"


def test_a_file_is_on_the_disk_before_it_has_its_name(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA)
    flushed, flush = [], os.fsync

    def noting(handle: int) -> None:
        flush(handle)
        if not target().exists():
            flushed.append((os.fstat(handle).st_ino, os.fstat(handle).st_size))

    monkeypatch.setattr(os, "fsync", noting)
    run(get_job("net"))
    assert flushed == [(target().stat().st_ino, len(DATA))]


def test_a_part_without_a_name_of_its_version_is_begun_anew(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA, etag="", cuts=[100_000])
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert server.ranges == ["", ""]
    # Where the hash is known, it tells in the end whether the rest fits.
    target().unlink()
    server.asked.clear()
    server.offers[PATH] = Offer(DATA, etag="", cuts=[100_000])
    run(get_job("net"))
    assert server.ranges == ["", "bytes=100000-"]
    assert target().read_bytes() == DATA


def test_a_part_of_another_address_or_with_a_damaged_mark_is_begun_anew(
    server, monkeypatch
) -> None:
    known(monkeypatch, server)
    mark = part().with_name(f"{part().name}.json")
    good = {"address": server.address + PATH, "validator": '"first"'}
    wrong: list[object] = [
        {**good, "address": server.address + "/other"}, {**good, "validator": 3}, [], "x",
        {**good, "validator": '"first"\r\nX-Evil: 1'}, {**good, "more": 1},
    ]  # fmt: skip
    for value in wrong:
        shutil.rmtree(store.folder(), ignore_errors=True)
        part().parent.mkdir(parents=True)
        part().write_bytes(OTHER[:1000])
        mark.write_text(json.dumps(value))
        server.offers[PATH] = Offer(DATA)
        run(get_job("net"))
        assert target().read_bytes() == DATA
    assert set(server.ranges) == {""}


def test_a_part_longer_than_the_file_is_begun_anew(server, monkeypatch) -> None:
    known(monkeypatch, server)
    part().parent.mkdir(parents=True)
    part().write_bytes(DATA + b"more")
    mark = {"address": server.address + PATH, "validator": '"first"'}
    part().with_name(f"{part().name}.json").write_text(json.dumps(mark))
    server.offers[PATH] = Offer(DATA)
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert server.ranges == [f"bytes={len(DATA) + 4}-", ""]


@pytest.mark.parametrize(
    ("facts", "offer", "text"),
    [
        ({"sha256": hash_of(DATA), "bytes": len(DATA)}, Offer(OTHER), "has the hash"),
        ({"bytes": len(DATA) + 1}, Offer(DATA), "another .*nothing was downloaded"),
        ({"limit": len(DATA) - 1}, Offer(DATA), "more than the .* it may have; nothing"),
        ({"limit": len(DATA) - 1}, Offer(DATA, length=False), "sends more .*was removed"),
        ({}, Offer(endless=True), "sends more .*was removed"),
        ({"bytes": 1000}, Offer(endless=True), "no safetensors file"),
        ({}, Offer(b"<!DOCTYPE html><p>Please log in"), "is a web page"),
        ({}, Offer(b"version https://git-lfs.github.com/spec/v1\noid"), "pointer of Git LFS"),
        ({}, Offer(DATA[:-5], length=False), "bytes where its header says"),
        ({}, Offer(DATA[:20]), "no safetensors file, or is cut short"),
        ({}, Offer(b""), "has 0 bytes"),
        ({}, Offer(DATA, headers={"Content-Encoding": "gzip"}), "packed"),
        ({}, Offer(status=404), "no such file .404"),
        ({}, Offer(status=403), "not give this file to everyone .403"),
        ({}, Offer(status=503), "overloaded or out of order .503.; try again later"),
        ({}, Offer(status=204), "does not help .204"),
        ({}, Offer(status=206), "another stretch"),
        ({}, Offer(status=416), "what was there was of another file.*nothing came, try again"),
    ],
)
def test_what_is_wrong_is_told_and_leaves_nothing(server, monkeypatch, facts, offer, text) -> None:
    known(monkeypatch, server, **facts)
    server.offers[PATH] = offer
    with pytest.raises(UnavailableError, match=text) as caught:
        run(get_job("net"))
    assert server.address in str(caught.value)
    assert leftovers() == set()


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd", "ftp://127.0.0.1/net", "data:,net", "http://example.org/net",
        "http://169.254.169.254/net", "//user:word@127.0.0.1/net", "http://[::1", "gopher://x", "",
    ],
)  # fmt: skip
def test_redirections_out_of_bounds_are_refused(server, monkeypatch, location) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(status=302, headers={"Location": location} if location else {})
    with pytest.raises(UnavailableError, match="where we do not go"):
        run(get_job("net"))
    assert leftovers() == set()
    assert len(server.asked) == 1


def test_redirections_end(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(status=307, headers={"Location": PATH})
    with pytest.raises(UnavailableError, match="sends us on and on, 8 times"):
        run(get_job("net"))
    assert len(server.asked) == 8


def test_from_outside_nobody_is_sent_to_this_machine() -> None:
    from polyorama.models import web

    assert web._next("https://example.org/a", "b") == "https://example.org/b"
    assert web._next("http://localhost/a", "https://example.org/b") == "https://example.org/b"
    with pytest.raises(UnavailableError, match="leaves HTTPS"):
        web._next("https://example.org/a", "http://127.0.0.1/b")


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org", "ftp://localhost", "file:///models", "example.org", "https://",
        "https://me:word@example.org", "https://example.org:99999", "https://exam ple.org",
        "http://localhost.example.org", "http://localhost@example.org",
    ],
)  # fmt: skip
def test_mirrors_are_asked_over_https_or_on_this_machine(server, monkeypatch, address) -> None:
    known(monkeypatch, server)
    with pytest.raises(UsageError, match="are not got from this address"):
        run(get_job("net", address))
    assert not store.folder().exists()


def test_a_mirror_is_such_a_folder(server, monkeypatch) -> None:
    known(monkeypatch, server, sha256=hash_of(DATA))
    server.offers["/mirror/net/net.safetensors"] = Offer(DATA)
    run(get_job("net", f"{server.address}/mirror/"))
    shutil.rmtree(store.folder())
    monkeypatch.setenv("POLYORAMA_MODELS_MIRROR", f"{server.address}/mirror")
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert {path for path, *_ in server.asked} == {"/mirror/net/net.safetensors"}


def test_a_server_that_is_not_there(server, monkeypatch) -> None:
    known(monkeypatch, server)
    with serving() as gone:
        address = gone.address
    with pytest.raises(UnavailableError, match=r"Cannot reach the server .*polyorama models add"):
        run(get_job("net", address))


def test_too_little_space_is_told_before(server, monkeypatch) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA)
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=len(DATA) - 1))
    with pytest.raises(OutputError, match=r"not enough space .*300 kB more are needed, 300 kB are"):
        run(get_job("net"))
    assert leftovers() == set()
    # What is there of it needs no space again.
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=len(DATA)))
    server.offers[PATH] = Offer(DATA, cuts=[100_000, 0])
    with pytest.raises(UnavailableError):
        run(get_job("net"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=len(DATA) - 100_000))
    run(get_job("net"))
    assert target().read_bytes() == DATA


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_becomes_full_keeps_what_came(server, monkeypatch, code) -> None:
    known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA)
    write = download.write_all

    def until_full(out, block) -> None:
        room = 100_000 - out.tell()
        write(out, block[:room])
        if len(block) > room:
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr(download, "write_all", until_full)
    with pytest.raises(
        OutputError, match=r"disk became full; make room.*the 100 kB that came stay"
    ):
        run(get_job("net"))
    assert part().read_bytes() == DATA[:100_000]
    monkeypatch.setattr(download, "write_all", write)
    run(get_job("net"))
    assert target().read_bytes() == DATA
    assert server.ranges == ["", "bytes=100000-"]


def test_a_folder_that_cannot_be_made(server, monkeypatch, tmp_path) -> None:
    known(monkeypatch, server)
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("POLYORAMA_MODELS", str(tmp_path / "file"))
    with pytest.raises(OutputError, match="Cannot make the folder"):
        run(get_job("net"))


def test_a_damaged_file_is_got_anew(server, monkeypatch) -> None:
    entry = known(monkeypatch, server)
    server.offers[PATH] = Offer(DATA)
    run(get_job("net"))
    target().write_bytes(DATA[:-1])
    assert store.standing(entry).state == "damaged"
    with pytest.raises(UnavailableError, match=r"is damaged .*mend it with: polyorama models get"):
        store.path("net")
    target().write_bytes(DATA[:-1] + b"?")
    run(get_job("net"))
    assert target().read_bytes() == DATA


def test_a_file_that_was_put_there_by_hand_is_checked_and_kept(server, monkeypatch) -> None:
    known(monkeypatch, server)
    target().parent.mkdir(parents=True)
    target().write_bytes(DATA)
    assert run(get_job("net")).files[0].origin == "file"
    assert server.asked == []
    # It is the hash of that file for good, whoever gives the file again.
    server.offers[PATH] = Offer(DATA)
    for damage in (b"", DATA[:-1], DATA[:-1] + b"?"):
        target().write_bytes(damage)
        assert run(get_job("net")).files[0].origin == "file"
        assert target().read_bytes() == DATA


def test_several_files_come_one_by_one(server, monkeypatch) -> None:
    entry = known(monkeypatch, server)
    words = replace(entry.files[0], name="words.json", address=server.address + "/words.json")
    monkeypatch.setattr(catalog, "ENTRIES", (replace(entry, files=(entry.files[0], words)),))
    server.offers[PATH] = Offer(DATA)
    server.offers["/words.json"] = Offer(b'{"a": ')
    with pytest.raises(UnavailableError, match="no JSON, or is cut short"):
        run(get_job("net"))
    with pytest.raises(UnavailableError, match="only partly here"):
        store.path("net")
    server.offers["/words.json"] = Offer(b'{"a": 1}')
    run(get_job("net"))
    assert store.path("net") == store.folder() / "net"
    assert store.path("net", "words.json").read_bytes() == b'{"a": 1}'
    assert server.asked[-1][0] == "/words.json"
    assert [path for path, *_ in server.asked].count(PATH) == 1


def test_the_second_waits_for_the_first(server, monkeypatch) -> None:
    known(monkeypatch, server)
    monkeypatch.setattr(lock, "_PAUSE_S", 0.0)
    server.offers[PATH] = Offer(DATA)
    first, second = get_job("net"), get_job("net")
    while next(first).done < 1000:
        pass
    for _ in range(3):
        assert next(second).note == "Waiting for another program that gets it"
    run(first)
    run(second)
    assert target().read_bytes() == DATA
    assert len(server.asked) == 1


def command(server: Server, folder: Path) -> subprocess.Popen[str]:
    """A process that gets a model from a server."""
    words = ["models", "get", "clip-vit-b32", "--from", server.address]
    return subprocess.Popen(
        [sys.executable, "-m", "polyorama", *words], text=True,
        env={**os.environ, "POLYORAMA_MODELS": str(folder)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_two_processes_at_once_share_one_download(server, tmp_path) -> None:
    server.offers["/clip-vit-b32/open_clip_model.safetensors"] = Offer(DATA)
    both = [command(server, tmp_path) for _ in range(2)]
    ends = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    assert ends[0] == ends[1]
    assert Path(ends[0][0].strip()).read_bytes() == DATA
    assert len(server.asked) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_killed_process_leaves_what_came(server, tmp_path) -> None:
    offer = Offer(DATA, cuts=[200_000], stall=True)
    server.offers["/clip-vit-b32/open_clip_model.safetensors"] = offer
    process = command(server, tmp_path)
    begun = tmp_path / "clip-vit-b32" / "open_clip_model.safetensors.part"
    while store.plain_size(begun) != 200_000 and process.poll() is None:
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
    again = command(server, tmp_path)
    out, err = again.communicate()
    assert again.returncode == 0, err
    assert Path(out.strip()).read_bytes() == DATA
    assert server.ranges == ["", "bytes=200000-"]


def test_files_are_read_in_blocks(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checks, "BLOCK", 1000)
    (tmp_path / "net").write_bytes(DATA)
    job = checks.digest(tmp_path / "net", "Checking")
    assert (next(job).done, next(job).done) == (1000, 2000)
    assert run(checks.digest(tmp_path / "net", "Checking")) == hash_of(DATA)
