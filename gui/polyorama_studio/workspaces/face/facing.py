"""The face that is worked on, as the document and the engine have it now."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from polyorama.errors import PolyoramaError
from polyorama.scene.faces.actor import Actor
from polyorama.scene.faces.script import FaceScript
from polyorama_studio.jobs import Handlers
from polyorama_studio.newest import Newest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.face.take import Take
    from polyorama.scene.document import Node
    from polyorama.scene.faces.actor import Trait
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama_studio.session import Session
    from polyorama_studio.stage import Stage
    from polyorama_studio.workspaces.face.works import Works

__all__ = ["Facing", "traits_of"]


class Facing(QObject):
    """Follows the face of the document, knows what of it is looked at.

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
    drawn = Signal()
    """Another picture of it can be seen."""
    live_changed = Signal()
    """Another face came from the microphone, or none any more."""

    def __init__(self, session: Session, works: Works, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.works = session, works
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
        self.stage: Stage | None = None
        """What draws it, once it is seen."""
        self._actor: Actor | None = None
        self._rig: MorphRig | None = None
        self._draft: FaceScript | None = None
        self._waiting: FaceScript | None = None
        """The script of the last step, whose curves are still being made."""
        self._take: tuple[FaceScript, Take] | None = None
        self._known: dict[int, tuple[FaceScript, Take]] = {}
        self._evaluating = Newest(session, "perform the face", self)
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
                self.identity = self._identity_of(self._actor)
                self.rig_changed.emit()
            if before is None or before.script is not self._actor.script:
                self._take_over(self._actor)
        self.changed.emit()
        self.performed.emit()

    def _identity_of(self, actor: Actor) -> Any:
        if actor.identity is None:
            return None
        try:
            return self.works.identity(actor.identity)
        except PolyoramaError as error:
            # It is drawn as it was saved, but cannot be shaped further.
            self.session.report(error)
            return None

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

    def _evaluate(self, script: FaceScript) -> None:
        """Carry a script out."""
        raise NotImplementedError

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
        toggled = (weights is None) != (self.live_weights is None)
        self.live_weights = weights
        self.live_changed.emit()
        if toggled:
            self.working_changed.emit()

    def ask(self, work: Callable[[], Any], done: Callable[[Any], None], title: str) -> None:
        """Ask the engine for something else; failures are told."""
        self.session.start_job(
            work, Handlers(done, self.session.report, self.session.on_progress), title
        )


_NOTHING = FaceScript()


def traits_of(identity: Any) -> dict[str, Trait] | None:
    """What a document keeps of a puppet's identity."""
    return None if identity is None else asdict(identity)


def _is_face(node: Node) -> bool:
    return isinstance(node.content, Actor)
