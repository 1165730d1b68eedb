"""House rules that no linter knows."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

import polyorama
from polyorama.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "gui", "packaging")
SOURCES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
MAX_MODULE = 600
MAX_CLASS = 300


def test_sources_are_found() -> None:
    assert len(SOURCES) > 30


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_sizes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    assert lines <= MAX_MODULE, f"{lines} lines; split it at a seam"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            assert node.end_lineno is not None
            length = node.end_lineno - node.lineno + 1
            assert length <= MAX_CLASS, f"class {node.name} has {length} lines"


def test_packaging_is_no_package() -> None:
    # It would shadow the library of that name for everything run from the root.
    assert not (ROOT / "packaging" / "__init__.py").exists()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_subcommands_are_well_formed(name: str) -> None:
    module = importlib.import_module(f"polyorama.cli.{name}")
    assert callable(module.add_arguments)
    assert callable(module.run)
    summary = COMMANDS[name]
    assert summary
    assert not summary.endswith("."), "one line of help, without a full stop"


def test_version_is_in_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", text, re.MULTILINE)
    assert newest is not None
    assert newest[1] == polyorama.__version__


def test_licence_is_the_one_declared() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert project["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_the_readme_names_what_exists() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    verbs = set(re.findall(r"`polyorama ([a-z]+)", text))
    assert verbs == set(COMMANDS)
    names = set(re.findall(r"\bpo\.([A-Za-z_]+)", text))
    assert len(names) > 5
    for name in names:
        assert hasattr(polyorama, name), name
    for path in re.findall(r"\]\(([^):]+)\)", text):
        assert (ROOT / path).exists(), path
