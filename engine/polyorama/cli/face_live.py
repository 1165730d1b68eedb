"""``polyorama face live``: a microphone, or a recording at its own pace, moves a face."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from polyorama.cli.progress import show
from polyorama.core.text import one_line
from polyorama.errors import OutputError, UsageError

if TYPE_CHECKING:
    from typing import TextIO

    from polyorama.face.live.session import LiveSession, LiveStatus
    from polyorama.face.live.sources import SoundSource
    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["add_arguments", "run"]

_MORE = """\
It goes on until Ctrl-C, --seconds or the end of --file; then the latency is told, stage by stage,
and -o is written: a film with sound, .glb, .usd, .csv, .json, .TextGrid, .tsv or .npz.

  polyorama face live --devices
  polyorama face live --livelink 192.168.0.7 --emotion happy:0.5
  polyorama face live --device "USB" --osc 127.0.0.1:9000 --play -o take.csv
  polyorama face live --file voice.wav --seconds 10 -o take.mp4

--play lets the voice be heard as late as the face is seen; wear headphones, or the microphone hears
it again.
"""

_EVERY_S = 0.2
_LINES_S = 10.0
"""How often a line is written where the stream is no terminal."""
_BAR = 14
_QUIET = -70.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _MORE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--devices", action="store_true", help="list the microphones, and end")
    group = parser.add_argument_group("sound")
    add = group.add_argument
    source = group.add_mutually_exclusive_group()
    source.add_argument("--device", metavar="NAME|N", help="a microphone by name or number")
    source.add_argument("--file", metavar="VOICE", help="a recording in place of a microphone")
    add("--seconds", type=float, metavar="S", help="how long it goes on")
    add("--gain", type=float, metavar="DB", help="louder by as much (it finds that itself)")
    add("--gate", type=float, default=-60.0, metavar="DB",
        help="what is quieter moves no lips (-60)")  # fmt: skip
    add("--play", action="store_true", help="play the voice, as late as the face is")
    group = parser.add_argument_group("face")
    add = group.add_argument
    add("--lookahead", choices=("20", "60"), default="20",
        help="ms of sound it hears ahead: later lips are better lips (20)")  # fmt: skip
    add("--emotion", action="append", default=[], metavar="NAME:X",
        help="an emotion and how strong, such as happy:0.7")  # fmt: skip
    add("--speaker", type=int, default=0, metavar="N", help="whose manner: 0 to 7 (0)")
    add("--seed", type=int, default=0, metavar="N", help="of blinks, gaze and head (0)")
    add("--style", action="append", default=[], metavar="NAME=X",
        help="a slider, such as jaw=1.2; 'face style' lists them")  # fmt: skip
    group = parser.add_argument_group("output")
    add = group.add_argument
    add("--livelink", metavar="HOST[:PORT]", help="send it as Live Link Face (port 11111)")
    add("--osc", metavar="HOST[:PORT]", help="send it as Open Sound Control (port 9000)")
    add("--name", default="Polyorama", help="of the face in Live Link (Polyorama)")
    add("-o", "--output", metavar="OUT", action="append", default=[], help="record, and write it")
    add("--rig", default="puppet", metavar="PATH", help="who is seen in films, glTF and USD")


def run(options: argparse.Namespace) -> int:
    """Go live."""
    if options.devices:
        return _list_devices()
    rig = _check(options)
    session = _session(options)
    meter = _Meter(sys.stderr)
    with session:
        if options.output:
            session.record()
        try:
            _watch(session, options.seconds, meter)
        except KeyboardInterrupt:
            pass  # how a live face is mostly ended
        finally:
            meter.wipe()
    print("\n".join(table(session)))
    if options.output:
        _write(session, options.output, rig)
    if session.status.note:
        # What ended it, or was still wrong at the end.
        print(f"polyorama: {one_line(session.status.note)}", file=sys.stderr)
        return 1
    return 0


def _list_devices() -> int:
    from polyorama.face.live.devices import microphones

    found = microphones()
    for device in found:
        chosen = "  (chosen by the system)" if device.chosen else ""
        print(f"{device.number:>3}  {one_line(device.name)}, {device.rate} Hz{chosen}")
    if not found:
        print("No microphone was found.", file=sys.stderr)
    return 0


def _check(options: argparse.Namespace) -> MorphRig | None:
    """Refuse before any work what could not be done after it; gives the rig that will be seen."""
    from polyorama.face.exports.formats import FORMATS, take_format
    from polyorama.face.rigs.opening import open_rig
    from polyorama.io.atomic import check_target

    if options.seconds is not None and not 0.0 < options.seconds < 1e6:
        raise UsageError(f"A live face goes on for more than 0 s, not {options.seconds:g} s.")
    rigged = False
    for output in options.output:
        kind = take_format(output)
        if kind is None:
            known = ", ".join(ending for kind in FORMATS for ending in kind.endings)
            raise OutputError(f"Takes cannot be written as such a file (can: {known}): {output}")
        check_target(output)
        rigged |= kind.rigged
    return open_rig(options.rig) if rigged else None


def _session(options: argparse.Namespace) -> LiveSession:
    from polyorama.face.live.live_link import PORT
    from polyorama.face.live.loudspeaker import Loudspeaker
    from polyorama.face.live.osc import OSC_PORT
    from polyorama.face.live.senders import LiveLinkSender, OscSender, address_of
    from polyorama.face.live.session import LiveSession
    from polyorama.face.live.settings import LiveSettings
    from polyorama.verbs.face import check_manner, emotion_keys, style_of

    check_manner(options.speaker)
    keys = emotion_keys(options.emotion)
    if any(key.time > 0.0 for key in keys):
        raise UsageError("Live, an emotion holds from the start; leave out the second after @.")
    chosen: dict[str, Any] = {"emotion": keys[0].weights} if keys else {}
    if options.gain is not None:
        chosen |= {"gain": options.gain, "automatic_gain": False}
    settings = LiveSettings(
        lookahead=options.lookahead, gate=options.gate, speaker=options.speaker, seed=options.seed,
        style=style_of(_sliders(options.style)), **chosen,
    )  # fmt: skip
    source = _source(options)
    # What was opened is closed again where the next one cannot be.
    with ExitStack() as opened:
        senders: list[LiveLinkSender | OscSender] = []
        if options.livelink:
            host, port = address_of(options.livelink, PORT)
            senders.append(LiveLinkSender(host, port, options.name))
            opened.callback(senders[-1].close)
        if options.osc:
            senders.append(OscSender(*address_of(options.osc, OSC_PORT)))
            opened.callback(senders[-1].close)
        session = LiveSession(
            source, settings, senders=senders, speaker=Loudspeaker() if options.play else None
        )
        opened.pop_all()
    return session


def _source(options: argparse.Namespace) -> SoundSource:
    from polyorama.face.live.microphone import Microphone
    from polyorama.face.live.sources import FileSource

    if options.file:
        return FileSource.of(options.file)
    # To read the list of devices anew would close the loudspeaker too.
    return Microphone(options.device, may_rescan=lambda: not options.play)


def _sliders(entries: list[str]) -> dict[str, float]:
    found = {}
    for entry in entries:
        name, sign, value = entry.partition("=")
        try:
            found[name] = float(value) if sign else float("nan")
        except ValueError:
            found[name] = float("nan")
        if not name or found[name] != found[name]:
            raise UsageError(f"--style is NAME=X, not {entry!r}.")
    return found


def _watch(session: LiveSession, seconds: float | None, meter: _Meter) -> None:
    begun = time.monotonic()
    while session.running:
        passed = time.monotonic() - begun
        if seconds is not None and passed >= seconds:
            return
        meter.show(session.status)
        left = _EVERY_S if seconds is None else min(_EVERY_S, seconds - passed)
        time.sleep(max(left, 0.0))


class _Meter:
    """A line that says how it goes: redrawn in a terminal, else written now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._redraws = stream.isatty()
        self._said_at = -_LINES_S
        self._note = ""

    def show(self, status: LiveStatus) -> None:
        now = time.monotonic()
        due = now - self._said_at >= (0.0 if self._redraws else _LINES_S)
        if not due and status.note == self._note:
            return
        self._said_at, self._note = now, status.note
        start, end = ("\r\x1b[2K", "") if self._redraws else ("", "\n")
        self._stream.write(f"{start}{line(status)}{end}")
        self._stream.flush()

    def wipe(self) -> None:
        if self._redraws:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()


def line(status: LiveStatus) -> str:
    """How it goes, on one line."""
    if status.note:
        return one_line(status.note)
    filled = round(min(max(1.0 - status.level / _QUIET, 0.0), 1.0) * _BAR)
    parts = [f"[{'#' * filled}{' ' * (_BAR - filled)}] {status.level:4.0f} dB",
             f"{status.fps:.0f} frames/s"]  # fmt: skip
    if status.total is not None:
        parts.append(f"latency {status.total.median:.0f} ms (95 % {status.total.p95:.0f} ms)")
    parts.append(f"lost {status.lost}")
    if status.delay:
        parts.append(f"voice {1000.0 * status.delay:.0f} ms later")
    if status.recorded:
        parts.append(f"recorded {status.recorded:.0f} s")
    return "  ".join(parts)


def table(session: LiveSession) -> list[str]:
    """Latency stage by stage, and what was lost, as lines."""
    status = session.status
    lines = [f"{'Latency of the last 10 s':<26}{'median':>10}{'95 %':>10}"]
    lines += [
        f"{stage.name:<26}{stage.median:>7.1f} ms{stage.p95:>7.1f} ms"
        for stage in session.latency()
    ]
    lines.append(
        f"{status.seconds:.1f} s of sound, {status.lost} lost blocks, "
        f"{status.concealed:.2f} s filled in"
    )
    lines.append("Look-ahead and movement are stated by the method; all else was measured.")
    return lines


def _write(session: LiveSession, outputs: list[str], rig: MorphRig | None) -> None:
    from polyorama.face.exports.formats import write_take
    from polyorama.face.take import TRAINED_ON

    take = session.recorded()
    for output in outputs:
        show(write_take(take, output, rig))
        print(f"Wrote {one_line(output)}", file=sys.stderr)
    print(f"polyorama: {TRAINED_ON}", file=sys.stderr)
