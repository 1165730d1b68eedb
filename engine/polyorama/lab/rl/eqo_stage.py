"""What the room of EQO shows: its views and presets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.lab.experiment import Preset, Rival
from polyorama.lab.formula import Formula, Term
from polyorama.lab.rl.worlds import GRID_KINDS, GRID_SHAPE
from polyorama.lab.views import Arrows, Axis, Boxes, Curve, Dots, Field, Segments, Series

if TYPE_CHECKING:
    from polyorama.lab.views import Layer, View

__all__ = ["ARROWS", "FORMULA", "PRESETS", "RIVALS", "TITLES", "views_of"]

RIVALS = (
    Rival("eqo", "EQO", "Bonus c / N, values nearly optimistic (Lee & Oh 2025)"),
    Rival("ucbvi-bf", "UCBVI-BF", "Bernstein's bonus (Azar, Osband & Munos 2017)"),
    Rival("mvp", "MVP", "Monotonic value propagation (Zhang, Ji & Du 2021)"),
    Rival("ucbvi-ch", "UCBVI-CH", "Hoeffding's bonus (Azar, Osband & Munos 2017)"),
    Rival("psrl", "PSRL", "Acts in a world drawn from its posterior (Osband et al. 2013)"),
    Rival("rlsvi", "RLSVI", "Noise on the rewards (Osband et al. 2016)"),
    # There are six colours: these two have those of the first two, whom no preset pairs with them.
    Rival("ucrl2", "UCRL2", "The best world within confidence sets (Jaksch et al. 2010)"),
    Rival("euler", "EULER", "Bonuses from upper and lower values (Zanette & Brunskill 2019)"),
)
TITLES = {rival.id: rival.title for rival in RIVALS}

ARROWS = {"eqo": "Bonus of EQO", "ucbvi-bf": "Bernstein's bonus"}
"""Whose bonuses are drawn as arrows on the river, and what these are called."""

FORMULA = Formula(
    r"Q_h = \min(\term{reward}{\hat r} + \term{bonus}{\frac{c_k}{N}}"
    r" + \term{later}{\hat P V_{h+1}}, \term{ceiling}{H}),"
    r" \quad c_k = \max(\term{least}{7 H \ell_1},"
    r" \term{grown}{1.4 H \sqrt{\frac{K \ell_1}{S A \ell_2}}})",
    (
        Term("reward", "Mean reward so far"),
        Term("bonus", "Hope: one constant over the visits"),
        Term("later", "What may follow, by the counts"),
        Term("ceiling", "No episode can give more"),
        Term("least", "c for few episodes"),
        Term("grown", "c for many episodes"),
    ),
    "Algorithm 1 and Theorem 1",
)

_FOUR = ("eqo", "ucbvi-bf", "mvp", "ucbvi-ch")
PRESETS = (
    Preset(
        "Untuned",
        {},
        _FOUR,
        "All with the constants of their theorems: EQO stops paying first",
    ),
    Preset(
        "Tuned: a tie",
        {"states": 20, "horizon": 80, "episodes": 1500, "constants": "tuned", "c": 0.1,
         "stride": 1},
        _FOUR,
        "Scaled by hand, all four pay nearly the same",
    ),
    Preset(
        "Move c",
        {"states": 6, "horizon": 24, "episodes": 1500, "constants": "tuned", "c": 2.0,
         "stride": 1},
        ("eqo", "ucbvi-bf"),
        "Drag c: what EQO hopes for falls below the true value, and it learns all the same",
    ),
    Preset(
        "The promise",
        {"states": 2, "horizon": 20, "episodes": 1_000_000, "stride": 1000},
        ("eqo",),
        "So many episodes make c large: Lemma 2 then promises more than nothing",
    ),
    Preset(
        "Deep sea",
        {"world": "deep-sea", "states": 10, "episodes": 1000, "constants": "tuned", "c": 0.1,
         "hopeful": True, "stride": 1},
        ("eqo", "ucbvi-bf", "mvp", "psrl", "rlsvi"),
        "One route in a thousand holds the chest; who explores blindly never sees it",
    ),
    Preset(
        "On ice",
        {"world": "ice", "horizon": 60, "episodes": 1500, "constants": "tuned", "c": 0.05,
         "hopeful": True, "remaining": True, "stride": 1},
        ("eqo", "ucbvi-bf", "mvp"),
        "Light is where it went; on ice a step may slide aside, and the ways keep clear of traps",
    ),
    Preset(
        "Paint it",
        {"world": "painted", "horizon": 60, "episodes": 1500, "constants": "tuned", "c": 0.05,
         "hopeful": True, "remaining": True, "stride": 1},
        ("eqo", "ucbvi-bf"),
        "Paint walls, traps, ice and another goal; they start anew on your map",
    ),
    Preset(
        "Nothing is learned",
        {"states": 10, "horizon": 40, "episodes": 3000, "stride": 5},
        _FOUR,
        "In 3,000 episodes none of the four learns a thing with its theorem's constants",
    ),
    Preset(
        "Move by move",
        {"states": 6, "horizon": 24, "episodes": 300, "constants": "tuned", "c": 2.0,
         "step": "move", "stride": 1},
        ("eqo", "ucbvi-bf", "psrl"),
        "Every move of three swimmers on the same luck, and a new plan after each episode",
    ),
)  # fmt: skip

_MISTY = Axis("Visits", log=True)
_WALLED = Boxes("walls", "Wall", value="walls_color", filled=True)


def _by_rival(key: str, active: tuple[str, ...]) -> tuple[Series, ...]:
    return tuple(Series(f"{key}/{r.id}", r.title, rival=r.id) for r in RIVALS if r.id in active)


def views_of(world: str, states: int, active: tuple[str, ...], over: str) -> tuple[View, ...]:
    """The pictures for a world.

    Parameters
    ----------
    world
        As the parameter of that name.
    states
        Of the river, or rows of the sea.
    active
        Ids of those that take part.
    over
        What regret is drawn over: "episodes" or "planning".
    """
    regret = _regret(active) if over == "episodes" else _cost(active)
    ends = (regret, _gap(active), _bonus(active))
    if world == "river":
        return (_river(states, active), _hopes(active), *ends)
    if world == "deep-sea":
        where = (states, states)
        return (_mist(where, active, 2), _optimism(where), *ends)
    drawn = _map(active, world == "painted")
    return (drawn, _mist(GRID_SHAPE, (), 1), _optimism(GRID_SHAPE), *ends)


def _river(states: int, active: tuple[str, ...]) -> Field:
    layers: list[Layer] = []
    arrowed = [rival for rival in ARROWS if rival in active]
    layers += [
        Arrows(f"pair/{rival}", f"hope/{rival}", ARROWS[rival], rival=rival) for rival in arrowed
    ]
    layers += [
        Dots(f"swimmer/{rival}", TITLES[rival], size=9.0, rival=rival)
        for rival in active
        if rival not in arrowed
    ]
    layers += [Dots(f"swimmer/{rival}", size=9.0, rival=rival) for rival in arrowed]
    return Field(
        id="world",
        title="The river: visits, and hope as arrows",
        help="A whole arrow is a bonus of H, all an episode can give; a third less, a tenth of it.",
        span=2,
        key="mist",
        x=Axis("State", low=-0.5, high=states - 0.5),
        y=Axis("Swims left | right", low=0.0, high=1.0),
        value=_MISTY,
        layers=tuple(layers),
    )


def _hopes(active: tuple[str, ...]) -> Curve:
    return Curve(
        id="hopes",
        title="What each hopes for, and the truth",
        help="Values of the newest plan; EQO's may fall a little below the truth.",
        x=Axis("State"),
        y=Axis("Value", "reward"),
        series=(
            *_by_rival("value", active),
            Series("best", "Truth", style="dashed"),
            Series("floor", "Promised", style="dotted"),
        ),
        history=False,
        over="state",
    )


def _mist(where: tuple[int, int], swimmers: tuple[str, ...], span: int) -> Field:
    layers: list[Layer] = [_WALLED] if where == GRID_SHAPE and not swimmers else []
    layers.append(Arrows("policy", "policy_arrow", "Its policy", value="policy_color"))
    layers += [Segments(f"way/{r.id}", r.title, rival=r.id) for r in RIVALS if r.id in swimmers]
    return Field(
        id="mist",
        title="Where it went",
        help="Visits of the method that is watched, and what it would do now.",
        span=span,
        key="mist",
        x=Axis(low=0.0, high=float(where[1])),
        y=Axis(low=0.0, high=float(where[0])),
        value=_MISTY,
        colormap="magma",
        layers=tuple(layers),
    )


def _map(active: tuple[str, ...], painted: bool) -> Field:
    layers: tuple[Layer, ...] = (
        Boxes("traps", "Trap", value="traps_color"),
        Boxes("ice", "Slippery", value="ice_color"),
        Boxes("starts", "Start", value="starts_color"),
        Boxes("goals", "Goal", value="goals_color"),
        *(Segments(f"way/{r.id}", r.title, rival=r.id) for r in RIVALS if r.id in active),
        *(Dots(f"swimmer/{r.id}", size=8.0, rival=r.id) for r in RIVALS if r.id in active),
    )
    return Field(
        id="world",
        title="Paint the map; their newest ways" if painted else "The map and their newest ways",
        help="The way of each through its newest episode.",
        key="kinds",
        x=Axis(low=0.0, high=float(GRID_SHAPE[1])),
        y=Axis(low=0.0, high=float(GRID_SHAPE[0])),
        value=Axis("Kind of cell", low=0.0, high=len(GRID_KINDS) - 1.0),
        colormap="cividis",
        layers=layers,
        canvas="map" if painted else "",
    )


def _optimism(where: tuple[int, int]) -> Field:
    return Field(
        id="optimism",
        title="Hope less truth",
        help="Orange hopes for too much, blue for too little.",
        key="optimism",
        x=Axis(low=0.0, high=float(where[1])),
        y=Axis(low=0.0, high=float(where[0])),
        value=Axis("V of the plan - V*", "reward"),
        colormap="diverging",
    )


def _regret(active: tuple[str, ...]) -> Curve:
    return Curve(
        id="regret",
        title="Regret",
        help="What the best policy would have earned more, summed over all episodes.",
        x=Axis("Episode"),
        y=Axis("Regret", "reward"),
        series=(
            *_by_rival("regret", active), Series("nothing", "Earning nothing", style="dotted"),
        ),
        over="episode",
    )  # fmt: skip


def _gap(active: tuple[str, ...]) -> Curve:
    return Curve(
        id="gap",
        title="The least hope",
        help="Least of V - V* over all states and steps; optimism would stay above zero.",
        x=Axis("Episode"),
        y=Axis("V of the plan - V*", "reward", high=1.0),
        series=(
            *_by_rival("gap", active),
            Series("zero", "Truth", style="dashed"),
            Series("promise", "Lemma 2", style="dotted"),
        ),
        over="episode",
    )


def _bonus(active: tuple[str, ...]) -> Curve:
    return Curve(
        id="bonus",
        title="Bonus against visits",
        help="A dot a pair of state and action: c / N falls faster than one over a root. An "
        "estimate for UCBVI-BF, UCRL2 and EULER, the deviation of the draw for PSRL and RLSVI.",
        x=Axis("Visits", log=True),
        y=Axis("Bonus", "reward", log=True),
        series=(
            *(
                Series(f"bonus/{r.id}", r.title, x=f"visits/{r.id}", style="dots", rival=r.id)
                for r in RIVALS
                if r.id in active
            ),
            Series("ceiling", "Ceiling H", x="ceiling_at", style="dashed"),
        ),
        history=False,
        slope=(-0.5, -1.0),
    )


def _cost(active: tuple[str, ...]) -> Curve:
    return Curve(
        id="regret",
        title="Regret against planning",
        help="Bonuses from variances take twice the sums, EULER's six times; who plans less often "
        "is further left.",
        x=Axis("Products summed in plans", "million", log=True),
        y=Axis("Regret", "reward"),
        series=tuple(
            Series(f"regret/{r.id}", r.title, x=f"work/{r.id}", rival=r.id)
            for r in RIVALS
            if r.id in active
        ),
    )
