"""Writes the example projects that the start page offers, from pieces of the sample stage.

Run from the root of a checkout: ``python packaging/make_examples.py [FOLDER]``.
"""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

import polyorama as po
from polyorama.io.project import write_project
from polyorama.render.resolve import draw
from polyorama.scene.contents import CameraRig, CropVolume
from polyorama.scene.document import Node
from polyorama.scene.framing import frame_document
from polyorama.scene.properties_of import at_time
from polyorama.scene.rigs import view_camera
from polyorama.verbs.demo import DATA_FORMAT, sample_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.edit.editor import Editor
    from polyorama.scene.document import Document

FOLDER = Path("assets/polyorama_assets/examples")
THUMBNAIL = (480, 300)
SIZE = (1280, 800)
AZIMUTH, ELEVATION = 12.0, 10.0
GOLD = "hue in 25..60 and saturation > 0.35 and value > 0.25"
BACKDROP = (0.055, 0.058, 0.07)


def pieces(*names: str) -> Editor:
    """An editor of nothing but these things of the sample stage."""
    stage = po.edit(sample_path()).document
    nodes = [stage.node(name) for name in names]
    return po.edit(
        po.Document(
            tuple(Node(n.name, n.splats, world(stage, n), id=n.id) for n in nodes),
            background=BACKDROP, up=stage.up,
        )
    )  # fmt: skip


def world(document: Document, node: Node) -> np.ndarray:
    """Node to world, (4, 4)."""
    matrix = node.transform
    while node.parent is not None:
        node = document.node(node.parent)
        matrix = node.transform @ matrix
    return matrix


def center(doc: Editor, name: str) -> np.ndarray:
    """The middle of a thing, (3,)."""
    node = doc.document.node(name)
    assert node.splats is not None
    middle = np.median(node.splats.means, axis=0)
    return node.transform[:3, :3] @ middle + node.transform[:3, 3]


def near(point: Sequence[float], x: float, y: float, z: float) -> tuple[float, ...]:
    """A point so far from another one."""
    return tuple(map(float, np.add(point, (x, y, z))))


def tea() -> Editor:
    """An edit stack: things graded, filled and blown about, the floor cropped with a soft edge."""
    doc = pieces("table", "teapot", "cup", "second cup", "potted tree", "floor")
    table = center(doc, "table")
    tree = doc.document.node("potted tree")
    nearer = np.eye(4)
    nearer[:3, 3] = (table - center(doc, "potted tree")) * (1.0, 0.0, 1.0) + (-1.15, 0.0, 0.25)
    doc.place("potted tree", nearer @ tree.transform)
    doc.add_modifier("teapot", "grade", id="glaze", values={"hue": 170.0, "saturation": 1.4})
    doc.add_modifier("table", "grade", id="evening", values={"exposure": -0.3, "temperature": 0.25})
    doc.add_modifier("cup", "fill", id="blue", values={"color": (0.25, 0.5, 0.9)})
    doc.add_modifier("second cup", "fill", id="red", values={"color": (0.9, 0.35, 0.25)})
    doc.add_modifier(
        "floor", "crop", id="carpet",
        values={
            "shape": "ellipsoid", "center": near(table, -0.45, 0.5, 0.0),
            "size": (4.2, 2.0, 2.6), "soft": 0.35,
        },
    )  # fmt: skip
    foot = near(center(doc, "potted tree"), 0.0, 0.5, 0.0)
    doc.add_modifier(
        "potted tree", "wind", id="breeze",
        values={"amplitude": 0.05, "root": foot, "reach": 0.9},
    )  # fmt: skip
    doc.add_modifier(
        "potted tree", "grade", id="autumn", mask="hue in 70..200",
        values={"hue": -110.0, "saturation": 1.5, "exposure": 0.4},
    )  # fmt: skip
    doc.choose("potted tree")
    return doc


def boat() -> Editor:
    """A timeline: the paper boat sails before the town, the camera follows, the moon brightens."""
    doc = pieces("paper boat", "sea", "town", "hills", "sky", "moon", "stars")
    doc.set_timeline(duration=6.0, fps=30.0, loop="ping-pong")
    start = doc.document.node("paper boat").transform[:3, 3]
    for time, x, y, roll in (
        (0.0, 0.1, 0.0, -4.0), (1.5, 0.5, -0.05, 5.0), (3.0, 0.9, 0.0, -5.0),
        (4.5, 1.3, -0.05, 4.0), (6.0, 1.7, 0.0, -3.0),
    ):  # fmt: skip
        doc.key("paper boat/translation", time, near(start, x, y, 0.0))
        doc.key("paper boat/rotation", time, (0.0, 0.0, roll))
    target = near(center(doc, "paper boat"), 0.25, -0.45, 0.6)
    eye = near(target, 0.0, -0.3, -3.4)
    rig = CameraRig(eye=eye, target=target, fov=40.0)
    doc.add_node(Node("camera", rig, id="camera"))
    for time, x in ((0.0, -0.7), (6.0, 0.7)):
        doc.key("camera/eye", time, near(eye, x, 0.0, 0.0))
    doc.add_modifier("moon", "grade", id="glow", values={"exposure": 0.0})
    doc.key("moon/glow/exposure", 0.0, -0.8)
    doc.key("moon/glow/exposure", 6.0, 1.0)
    doc.add_cue(0.0, "Cast off")
    doc.add_cue(4.5, "Land in sight", note="Let the boat slow down here")
    doc.see_through("camera")
    doc.choose("paper boat")
    return doc


def curtain() -> Editor:
    """Crop and selections: a volume cuts a window, and named queries wait to be used."""
    doc = pieces("left curtain", "right curtain", "valance", "left tie-back", "right tie-back")
    size = (0.42, 0.42, 1.5)
    for side in ("left", "right"):
        middle = near(center(doc, f"{side} curtain"), 0.0, -0.45, 0.0)
        move = np.diag((*size, 1.0))
        move[:3, 3] = middle
        volume = Node(f"{side} window", CropVolume(shape="ellipsoid"), move, id=f"{side}-window")
        doc.add_node(volume, chosen=False)
        doc.add_modifier(
            f"{side} curtain", "crop", id="hole",
            values={
                "shape": "ellipsoid", "center": middle, "size": size,
                "soft": 0.03, "inverted": True,
            },
        )  # fmt: skip
    doc.keep_selection("gold", GOLD)
    doc.keep_selection("velvet", "(hue > 330 or hue < 20) and saturation > 0.4")
    doc.keep_selection("large splats", "max(scale) > 0.05")
    doc.select(GOLD, nodes=["valance", "left tie-back", "right tie-back"])
    doc.choose("left curtain")
    return doc


def thumbnail(document: Document) -> bytes:
    """PNG bytes of the view that the project opens in."""
    width, height = THUMBNAIL
    size = (2 * width, 2 * height)
    shown = at_time(document, 0.0)
    camera = view_camera(shown, size)
    assert camera is not None
    frame = draw(shown, camera, backend="cpu")
    assert frame.rgba8 is not None
    picture = Image.fromarray(np.ascontiguousarray(frame.rgba8[..., :3]))
    stream = io.BytesIO()
    picture.resize((width, height), Image.Resampling.BOX).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def main(folder: Path) -> None:
    """Build and write them all."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (title, make) in enumerate(
        {"edit-stack": tea, "moving-boat": boat, "crop-and-selections": curtain}.items(), 1
    ):
        document = make().document
        camera = frame_document(document, size=SIZE, azimuth=AZIMUTH, elevation=ELEVATION)
        document = replace(document, camera=camera)
        path = folder / f"{number}-{title}.poly"
        write_project(document, path, data_format=DATA_FORMAT, thumbnail=thumbnail(document))
        sys.stdout.write(f"{path}: {path.stat().st_size / 1e3:.0f} kB\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
