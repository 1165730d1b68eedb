"""What the room of Gaussian VI shows: its views, presets and formula."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.lab.experiment import Preset, Rival
from polyorama.lab.formula import Formula, Term
from polyorama.lab.views import (
    Arrows,
    Axis,
    Curve,
    Dots,
    Ellipses,
    Field,
    Points,
    Segments,
    Series,
    Splats,
)

if TYPE_CHECKING:
    from polyorama.lab.inference.gaussian_vi_race import VIParams
    from polyorama.lab.views import Layer, View

__all__ = ["FORMULA", "PRESETS", "RIVALS", "WITH_FLOOR", "half_width", "views_of"]

RIVALS = (
    Rival("svrgvi", "SVRGVI", "Forward-backward steps with a control variate (Luu et al. 2025)"),
    Rival("sgvi", "SGVI", "The same steps without it, c = 0 (Diao et al. 2023)"),
    Rival("bwgd", "BWGD", "No backward step: both parts of KL at once (Lambert et al. 2022)"),
    Rival("advi", "ADVI", "Adam on the Cholesky factor, gradients that stick the landing"),
    Rival("adaptive", "SVRGVI, c adapted", "c follows Tr E hess V over the trace of the precision"),
)

FORMULA = Formula(
    r"m \leftarrow m - \term{forward}{\eta}\left(\nabla V(X) - "
    r"\term{control}{c\,\Sigma^{-1}(X - m)}\right)"
    r" \qquad \Sigma_{1/2} = \term{curve}{(I - \eta \nabla^2 V)\,\Sigma\,(I - \eta \nabla^2 V)}"
    r" \qquad \Sigma \leftarrow \frac{1}{2}\left(\Sigma_{1/2} + 2\eta I + "
    r"\term{backward}{\left[\Sigma_{1/2}(\Sigma_{1/2} + 4\eta I)\right]^{1/2}}\right)"
    r" \qquad \mathrm{KL}_\infty = \term{floor}{\frac{1}{2}(1-c)^2 \sum_i "
    r"\frac{\eta\lambda_i}{2-\eta\lambda_i}}",
    (
        Term("forward", "A noisy step down the potential"),
        Term("control", "Noise that is known is taken away"),
        Term("curve", "Curvature narrows the Gaussian"),
        Term("backward", "Entropy widens it again, exactly"),
        Term("floor", "Where noise holds KL if no eta lambda is above 1: bright once it is met"),
    ),
    "Authors' code; the floor is derived",
)

_TWO = ("svrgvi", "sgvi")
WITH_FLOOR = ("gaussian", "student-t", "logistic", "banana")
"""Targets whose floor is derived; of a mixture's modes none holds a Gaussian for good."""
PRESETS = (
    Preset("Jitter and glide", {}, _TWO, "Both see the same draws; one trembles, one glides"),
    Preset(
        "One step at a time",
        {"glide": 40, "iterations": 60, "start_x": -4.0, "start_y": 4.0},
        _TWO,
        "Forward down the potential, backward with the entropy, along Bures-Wasserstein geodesics",
    ),
    Preset(
        "Ten dimensions, the paper's axes",
        {"dimension": 10, "condition": 200.0, "iterations": 3000, "start_x": 0.0, "start_y": 0.0},
        ("svrgvi", "sgvi", "bwgd", "advi"),
        "The floor of theory, and who meets it; slow axes take thousands of steps",
    ),
    Preset(
        "No floor at c = 1",
        {"c": 1.0},
        ("svrgvi", "sgvi", "adaptive"),
        "At a Gaussian the best control takes all noise away; then drag c",
    ),
    Preset(
        "Three modes",
        {"target": "mixture", "eta": 0.3, "start_x": -0.5, "start_y": 5.0},
        ("svrgvi", "sgvi", "bwgd"),
        "Click to throw the Gaussians elsewhere: they choose a mode, control variate or not",
    ),
    Preset(
        "Banana",
        {"target": "banana", "eta": 0.06, "start_x": -4.0, "start_y": -3.0},
        ("svrgvi", "sgvi", "advi"),
        "Noise in the Hessian stays: the gain is modest",
    ),
    Preset(
        "Too long a step",
        {"target": "mixture", "eta": 1.0, "start_x": -6.0, "start_y": 6.0},
        ("svrgvi", "sgvi", "bwgd"),
        "BWGD breaks more often than not, SGVI sometimes; calmer gradients let SVRGVI hold",
    ),
    Preset(
        "Heavy tails",
        {"target": "student-t", "eta": 0.3, "start_x": -8.0, "start_y": 8.0},
        ("svrgvi", "sgvi", "advi"),
        "Far out the control variate even harms; near the middle it helps, not a hundredfold",
    ),
    Preset(
        "Logistic regression",
        {"target": "logistic", "start_x": 5.0, "start_y": 5.0},
        ("svrgvi", "sgvi", "bwgd", "advi"),
        "A posterior that is nearly Gaussian: the gain is about tenfold, not a hundredfold",
    ),
    Preset(
        "In space",
        {"dimension": 3, "start_x": -6.0, "start_y": 6.0},
        _TWO,
        "Every Gaussian is drawn as what it is by the renderer",
    ),
)


def half_width(params: VIParams) -> float:
    """Half of the side of the picture, about the origin, in the target's units."""
    if params.target == "gaussian":
        return max(7.0, 2.0 + 2.0 * math.sqrt(params.condition))
    if params.target == "student-t":
        return max(7.0, 2.0 + 2.4 * math.sqrt(params.condition))
    return 8.0 if params.target == "logistic" else 7.0


def views_of(params: VIParams) -> tuple[View, ...]:
    """The pictures for a target and dimension."""
    space = _landscape() if params.dimension == 2 else _space(params)
    return (_plane(params), space, _fan(), _divergence(params), _controls(params))


def _axes(params: VIParams, names: str, share: float = 1.0) -> tuple[Axis, ...]:
    half = share * half_width(params)
    return tuple(Axis(f"{name} coordinate", low=-half, high=half) for name in names.split())


def _plane(params: VIParams) -> Field:
    x, y = _axes(params, "First Second")
    layers: list[Layer] = []
    for r in reversed(RIVALS):
        layers += [
            Dots(f"mean/{r.id}", rival=r.id, size=4.0, trail=True),
            Ellipses(f"mean/{r.id}", f"cov/{r.id}", r.title, rival=r.id, deviations=(1.0, 2.0)),
        ]
    layers[4:4] = [
        Ellipses("best", "best_cov", "Best Gaussian", style="dashed", deviations=(2.0,)),
        Ellipses("half", "half_cov", "After the forward step", style="dotted", deviations=(2.0,)),
    ]
    layers.append(Dots("draws", "Draws of this step", size=5.0))
    marginal = params.dimension > 2
    return Field(
        id="plane",
        title="Gaussians on the first two axes of the target" if marginal else
        "Gaussians on their target",
        help="Ellipses at one and two standard deviations; click to put all somewhere else.",
        key="density",
        x=x,
        y=y,
        value=Axis("Density of the target", low=0.0),
        layers=tuple(layers),
        pick=("start_x", "start_y"),
    )  # fmt: skip


def _divergence(params: VIParams) -> Curve:
    gaussian = params.target == "gaussian"
    floor = "floor" if gaussian else "floor, to first order"
    lines = [Series(f"gap/{name}", style="dots", rival=name) for name in _TWO]
    lines += [Series(f"late/{r.id}", r.title, rival=r.id) for r in RIVALS]
    if params.target in WITH_FLOOR:
        lines += [
            Series(f"floor/{r.id}", f"{r.title}, {floor}", style="dotted", rival=r.id)
            for r in RIVALS
            if r.id in _TWO
        ]
    return Curve(
        id="divergence",
        title="Divergence" if gaussian else "Divergence above the best Gaussian's",
        help="Dots are single iterations, lines the mean of the later half, dotted ones floors.",
        span=2,
        x=Axis("Iterations"),
        y=Axis("KL", "nats", log=True),
        series=tuple(lines),
        over="iteration",
    )


def _fan() -> Points:
    return Points(
        id="fan",
        title="Fifty gradients at one Gaussian",
        help="The fan with the control variate folds up as the Gaussian nears the target.",
        x=Axis("Gradient, first axis", low=-3.0, high=3.0),
        y=Axis("Gradient, second axis", low=-3.0, high=3.0),
        layers=(
            Arrows("fan_from", "fan_plain", "Plain", rival="sgvi"),
            Arrows("fan_from", "fan_control", "With the control variate", rival="svrgvi"),
        ),
    )


def _landscape() -> Splats:
    return Splats(
        id="space",
        title="Each Gaussian is one splat",
        help="Fainter ones are its last iterates: what trembles is a smear, what glides is sharp.",
        means="splat_means",
        colors="splat_colors",
        scales="splat_scales",
        quats="splat_quats",
        opacities="splat_opacities",
        eye=(0.0, -2.55, 1.75),
        target=(0.0, 0.0, 0.2),
        up=(0.0, 0.0, 1.0),
    )


def _space(params: VIParams) -> Points:
    x, y, z = _axes(params, "First Second Third", 0.85)
    layers: list[Layer] = [Dots("particles", "Target", value="particle_color", size=1.8)]
    for r in RIVALS:
        layers += [
            Dots(f"mean3/{r.id}", rival=r.id, size=4.0, trail=True),
            Ellipses(f"mean3/{r.id}", f"cov3/{r.id}", r.title, rival=r.id),
            Segments(f"rings3/{r.id}", rival=r.id),
        ]
    return Points(
        id="space",
        title="Target and Gaussians in space",
        help="Dots are the target; clouds are the Gaussians, rings lie at two deviations.",
        x=x,
        y=y,
        z=z,
        layers=tuple(layers),
    )


def _controls(params: VIParams) -> Curve:
    derived = params.target in WITH_FLOOR
    lines = [Series("swarm", "Measured", x="swarm_c", style="dots", rival="svrgvi")]
    if derived:
        lines.append(Series("theory", "Derived", x="theory_c", style="dotted", rival="svrgvi"))
    lines += [
        Series("mark_now", "Chosen c", x="mark_now_c"),
        Series("mark_best", "c* here", x="mark_best_c", style="dotted"),
    ]
    title = "KL over c, of a swarm"
    if derived:
        exact = params.target == "gaussian"
        title = "Floors over c, met by a swarm" if exact else "First-order floors and a swarm"
    return Curve(
        id="controls",
        title=title,
        help="Each dot is the mean of several runs begun at the best Gaussian"
        + ("; the line is derived, not fitted." if derived else "; some leave their mode."),
        x=Axis("c", low=0.0, high=2.0),
        y=Axis("Mean KL", "nats", log=True),
        series=tuple(lines),
        history=False,
    )
