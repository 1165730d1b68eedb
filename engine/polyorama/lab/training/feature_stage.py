"""What the rooms of the feature learning strength show: views, presets and formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.lab.experiment import Preset, Rival
from polyorama.lab.formula import Formula, Term
from polyorama.lab.views import (
    Axis,
    Bars,
    Boxes,
    Curve,
    Dots,
    Field,
    Image,
    Points,
    Segments,
    Series,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.lab.views import Layer, View

__all__ = ["FORMULA", "PALE", "PRESETS", "RIVALS", "SHOWN_STRENGTHS", "WATCHED", "views_of"]

PALE, WATCHED = (0.95, 0.95, 0.97), (0.95, 0.3, 0.35)
"""Display RGB over the plane's colours: of edges, and of the box about the watched network."""

FORMULA = Formula(
    r"f(x) = \term{scale}{\frac{1}{\gamma}} \left[ \term{net}{NN(x;\theta)}"
    r" - \term{centre}{NN(x;\theta_0)} \right], \quad"
    r" \theta \leftarrow \theta - \term{rate}{N \eta}\,\nabla_\theta\,\term{loss}{\ell(f, y)},"
    r" \quad \term{lazy}{\eta^* \propto \gamma^2}\;(\gamma \ll 1),"
    r" \quad \term{rich}{\eta^* \propto \gamma^{2/L}}\;(\gamma \gg 1)",
    (
        Term("scale", "The feature learning strength: the weaker the output, the more must move"),
        Term("net", "Features of the watched network that have changed"),
        Term("centre", "The frozen copy; what has not changed is taken away"),
        Term("rate", "The learning rate, lit by how near the edge of stability it is"),
        Term("loss", "What is left to learn"),
        Term("lazy", "The best rate where features stay as they were"),
        Term("rich", "The best rate where features are learnt"),
    ),
    "Atanasov, Meterez, Simon & Pehlevan 2025",
)

RIVALS = (
    Rival("mlp-2", "L = 2", "Fully connected, two weight matrices"),
    Rival("mlp-3", "L = 3", "Fully connected, three weight matrices"),
    Rival("mlp-4", "L = 4", "Fully connected, four weight matrices"),
    Rival("conv", "Convolutions", "Two convolutions, a hidden layer and a readout: L = 4"),
)

_DEEP = ("mlp-3",)
PRESETS = (
    Preset(
        "The whole plane",
        {},
        _DEEP,
        "A wedge of learning networks opens: its upper edge rises as γ², then as γ^(2/3)",
    ),
    Preset(
        "Three depths",
        {"show": "depths", "steps": 600, "width": 24, "batch": 24},
        ("mlp-2", "mlp-3", "mlp-4"),
        "Left of 1 all edges rise alike; right of it the deeper ones are flatter, as γ^(2/L)",
    ),
    Preset(
        "Catapult",
        {"show": "network", "log_gamma": -1.0, "log_eta": -1.0},
        _DEEP,
        "Lazy and too fast: the loss is thrown up, and lands where the valley is flatter",
    ),
    Preset(
        "Plateau and fall",
        {"show": "network", "log_gamma": 2.5, "log_eta": 1.0},
        _DEEP,
        "Rich: nothing for a while, then a step; neurons turn towards the teacher",
    ),
    Preset(
        "How far weights move",
        {"color": "movement"},
        _DEEP,
        "Along the edge the weights move the farther the greater γ is",
    ),
    Preset(
        "Two layers",
        {},
        ("mlp-2",),
        "With two layers the rich edge rises as γ: one decade a decade",
    ),
    Preset(
        "Digits",
        {"task": "digits", "show": "network", "steps": 600, "log_gamma": 1.0, "log_eta": 2.0},
        ("mlp-2",),
        "Where γ is large neurons become others than they were; click a lazy cell to compare",
    ),
    Preset(
        "Convolutions",
        {
            "task": "digits",
            "width": 16,
            "batch": 24,
            "steps": 800,
            "log_gamma": 2.0,
            "log_eta": 2.0,
        },
        ("conv",),
        "A small convolutional network has four weight matrices and behaves as L = 4",
    ),
    Preset(
        "Cross-entropy",
        {"task": "digits, cross-entropy", "log_gamma": -2.0, "log_eta": -2.0},
        ("mlp-2",),
        "The softmax saturates: lazy networks survive up to η ∝ γ, far above the γ² of squares",
    ),
)

SHOWN_STRENGTHS = (1, 2, 3, 0, -2)
"""log10 of the gammas whose losses are drawn."""

_SUPERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _power(exponent: int) -> str:
    return "10" + str(exponent).translate(_SUPERS)


def _field(
    ends: tuple[float, float, float, float],
    movement: bool = False,
    span: int = 1,
    lazy: str = "γ²",
    rival: Rival | None = None,
) -> Field:
    """The plane, whose lazy edge goes as `lazy`; of a rival, where there are several."""
    left, right, bottom, top = ends
    value = (
        Axis("log10 of the relative movement of weights", low=-4.0, high=1.0)
        if movement
        else Axis("Loss fallen by", "decades", low=0.0, high=1.5)
    )
    own = "" if rival is None else f"/{rival.id}"
    layers: list[Layer] = [
        Segments(f"lazy_line{own}", f"{lazy}, theory", value=f"line_color{own}", style="dashed"),
        Segments(f"rich_line{own}", "γ to 2 / L, theory", value=f"line_color{own}", style="dotted"),
        Dots(f"largest{own}", "Largest η", value=f"largest_color{own}", size=7.0),
        Dots(f"best{own}", "Best η", size=4.5),
    ]
    if rival is None:
        layers.append(Boxes("watched", "Watched", value="watched_color"))
    return Field(
        id="plane" if rival is None else f"plane-{rival.id}",
        title="Every cell a network" if rival is None else rival.title,
        help="A hole: diverged. Dark below: too slow to learn. Click a cell to watch it.",
        span=span,
        key=f"plane{own}",
        x=Axis("log10 γ, the feature learning strength", low=left, high=right),
        y=Axis("log10 η, the learning rate", low=bottom, high=top),
        value=value,
        colormap="cividis",
        layers=tuple(layers),
        pick=() if rival else ("log_gamma", "log_eta"),
    )


def views_of(
    ends: tuple[float, float, float, float],
    show: str,
    active: tuple[str, ...],
    task: str,
    movement: bool,
) -> tuple[View, ...]:
    """The pictures that are asked for.

    Parameters
    ----------
    ends
        log10 of the least and greatest gamma, and eta, of the plane's rectangle.
    show
        "plane", "network" or "depths".
    active
        Ids of the shapes that take part, the watched one first.
    task
        What they learn.
    movement
        Whether colours are how far weights moved, not how far the loss fell.
    """
    shapes = [rival for rival in RIVALS if rival.id in active]
    lazy = "γ" if task == "digits, cross-entropy" else "γ²"
    if show == "depths":
        planes = (_field(ends, movement, lazy=lazy, rival=rival) for rival in shapes)
        return (*planes, _edges(shapes, lazy), _exponents(shapes, lazy))
    if show == "plane":
        plane = _field(ends, movement, span=2, lazy=lazy)
        return (plane, _exponents(shapes, lazy), _losses(), _collapse(), _features())
    pictures = task != "teacher" or active[0] == "conv"
    last = _filters(active[0]) if pictures else _neurons()
    return (
        _field(ends, movement, lazy=lazy), _loss(), _sharpness(), last, _alignment(), _singular(),
    )  # fmt: skip


def _exponents(shapes: Sequence[Rival], lazy: str) -> Bars:
    where_lazy = "2 for the best rate" if lazy == "γ²" else "1 for the largest rate"
    series = [Series(f"lazy_ratio/{r.id}", f"{r.title}, lazy", rival=r.id) for r in shapes]
    series += [Series(f"rich_ratio/{r.id}", f"{r.title}, rich", rival=r.id) for r in shapes]
    return Bars(
        id="exponents",
        title="Exponents, fitted over derived",
        help=f"At the line theory comes true: {where_lazy} where lazy, 2 / L for the largest rate "
        "where rich.",
        value=Axis("Fitted exponent / derived exponent", low=0.0, high=1.5),
        series=tuple(series),
        limit="one",
        limit_title="theory",
    )


def _edges(shapes: Sequence[Rival], lazy: str) -> Curve:
    return Curve(
        id="edges",
        title="The largest rate that converges",
        help=f"On the left all rise as {lazy}; on the right each as γ to 2 / L.",
        x=Axis("γ", log=True),
        y=Axis("η", log=True),
        history=False,
        over="strength",
        series=(
            *(Series(f"edge/{r.id}", r.title, rival=r.id) for r in shapes),
            *(
                Series(f"edge_theory/{r.id}", x="rich_strength", style="dotted", rival=r.id)
                for r in shapes
            ),
        ),
    )


def _losses() -> Curve:
    return Curve(
        id="losses",
        title="Loss just below the edge",
        help="Small γ falls at once; large γ waits on a plateau that grows with γ, then drops.",
        x=Axis("Steps", log=True),
        y=Axis("Loss, share of the start's", log=True, low=0.01, high=2.0),
        history=False,
        series=tuple(
            Series(f"loss/{power}", f"γ = {_power(power)}", x=f"steps/{power}")
            for power in SHOWN_STRENGTHS
        ),
    )


def _collapse() -> Curve:
    return Curve(
        id="collapse",
        title="The same in time η · steps / γ",
        help="Seen in this time all rich networks fall together.",
        x=Axis("η · steps / γ", log=True, low=1e-2),
        y=Axis("Loss, share of the start's", log=True, low=0.01, high=2.0),
        history=False,
        series=tuple(
            Series(f"loss/{power}", f"γ = {_power(power)}", x=f"time/{power}")
            for power in SHOWN_STRENGTHS
            if power > 0
        ),
    )


def _features() -> Curve:
    return Curve(
        id="features",
        title="How much of the network has changed",
        help="Just below the edge: in proportion to γ where it is lazy.",
        x=Axis("γ", log=True),
        y=Axis("Relative change", log=True),
        history=False,
        over="strength",
        series=(
            Series("movement", "Weights"),
            Series("kernel_change", "Tangent kernel"),
        ),
    )


def _loss() -> Curve:
    return Curve(
        id="loss",
        title="Loss of the watched network",
        help="A catapult throws it above 1; a plateau keeps it at 1.",
        x=Axis("Steps"),
        y=Axis("Loss, share of the start's", log=True),
        history=False,
        series=(
            Series("watched_loss", "Watched", x="watched_steps"),
            Series("watched_start", "At the start", x="watched_ends", style="dotted"),
        ),
    )


def _sharpness() -> Curve:
    return Curve(
        id="sharpness",
        title="Sharpness against 2 / η",
        help="Above the line a step overshoots: then the network must flatten or diverge.",
        x=Axis("Steps"),
        y=Axis("N · top eigenvalue of the Hessian", log=True),
        history=False,
        series=(
            Series("sharpness", "Sharpness", x="portrait_steps"),
            Series("edge", "2 / η", x="watched_ends", style="dashed"),
        ),
    )


def _alignment() -> Curve:
    return Curve(
        id="alignment",
        title="Silent alignment",
        help="In the rich regime the kernel turns to the target while the loss still stands.",
        x=Axis("Steps"),
        y=Axis("Share", low=0.0, high=1.05),
        history=False,
        series=(
            Series("alignment", "Kernel along the target", x="portrait_steps"),
            Series("portrait_loss", "Loss", x="portrait_steps"),
        ),
    )


def _singular() -> Curve:
    return Curve(
        id="singular",
        title="Singular values of the hidden weights",
        help="Lazy: they stay. Rich: few directions grow, one step at a time.",
        x=Axis("Steps"),
        y=Axis("Singular value / √fan in"),
        history=False,
        series=tuple(
            Series(f"singular/{place}", name, x="portrait_steps")
            for place, name in enumerate(("Largest", "Second", "Third", "Fourth"))
        ),
    )


def _neurons() -> Points:
    return Points(
        id="neurons",
        title="First-layer neurons",
        help="Each neuron's weights along the teacher's two directions.",
        x=Axis("Along u, the line"),
        y=Axis("Along v, the square"),
        layers=(
            Segments("neuron_paths", "", value="path_color"),
            Dots("neurons_first", "At the start", size=3.0, value="first_color"),
            Dots("neurons", "Now", size=6.0),
        ),
    )


def _filters(network: str) -> Image:
    what = "What filters have learnt" if network == "conv" else "What first neurons have learnt"
    return Image(
        id="filters",
        title=what,
        help="Weights less those of the start, which spread by 1: blank where features stay.",
        key="filters",
        value=Axis("Change of the weight", low=-6.0, high=6.0),
        colormap="diverging",
    )
