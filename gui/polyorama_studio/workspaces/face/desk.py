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

from PySide6.QtCore import Slot

from polyorama.scene.contents import Audio
from polyorama.scene.faces.script import EmotionKey
from polyorama_studio.newest import Newest
from polyorama_studio.session import Busy
from polyorama_studio.workspaces.face.facing import Facing, traits_of
from polyorama_studio.workspaces.face.spoken import python_of
from polyorama_studio.workspaces.face.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from PySide6.QtCore import QObject

    from polyorama.core.jobs import Progress
    from polyorama.face.take import Take
    from polyorama.scene.document import Node
    from polyorama.scene.faces.actor import Actor
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.script import FaceScript
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.face.works import Voice, Works

__all__ = ["Desk"]

_TAKES_KEPT = 24


class Desk(Facing):
    """Changes the face: every gesture is one step of the history, the engine follows at once.

    Parameters
    ----------
    session
        Has the document, runs jobs.
    works
        The engine, or a stand-in.
    """

    def __init__(self, session: Session, works: Works, parent: QObject | None = None) -> None:
        super().__init__(session, works, parent)
        self.steps = Steps(session, self)
        self._title = ""
        self._silenced = ""
        self._building = Newest(session, "build the face", self)
        self._listening = Newest(session, "Listen to the voice", self)

    @property
    def listening(self) -> bool:
        """Whether a recording is being listened to."""
        return self._listening.busy

    @Slot()
    def _on_replaced(self) -> None:
        """What is under way belongs to the project that was left."""
        self._evaluating.forget()
        if self._listening.busy:
            self._listening.forget()
            self.session.set_busy(None)
        super()._on_replaced()
        self.working_changed.emit()

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
        name = self._rig.name or self.tr("Face")
        self.node = self.steps.add(self._rig, name, traits_of(self.identity))
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
        if self._actor is None:
            self.identity, self._rig = built
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
            mesh = f"po.open({str(path)!r}).nodes[0].mesh"
            python = f"rig = run(fitted_rig({mesh}, build_head()))"
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
                self.steps.set_rig(self.node, rig, traits_of(self.identity))
        self.rig_changed.emit()

    # Voices

    def open_voice(self, path: Path) -> None:
        """Read a recording, listen to it, and let the face say it."""
        self._hear(partial(self.works.voice, path), path.name, f"sound = load_sound({str(path)!r})")

    def open_sample(self) -> None:
        """Let the face say what ships with the program."""
        self._hear(self.works.sample, self.tr("the sample"), "")

    @property
    def scene_voice(self) -> Node | None:
        """The first sound of the scene that is heard from the beginning, or None."""
        document = self.session.editing.document
        nodes = () if document is None else document.nodes
        heard = (n for n in nodes if n.visible and isinstance(n.content, Audio))
        return next((n for n in heard if n.content.start == 0.0), None)

    def use_scene_voice(self) -> None:
        """Let the face say what sounds in the scene; its node is silent from then on."""
        node = self.scene_voice
        if node is not None:
            self._silenced = node.id
            self._hear(partial(self.works.heard, node.content, node.name), node.name, "")

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
        feelings: tuple[EmotionKey, ...] = ()
        if voice.feeling:
            emotion, feelings = "keyed", (EmotionKey(0.0, voice.feeling),)
        fresh = replace(
            script, sound=voice.sound, transcript=voice.text, phones=voice.phones, keys=(),
            comp=(), emotion_keys=feelings, tracker=None, emotion=emotion,
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
            if script.sound is not None and self._silenced:
                self.steps.hide(self._silenced)
            self._silenced = ""
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
