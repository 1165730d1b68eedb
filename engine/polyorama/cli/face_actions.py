"""What the actions of ``polyorama face`` do; imported only when one of them is done."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.cli.progress import show
from polyorama.cli.warm import prepare
from polyorama.core.params import Parameter, parameters_of
from polyorama.core.text import count_of, one_line, quoted
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.face.exports.formats import FORMATS, read_take, take_format
from polyorama.face.take import TRAINED_ON, Provenance, Take
from polyorama.io.atomic import check_target
from polyorama.io.files import file_size, reading
from polyorama.scene.faces.channels import CHANNELS
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import PhoneTrack
from polyorama.verbs.face import align_speech_job, open_rig, save_take_job, speak_job

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["do_align", "do_check", "do_fit", "do_speak", "do_style", "do_write"]

_MOST_TEXT = 10 << 20
_STILL = ".png"


def do_speak(options: argparse.Namespace) -> int:
    """Let a face speak, and write what was asked for."""
    _check_outputs(options)
    rig = _rig(options)
    phones = None
    if options.phones:
        from polyorama.face.speech.textgrid import read_textgrid

        phones = read_textgrid(options.phones)
    spoken = show(
        speak_job(
            options.voice, text=_text(options), phones=phones, any_language=options.any_language,
            source=options.source, mix=options.mix, emotion=options.emotion,
            emotion_from=options.emotion_from, speaker=options.speaker, seed=options.seed,
            temperature=options.temperature, style=_numbers(options.style, "--style"),
            nonverbal=not options.still_head,
        )
    )  # fmt: skip
    for note in spoken.notes:
        print(f"polyorama: {note}", file=sys.stderr)
    if spoken.transcript and not _text(options):
        print(f"polyorama: heard: {one_line(spoken.transcript)}", file=sys.stderr)
    _write(spoken.take, rig, options)
    if options.source != "rules":
        print(f"polyorama: {TRAINED_ON}", file=sys.stderr)
    return 0


def do_write(options: argparse.Namespace) -> int:
    """Write a take in another form."""
    _check_outputs(options)
    rig = _rig(options)
    notes: list[str] = []
    take = read_take(options.take, notes)
    for note in notes:
        print(f"polyorama: {note}", file=sys.stderr)
    _write(take, rig, options)
    return 0


def do_align(options: argparse.Namespace) -> int:
    """Find phones, and write them."""
    ending = Path(options.output).suffix.lower()
    if ending not in (".textgrid", ".tsv", ".json"):
        raise OutputError(
            f"Phones cannot be written as such a file (can: .TextGrid, .tsv, .json): "
            f"{options.output}"
        )
    check_target(options.output)
    transcript, track = show(
        align_speech_job(options.voice, _text(options), any_language=options.any_language)
    )
    if ending == ".textgrid":
        from polyorama.face.speech.textgrid import write_textgrid

        write_textgrid(options.output, track)
    else:
        from polyorama.face.exports.rhubarb import write_rhubarb

        if not track.phones:
            raise UsageError(
                f"No phone was heard, so there is no mouth shape to write: {options.voice}"
            )
        write_rhubarb(_resting(track), options.output)
    if transcript and not _text(options):
        print(f"polyorama: heard: {one_line(transcript)}", file=sys.stderr)
    print(f"Wrote {count_of(len(track.phones), 'phone')}: {options.output}", file=sys.stderr)
    return 0


def do_check(options: argparse.Namespace) -> int:
    """Say what is wrong with a rig; 1 where something is."""
    from polyorama.face.rigs.check import check_rig

    report = check_rig(open_rig(options.rig))
    if options.json:
        print(json.dumps({**asdict(report), "advice": report.advice}, indent=2))
    else:
        print("\n".join(report.lines()))
    return 1 if report.advice else 0


def do_fit(options: argparse.Namespace) -> int:
    """Give a head the shapes of another."""
    from polyorama.face.exports.gltf import write_take_gltf
    from polyorama.face.rigs.fitting import fitted_rig
    from polyorama.io.mesh import read_mesh

    if Path(options.output).suffix.lower() not in (".glb", ".gltf"):
        raise OutputError(f"A rig is written as .glb or .gltf: {options.output}")
    check_target(options.output)
    marks = _landmarks(options.landmark)
    mesh = read_mesh(options.mesh)
    rig = show(fitted_rig(mesh, open_rig(options.template), marks))
    write_take_gltf(_resting(PhoneTrack()), rig, options.output)
    print(f"Wrote {count_of(len(rig.shapes), 'shape')}: {options.output}", file=sys.stderr)
    return 0


def _landmarks(entries: Sequence[str]) -> NDArray[np.int64] | None:
    """(n, 2) vertices of the template and of the mesh; None where none are named."""
    pairs = [re.fullmatch(r"(\d{1,9}):(\d{1,9})", entry) for entry in entries]
    if any(pair is None for pair in pairs):
        raise UsageError("--landmark is A:B, a vertex of the template and one of the mesh.")
    if not pairs:
        return None
    return np.array([[int(pair[1]), int(pair[2])] for pair in pairs if pair is not None])


def _resting(track: PhoneTrack) -> Take:
    """A take of a still face."""
    count = max(1, round(track.seconds * 60.0))
    still = Performance(np.zeros((count, len(CHANNELS)), np.float32))
    return Take(still, Provenance("rest"), track)


def do_style(_options: argparse.Namespace) -> int:
    """List sliders."""
    from polyorama.face.rigs.head import HeadIdentity
    from polyorama.scene.faces.script import FaceStyle

    for title, owner in (("--style", FaceStyle), ("--identity", HeadIdentity)):
        print(title)
        for parameter in parameters_of(owner):
            print(f"  {parameter.name:<14} {_bounds(parameter):<24} {parameter.help}")
    return 0


def _bounds(parameter: Parameter) -> str:
    if parameter.choices:
        return ", ".join(parameter.choices)
    if parameter.kind == "color":
        return "#rrggbb"
    return f"{parameter.low:g} to {parameter.high:g} ({parameter.default:g})"


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse before any work what could not be written after it; name each output once."""
    options.output = list(dict.fromkeys(options.output))
    for output in options.output:
        if Path(output).suffix.lower() == _STILL:
            if options.at is None:
                raise UsageError(f"Say by --at which second is to be seen: {output}")
        elif take_format(output) is None:
            known = ", ".join(ending for kind in FORMATS for ending in kind.endings)
            raise OutputError(
                f"Takes cannot be written as such a file (can: {known}, .png): {output}"
            )
        check_target(output)


def _draws(output: str) -> bool:
    kind = take_format(output)
    return Path(output).suffix.lower() == _STILL or (kind is not None and kind.name == "Film")


def _rig(options: argparse.Namespace) -> MorphRig:
    if not options.identity:
        return open_rig(options.rig)
    if options.rig != "puppet":
        raise UsageError("--identity is for the puppet; leave it out with another rig.")
    from polyorama.cli.arguments import color
    from polyorama.face.rigs.head import HeadIdentity, build_head

    kinds = {parameter.name: parameter for parameter in parameters_of(HeadIdentity)}
    values: dict[str, Any] = {}
    for name, text in _pairs(options.identity, "--identity").items():
        if name not in kinds:
            raise UsageError(f"The puppet has no {quoted(name)}; it has {', '.join(kinds)}.")
        if kinds[name].kind == "color":
            values[name] = color(text)
        else:
            values[name] = text if kinds[name].choices else _number(name, text)
    return build_head(HeadIdentity(**values))


def _write(take: Take, rig: MorphRig, options: argparse.Namespace) -> None:
    if any(_draws(output) for output in options.output):
        prepare()
    for output in options.output:
        look = {} if options.background is None else {"background": options.background}
        if Path(output).suffix.lower() == _STILL:
            from polyorama.face.exports.film import still_take
            from polyorama.io.image import write_image

            write_image(output, still_take(take, rig, options.at, size=options.size, **look))
        else:
            kind = take_format(output)
            assert kind is not None
            film = {"size": options.size, "fps": options.fps, **look}
            show(save_take_job(take, output, rig, **(film if kind.name == "Film" else {})))
        print(f"Wrote {one_line(output)}", file=sys.stderr)


def _text(options: argparse.Namespace) -> str:
    if not options.text_file:
        return str(options.text)
    if options.text:
        raise UsageError("--text and --text-file say the same; give one of them.")
    path = Path(options.text_file)
    if file_size(path) > _MOST_TEXT:
        raise FileFormatError(f"The text is too long (over 10 MB): {path}")
    with reading(path):
        data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"The text is not UTF-8: {path}") from error


def _pairs(entries: Sequence[str], flag: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in entries:
        name, sign, value = entry.partition("=")
        if not sign or not name or not value:
            raise UsageError(f"{flag} is NAME=X, not {quoted(entry)}.")
        found[name] = value
    return found


def _numbers(entries: Sequence[str], flag: str) -> dict[str, float]:
    return {name: _number(name, value) for name, value in _pairs(entries, flag).items()}


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{name} is a number, not {quoted(text)}.") from error
