"""What the room of flows shows: its rivals, formula, presets and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.lab.experiment import Preset, Rival
from polyorama.lab.formula import Formula, Term
from polyorama.lab.views import Axis, Curve, Field, Series, Splats

if TYPE_CHECKING:
    from polyorama.lab.views import View

__all__ = ["FORMULA", "PRESETS", "RIVALS", "views_of"]

RIVALS = (
    Rival("energy", "Energy", "K = -|x - y|: the energy distance, exact on every slice by sorting"),
    Rival("gauss", "Gauss", "K = exp(-|x - y|² / 2s²): blind to what is far beyond s"),
    Rival("laplace", "Laplace", "K = exp(-|x - y| / s)"),
    Rival("riesz", "Riesz", "K = -|x - y|^r with r = 1/2"),
)

FORMULA = Formula(
    r"\dot{x}_i = {-\nabla s(x_i)}, \quad s(z) = "
    r"\term{repel}{\frac{1}{N} \sum_j K(x_j, z)} - \term{attract}{\frac{1}{N} \sum_j K(y_j, z)}, "
    r"\quad K(x, y) \approx \term{slices}{\frac{1}{P} \sum_p} f(|\langle \xi_p, x - y \rangle|)",
    (
        Term("repel", "Particles keep apart"),
        Term("attract", "The target draws them"),
        Term("slices", "A few fresh lines a step stand for all pairs"),
    ),
    "Hertrich et al. 2024, MMD flow; 2025, slicing formula",
)

PRESETS = (
    Preset("Galaxy to butterfly", {}, help="Twenty thousand grains find their places and colours"),
    Preset("Teapot to chair", {"source": "teapot", "target": "chair"},
           help="Objects of the stage, in space: turn them while they flow"),
    Preset("Tree to boat", {"source": "potted tree", "target": "paper boat"},
           help="Six coordinates flow at once: place and colour"),
    Preset("Theatre to moon", {"source": "theatre", "target": "moon"},
           help="A picture falls to pieces and becomes another one"),
    Preset("Paint it", {"source": "galaxy", "target": "painted"},
           help="Paint the target while they flow towards it"),
    Preset("A single slice", {"slices": 1, "step": 0.04}, help="One line a step is enough, almost"),
    Preset("Too narrow a kernel", {"source": "moon", "target": "heart", "width": 0.08,
                                   "watch": "gauss"}, ("energy", "gauss"),
           "A narrow Gauss kernel does not feel what is far; widen it"),
    Preset("Four kernels", {"count": 8000}, tuple(rival.id for rival in RIVALS),
           "The same slices, four ways to be near"),
)  # fmt: skip


def views_of() -> tuple[View, ...]:
    """The pictures."""
    return (
        Splats(
            id="particles",
            title="Particles",
            help="Each is drawn to the target and pushed away by the others; colours flow, too.",
            span=2,
            means="places",
            colors="colors",
            radius=0.0065,
            eye=(0.0, 0.0, 3.6),
        ),
        Splats(
            id="goal",
            title="Target",
            help="Where they go; it may be changed at any moment.",
            means="goal_places",
            colors="goal_colors",
            radius=0.011,
            eye=(0.0, 0.0, 3.6),
        ),
        Curve(
            id="distance",
            title="How far from the target",
            help="The energy distance of both clouds, over the slices of the latest steps.",
            x=Axis("Step"),
            y=Axis("Energy distance", log=True),
            series=tuple(Series(f"distance/{r.id}", r.title, rival=r.id) for r in RIVALS),
        ),
        Curve(
            id="slice",
            title="One slice, sorted",
            help="What lies below each place; the gap is the pull, its square the distance.",
            x=Axis("Place on the line"),
            y=Axis("Share below", low=0.0, high=1.0),
            series=(
                Series("particles_below", "Particles", x="particles_sorted"),
                Series("goal_below", "Target", x="goal_sorted", style="dashed"),
            ),
            history=False,
        ),
        Field(
            id="painting",
            title="A target to paint",
            help="Choose the target painted, and they go where it is bright.",
            key="painting",
            x=Axis(low=-1.0, high=1.0),
            y=Axis(low=-1.0, high=1.0),
            value=Axis("Density", low=0.0, high=1.0),
            colormap="magma",
            canvas="painting",
        ),
    )
