"""Which experiments there are: our own, plug-ins by entry point, files, and broken ones."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from polyorama.cli import main
from polyorama.errors import UnavailableError, UsageError
from polyorama.lab import catalog
from polyorama.lab.catalog import described, experiment_class, experiment_ids, known_class, locator
from polyorama.lab.making import made

SAMPLES = Path(__file__).with_name("lab_samples.py")
OWN = tuple(catalog._OWN)

PLUGIN = """
from dataclasses import dataclass
from polyorama.lab.experiment import Experiment, ExperimentParams
from polyorama.lab.snapshot import Snapshot

@dataclass(frozen=True)
class Params(ExperimentParams):
    pass

class Quiet(Experiment):
    id, title, summary = "talks/quiet", "Quiet", "Does nothing."
    Params = Params
    def begin(self, seed): pass
    def advance(self, count): return count
    def observe(self): return Snapshot(self.steps, {"far": 1.0})
    def views(self): return ()
"""


@pytest.fixture(autouse=True)
def _afresh(monkeypatch):
    monkeypatch.setattr(catalog, "_from_files", {})


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package with one experiment, as pip does: a module and metadata on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def installed(module: str, name: str, attribute: str = "Quiet", text: str = PLUGIN) -> None:
        (tmp_path / f"{module}.py").write_text(text, "utf-8")
        about = tmp_path / f"{module}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(
            f"[polyorama.experiments]\n{name} = {module}:{attribute}\n"
        )
        monkeypatch.delitem(sys.modules, module, raising=False)

    return installed


def test_a_plug_in_is_one_more_experiment(install) -> None:
    install("quiet_talk", "talks/quiet")
    assert experiment_ids() == (*OWN, "talks/quiet")
    assert "quiet_talk" not in sys.modules
    subject = made("quiet")
    subject.reset(0)
    assert subject.step(5).values["far"] == 1.0
    assert described("talks/quiet") == ("Quiet", "Does nothing.")
    assert locator(type(subject)) == "talks/quiet"


@pytest.mark.parametrize(
    ("text", "attribute", "words"),
    [
        ("import nowhere_to_be_found", "Quiet", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "Quiet", "SystemExit: 3"),
        ("def f(:", "Quiet", "SyntaxError"),
        ("Quiet = 5", "Quiet", "no experiment"),
        (PLUGIN, "Loud", "AttributeError"),
        (PLUGIN.replace("talks/quiet", "talks/loud"), "Quiet", "both names must agree"),
        (PLUGIN.replace("def views", "def pictures"), "Quiet", "lacks views"),
        (PLUGIN.replace("    Params = Params", ""), "Quiet", "lacks Params"),
    ],
)
def test_a_broken_plug_in_is_one_sentence_and_the_others_are_listed(
    text, attribute, words, install, capsys
) -> None:
    install("quiet_talk", "talks/quiet", attribute, text)
    with pytest.raises(UnavailableError, match="talks/quiet") as told:
        experiment_class("talks/quiet")
    assert words in str(told.value)
    assert "\n" not in str(told.value)
    assert main(["lab", "list"]) == 0
    listed = capsys.readouterr().out
    assert "not available" in listed
    assert OWN[0] in listed


def test_two_packages_of_one_name_are_told_apart(install) -> None:
    install("quiet_talk", "talks/quiet")
    install("loud_talk", "talks/quiet")
    assert experiment_ids().count("talks/quiet") == 1
    with pytest.raises(UnavailableError, match="loud_talk:Quiet, quiet_talk:Quiet"):
        experiment_class("talks/quiet")


def test_a_name_that_ends_two_ids_is_no_name(install) -> None:
    install("quiet_talk", "talks/quiet")
    other = PLUGIN.replace("talks/quiet", "halls/quiet")
    install("quiet_hall", "halls/quiet", text=other)
    with pytest.raises(UsageError, match="there are halls/quiet, talks/quiet"):
        experiment_class("quiet")
    assert experiment_class("halls/quiet").id == "halls/quiet"


def test_no_plug_in_takes_the_place_of_our_own(install) -> None:
    install("quiet_talk", OWN[0])
    assert experiment_ids() == OWN
    assert experiment_class(OWN[0]).__module__.startswith("polyorama.")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('"talks/quiet"', '"quiet"', "'quiet' as its id"),
        ('"talks/quiet"', "7", "7 as its id"),
        ('"Quiet", "Does', '3, "Does', "3 as its title"),
        ("    Params = Params", "    Params = int", "a type as its Params"),
        ("    Params = Params", "    Params = Params\n    rate = 0.0", "0.0 as its rate"),
        ("    Params = Params", "    Params = Params\n    rate = float('nan')", "nan as its rate"),
        ("    Params = Params", "    Params = Params\n    rivals = ('a',)", "as its rivals"),
        ("    Params = Params", "    Params = Params\n    presets = 5", "5 as its presets"),
    ],
)
def test_a_file_whose_class_is_rubbish(before, after, words, tmp_path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN.replace(before, after), "utf-8")
    with pytest.raises(UnavailableError) as told:
        experiment_class(f"{path}:Quiet")
    assert words in str(told.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere.py:Walk", "There is no such file"),
        (f"{SAMPLES}:Nobody", "There is no class 'Nobody'"),
        (f"{SAMPLES}:", "There is no class ''"),
        (f"{SAMPLES}:WalkParams", "is no experiment"),
        ("no/such", "There is no 'no/such'; there are"),
        ("", "There is no ''"),
    ],
)
def test_names_of_nothing(name, words) -> None:
    with pytest.raises((UsageError, UnavailableError)) as told:
        experiment_class(name)
    assert words in str(told.value)


def test_a_file_is_loaded_once_and_then_known_by_its_id() -> None:
    first = experiment_class(f"{SAMPLES}:Walk")
    assert experiment_class(f"{SAMPLES}:Walk") is first
    assert experiment_class("samples/walk") is first
    assert locator(first) == f"{SAMPLES}:Walk"
    with pytest.raises(UsageError):
        known_class(f"{SAMPLES}:Failing")


def test_a_file_that_cannot_be_loaded_is_one_sentence(tmp_path) -> None:
    path = tmp_path / "mine.py"
    for text, words in (("def f(:", "SyntaxError"), ("raise SystemExit", "SystemExit"),
                        ("1 / 0", "ZeroDivisionError")):  # fmt: skip
        path.write_text(text, "utf-8")
        with pytest.raises(UnavailableError, match=words) as told:
            experiment_class(f"{path}:Walk")
        assert "\n" not in str(told.value)
    path.write_text(PLUGIN, "utf-8")  # mended, it loads
    assert experiment_class(f"{path}:Quiet").title == "Quiet"


def test_the_list_says_all_of_ours_without_compiler_and_torch() -> None:
    script = textwrap.dedent("""
        import sys
        from polyorama.cli import main
        assert main(["lab", "list"]) == 0
        assert not {"numba", "torch", "scipy", "matplotlib"} & set(sys.modules)
    """)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for name in OWN:
        title, summary = described(name)
        assert f"{name} " in done.stdout
        assert title in done.stdout
        assert summary.endswith(".")


def test_to_look_at_our_own_loads_no_compiler_and_no_torch() -> None:
    code = """
import sys
from polyorama.lab.catalog import experiment_class
for name in sys.argv[1:]:
    kind = experiment_class(name)
    kind.parameters(), kind.presets, kind().views()
    for module in ("numba", "torch", "scipy", "sklearn"):
        if module in sys.modules:
            sys.exit(f"{name} loads {module}")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *OWN], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
