"""Edit documents from scripts: open an editor, record what was done, do it again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.core.frozen import FrozenMap
from polyorama.core.jobs import Progress, run
from polyorama.edit.command import Call
from polyorama.edit.editor import Editor
from polyorama.edit.ops import find_op
from polyorama.errors import FileFormatError, OutputError, PolyoramaError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.io.formats import PROJECT_ENDING, format_to_write, write_splats
from polyorama.io.json_fields import no_constant
from polyorama.io.limits import read_bytes
from polyorama.io.project import write_project
from polyorama.scene.codec import CodecError, decode
from polyorama.scene.document import Document
from polyorama.verbs.files_ops import add_files, open_with_source
from polyorama.verbs.open import flat_cloud

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.jobs import Job

__all__ = ["edit", "play_calls", "read_calls", "run_script", "save", "save_calls"]

_FORMAT = 1
_MAX_BYTES = 256 << 20
_DEEPEST = 40


def edit(
    source: Document | str | os.PathLike[str] | None = None,
    *more: str | os.PathLike[str],
    surfels: int = 100_000,
    linked: bool = False,
) -> Editor:
    """Edit a document, files, or nothing yet.

    Every operation is a method of what is returned, and can be undone::

        doc = po.edit("plant.ply")
        doc.select("hue in 80..140")
        doc.modifiers("plant").add("grade", saturation=1.4)
        doc.undo()

    Parameters
    ----------
    source
        A document; a capture, project, mesh or sound; or None for an empty document.
    *more
        Further files, each of which becomes a node or, of projects, a group.
    surfels
        How many Gaussians a mesh is drawn with.
    linked
        Whether a project that is saved keeps the files' paths alone, not what is in them.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged, or of no known kind.
    UsageError
        If a project is to be linked, or `surfels` is out of range.
    """
    if isinstance(source, Document):
        document, files = source, list(more)
    elif source is not None and not more:
        return Editor(open_with_source(source, surfels=surfels, linked=linked))
    else:
        document, files = Document(), [] if source is None else [source, *more]
    paths = [os.fspath(path) for path in files]
    return Editor(run(add_files(document, paths, linked=linked, surfels=surfels)))


def save(what: Document | Editor, path: str | os.PathLike[str], *, time: float = 0.0) -> None:
    """Save as a project, or write what is shown at a time as one capture.

    Parameters
    ----------
    what
        What is written; of an editor, its document.
    path
        ``.poly`` keeps everything; the ending of a splat format takes what is drawn, with edit
        stacks carried out.
    time
        For a capture, s.

    Raises
    ------
    OutputError
        If the ending is unknown, or the system refuses.
    FileFormatError
        If a capture would hold nothing.
    """
    document = what.document if isinstance(what, Editor) else what
    if Path(path).suffix.lower() == PROJECT_ENDING:
        write_project(document, path)
        return
    format_to_write(path)
    write_splats(flat_cloud(document, path, time=time), path)


def save_calls(editor: Editor, path: str | os.PathLike[str]) -> None:
    """Record what was done, without what was undone, as a file that `read_calls` reads.

    Raises
    ------
    OutputError
        If a call holds what such a file cannot (splats, meshes, sounds), or the system refuses.
    """
    try:
        entries = list(editor.done.entries())
    except CodecError as error:
        raise OutputError(
            f"This cannot be recorded, because {error}; add what it holds with add_files: {path}"
        ) from error
    text = json.dumps({"polyorama": "ops", "format": _FORMAT, "calls": entries}, indent=1)
    with atomic_write(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def read_calls(path: str | os.PathLike[str]) -> tuple[Call, ...]:
    """Read the operations of a file, in their order; none is carried out.

    Parameters
    ----------
    path
        What `save_calls` wrote, or a list of ``{"op": name, "args": {...}}`` written by hand.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or newer than this version.
    UsageError
        If it names an operation that there is not, or one without what it needs.
    """
    source = Path(path)
    try:
        text = read_bytes(source, _MAX_BYTES).decode("utf-8")
        root = json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"This is no JSON file of operations: {source}") from error
    if isinstance(root, dict):
        version = root.get("format")
        if root.get("polyorama") != "ops" or isinstance(version, bool) or version != _FORMAT:
            if isinstance(version, int) and version > _FORMAT:
                raise FileFormatError(
                    f"A newer version wrote these operations; update Polyorama: {source}"
                )
            raise FileFormatError(f"This is no file of operations: {source}")
        root = root.get("calls")
    if not isinstance(root, list):
        raise FileFormatError(f"This file holds no list of operations: {source}")
    return tuple(_call(entry, number, source) for number, entry in enumerate(root, 1))


def _call(entry: Any, number: int, source: Path) -> Call:
    name = entry.get("op") if isinstance(entry, dict) else None
    arguments = entry.get("args", {}) if isinstance(entry, dict) else None
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise FileFormatError(f"Operation {number} has no name or no arguments: {source}")
    try:
        values = {key: decode(_typed(value, 0)) for key, value in arguments.items()}
    except CodecError as error:
        raise FileFormatError(f"Operation {number} ({name[:80]}) has {error}: {source}") from error
    try:
        values = find_op(name).bound(values)
    except UsageError as error:
        raise UsageError(f"Operation {number} cannot be done. {error} File: {source}") from error
    return Call(name, FrozenMap(values))


def _typed(data: Any, depth: int) -> Any:
    """Plain objects, as people write them, in the form that the codec reads."""
    if depth > _DEEPEST:
        raise CodecError("something that is nested too deeply")
    if isinstance(data, list):
        return [_typed(part, depth + 1) for part in data]
    if isinstance(data, dict) and "type" not in data:
        items = {key: _typed(value, depth + 1) for key, value in data.items()}
        return {"type": "map", "items": items}
    return data


def play_calls(editor: Editor, calls: Sequence[Call]) -> Job[Document]:
    """Carry out recorded operations, each as a step of the history.

    Raises
    ------
    PolyoramaError
        Whatever an operation raises, of its own kind, with its number before it.
    """
    for number, call in enumerate(calls, 1):
        yield Progress(number - 1, len(calls), f"Editing, {call.name}")
        try:
            yield from editor.job(call.name, **call.arguments)
        except PolyoramaError as error:
            raise type(error)(f"Operation {number} ({call.name}) failed. {error}") from error
    return editor.document


def run_script(editor: Editor, path: str | os.PathLike[str]) -> Job[Document]:
    """Run a script on an editor: a file of operations, or the person's own Python.

    A ``.py`` file is run as it is, with all that Python can do, with the editor as ``doc`` and the
    package as ``po``; run only what you would run anyway. A ``.json`` file does nothing but
    operations, see `read_calls`.

    Raises
    ------
    FileFormatError
        If the file is missing or of another kind.
    UsageError
        If the Python of a script is wrong or fails; the text names the line.
    PolyoramaError
        As `play_calls`.
    """
    source = Path(path)
    kind = source.suffix.lower()
    if kind == ".json":
        return (yield from play_calls(editor, read_calls(source)))
    if kind != ".py":
        raise FileFormatError(f"A script is a .py or a .json file: {source}")
    text = read_bytes(source, _MAX_BYTES)
    yield Progress(0, 0, f"Running {source.name}")
    _run_python(editor, text, source)
    return editor.document


def _run_python(editor: Editor, text: bytes, source: Path) -> None:
    import polyorama

    names = {"doc": editor, "po": polyorama, "__name__": "__main__", "__file__": str(source)}
    try:
        exec(compile(text, str(source), "exec"), names)
    except SyntaxError as error:
        raise UsageError(f"Line {error.lineno} is no Python ({error.msg}): {source}") from error
    except Exception as error:
        line = _line_of(error, str(source))
        what = (
            str(error) if isinstance(error, PolyoramaError) else f"{type(error).__name__}: {error}"
        )
        raise UsageError(f"Line {line} failed ({what}): {source}") from error


def _line_of(error: BaseException, name: str) -> int:
    """The last line of the script that an error went through."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
