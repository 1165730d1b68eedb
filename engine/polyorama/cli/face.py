"""``polyorama face``: speech in, a living face out."""

from __future__ import annotations

import argparse
from typing import Any

from polyorama.cli.apart import Apart, add_apart, run_action
from polyorama.cli.arguments import color, size

_EXAMPLES = """\
examples:
  polyorama face speak voice.wav -o take.mp4
  polyorama face speak voice.wav --text "Where did you leave the boat?" --emotion happy:0.7 \\
      -o take.mp4 -o take.glb -o take.csv
  polyorama face speak voice.wav --emotion-from other.wav --speaker 3 --seed 7 -o take.usd
  polyorama face align voice.wav --text "Where did you leave the boat?" -o voice.TextGrid
  polyorama face live --livelink 192.168.0.7
  polyorama face check avatar.glb
"""

_SPEAK = """\
VOICE is a recording of speech, or a film with sound. OUT says by its ending what is written: a
film with sound (.mp4, .mov, .mkv, .webm), a still (.png, with --at), glTF with morph targets
(.glb, .gltf), Live Link Face (.csv), USD with blend shapes (.usd, .usda, .usdc), Audio2Face's JSON
(.json), phones (.TextGrid), mouth shapes (.tsv), or everything (.npz, which 'face write' reads
again). Name -o as often as you like.

An emotion is one of neutral, calm, happy, sad, angry, fearful, disgust, surprised, with a strength
from 0 to 1 (happy:0.7) and, where it is to change, the second from which it holds (happy:0.7@2.5).
Without --emotion and --emotion-from it is heard in the voice.

The model was trained on synthetic speech and rule-based motion, not on people.
"""

_APART: Apart = {
    "eval": ("polyorama.cli.face_eval", "measure alignment, listening, contact, motion and speed"),
    "train": ("polyorama.cli.face_train", "teach the model recordings of faces"),
    "live": ("polyorama.cli.face_live", "let a microphone move the face, and send it on"),
}
"""Actions with modules of their own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_speak(actions)
    _add_rest(actions)
    add_apart(actions, _APART)


def run(options: argparse.Namespace) -> int:
    """Do the action."""
    return run_action(options, _APART, "polyorama.cli.face_actions")


def _add_speak(actions: Any) -> None:
    text = "let a face speak a recording"
    parser = actions.add_parser(
        "speak", help=text, description=text, epilog=_SPEAK,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add = parser.add_argument
    add("voice", metavar="VOICE", help="the recording")
    add("-o", "--output", metavar="OUT", action="append", required=True, help="what is written")
    group = parser.add_argument_group("speech")
    add = group.add_argument
    add("--text", default="", metavar="WORDS", help="what is said, in English (else it is heard)")
    add("--text-file", metavar="FILE", help="a text file with what is said")
    add("--phones", metavar="FILE.TextGrid", help="phones and their times, edited by hand")
    add("--any-language", action="store_true", help="hear sounds, not English words")
    group = parser.add_argument_group("performance")
    add = group.add_argument
    add("--source", choices=("model", "rules", "mix"), default="model",
        help="what moves the face (model)")  # fmt: skip
    add("--mix", type=float, default=0.5, metavar="X", help="share of the model in a mix (0.5)")
    add("--emotion", action="append", default=[], metavar="NAME:X[@S]",
        help="an emotion, how strong, from which second on")  # fmt: skip
    add("--emotion-from", metavar="FILE", help="a recording, or a take, whose feeling is taken")
    add("--speaker", type=int, default=0, metavar="N", help="whose manner: 0 to 7 (0)")
    add("--seed", type=int, default=0, metavar="N", help="which take (0)")
    add("--temperature", type=float, default=0.7, metavar="X", help="how far takes differ (0.7)")
    add("--style", action="append", default=[], metavar="NAME=X",
        help="a slider, such as jaw=1.2 or blinks=0.5; 'face style' lists them")  # fmt: skip
    add("--still-head", action="store_true", help="no blinks, gaze, head motion and breath")
    _add_look(parser)


def _add_look(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("head and film")
    add = group.add_argument
    add("--rig", default="puppet", metavar="PATH",
        help="puppet (ours), a GLB, FLAME or ICT file, an ICT or MakeHuman folder")  # fmt: skip
    add("--identity", action="append", default=[], metavar="NAME=X",
        help="the puppet's looks, as hair=bob or age=0.8; 'face style' lists them")  # fmt: skip
    add("--size", type=size, default=(1280, 720), metavar="WxH", help="of the film (1280x720)")
    add("--fps", type=float, default=30.0, metavar="N", help="frames of the film a second (30)")
    add("--background", type=color, metavar="COLOUR", help="behind the head: #rrggbb or r,g,b")
    add("--at", type=float, metavar="S", help="the second of a still")


def _add_rest(actions: Any) -> None:
    text = "find out when which sound is said"
    parser = actions.add_parser("align", help=text, description=text)
    add = parser.add_argument
    add("voice", metavar="VOICE", help="the recording")
    add("-o", "--output", metavar="OUT", required=True, help=".TextGrid, .tsv or .json")
    add("--text", default="", metavar="WORDS", help="what is said, in English (else it is heard)")
    add("--text-file", metavar="FILE", help="a text file with what is said")
    add("--any-language", action="store_true", help="hear sounds, not English words")

    text = "say what a rig can do, and what is wrong with it"
    parser = actions.add_parser("check", help=text, description=text)
    parser.add_argument("rig", metavar="RIG", help="puppet, or the path of a rig")
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")

    text = "give any head the 52 shapes, by fitting another to it"
    parser = actions.add_parser("fit", help=text, description=text)
    add = parser.add_argument
    add("mesh", metavar="MESH", help="the head: OBJ, PLY, GLB, ...")
    add("-o", "--output", metavar="OUT.glb", required=True, help="the rig")
    add("--template", default="puppet", metavar="RIG", help="whose shapes are taken (puppet)")
    add("--landmark", action="append", default=[], metavar="A:B",
        help="vertex A of the template lies at vertex B of the mesh; three or more")  # fmt: skip

    text = "write a take in another form, or on another head"
    parser = actions.add_parser("write", help=text, description=text)
    add = parser.add_argument
    add("take", metavar="TAKE", help="a take: .npz, .csv, .json, .glb, .usd")
    add("-o", "--output", metavar="OUT", action="append", required=True, help="as of 'face speak'")
    _add_look(parser)

    text = "list the sliders of style and identity"
    actions.add_parser("style", help=text, description=text)
