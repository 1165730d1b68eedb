"""The options of `polyorama render` that stand for lens, shutter, projection and grade."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING

from polyorama.cli.arguments import vector
from polyorama.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.shoot import Filming
    from polyorama.render.stereo import Stereo

__all__ = ["SPEAKING", "add_filming", "filming_of", "pair"]

SPEAKING = (
    "dof", "sensor", "shutter", "samples", "supersample", "seed", "equirect", "fisheye", "stereo",
    "interaxial", "convergence", "exposure", "bloom", "vignette", "tonemap",
)  # fmt: skip
"""Names of the options that decide pixels, in the order in which commands tell them."""

_RULE_OF_THUMB = 30.0
"""The eyes stand apart a thirtieth of the distance to what is looked at."""


def add_filming(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("lens and shutter (many sharp pictures, averaged as light)")
    add = group.add_argument
    add(
        "--dof", type=_lens, metavar="f/N@FOCUS",
        help="depth of field: f/2.8@target (default), f/2.8@3.5 (distance), f/2.8@x,y,z",
    )  # fmt: skip
    add(
        "--sensor", type=float, metavar="MM",
        help="its height, where a world unit is a metre: 24 is a full frame's, larger blurs more "
        "(default: 0.04 of the distance in focus, so that the scene's scale does not matter)",
    )  # fmt: skip
    add("--shutter", type=float, metavar="SHARE", help="motion blur: open this share of a frame")
    add("--samples", type=int, metavar="N", help="pictures averaged for them (default 32)")
    add("--supersample", type=int, metavar="1-4", help="draw finer in both directions, average")
    add("--seed", type=int, metavar="N", help="of lens and shutter samples (default 0)")

    group = parser.add_argument_group("projection")
    add = group.add_argument
    add("--equirect", action="store_true", default=None, help="360 degree panorama, horizon level")
    add("--fisheye", type=float, metavar="DEG", help="equidistant fisheye, 0.1 to 360 degrees")
    add("--stereo", metavar="LAYOUT", help="side-by-side or top-bottom, left eye first")
    add(
        "--interaxial", type=float, metavar="DIST",
        help="between the eyes, world units (default: 1/30 of the distance to the target)",
    )  # fmt: skip
    add(
        "--convergence", type=float, metavar="DIST",
        help="where both eyes' pictures agree (default: the target's distance); not with "
        "--equirect or --fisheye, where the eyes look parallel",
    )  # fmt: skip

    group = parser.add_argument_group("grade (on linear light, in this order)")
    add = group.add_argument
    add("--exposure", type=float, metavar="STOPS", help="brighter or darker by factors of two")
    add("--bloom", type=float, metavar="0-1", help="glow around what is bright")
    add("--vignette", type=float, metavar="0-1", help="darken towards the corners")
    add("--tonemap", metavar="NAME", help="linear (default), aces or agx")


def _lens(text: str) -> tuple[float, str]:
    """``f/2.8@focus``: the f-number and the words behind the @."""
    match = re.fullmatch(r"f/([^@]+)(?:@(.+))?", text.strip())
    try:
        number = float(match[1]) if match else math.nan
    except ValueError:
        number = math.nan
    if math.isnan(number) or match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no lens, as in f/2.8@target or f/4@1.5")
    return number, match[2] or "target"


def pair(text: str, what: str) -> tuple[float, float]:
    """Two numbers, ``a:b``."""
    words = text.split(":")
    try:
        first, second = (float(word) for word in words)
    except ValueError:
        first = math.nan
    if not math.isfinite(first) or not math.isfinite(second):
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return first, second


def filming_of(options: argparse.Namespace, camera: Camera, target: NDArray[np.float64]) -> Filming:
    """What the options say.

    Parameters
    ----------
    options
        Parsed.
    camera
        The first camera.
    target
        (3,) what it looks at, world units.

    Raises
    ------
    UsageError
        If a value is out of range or contradicts another.
    """
    from polyorama.render.accumulate import DepthOfField, Sampling
    from polyorama.render.panorama import Projection
    from polyorama.render.post import Grade
    from polyorama.render.shoot import Filming

    dof = None
    if options.dof is not None:
        number, words = options.dof
        height = None if options.sensor is None else options.sensor / 1000.0
        dof = DepthOfField(number, _focus(words, target), height)
    elif options.sensor is not None:
        raise UsageError("--sensor belongs to depth of field; add --dof f/2.8@target.")
    shutter = 0.0 if options.shutter is None else options.shutter
    if options.samples is not None and dof is None and not shutter:
        raise UsageError("--samples are those of --dof or --shutter; add one of them.")
    sampling = Sampling(
        1 if options.supersample is None else options.supersample,
        32 if options.samples is None else options.samples,
        dof, shutter, options.seed or 0,
    )  # fmt: skip
    projection = Projection()
    if options.equirect:
        projection = Projection("equirectangular")
    elif options.fisheye is not None:
        projection = Projection("fisheye", options.fisheye)
    grade = Grade(
        options.exposure or 0.0, options.bloom or 0.0, options.vignette or 0.0,
        options.tonemap or "linear",
    )  # fmt: skip
    return Filming(projection, _stereo(options, camera, target), sampling, grade)


def _focus(words: str, target: NDArray[np.float64]) -> float | tuple[float, float, float]:
    if words == "target":
        return (float(target[0]), float(target[1]), float(target[2]))
    try:
        return vector(words) if "," in words else float(words)
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise UsageError(
            f"{words!r} cannot be focused on; write @target, a distance or a point x,y,z."
        ) from error


def _stereo(
    options: argparse.Namespace, camera: Camera, target: NDArray[np.float64]
) -> Stereo | None:
    import numpy as np

    from polyorama.render.stereo import Stereo

    if options.stereo is None:
        for name in ("interaxial", "convergence"):
            if getattr(options, name) is not None:
                raise UsageError(f"--{name} belongs to stereo; add --stereo side-by-side.")
        return None
    offset = target - camera.position
    distance, depth = float(np.linalg.norm(offset)), float(offset @ camera.forward)
    interaxial, convergence = options.interaxial, options.convergence
    if interaxial is None:
        interaxial = max(distance, 1e-6) / _RULE_OF_THUMB
    if convergence is None and not options.equirect and options.fisheye is None and depth > 0.0:
        convergence = depth
    return Stereo(options.stereo, interaxial, convergence)
