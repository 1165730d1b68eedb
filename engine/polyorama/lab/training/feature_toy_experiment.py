"""The toy of the feature learning strength at work: five thousand exact networks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.params import number, whole
from polyorama.lab.experiment import Experiment, ExperimentParams, Preset
from polyorama.lab.formula import Formula, Term
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.training.feature_experiment import PAPER
from polyorama.lab.training.feature_stage import PALE, WATCHED
from polyorama.lab.views import Axis, Boxes, Curve, Dots, Field, Segments, Series

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.claims import Claim
    from polyorama.lab.snapshot import Value
    from polyorama.lab.training.feature_toy import ToyPlane
    from polyorama.lab.views import View

__all__ = ["ToyExperiment", "ToyParams", "flow"]

_GAMMAS, _ETAS, _A_DECADE = (-3, 4), (-7, 4), 8
_LEARNT = 1e-3
_MOST_WEIGHTS = 6
_FLOW_POINTS = 240
_PATIENCE = 0.02
"""Share of the steps so far that pass between two looks at the watched network."""


@dataclass(frozen=True)
class ToyParams(ExperimentParams):
    """Parameters of the toy."""

    depth: int = whole(3, 2, _MOST_WEIGHTS, unit="weights", help="L, the number of factors")
    steps: int = whole(4000, 1, 100_000, unit="steps", help="T, of the run", soft=(400, 30_000))
    stride: int = whole(10, 1, 1000, unit="steps", help="Steps of descent between two pictures")
    log_gamma: float = number(
        2.0, -3.5, 4.5, help="log10 γ of the watched network", live=True, soft=(-3.0, 4.0)
    )
    log_eta: float = number(
        0.5, -7.5, 4.5, help="log10 η of the watched network", live=True, soft=(-7.0, 4.0)
    )


def flow(depth: int, gamma: float, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """(T,) outputs of gradient flow from weights of 1, dw/dt = (y - f) w^(L - 1) / gamma.

    Found by separating the variables: the time until a weight w is an integral over w.

    Parameters
    ----------
    depth, gamma
        L and the strength.
    times
        (T,) steps times eta, rising from 0.
    """
    from polyorama.lab.training.feature_toy import TARGET

    end = (1.0 + gamma * TARGET) ** (1.0 / depth)
    # Dense towards the end, where the flow slows down for ever.
    w = end - (end - 1.0) * np.geomspace(1.0, 1e-9, 20_000)
    f = (w**depth - 1.0) / gamma
    slowness = gamma / ((TARGET - f) * w ** (depth - 1))
    clock = np.concatenate([[0.0], np.cumsum(np.diff(w) * 0.5 * (slowness[1:] + slowness[:-1]))])
    return np.asarray(np.interp(times, clock, f))


class ToyExperiment(Experiment):
    """Each step is `stride` steps of gradient descent of every network of the plane."""

    id = "training/feature-toy"
    title = "Feature learning strength, the exact toy"
    summary = "Products of a few numbers show lazy and rich learning where theory is exact."
    paper = PAPER
    caveat = "The closed forms are derived here; the paper's abstract has the same exponents."
    Params = ToyParams
    presets = (
        Preset("Three factors", {}, help="The edge of what converges bends from γ² to γ^(2/3)"),
        Preset(
            "Plateau", {"log_gamma": 3.5, "log_eta": 1.5, "stride": 4},
            help="Nothing, nothing, then all at once: the dashed flow told when",
        ),
        Preset(
            "At the lazy edge",
            {"depth": 2, "log_gamma": -2.0, "log_eta": -4.125, "stride": 1, "steps": 400},
            help="Just below 2 γ² / L it rings and settles; two cells higher it does not",
        ),
        Preset("Two factors", {"depth": 2}, help="On the right one decade of η a decade of γ"),
        Preset("Five factors", {"depth": 5, "steps": 12_000}, help="Deeper is flatter: γ^(2/5)"),
    )  # fmt: skip
    formula = Formula(
        r"f = \term{scale}{\frac{1}{\gamma}}\left[\term{product}{\prod_i w_i}"
        r" - \prod_i w_i(0)\right], \quad \ell = \term{loss}{\frac{1}{2}(f - y)^2},"
        r" \quad \term{lazy}{\eta_{\max} = \frac{2 \gamma^2}{L}}\;(\gamma \ll 1),"
        r" \quad \term{rich}{\eta_{\max} = \frac{2}{L}\,\gamma^{2/L}}\;(\gamma \gg 1)",
        (
            Term("scale", "The feature learning strength"),
            Term("product", "How far the product has to move, lit by how far it has"),
            Term("loss", "What is left to learn; y = 1"),
            Term("lazy", "Two over the tangent kernel L / γ²"),
            Term("rich", "Two over the sharpness of the solution w = γ to 1 / L"),
        ),
        "Derived; exponents as in Atanasov, Meterez, Simon & Pehlevan 2025",
    )
    rate = 60.0

    def begin(self, seed: int) -> None:
        """All networks at the same weights near 1."""
        from polyorama.lab.training.feature_toy import ToyPlane

        x = np.arange(_GAMMAS[0] * _A_DECADE, _GAMMAS[1] * _A_DECADE + 1) / _A_DECADE
        y = np.arange(_ETAS[0] * _A_DECADE, _ETAS[1] * _A_DECADE + 1) / _A_DECADE
        self._x, self._y = x, y
        self._toy = ToyPlane(self.params.depth, 10.0 ** x[None, :], 10.0 ** y[:, None], seed)
        self._follow()

    def _follow(self) -> None:
        """Watch the nearest network, from its start to where the others are."""
        from polyorama.lab.training.feature_toy import ToyPlane

        params = self.params
        self._column = int(np.argmin(np.abs(self._x - params.log_gamma)))
        self._row = int(np.argmin(np.abs(self._y - params.log_eta)))
        self._gamma = float(10.0 ** self._x[self._column])
        self._eta = float(10.0 ** self._y[self._row])
        self._watched: ToyPlane = ToyPlane(
            params.depth, np.array([self._gamma]), np.array([self._eta]), self.seed
        )
        self._trace: list[tuple[float, ...]] = []
        self._catch_up()
        times = np.concatenate([[0.0], np.geomspace(1.0, params.steps, _FLOW_POINTS)])
        self._flow_steps = times
        self._flow = flow(params.depth, self._gamma, times * self._eta)

    def _catch_up(self) -> None:
        """Bring the watched network to where the others are, looking at it ever more seldom."""
        toy, until = self._watched, self._toy.steps
        if not self._trace:
            self._note_down()
        while toy.steps < until:
            last = int(self._trace[-1][0])
            due = last + max(1, int(last * _PATIENCE))
            toy.run(min(due, until) - toy.steps)
            if toy.steps == due:
                self._note_down()

    def _note_down(self) -> None:
        toy = self._watched
        self._trace.append(
            (
                float(toy.steps), toy.outputs()[0], toy.sharpness()[0],
                *(float(w) for w in toy.weights[:, 0]),
            )
        )  # fmt: skip

    def advance(self, count: int) -> int:
        """Gradient descent, `stride` steps a step."""
        params = self.params
        done = 0
        while done < count and self._toy.steps < params.steps:
            steps = min(params.stride, params.steps - self._toy.steps)
            self._toy.run(steps)
            self._catch_up()
            done += 1
        return done

    def changed(self, name: str) -> None:
        """Another network is watched."""
        self._follow()

    def observe(self) -> Snapshot:
        """The plane, its edge, and the watched network."""
        losses = self._toy.losses()
        shown = np.array(self._trace)
        output = float(self._watched.outputs()[0])
        loss = 0.5 * (output - 1.0) ** 2
        fallen = np.log10(0.5 / np.maximum(losses, 1e-12))
        values: dict[str, Value] = {
            "plane": fallen.astype(np.float32),
            "steps": shown[:, 0], "output": shown[:, 1], "sharpness": shown[:, 2],
            "flow_steps": self._flow_steps, "flow": self._flow,
            "ends": np.array([1.0, float(self.params.steps)]),
            "target": np.ones(2), "stable": np.full(2, 2.0 / self._eta),
        }  # fmt: skip
        for i in range(self.params.depth):
            values[f"weight/{i}"] = shown[:, 3 + i]
        self._add_edge(values, losses)
        done = self._toy.steps >= self.params.steps
        reached = min(1.0, max(0.0, output)) if math.isfinite(loss) else 1.0
        acting = {
            "scale": 1.0, "product": reached, "loss": min(1.0, 2.0 * loss) if loss >= 0.0 else 1.0,
            "lazy": float(self._gamma <= 1.0), "rich": float(self._gamma >= 1.0),
        }  # fmt: skip
        return Snapshot(self.steps, values, acting, self._note(loss), done)

    def _add_edge(self, values: dict[str, Value], losses: NDArray[np.float64]) -> None:
        from polyorama.lab.training.feature_plane import edge_of
        from polyorama.lab.training.feature_toy import lazy_edge, rich_edge

        gammas, depth = 10.0**self._x, self.params.depth
        etas = np.repeat(10.0 ** self._y[:, None], len(gammas), axis=1)
        edge = edge_of(gammas, etas, np.where(losses < _LEARNT, 0.0, np.nan))
        known = np.isfinite(edge.largest)
        values["strength"], values["edge"] = gammas, edge.largest
        # Half of the largest rate that converged, where it is known.
        rows = np.searchsorted(10.0**self._y, 0.5 * np.where(known, edge.largest, 1.0))
        kernels = self._toy.kernels()[rows, np.arange(len(gammas))]
        values["kernel"] = np.where(known, kernels, np.nan)
        values["dots"] = np.stack([self._x[known], np.log10(edge.largest[known])], axis=1)
        values["dot_color"] = np.tile(PALE, (int(known.sum()), 1))
        for key, line, ends in (
            ("lazy", lazy_edge, (_GAMMAS[0], 0.5)), ("rich", rich_edge, (-0.5, _GAMMAS[1])),
        ):  # fmt: skip
            at = 10.0 ** np.array(ends)
            rates = np.array([line(depth, gamma) for gamma in at])
            values[f"{key}_strength"], values[f"{key}_edge"] = at, rates
            values[f"{key}_kernel"] = 2.0 / rates
            values[f"{key}_line"] = np.stack([np.log10(at), np.log10(rates)], axis=1)[None]
        values["line_color"] = np.array([PALE])
        x, y = self._x[self._column], self._y[self._row]
        box = 1.0 / _A_DECADE  # twice a cell, which is small: the frame leaves room for it
        values["watched"] = np.array([[x - box, y - box, x + box, y + box]])
        values["watched_color"] = np.array([WATCHED])

    def _note(self, loss: float) -> str:
        from polyorama.lab.training.feature_toy import lazy_edge, plateau_time, rich_edge

        depth, gamma, eta = self.params.depth, self._gamma, self._eta
        if self._toy.steps == 0:
            return f"{self._toy.etas.size:,} products of {depth} numbers near 1 shall become γ + 1."
        if not math.isfinite(loss):
            return "The watched product has diverged: its rate is above the edge."
        if loss < _LEARNT:
            return f"The watched product is learnt; its loss is {loss:.1g}."
        if gamma >= 10.0:
            lasts = plateau_time(depth, gamma) / eta
            if self._toy.steps < lasts:
                return f"On the plateau, which theory lets last {lasts:,.0f} steps here."
        edge = rich_edge(depth, gamma) if gamma >= 1.0 else lazy_edge(depth, gamma)
        return f"The watched rate is {eta / edge:.2g} of the largest that theory allows here."

    def views(self) -> tuple[View, ...]:
        """The plane, the watched network, the edge."""
        half = 0.5 / _A_DECADE
        steps, gamma = Axis("Steps", log=True), Axis("γ", log=True)
        plane = Field(
            id="plane",
            title="Every pixel a network",
            help="Bright: learnt. Dark: not yet. Holes: diverged. Click to watch one.",
            key="plane",
            x=Axis("log10 γ", low=_GAMMAS[0] - half, high=_GAMMAS[1] + half),
            y=Axis("log10 η", low=_ETAS[0] - half, high=_ETAS[1] + half),
            value=Axis("Loss fallen by", "decades", low=0.0, high=6.0),
            colormap="cividis",
            layers=(
                Segments("lazy_line", "2 γ² / L", value="line_color", style="dashed"),
                Segments("rich_line", "(2 / L) γ to 2 / L", value="line_color", style="dotted"),
                Dots("dots", "Largest η", value="dot_color", size=3.0),
                Boxes("watched", "Watched", value="watched_color"),
            ),
            pick=("log_gamma", "log_eta"),
        )
        output = Curve(
            id="output", title="Output of the watched network",
            help="Dashed: gradient flow from weights of 1, solved beforehand.",
            x=steps, y=Axis("f", low=-0.5, high=2.0), history=False,
            series=(
                Series("output", "Descent", x="steps"),
                Series("flow", "Flow", x="flow_steps", style="dashed"),
                Series("target", "y", x="ends", style="dotted"),
            ),
        )  # fmt: skip
        sharp = Curve(
            id="sharpness", title="Sharpness against 2 / η",
            help="Exact: the Hessian is L by L. Above the line a step overshoots.",
            x=steps, y=Axis("Top eigenvalue of the Hessian", log=True), history=False,
            series=(
                Series("sharpness", "Sharpness", x="steps"),
                Series("stable", "2 / η", x="ends", style="dashed"),
            ),
        )  # fmt: skip
        edge = Curve(
            id="edge", title="The largest rate that converges",
            help="Up to it every rate has learnt that had the time to.",
            x=gamma, y=Axis("η", log=True), history=False, over="strength",
            series=(
                Series("edge", "Measured"),
                Series("lazy_edge", "2 γ² / L", x="lazy_strength", style="dashed"),
                Series("rich_edge", "(2 / L) γ to 2 / L", x="rich_strength", style="dotted"),
            ),
        )  # fmt: skip
        weights = Curve(
            id="weights", title="The factors",
            help="Lazy: they hardly move. Rich: together to γ to 1 / L.",
            x=steps, y=Axis("w"), history=False,
            series=tuple(
                Series(f"weight/{i}", f"w{chr(0x2081 + i)}", x="steps")
                for i in range(self.params.depth)
            ),
        )  # fmt: skip
        curvature = Curve(
            id="curvature", title="Tangent kernel just below the edge",
            help="At a solution it is the sharpness: γ to -2 where lazy, to -2 / L where rich.",
            x=gamma, y=Axis("Kernel", log=True), history=False, over="strength",
            series=(
                Series("kernel", "Measured"),
                Series("lazy_kernel", "L / γ²", x="lazy_strength", style="dashed"),
                Series("rich_kernel", "L γ to -2 / L", x="rich_strength", style="dotted"),
            ),
        )  # fmt: skip
        return (plane, output, sharp, edge, curvature, weights)

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """Those of the toy."""
        from polyorama.lab.training.feature_claims import TOY_CLAIMS

        return TOY_CLAIMS
