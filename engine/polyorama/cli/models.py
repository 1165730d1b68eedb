"""``polyorama models``: models that others trained, listed, got, added, checked and found."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from polyorama.core.text import bytes_of, one_line

if TYPE_CHECKING:
    from polyorama.models.store import FileStanding, Standing

_EXAMPLES = """\
examples:
  polyorama models list
  polyorama models list siglip-base
  polyorama models get clip-vit-b32
  polyorama models add ~/open_clip_model.safetensors
  polyorama models add stick/weights.safetensors --as clip-vit-b32
  polyorama models verify

Nothing is ever downloaded but by "get". Models lie in the folder that POLYORAMA_MODELS names, else
with your other data. POLYORAMA_MODELS_MIRROR names a server that is asked in place of the
publishers: such a folder, served over https.
"""

_STATES = {"present": "here", "begun": "in part", "missing": "not here", "damaged": "damaged"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, text: str) -> Any:
        return actions.add_parser(name, help=text, description=text).add_argument

    add = action("list", "say which models there are, and which of them are here")
    add("model", nargs="*", metavar="ID", help="tell all of these")
    add("--json", action="store_true", help="print JSON, for scripts")
    add = action("get", "download models; one that was cut short is gone on with")
    add("model", nargs="+", metavar="ID", help="which")
    add("--from", dest="mirror", metavar="URL", help="a mirror to ask in place of the publishers")
    add = action("verify", "compute the hashes of what is here; exits with 2 if any is damaged")
    add("model", nargs="*", metavar="ID", help="of these alone (all)")
    add = action("path", "say where a model lies")
    add("model", metavar="ID", help="which")
    add("name", nargs="?", default="", metavar="FILE", help="one of its files")
    add = action("add", "take in files that were brought here without a network")
    add("file", nargs="+", metavar="FILE", help="known by its hash, else by its name")
    add("--as", dest="model", metavar="ID", help="the model that it is of")


def run(options: argparse.Namespace) -> int:
    """Do the action."""
    return int(_ACTIONS[options.action](options) or 0)


def _list(options: argparse.Namespace) -> None:
    from polyorama.verbs.models import list_models

    models = list_models(*options.model)
    if options.json:
        print(json.dumps([_as_json(model) for model in models], indent=2))
    elif options.model:
        print("\n\n".join("\n".join(_told(model)) for model in models))
    else:
        print("\n".join(_table(models)))


def _get(options: argparse.Namespace) -> None:
    from polyorama.cli.progress import show
    from polyorama.verbs.models import get_job, model_path

    for model_id in options.model:
        show(get_job(model_id, options.mirror))
        print(one_line(str(model_path(model_id))))


def _verify(options: argparse.Namespace) -> int:
    from polyorama.cli.progress import show
    from polyorama.verbs.models import verify_job

    models = show(verify_job(options.model))
    for model in models:
        for file in model.files:
            if file.state in ("present", "damaged"):
                print(f"{model.entry.id}: {file.file.name}: {_verdict(file)}")
    damaged = [model for model in models if model.state == "damaged"]
    for model in damaged:
        carrier = model.entry.carrier
        mend = f"polyorama models get {model.entry.id}"
        print(f"Mend it with: {f'{carrier.install} --force-reinstall' if carrier else mend}")
    if not any(file.state == "present" for model in models for file in model.files) and not damaged:
        print("None of them is here.")
    return 2 if damaged else 0


def _path(options: argparse.Namespace) -> None:
    from polyorama.verbs.models import model_path

    print(model_path(options.model, options.name))


def _add(options: argparse.Namespace) -> None:
    from polyorama.cli.progress import show
    from polyorama.verbs.models import add_job

    for path in options.file:
        model = show(add_job(path, options.model))
        lacking = [file.file.name for file in model.files if file.state != "present"]
        rest = f"; still lacking: {', '.join(lacking)}" if lacking else ""
        print(one_line(f"{model.entry.id}: {model.place}{rest}"))


_ACTIONS = {"list": _list, "get": _get, "verify": _verify, "path": _path, "add": _add}


def _table(models: tuple[Standing, ...]) -> list[str]:
    rows = [("id", "", "size", "what it is for")]
    rows += [
        (model.entry.id, _STATES[model.state], _size(model), model.entry.purpose)
        for model in models
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    lines = [
        "  ".join([*(row[at].ljust(widths[at]) for at in range(3)), row[3]]).rstrip()
        for row in rows
    ]
    return [*lines, "", "polyorama models list ID tells all of one: its licence, files and hashes."]


def _told(model: Standing) -> list[str]:
    entry = model.entry
    facts = [
        ("For", entry.purpose),
        ("Licence", entry.licence),
        ("Size", _size(model)),
        ("From", entry.source),
        ("Here", one_line(str(model.place)) if model.state == "present" else _how(model)),
    ]
    lines = [f"{entry.id}: {entry.title}", *(f"  {name:<9}{value}" for name, value in facts)]
    for file in model.files:
        lines.append(f"  {file.file.name}: {_STATES[file.state]}")
        lines += [f"    {text}" for text in _file_facts(file)]
    return lines


def _how(model: Standing) -> str:
    carrier = model.entry.carrier
    get = carrier.install if carrier else f"polyorama models get {model.entry.id}"
    words = {"missing": "no", "begun": "in part", "damaged": "damaged"}[model.state]
    return f"{words}; get it with: {get}"


def _file_facts(file: FileStanding) -> list[str]:
    from polyorama.models.pins import ORIGINS

    size = file.file.bytes or (file.pin.bytes if file.pin else None)
    facts = [f"{size:,} bytes"] if size is not None else ["size not known beforehand"]
    if file.sha256:
        facts.append(f"sha256 {file.sha256} ({ORIGINS[file.origin]})")
    else:
        facts.append("sha256 not known beforehand; it is kept when the file first comes")
    if file.file.address:
        facts.append(file.file.address)
    if file.note:
        facts.append(one_line(file.note))
    return facts


def _verdict(file: FileStanding) -> str:
    from polyorama.models.pins import ORIGINS

    if file.state == "damaged":
        return f"damaged, {one_line(file.note.removeprefix(file.file.name).strip())}"
    if file.sha256 is None:
        return "of the right kind; no hash to compare it with, get or add keeps one"
    return f"whole ({ORIGINS[file.origin]})"


def _size(model: Standing) -> str:
    if model.state == "present":
        return bytes_of(sum(file.bytes for file in model.files))
    known = model.entry.bytes
    return bytes_of(known) if known is not None else model.entry.size or "not known"


def _as_json(model: Standing) -> dict[str, Any]:
    entry = model.entry
    return {
        "id": entry.id,
        "title": entry.title,
        "purpose": entry.purpose,
        "licence": entry.licence,
        "source": entry.source,
        "package": entry.carrier.package if entry.carrier else None,
        "state": model.state,
        "present": model.state == "present",
        "bytes": entry.bytes,
        "size": entry.size or None,
        "place": str(model.place) if model.place else None,
        "files": [
            {
                "name": file.file.name,
                "address": file.file.address or None,
                "bytes": file.file.bytes or (file.pin.bytes if file.pin else None),
                "sha256": file.sha256,
                "sha256_origin": file.origin or None,
                "state": file.state,
                "path": str(file.path) if file.path else None,
                "note": file.note or None,
            }
            for file in model.files
        ],
    }
