"""Captures on disk for tests: one scene's pictures with cameras in every known form."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Camera
from polyorama.io.image import write_image
from polyorama.render.cpu import CpuRasterizer
from polyorama.render.state import Gaussians, RenderState
from polyorama.scene.rotations import quaternions
from polyorama.vision.fit.dataset import Dataset, View

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.scene.splats import SplatCloud


def sphere_cameras(
    count: int, size: int, *, center=(0.0, 0.0, 0.0), distance: float = 3.0, fov: float = 45.0
) -> list[Camera]:
    """Cameras spread evenly over a sphere but its poles, looking at its centre."""
    at = np.arange(count) + 0.5
    height = 0.85 * (1.0 - 2.0 * at / count)
    angle = at * np.pi * (3.0 - np.sqrt(5.0))
    ring = np.sqrt(1.0 - height**2)
    directions = np.stack([ring * np.cos(angle), height, ring * np.sin(angle)], axis=1)
    middle = np.asarray(center)
    return [
        Camera.look_at(middle + distance * d, middle, (0, -1, 0), fov=fov, size=(size, size))
        for d in directions
    ]


def photograph(cloud: SplatCloud, camera: Camera, background=(0.0, 0.0, 0.0)) -> np.ndarray:
    """(H, W, 3) uint8, or (H, W, 4) premultiplied where the background is None."""
    state = RenderState(Gaussians(cloud), camera, background)
    pixels = CpuRasterizer().render(state).rgba8
    return pixels if background is None else np.ascontiguousarray(pixels[..., :3])


def dataset_of(cloud: SplatCloud, cameras: list[Camera], hold_out: int = 0) -> Dataset:
    """Pictures of a cloud; every `hold_out`-th is held out, from the middle of each run on."""
    views = [View(f"{i:03}.png", c, photograph(cloud, c)) for i, c in enumerate(cameras)]
    kept = [hold_out > 0 and i % hold_out == hold_out // 2 for i in range(len(views))]
    return Dataset(
        tuple(v for v, k in zip(views, kept, strict=True) if not k),
        tuple(v for v, k in zip(views, kept, strict=True) if k),
    )


def write_pictures(folder: Path, cloud: SplatCloud, cameras: list[Camera]) -> list[str]:
    """Write ``images/000.png`` and so on; their names."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    names = [f"{i:03}.png" for i in range(len(cameras))]
    for name, camera in zip(names, cameras, strict=True):
        write_image(folder / "images" / name, photograph(cloud, camera))
    return names


def write_colmap_text(
    place: Path, names: list[str], cameras: list[Camera], points=None, colors=None, lens=None
) -> None:
    """A text model; `lens` replaces the line of the one camera after its number."""
    place.mkdir(parents=True, exist_ok=True)
    c = cameras[0]
    lens = lens or (
        f"PINHOLE {c.width} {c.height} {float(c.fx)!r} {float(c.fy)!r} {float(c.cx)!r} "
        f"{float(c.cy)!r}"
    )
    (place / "cameras.txt").write_text(f"# Cameras\n7 {lens}\n")
    lines = ["# Pictures"]
    for number, (name, camera) in enumerate(zip(names, cameras, strict=True), start=1):
        pose = [*quaternions(camera.viewmat[:3, :3]), *camera.viewmat[:3, 3]]
        words = " ".join(repr(float(v)) for v in pose)
        # The second line of a picture, its points, may be empty.
        lines += [f"{number} {words} 7 {name}", "" if number % 2 else "1.5 2.5 -1"]
    (place / "images.txt").write_text("\n".join(lines) + "\n")
    if points is not None:
        rows = [
            f"{i + 1} {p[0]} {p[1]} {p[2]} {int(c[0])} {int(c[1])} {int(c[2])} 0.5 1 0 2 1"
            for i, (p, c) in enumerate(zip(points, colors, strict=True))
        ]
        (place / "points3D.txt").write_text("# Points\n" + "\n".join(rows) + "\n")


def write_colmap_binary(
    place: Path, names: list[str], cameras: list[Camera], points=None, colors=None
) -> None:
    """A binary model with one PINHOLE camera."""
    place.mkdir(parents=True, exist_ok=True)
    c = cameras[0]
    (place / "cameras.bin").write_bytes(
        struct.pack("<QIiQQ4d", 1, 7, 1, c.width, c.height, c.fx, c.fy, c.cx, c.cy)
    )
    data = struct.pack("<Q", len(names))
    for number, (name, camera) in enumerate(zip(names, cameras, strict=True), start=1):
        pose = [*quaternions(camera.viewmat[:3, :3]), *camera.viewmat[:3, 3]]
        seen = number % 3
        data += struct.pack("<I7dI", number, *pose, 7) + name.encode() + b"\0"
        data += struct.pack("<Q", seen) + struct.pack("<ddq", 1.5, 2.5, -1) * seen
    (place / "images.bin").write_bytes(data)
    if points is not None:
        data = struct.pack("<Q", len(points))
        for i, (p, rgb) in enumerate(zip(points, colors, strict=True)):
            track = i % 3
            data += struct.pack("<Q3d3BdQ", i + 1, *p, *(int(v) for v in rgb), 0.5, track)
            data += struct.pack("<II", 1, 0) * track
        (place / "points3D.bin").write_bytes(data)


def transforms(names: list[str], cameras: list[Camera], **more) -> dict:
    """The content of a transforms.json."""
    c = cameras[0]
    frames = []
    for name, camera in zip(names, cameras, strict=True):
        to_world = np.linalg.inv(camera.viewmat) @ np.diag([1.0, -1.0, -1.0, 1.0])
        frames.append({"file_path": f"images/{name}", "transform_matrix": to_world.tolist()})
    lens = {"fl_x": c.fx, "fl_y": c.fy, "cx": c.cx, "cy": c.cy, "w": c.width, "h": c.height}
    return {"camera_model": "OPENCV", **lens, "frames": frames, **more}


def write_transforms(folder: Path, names: list[str], cameras: list[Camera], **more) -> None:
    """Write transforms.json."""
    (folder / "transforms.json").write_text(json.dumps(transforms(names, cameras, **more)))


def write_inria(folder: Path, names: list[str], cameras: list[Camera]) -> None:
    """Write the cameras.json of the INRIA trainer; it leaves the endings of pictures out."""
    entries = [
        {
            "id": i, "img_name": name.removesuffix(".png"), "width": c.width, "height": c.height,
            "position": c.position.tolist(), "rotation": c.viewmat[:3, :3].T.tolist(),
            "fx": c.fx, "fy": c.fy,
        }
        for i, (name, c) in enumerate(zip(names, cameras, strict=True))
    ]  # fmt: skip
    (folder / "cameras.json").write_text(json.dumps(entries))
