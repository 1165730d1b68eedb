"""What the room of Log-Li shows: its views and presets."""

from __future__ import annotations

import math
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
    Tree,
)

if TYPE_CHECKING:
    from polyorama.lab.bandits.surfaces import Surface
    from polyorama.lab.views import Layer, View

__all__ = ["FORMULA", "PRESETS", "RIVALS", "views_of"]

RIVALS = (
    Rival("log-li", "Log-Li", "Rounds that walk the tree of cubes; O(log T) bits (reconstruction)"),
    Rival("log-li-commit", "Log-Li, commits", "The same for a few rounds, then the reference arm"),
    Rival("a-blin", "A-BLiN", "Batched elimination, edges halved (Feng, Huang & Wang 2022)"),
    Rival("zooming", "Zooming", "Arms where they are needed (Kleinberg, Slivkins & Upfal 2008)"),
    Rival("hoo", "T-HOO", "A tree of optimistic boxes, truncated (Bubeck et al. 2011)"),
    Rival("uniform-ucb1", "Grid, UCB1", "A uniform grid of arms (Auer et al. 2002), known T"),
    Rival("thompson", "Grid, Thompson", "The same grid with Gaussian posteriors"),
)

FORMULA = Formula(
    r"\term{mean}{m} + \term{width}{\sqrt{\frac{\kappa \sigma^2 \ln T}{n}}}"
    r" + \term{rise}{\frac{L r \sqrt{d}}{2}} < \term{line}{\max(\ell_{ref}, \ell_{best})},"
    r" \quad \term{pulls}{n = \lceil c \ln T / r^2 \rceil}",
    (
        Term("mean", "Mean of the cube's rewards"),
        Term("width", "What chance may hide"),
        Term("rise", "What the cube may hide"),
        Term("line", "What is certain elsewhere: then the cube is pruned"),
        Term("pulls", "Fresh pulls of its centre"),
    ),
    "Reconstruction after Zhu & Huang 2025",
)

_FEW = ("log-li", "a-blin", "zooming")
PRESETS = (
    Preset(
        "Tent",
        {},
        help="The line rises, cubes go, and every round forgets all but one arm",
    ),
    Preset(
        "One pull a step",
        {"rewards": "pull", "stride": 1, "horizon": 4000},
        ("log-li",),
        "Every reward, and every bit that is kept",
    ),
    Preset(
        "Test bed on the square",
        {"surface": "test-bed", "stride": 50},
        ("log-li", "log-li-commit", "a-blin", "zooming"),
        "One cursor and one arm on the left, hundreds of cubes on the right",
    ),
    Preset(
        "Two hills",
        {"surface": "two-hills", "stride": 50},
        _FEW,
        "The lower hill survives until the cubes are small enough to tell",
    ),
    Preset(
        "Plateau",
        {"surface": "plateau", "stride": 50},
        _FEW,
        "Nothing on the top can be ruled out: the zooming dimension is 2",
    ),
    Preset(
        "Paint it",
        {"surface": "painted", "stride": 50},
        _FEW,
        "Paint the reward while they search; its Lipschitz constant is computed",
    ),
    Preset(
        "Too trusting",
        {"surface": "needle", "trust": 0.1, "sigma": 0.05, "pulls": 0.1},
        ("log-li", "a-blin", "uniform-ucb1"),
        "Told a tenth of the true slope, elimination throws the needle away; then trust 1",
    ),
    Preset(
        "All seven",
        {"surface": "test-bed", "stride": 50, "watch": "hoo"},
        tuple(rival.id for rival in RIVALS),
        "Regret against memory: who buys what with how many bits",
    ),
)

_PLACE = Axis("Place", low=0.0, high=1.0)
_KEEPERS = ("a-blin", "hoo")
_HOLDERS = ("zooming", "uniform-ucb1", "thompson")


def _title(rival: str) -> str:
    return next(r.title for r in RIVALS if r.id == rival)


def _by_rival(key: str) -> tuple[Series, ...]:
    return tuple(Series(f"{key}/{r.id}", r.title, rival=r.id) for r in RIVALS)


def views_of(surface: Surface, one_by_one: bool, painted: bool) -> tuple[View, ...]:
    """The pictures for a surface; with every reward drawn, the registers in place of others.

    On the square the walk is its own tree, and stands beside what another one remembers.
    """
    if surface.dimension > 1:
        beside = _registers() if one_by_one else _remembered(surface)
        return (_square(surface, painted), beside, _confidence(), _regret(surface, 2), _memory(2))
    walk, regret = _interval(surface), _regret(surface)
    if one_by_one:
        return (walk, _confidence(2), _registers(2), _tree(), regret)
    return (walk, _confidence(), _remembered(surface), _tree(), regret, _memory())


def _reward_axis(surface: Surface) -> Axis:
    return Axis("Mean reward", low=0.0, high=max(surface.best, 1e-9))


def _square(surface: Surface, painted: bool) -> Field:
    layers: tuple[Layer, ...] = (
        Boxes("ancestors"),
        Boxes("pruned", "Pruned", value="pruned_color"),
        Boxes("cursor", "Cube at work", filled=True),
        Boxes("kept", "Kept", value="kept_color"),
        Dots("best", "Best of this round", size=8.0),
        Dots("reference", "Reference arm", size=10.0, rival="log-li"),
    )
    return Field(
        id="cubes",
        title="The walk over the square",
        help="One cursor, one reference arm; what was walked before this round is forgotten.",
        key="surface",
        x=Axis(low=0.0, high=1.0),
        y=Axis(low=0.0, high=1.0),
        value=Axis("Mean reward") if painted else _reward_axis(surface),
        layers=layers,
        canvas="surface" if painted else "",
    )


def _interval(surface: Surface) -> Points:
    layers: tuple[Layer, ...] = (
        Boxes("pruned", "Pruned", value="pruned_color"),
        Boxes("kept", "Kept", value="kept_color"),
        Segments("surface", "Mean reward, hidden from it", value="surface_color"),
        Segments("line", "Reference line", rival="log-li", style="dashed"),
        Dots("best", "Best of this round", size=8.0),
        Dots("reference", "Reference arm", size=10.0, rival="log-li"),
    )
    return Points(
        id="cubes",
        title="The walk over the interval",
        help="A box reaches from what is certain to what is possible in its cube.",
        span=2,
        x=_PLACE,
        y=Axis("Reward", low=0.0, high=surface.best + 0.5),
        layers=layers,
        equal=False,
    )


def _remembered(surface: Surface) -> View:
    layers: list[Layer] = [
        Boxes(f"boxes/{rival}", _title(rival), rival=rival) for rival in _KEEPERS
    ]
    layers += [Dots(f"arms/{rival}", _title(rival), size=4.0, rival=rival) for rival in _HOLDERS]
    if surface.dimension == 1:
        layers.append(Dots("arms/log-li", "Log-Li", size=7.0, rival="log-li"))
        return Points(
            id="remembered",
            title="What each one remembers",
            help="A row a player: cubes or arms with their means; Log-Li has three.",
            x=_PLACE,
            y=Axis("Player", low=-0.6, high=5.6),
            layers=tuple(layers),
            equal=False,
        )
    return Field(
        id="remembered",
        title="What another one remembers",
        help="Every cube or arm here is kept with its mean; choose whose by the parameter watch.",
        key="surface",
        x=Axis(low=0.0, high=1.0),
        y=Axis(low=0.0, high=1.0),
        value=_reward_axis(surface),
        layers=tuple(layers),
    )


def _confidence(span: int = 1) -> Points:
    return Points(
        id="confidence",
        title="Every cube against one line",
        help="Mean and width, then what the cube may hide: what ends under the line is pruned.",
        x=Axis("Cube, by visit"),
        y=Axis("Reward"),
        layers=(
            Segments("bar_pruned", "Pruned", value="bar_pruned_color"),
            Segments("bar_kept", "Kept", value="bar_kept_color"),
            Dots("bar_mean", value="bar_mean_color", size=4.0),
            Segments("bar_line", "Reference line", rival="log-li"),
            Segments("bar_rise", "What the cube may hide", style="dotted"),
        ),
        equal=False,
        span=span,
    )


def _registers(span: int = 1) -> Image:
    return Image(
        id="registers",
        title="All that is kept, bit by bit",
        help="The whole state between two pulls; a run can go on from these bits alone.",
        key="registers",
        value=Axis("Bit", low=0.0, high=1.0),
        labels=(
            "Pulls of all", "Round", "Depth", "Path", "Pulls of this cube", "Sum of rewards",
            "Reference depth", "Reference path", "Reference line", "Best depth",
            "Best path", "Best line",
        ),
        span=span,
    )  # fmt: skip


def _tree() -> Tree:
    return Tree(
        id="tree",
        title="The tree of this round",
        help="Depth first from the left; what lies left of the cursor is no longer known.",
        parents="tree_parents",
        shares="tree_shares",
        value="tree_mean",
        state="tree_state",
    )


def _regret(surface: Surface, span: int = 1) -> Curve:
    zooming = surface.zooming_dimension
    return Curve(
        id="regret",
        title="Regret",
        help="Zooming's is lower: Log-Li saves memory, not regret.",
        x=Axis("Pulls", log=True),
        y=Axis("Regret", "reward", log=True),
        series=(
            *_by_rival("regret"),
            Series("regret_slope", "Slope of the theory", style="dashed"),
            Series("regret_chance", "Pulls at random", style="dotted"),
        ),
        over="pulls",
        slope=(0.5 if math.isnan(zooming) else (zooming + 1.0) / (zooming + 2.0),),
        span=span,
    )


def _memory(span: int = 1) -> Bars:
    return Bars(
        id="memory",
        title="Memory between two pulls",
        help="Bits that have to be kept, with means quantised alike for all.",
        value=Axis("Live state", "bits", log=True, low=10.0),
        series=_by_rival("bits"),
        span=span,
    )
