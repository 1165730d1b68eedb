"""The engine runs where there is no Qt, and costs little before it is used."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import polyorama

BLOCKER = """
import importlib.abc, sys

class NoQt(importlib.abc.MetaPathFinder):
    forbidden = {"PySide6", "PyQt6", "shiboken6", "qtpy", "pyqtgraph", "polyorama_studio"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.forbidden:
            raise ImportError(f"the engine may not import {name}")

sys.meta_path.insert(0, NoQt())
"""


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules() -> list[str]:
    folder = Path(polyorama.__file__).parent
    found = pkgutil.walk_packages([str(folder)], "polyorama.")
    return [module.name for module in found if module.name != "polyorama.__main__"]


def test_every_engine_module_imports_without_qt() -> None:
    names = modules()
    assert len(names) > 20
    code = (
        f"{BLOCKER}\n"
        "import importlib, json, warnings\n"
        # What other packages warn of while they load is not ours to fail on.
        "warnings.simplefilter('ignore')\n"
        "failed = {}\n"
        f"for name in {names!r}:\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except Exception as error:\n"
        "        failed[name] = repr(error)\n"
        "print(json.dumps(failed))"
    )
    assert json.loads(python(code).splitlines()[-1]) == {}


def test_the_blocker_blocks() -> None:
    code = f"{BLOCKER}\ntry:\n    import PySide6\nexcept ImportError:\n    print('blocked')"
    assert python(code).strip() == "blocked"
