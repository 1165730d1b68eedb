"""Edits with a journal, killed at random moments: run by test_journal in a process of its own.

    python -m tests.engine.journal_worker FOLDER FIRST LAST

Everything is imported once; each trial is a fork of this process, which has one thread only.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.io.journal import Journal
from polyorama.io.project import read_project, write_project
from polyorama.io.recovery import recoverable
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.selection import BitSet
from tests.engine.documents import cloud_of, digest, rich

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = 120
COUNT = 4000


def begin(project: bool) -> Document:
    if project:
        return rich(COUNT)
    return Document((Node("pot", cloud_of(COUNT, 0, 2), id="pot"),))


def edits(editor: Editor, seed: int) -> Iterator[int]:
    """The same steps for the same seed; each that changes something yields its number."""
    rng = random.Random(seed)
    number = 1
    while number <= STEPS:
        before = editor.document
        choice = rng.randrange(9)
        if choice == 0:
            mask = np.random.default_rng(rng.randrange(10**6)).random(COUNT) < 0.5
            editor.run("select_bits", bits={"pot": BitSet.of_mask(mask)}, mode="add")
        elif choice == 1:
            with editor.gesture("Drag"):
                for x in range(5):
                    editor.run("set", path="pot/translation", value=(x + number, 0.1, -0.0))
        elif choice == 2:
            with contextlib.suppress(UsageError):  # nothing is left to delete
                editor.run("delete")
        elif choice == 3:
            editor.run("add_modifier", node="pot", kind="grade", values={"hue": number / 7})
        elif choice == 4:
            editor.run("key", path="pot/translation", time=number / 10, value=(number, 2, 3))
        elif choice == 5:
            editor.undo()
        elif choice == 6:
            editor.redo()
        elif choice == 7:
            heavy = Node("more", cloud_of(COUNT, number, 1), id=f"more-{number}")
            editor.run("add_node", node=heavy)
        else:
            camera = Node("eye", CameraRig(fov=30 + number / 10), id=f"eye-{number}")
            editor.run("add_node", node=camera, parent=None)
        if editor.document is not before:
            yield number
            number += 1


def child(folder: Path, seed: int, project: Path | None, out: int) -> None:
    """Edit until killed; say the number of each step once it is done."""
    document = begin(project is not None)
    if project is not None:
        document = read_project(project)
    editor = Editor(document)
    journal = Journal.start(document, project, patience=30.0)
    journal.follow(editor)
    journal.flush()
    os.write(out, b"0\n")
    for number in edits(editor, seed):
        if number % 25 == 0:
            if project is None:
                project = folder / "named.poly"
            write_project(editor.document, project)
            journal.saved(editor.document, project)
        os.write(out, b"%d\n" % number)
    time.sleep(60.0)


def states(document: Document, seed: int) -> list[list[str]]:
    """Digests of each step: where it began, what came between (a drag), where it ended."""
    editor = Editor(document)
    passed = [digest(document)]
    editor.subscribe(lambda changed, _: passed.append(digest(changed.document)))
    steps = [passed.copy()]
    for _ in edits(editor, seed):
        steps.append(passed.copy())
        del passed[:-1]
    return steps


def trial(folder: Path, number: int, known: list[list[str]], seed: int) -> dict[str, object]:
    """Kill one child at a random moment, and see what can be recovered."""
    rng = random.Random(number)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    project = folder / "show.poly" if seed % 2 else None
    if project is not None:
        write_project(begin(True), project)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            child(folder, seed, project, writing)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.readline()  # the journal has begun
        time.sleep(rng.random() ** 2 * 0.25)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        said += pipe.read()
    words = said.split(b"\n")[:-1]
    done = int(words[-1])
    found = recoverable(*folder.glob("*.poly"))
    if found:
        document = found[0].recover()
        for recovery in found:
            recovery.discard()
    else:
        saved = folder / "named.poly"
        document = read_project(saved if saved.exists() else project or saved)
    now = digest(document)
    # From where the last step that was said began to where the one after it ended.
    at = [i for i in range(done, min(done + 2, len(known))) if now in known[i]]
    left = [path.name for path in folder.iterdir() if path.suffix != ".poly"]
    return {"done": done, "found": bool(found), "at": at, "left": left}


def main(folder: Path, first: int, last: int) -> None:
    known: dict[int, list[list[str]]] = {}
    for seed in (1, 2):
        document = begin(bool(seed % 2))
        if seed % 2:
            write_project(document, folder / "first.poly")
            document = read_project(folder / "first.poly")
        known[seed] = states(document, seed)
    reports = [trial(folder / "trial", i, known[1 + i % 2], 1 + i % 2) for i in range(first, last)]
    sys.stdout.write(json.dumps(reports))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
