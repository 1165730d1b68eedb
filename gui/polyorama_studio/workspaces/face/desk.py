"""The desk: the face that is worked on, between the widgets and the engine.

The document holds the face as an `Actor` of a node; the desk follows that. What a hand drags is a
draft, carried out on a worker thread and shown at once; with the end of the gesture script and
curves go into the document as one step.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from polyorama.scene.faces.actor import Actor
from polyorama.scene.faces.script import FaceScript
from polyorama_studio.jobs import Handlers
from polyorama_studio.newest import Newest
from polyorama_studio.session import Busy
from polyorama_studio.workspaces.face.spoken import python_of
from polyorama_studio.workspaces.face.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Progress
    from polyorama.face.take import Take
    from polyorama.scene.document import Node
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.face.works import Voice, Works

__all__ = ["Desk"]

_TAKES_KEPT = 24


class Desk(QObject):
    """Holds script, rig and curves; makes steps of the history; asks the engine.

    Parameters
    ----------
    session
        Has the document, runs jobs.
    works
        The engine, or a stand-in.
    """

    changed = Signal()
    """Another script, draft or face."""
    performed = Signal()
    """Other curves."""
    rig_changed = Signal()
    working_changed = Signal()
    chosen_changed = Signal()
    """Other channels are looked at."""
    solo_changed = Signal()
    live_changed = Signal()
    """Another face came from the microphone, or none any more."""

    def __init__(self, session: Session, works: Works, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.works = session, works
        self.steps = Steps(session, self)
        self.node = ""
        """Id of the node whose face it is, "" while the document has none."""
        self.chosen: tuple[str, ...] = ("jawOpen", "mouthClose", "mouthSmileLeft")
        """Channels whose curves are shown."""
        self.solo: frozenset[str] = frozenset()
        """Regions that alone are shown; all where there is none."""
        self.live_weights: NDArray[Any] | None = None
        """(55,) what comes from a microphone now; None while none does."""
        self.identity: Any = None
        """The puppet's, where the face is the puppet."""
        self._actor: Actor | None = None
        self._rig: MorphRig | None = None
        self._draft: FaceScript | None = None
        self._title = ""
        self._waiting: FaceScript | None = None
        """The script of the last step, whose curves are still being made."""
        self._take: tuple[FaceScript, Take] | None = None
        self._known: dict[int, tuple[FaceScript, Take]] = {}
        self._evaluating = Newest(session, "perform the face", self)
        self._building = Newest(session, "build the face", self)
        self._listening = Newest(session, "Listen to the voice", self)
        session.editing.edited.connect(self._follow)
        session.editing.replaced.connect(self._on_replaced)
        self._find()

    # What is there

    @property
    def script(self) -> FaceScript:
        """What the face follows now, drafts included."""
        if self._draft is not None:
            return self._draft
        return self._committed

    @property
    def _committed(self) -> FaceScript:
        known = None if self._actor is None else self._actor.script
        return known if known is not None else _NOTHING

    @property
    def rig(self) -> MorphRig | None:
        """What moves; None until the puppet is built."""
        return self._rig if self._actor is None or self._rig is not None else self._actor.rig

    @property
    def take(self) -> Take | None:
        """What came of the newest script that was carried out."""
        return None if self._take is None or not self.speaks else self._take[1]

    @property
    def performance(self) -> Performance | None:
        """The curves."""
        take = self.take
        if take is not None:
            return take.performance
        return None if self._actor is None else self._actor.performance

    @property
    def speaks(self) -> bool:
        """Whether there is something to follow."""
        return self.script.seconds > 0.0

    @property
    def seconds(self) -> float:
        """How long it lasts, s."""
        performance = self.performance
        known = 0.0 if performance is None else performance.seconds
        return max(self.script.seconds, known)

    @property
    def start(self) -> float:
        """Where it begins on the timeline, s."""
        return 0.0 if self._actor is None else self._actor.start

    @property
    def time(self) -> float:
        """The playhead, s from the beginning of the performance."""
        return self.session.playback.time - self.start

    @property
    def working(self) -> bool:
        """Whether curves are being made."""
        return self._evaluating.busy

    @property
    def listening(self) -> bool:
        """Whether a recording is being listened to."""
        return self._listening.busy

    def weights(self, time: float) -> NDArray[Any] | None:
        """(55,) of the face at a time, s from its beginning; None at rest."""
        if self.live_weights is not None:
            return self.live_weights
        performance = self.performance
        return None if performance is None else performance.at(time)

    # Following the document

    @Slot(object)
    def _follow(self, command: object) -> None:
        self._find()

    @Slot()
    def _on_replaced(self) -> None:
        self._waiting, self._draft, self._take = None, None, None
        self._known.clear()
        self._find()

    def _find(self) -> None:
        """Take over the face of the document: the chosen one, else the first."""
        document = self.session.editing.document
        faces = [] if document is None else [n for n in document.nodes if _is_face(n)]
        chosen = set() if document is None else set(document.chosen)
        node = next(
            (n for n in faces if n.id in chosen),
            next((n for n in faces if n.id == self.node), faces[0] if faces else None),
        )
        actor = None if node is None else node.content
        if actor is self._actor and (node is None) == (not self.node):
            return
        before = self._actor
        self.node = "" if node is None else node.id
        self._actor = actor if isinstance(actor, Actor) else None
        if self._actor is not None:
            if self._actor.rig is not self._rig:
                self._rig = self._actor.rig
                self.rig_changed.emit()
            if before is None or before.script is not self._actor.script:
                self._take_over(self._actor)
        self.changed.emit()
        self.performed.emit()

    def _take_over(self, actor: Actor) -> None:
        script = actor.script
        if script is None or self._draft is not None:
            return
        known = self._known.get(id(script))
        if known is not None:
            self._take = known
        elif self._waiting is not script:
            self._take = None
            self._evaluate(script)

    # Changing the script

    def edit(self, title: str, script: FaceScript, python: str = "") -> None:
        """Follow another script from now on: one step."""
        self.begin(title)
        self.put(script)
        self.end(python)

    def change(self, title: str, **values: Any) -> None:
        """As `edit`, with other values of the script's own fields."""
        self.edit(title, replace(self.script, **values))

    def begin(self, title: str) -> None:
        """A hand begins to drag something."""
        self._title = title
        self._draft = self.script

    def put(self, script: FaceScript) -> None:
        """What is dragged has come here."""
        if self._draft is None:
            self.begin(self.tr("Change the face"))
        if script is not self._draft:
            self._draft = script
            self._evaluate(script)
            self.changed.emit()

    def end(self, python: str = "") -> None:
        """The hand lets go: one step of the history; `python` says more than what differs."""
        draft, self._draft = self._draft, None
        if draft is None or draft is self._committed:
            return
        python = python or python_of(self._committed, draft)
        known = self._known.get(id(draft))
        if known is not None and not self._evaluating.busy:
            self._take = known
        with self._step(self._title, python, wait=known is None):
            actor = self._present()
            self._waiting = None if known is not None else draft
            performance = known[1].performance if known is not None else actor.performance
            self._store(draft, performance)
        self.changed.emit()

    def cancel(self) -> None:
        """The hand gives up."""
        if self._draft is not None:
            self._draft = None
            script = self._committed
            known = self._known.get(id(script))
            if known is not None:
                self._take = known
                self._evaluating.forget()
                self.performed.emit()
            else:
                self._evaluate(script)
            self.changed.emit()

    @contextmanager
    def _step(self, title: str, python: str, *, wait: bool = False) -> Iterator[None]:
        """One step of the history; with `wait` it stays open for the curves to come."""
        self.steps.begin(title)
        yield
        if python:
            self.session.log_python(python)
        if not wait:
            self.steps.end()

    def _present(self) -> Actor:
        """The face of the document, which is given one where it has none."""
        if self._actor is not None:
            return self._actor
        assert self._rig is not None
        if self.session.editing.document is None:
            self.session.opening.new()
        self.node = self.steps.add(self._rig, self._rig.name or self.tr("Face"))
        assert self._actor is not None  # the step was followed
        return self._actor

    def _store(self, script: FaceScript, performance: Performance | None) -> None:
        self.steps.set_face(self.node, script, performance)

    # Carrying it out

    def _evaluate(self, script: FaceScript) -> None:
        if script.seconds <= 0.0:
            self._take = None
            self._evaluating.forget()
            self.performed.emit()
            return
        self._evaluating.ask(
            partial(self.works.performed, script),
            partial(self._on_take, script), self._on_failed,
        )  # fmt: skip
        self.working_changed.emit()

    def _on_take(self, script: FaceScript, take: Take) -> None:
        self._known[id(script)] = self._take = (script, take)
        while len(self._known) > _TAKES_KEPT:
            del self._known[next(iter(self._known))]
        if script is self._waiting:
            self._waiting = None
            actor = self._actor
            if actor is not None and actor.script is script:
                self._store(script, take.performance)
            self.steps.end()
        self.performed.emit()
        self.working_changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._waiting = None
        self.steps.end()
        self.session.report(error)
        self.working_changed.emit()

    # The face itself

    def build(self) -> None:
        """Build the puppet, unless there is a face."""
        if self.rig is None and not self._building.busy:
            self._building.ask(self._puppet, self._on_puppet, self.session.report)

    def _puppet(self) -> tuple[Any, MorphRig]:
        identity = self.works.identity()
        return identity, self.works.head(identity)

    def _on_puppet(self, built: tuple[Any, MorphRig]) -> None:
        self.identity = built[0]
        if self._actor is None:
            self._rig = built[1]
        self.rig_changed.emit()

    def set_identity(self, identity: Any, *, final: bool, python: str = "") -> None:
        """Another puppet; `final` at the end of a drag."""
        self.identity = identity
        self.changed.emit()
        self._building.ask(
            partial(self.works.head, identity),
            partial(self._on_rig, self.tr("Shape the puppet"), python if final else "", final),
            self.session.report,
        )

    def open_rig(self, path: Path, *, fit: bool = False) -> None:
        """Another face, of a file; with `fit`, a mesh that is given the shapes first."""
        work = self.works.fitted if fit else self.works.rig
        title = self.tr("Fit the face to {0}") if fit else self.tr("Open the face {0}")
        title = title.format(path.name)
        python = f"rig = open_rig({str(path)!r})"
        if fit:
            python = f"rig = fitted_rig(po.open({str(path)!r}).nodes[0].mesh, build_head())"
        done = partial(self._on_opened, title, python)
        self.session.work_on(partial(work, path), done, self.session.report, title)

    def _on_opened(self, title: str, python: str, rig: MorphRig) -> None:
        self.identity = None
        self._on_rig(title, python, True, rig)

    def set_puppet(self) -> None:
        """The puppet as it comes."""
        self.set_identity(self.works.identity(), final=True, python="rig = build_head()")

    def _on_rig(self, title: str, python: str, final: bool, rig: MorphRig) -> None:
        self._rig = rig
        if final and self._actor is not None:
            with self._step(title, python):
                self.steps.set_rig(self.node, rig)
        self.rig_changed.emit()

    # Voices

    def open_voice(self, path: Path) -> None:
        """Read a recording, listen to it, and let the face say it."""
        self._hear(partial(self.works.voice, path), path.name, f"sound = load_sound({str(path)!r})")

    def open_sample(self) -> None:
        """Let the face say what ships with the program."""
        self._hear(self.works.sample, self.tr("the sample"), "")

    def _hear(self, work: Callable[[], Any], name: str, python: str) -> None:
        self.session.set_busy(Busy(self.tr("Listening to {0}").format(name)))
        self._listening.told = self._on_progress
        self._listening.ask(work, partial(self._on_voice, python), self._on_deaf)
        self.working_changed.emit()

    def _on_progress(self, progress: Progress) -> None:
        self.session.on_progress(progress)

    def _on_deaf(self, error: BaseException) -> None:
        self.session.set_busy(None)
        self.session.report(error)
        self.working_changed.emit()

    def _on_voice(self, python: str, voice: Voice) -> None:
        self.session.set_busy(None)
        for note in voice.notes:
            self.session.tell("warn", note)
        script = self.script
        emotion = script.emotion
        if voice.source == "rules":
            # Only the model hears and compares feelings.
            emotion = "keyed"
        elif emotion == "keyed":
            emotion = "detected"
        fresh = replace(
            script, sound=voice.sound, transcript=voice.text, phones=voice.phones, keys=(),
            comp=(), emotion_keys=(), tracker=None, emotion=emotion,
            source=voice.source if voice.source == "rules" else script.source,
        )  # fmt: skip
        self.speak(fresh, voice.name, python)

    def speak(self, script: FaceScript, name: str, python: str = "") -> None:
        """Follow a script with a sound of its own, which lies on the timeline, too: one step."""
        if self.rig is None:
            return
        self._draft = None
        with self._step(self.tr("Let the face say {0}").format(name), python, wait=True):
            self._present()
            self._waiting = script
            self._store(script, None)
            self.steps.lengthen(self.start + script.seconds)
        self._take = None
        self._evaluate(script)
        self.changed.emit()
        self.performed.emit()

    def align(self, text: str) -> None:
        """Find when each phone of a text is said, or what is said where there is no text."""
        sound = self.script.sound
        if sound is None:
            return
        self.session.set_busy(Busy(self.tr("Listening to the voice")))
        self._listening.ask(
            partial(self.works.aligned, sound, text), self._on_aligned, self._on_deaf
        )
        self.working_changed.emit()

    def _on_aligned(self, found: tuple[str, Any]) -> None:
        self.session.set_busy(None)
        text, phones = found
        python = f"text, phones = {text!r}, align(speech_samples(sound), {text!r})"
        script = replace(self.script, transcript=text, phones=phones)
        self.edit(self.tr("Align the phones"), script, python)
        self.working_changed.emit()

    # Looking

    def choose(self, channels: tuple[str, ...]) -> None:
        """Show the curves of these channels."""
        if channels != self.chosen:
            self.chosen = channels
            self.chosen_changed.emit()

    def set_solo(self, regions: frozenset[str]) -> None:
        """Let these regions alone be seen moving; all where none is named."""
        if regions != self.solo:
            self.solo = regions
            self.solo_changed.emit()

    def show_live(self, weights: NDArray[Any] | None) -> None:
        """Show what comes from a microphone; None goes back to the performance."""
        self.live_weights = weights
        self.live_changed.emit()

    def ask(self, work: Callable[[], Any], done: Callable[[Any], None], title: str) -> None:
        """Ask the engine for something else; failures are told."""
        self.session.start_job(
            work, Handlers(done, self.session.report, self.session.on_progress), title
        )


_NOTHING = FaceScript()


def _is_face(node: Node) -> bool:
    return isinstance(node.content, Actor)
