"""Who the puppet is: sliders and choices."""

from __future__ import annotations

from dataclasses import dataclass

from polyorama.core.params import Checked, choice, color, number

__all__ = ["HAIR_STYLES", "HeadIdentity"]

HAIR_STYLES = ("mop", "bob", "bun", "none")
"""How the yarn on its head lies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadIdentity(Checked):
    """A puppet's looks. All identities share one topology, but for the hair.

    Raises
    ------
    UsageError
        If a slider is out of its bounds or a choice is none.
    """

    width: float = number(0.0, -1.0, 1.0, help="Narrow to broad face", animated=False)
    age: float = number(0.35, 0.0, 1.0, help="Child to old", animated=False)
    jaw: float = number(0.0, -1.0, 1.0, help="Fine to heavy jaw and chin", animated=False)
    nose_size: float = number(0.0, -1.0, 1.0, help="Small to big nose", animated=False)
    nose_length: float = number(0.0, -1.0, 1.0, help="Snub to long nose", animated=False)
    eye_size: float = number(0.0, -1.0, 1.0, help="Small to large eyes", animated=False)
    brow_weight: float = number(0.0, -1.0, 1.0, help="Thin to bushy brows", animated=False)
    lip_fullness: float = number(0.0, -1.0, 1.0, help="Thin to full lips", animated=False)
    mouth_width: float = number(0.0, -1.0, 1.0, help="Small to broad mouth", animated=False)
    ear_size: float = number(0.0, -1.0, 1.0, help="Small to large ears", animated=False)
    freckles: float = number(0.5, 0.0, 1.0, help="How many freckles", animated=False)
    hair: str = choice("mop", HAIR_STYLES, help="How the hair lies")
    skin_color: tuple[float, float, float] = color((0.94, 0.71, 0.56), help="Felt of the face")
    hair_color: tuple[float, float, float] = color((0.52, 0.22, 0.12), help="Yarn and brows")
    eye_color: tuple[float, float, float] = color((0.16, 0.50, 0.52), help="Iris")
    felt_color: tuple[float, float, float] = color((0.80, 0.55, 0.16), help="Jumper")
