"""Random operations with arguments that mostly fit: for property tests over all of them."""

from __future__ import annotations

import inspect
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.params import Parameter, parameters_of
from polyorama.core.types import Camera
from polyorama.edit.ops import find_op, op_names
from polyorama.errors import PolyoramaError
from polyorama.io.cameras import write_cameras
from polyorama.io.formats import write_splats
from polyorama.io.project import write_project
from polyorama.scene.contents import CameraRig, CropVolume, LightRig
from polyorama.scene.document import Document, Node
from polyorama.scene.modifiers import MODIFIERS
from polyorama.scene.properties_of import animated_paths, as_values, get_property, parameter_at
from polyorama.scene.regions import Region
from polyorama.scene.selection import COMBINATIONS, BitSet
from polyorama.scene.timeline import ENDS, INTERPOLATIONS, Key, Track
from tests.engine.documents import cloud_of, rich

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from polyorama.edit.editor import Editor

RULES = ("opacity < 0.5", "x > 0", "hue in 80..200 and opacity > 0.3", "max(scale) > 0.03")
CAMERA = Camera.look_at((0, 0, -4), (0, 0, 0), size=(96, 64))


@dataclass
class Chooser:
    """Makes arguments for one editor.

    Parameters
    ----------
    seed
        Of everything.
    files
        A folder from `make_files`.
    heavy
        Whether nodes with splats are added: they have no place in recorded files.
    """

    seed: int
    files: Path
    heavy: bool = True
    done: set[str] = field(default_factory=set)
    deck: list[str] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def step(self, editor: Editor) -> bool:
        """Do something, and tell whether the document changed."""
        before = editor.document
        chance = self.random.random()
        if chance < 0.08:
            editor.undo()
        elif chance < 0.14:
            editor.redo()
        elif chance < 0.24:
            with editor.gesture("Drag"):
                self.drag(editor)
        else:
            self.any_op(editor)
        return editor.document is not before

    def drag(self, editor: Editor) -> None:
        """What drags repeat, on few things, so that newer values come after older ones."""
        document = editor.document
        paths = [self.path(document, "") for _ in range(2)]
        times = [self.random.choice([0.0, 0.5]) for _ in range(2)]
        stacked = [node for node in document.nodes if node.modifiers]
        for _ in range(self.random.randrange(1, 9)):
            chance, path = self.random.random(), self.random.choice(paths)
            if chance < 0.15:
                self.any_op(editor)
            elif chance < 0.4:
                self.op(editor, "key", path=path, time=self.random.choice(times))
            elif chance < 0.6 and stacked:
                node = self.random.choice(stacked)
                modifier = self.random.choice(node.modifiers).id
                self.op(editor, "change_modifier", node=node.id, modifier=modifier)
            elif chance < 0.7 and document.nodes:
                self.op(editor, "place", node=document.nodes[0].id)
            else:
                self.op(editor, "set", path=path)

    def any_op(self, editor: Editor) -> None:
        if not self.deck:  # each comes as often as any other
            self.deck = self.random.sample(op_names(), len(op_names()))
        self.op(editor, self.deck.pop())

    def op(self, editor: Editor, name: str, **given: Any) -> None:
        """One operation; what it refuses changes nothing."""
        before = editor.document
        arguments = dict(given)
        for parameter in list(inspect.signature(find_op(name).function).parameters.values())[1:]:
            needed = parameter.default is inspect.Parameter.empty
            if parameter.name in arguments or not (needed or self.random.random() < 0.6):
                continue
            arguments[parameter.name] = self.value(before, name, parameter.name, arguments)
        try:
            editor.run(name, **arguments)
        except PolyoramaError:
            assert editor.document is before
        else:
            self.done.add(name)

    def value(self, document: Document, op: str, name: str, known: dict[str, Any]) -> Any:
        special: dict[str, Callable[[], Any]] = {
            "bits": lambda: self.bits(document),
            "camera": lambda: CAMERA,
            "color": lambda: self.numbers(3, 0.0, 1.0),
            "distance": lambda: self.random.choice([None, 0.5]),
            "fps": lambda: self.random.choice([24.0, 60.0]),
            "duration": lambda: self.random.uniform(0.5, 9.0),
            "seconds": lambda: self.random.uniform(0.1, 3.0),
            "high": lambda: 0.9,
            "id": lambda: "",
            "index": lambda: self.random.randrange(5),
            "interpolation": lambda: self.random.choice(INTERPOLATIONS),
            "keys": lambda: self.keys(document),
            "kind": lambda: self.kind(op),
            "loop": lambda: self.random.choice(ENDS),
            "low": lambda: 0.1,
            "mask": lambda: self.mask(document, known.get("node", "")),
            "matrix": lambda: self.matrix(),
            "mode": lambda: self.random.choice(COMBINATIONS),
            "modifier": lambda: self.modifier(document, known.get("node", "")),
            "name": lambda: self.name(document, op),
            "node": lambda: self.node_value() if op == "add_node" else self.node(document, op),
            "nodes": lambda: [self.node(document) for _ in range(self.random.randrange(1, 4))],
            "parent": lambda: self.random.choice([None, self.node(document)]),
            "before": lambda: () if op == "key" else self.node(document),
            "after": lambda: (),
            "path": lambda: self.path(document, op),
            "paths": lambda: [str(self.random.choice(sorted(self.files.glob("*.s*")) or [""]))],
            "query": lambda: self.random.choice((*RULES, "")),
            "ranges": lambda: [("opacity", 0.1, 0.9)],
            "splat": lambda: self.random.randrange(30),
            "region": lambda: self.region(),
            "smoothness": lambda: self.random.random(),
            "surfels": lambda: 500,
            "text": lambda: "opacity",
            "threshold": lambda: None,
            "time": lambda: self.random.choice([0.0, 0.5, 1.0, self.random.uniform(0, 4)]),
            "tolerance": lambda: self.random.uniform(0.05, 0.6),
            "track": lambda: self.track(document, known.get("path", "")),
            "value": lambda: self.property(document, known.get("path", "")),
            "values": lambda: self.values(document, op, known),
        }  # fmt: skip
        if name in special:
            return special[name]()
        default = inspect.signature(find_op(op).function).parameters[name].default
        if isinstance(default, bool):
            return self.random.random() < 0.5
        if default is inspect.Parameter.empty:
            return self.random.choice(["word", 1, 0.5])
        return default

    def numbers(self, count: int, low: float, high: float) -> tuple[float, ...]:
        zero = -0.0 if low <= 0.0 else high
        choices = (low, zero, self.random.uniform(low, high))
        return tuple(self.random.choice(choices) for _ in range(count))

    def node(self, document: Document, op: str = "") -> str:
        if not document.nodes:
            return "nobody"
        if "modifier" in op and op != "add_modifier" and self.random.random() < 0.9:
            stacked = [node for node in document.nodes if node.modifiers]
            return self.random.choice(stacked or document.nodes).id
        if op == "relink":
            found = [node for node in document.nodes if node.source is not None]
            return self.random.choice(found or document.nodes).id
        splats = [node for node in document.nodes if node.splats is not None]
        pool = splats if splats and self.random.random() < 0.6 else document.nodes
        return self.random.choice(pool).id

    def node_value(self) -> Node:
        self.count += 1
        contents: list[Any] = [CameraRig(), LightRig(), CropVolume(shape="sphere"), None]
        if self.heavy:
            contents.append(cloud_of(self.random.randrange(1, 30), self.count))
        return Node("new", self.random.choice(contents), id=f"new-{self.seed}-{self.count}")

    def bits(self, document: Document) -> dict[str, BitSet]:
        found = {}
        for node in document.nodes:
            if node.splats is not None and self.random.random() < 0.7:
                draw = np.random.default_rng(self.random.randrange(10**6))
                found[node.id] = BitSet.of_mask(draw.random(len(node.splats)) < 0.5)
        return found

    def mask(self, document: Document, node: str) -> Any:
        count = next((len(n.splats) for n in document.nodes if n.id == node and n.splats), 3)
        return self.random.choice([None, RULES[0], BitSet.of_indices([0], max(count, 1))])

    def matrix(self) -> list[list[float]]:
        draw = np.random.default_rng(self.random.randrange(10**6))
        return np.vstack([draw.normal(size=(3, 4)), [0, 0, 0, 1]]).tolist()

    def kind(self, op: str) -> str:
        if op == "add_modifier":
            return self.random.choice([*MODIFIERS, "nonsense"])
        return self.random.choice(
            ["floaters", "outliers", "needles", "faint", "giant", "duplicates", "invalid"]
        )

    def modifier(self, document: Document, node: str) -> str:
        stack = next((n.modifiers for n in document.nodes if n.id == node), ())
        return self.random.choice(stack).id if stack else "none"

    def name(self, document: Document, op: str) -> str:
        if op == "forget_selection" and document.selections:
            return self.random.choice(document.selections).name
        if op == "remove_cue" and document.timeline.cues:
            return self.random.choice(document.timeline.cues).name
        return self.random.choice(["a", "b", "gold leaf", " "])

    def path(self, document: Document, op: str) -> str:
        if op == "relink":
            return str(self.random.choice(sorted(self.files.glob("*.splat"))))
        if op == "import_cameras":
            return str(self.files / "path.json")
        keyed = tuple(document.timeline.tracks)
        if keyed and self.random.random() < 0.4:
            return self.random.choice(keyed)
        return self.random.choice((*animated_paths(document), "nobody/x"))

    def keys(self, document: Document) -> list[tuple[str, float]]:
        tracks = document.timeline.tracks
        return [(path, self.random.choice(track.keys).time) for path, track in tracks.items()]

    def property(self, document: Document, path: str) -> Any:
        try:
            parameter = parameter_at(document, path)
        except PolyoramaError:
            return 1.0
        return self.of_parameter(parameter)

    def of_parameter(self, parameter: Parameter) -> Any:
        low, high = parameter.soft or (max(parameter.low, -2.0), min(parameter.high, 2.0))
        if parameter.kind == "flag":
            return self.random.random() < 0.5
        if parameter.kind == "choice":
            return self.random.choice(parameter.choices)
        if parameter.kind in ("vector", "color"):
            return self.numbers(len(parameter.components), low, high)
        if parameter.kind == "whole":
            return self.random.randrange(0, 9)
        if self.random.random() < 0.05:
            return "text"
        return self.random.choice([self.random.uniform(low, high), low])

    def track(self, document: Document, path: str) -> Track | None:
        try:
            count = len(as_values(parameter_at(document, path), get_property(document, path)))
        except (PolyoramaError, TypeError, ValueError):
            return None
        times = sorted({round(self.random.uniform(0, 4), 2) for _ in range(3)})
        keys = [Key(t, self.numbers(count, 0.0, 1.0)) for t in times]
        return self.random.choice([None, Track(tuple(keys), self.random.choice(ENDS))])

    def values(self, document: Document, op: str, known: dict[str, Any]) -> dict[str, Any]:
        if op == "add_modifier":
            cls = MODIFIERS.get(known.get("kind", ""))
        else:
            stack = next((n.modifiers for n in document.nodes if n.id == known["node"]), ())
            cls = next((type(m) for m in stack if m.id == known["modifier"]), None)
        if cls is None:
            return {}
        chosen = [p for p in parameters_of(cls) if self.random.random() < 0.4]
        return {p.name: self.of_parameter(p) for p in chosen}

    def region(self) -> Region:
        at = self.numbers(3, -1.0, 1.0)
        return self.random.choice(
            [
                Region.rect(CAMERA, 10, 10, 60, 50),
                Region(kind="polygon", camera=CAMERA, points=(10, 10, 80, 20, 40, 60)),
                Region(kind="brush", camera=CAMERA, points=(40, 30, 50, 35), radius=12.0),
                Region(kind="sphere", center=at, radius=0.8),
                Region(kind="box", center=at, size=(1.0, 2.0, 0.5)),
            ]
        )


def make_files(folder: Path) -> Path:
    """Files that operations read: captures, a project, a camera path."""
    folder.mkdir()
    for seed in (1, 2):
        write_splats(cloud_of(20, seed), folder / f"capture{seed}.splat")
    small = Document((Node("inside", cloud_of(10, 5), id="inside"),))
    write_project(small, folder / "other.sub.poly")
    ring = [Camera.look_at((3 * np.sin(a), -1, -3 * np.cos(a)), (0, 0, 0)) for a in (0.1, 1.2, 2.5)]
    write_cameras(folder / "path.json", ring)
    return folder


def start(seed: int) -> Document:
    """A small document with one of everything."""
    return rich(24, seed)
