"""What the room of slicing shows: its rivals, formula, presets and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.lab.experiment import Paper, Preset, Rival
from polyorama.lab.formula import Formula, Term
from polyorama.lab.views import Axis, Bars, Curve, Distribution, Dots, Points, Segments, Series

if TYPE_CHECKING:
    from polyorama.lab.views import View

__all__ = ["FORMULA", "PAPER", "PRESETS", "RIVALS", "views_of"]

PAPER = Paper(
    "Fast summation of radial kernels via QMC slicing",
    "Hertrich, Jahn & Quellmalz",
    "ICLR 2025",
    "https://openreview.net/forum?id=iNmVX9lx9l",
)

RIVALS = (
    Rival("distance", "Distance", "Slices along directions that keep farthest apart, turned"),
    Rival("iid", "Random", "Slices along independent directions: plain Monte Carlo"),
    Rival("orthogonal", "Orthogonal", "Slices along blocks of d orthogonal directions"),
    Rival("sobol", "Sobol", "Slices along Sobol points that are made normal"),
    Rival("rff", "RFF", "Random Fourier features (Rahimi & Recht 2007)"),
    Rival("design", "Design", "Slices along a spherical design; in 2 and 3 dimensions, P ≤ 512"),
    Rival("orf", "Orthogonal RFF", "Orthogonal random features (Yu et al. 2016)"),
    Rival("sobol-rff", "Sobol RFF", "Sobol points as frequencies (Yang et al. 2014); Gauss only"),
)
_IDS = tuple(rival.id for rival in RIVALS)

FORMULA = Formula(
    r"\term{kernel}{F(|x|)} = \mathrm{E}_{\xi}\, f(|\langle \xi, x \rangle|) \approx "
    r"\term{mean}{\frac{1}{P} \sum_{p=1}^{P}}\, \term{slice}{f}"
    r"(|\langle \term{directions}{\xi_p}, x \rangle|), \quad "
    r"\term{error}{|F - \hat{F}| \sim P^{-r}}",
    (
        Term("kernel", "The kernel in d dimensions"),
        Term("mean", "Mean over the slices so far"),
        Term("slice", "The kernel on a line, a Fourier series"),
        Term("directions", "Unit vectors, spread evenly"),
        Term("error", "What is left when all P have been added"),
    ),
    "Hertrich, Jahn & Quellmalz 2025, slicing formula",
)

_SLICES = ("distance", "iid", "orthogonal", "sobol")
PRESETS = (
    Preset("In space", {}, help="Spread directions in 3 dimensions: the error falls three times"
           " as fast as with random ones"),
    Preset("Random against spread", {"watch": "distance"}, ("distance", "iid"),
           "The cloud falls onto the curve, and the random one lags behind"),
    Preset("Designs", {"watch": "design"}, ("distance", "iid", "design"),
           "A design is exact up to a degree; where that suffices, its error falls off a cliff"),
    Preset("Ten dimensions", {"dimension": "10"},
           ("distance", "iid", "orthogonal", "sobol", "rff"),
           "The gain shrinks, but it is there: less than a fifth of the error at 512 slices"),
    Preset("Fifty dimensions", {"dimension": "50"},
           ("distance", "iid", "orthogonal", "sobol", "rff"),
           "Here orthogonal directions are almost as good as any"),
    Preset("A kink", {"kernel": "laplace"}, _SLICES,
           "The Laplace kernel is not smooth at 0, and the rates are lower"),
    Preset("Energy", {"kernel": "energy"}, _SLICES,
           "Minus the distance: summed by sorting, without any Fourier series"),
    Preset("Too few modes", {"modes": 6}, _SLICES,
           "Six waves cannot draw f: the error stops falling; then drag the modes up"),
    Preset("All eight", {"watch": "sobol-rff"}, _IDS,
           "Slices against features, random against spread"),
)  # fmt: skip


def _by_rival(key: str, rivals: tuple[str, ...] = _IDS) -> tuple[Series, ...]:
    return tuple(Series(f"{key}/{r.id}", r.title, rival=r.id) for r in RIVALS if r.id in rivals)


def views_of(dimension: int, bounded: bool) -> tuple[View, ...]:
    """The pictures; above 3 dimensions angles stand in for the sphere.

    Parameters
    ----------
    bounded
        Whether the kernel lies between 0 and 1.
    """
    where = _sphere() if dimension <= 3 else _angles()
    return (_errors(), where, _cloud(bounded), _slice(), _rates(), _work())


def _errors() -> Curve:
    dots = tuple(
        Series(f"error/{r.id}", x=f"counts/{r.id}", style="dots", rival=r.id) for r in RIVALS
    )
    lines = tuple(Series(f"error/{r.id}", r.title, x=f"counts/{r.id}", rival=r.id) for r in RIVALS)
    return Curve(
        id="error",
        title="Error against the number of slices",
        help="A dot is the mean over the runs so far; the dotted line is exact for random ones.",
        span=2,
        x=Axis("Slices or features P", log=True, low=14.0, high=1200.0),
        y=Axis("Mean error |F - F̂|", log=True),
        series=(
            *lines,
            *dots,
            Series("expected", "Random, in theory", x="expected_counts", style="dotted"),
        ),
        history=False,
        slope=(-0.5,),
    )


def _sphere() -> Points:
    layers = [Segments("newest_lines", "This slice")]
    axis = Axis(low=-1.0, high=1.0)
    return Points(
        id="sphere",
        title="Directions on the sphere",
        help="Each with its opposite, for f is even; those that have been added so far.",
        span=2,
        x=axis,
        y=axis,
        z=axis,
        layers=(
            *(Dots(f"lines/{r.id}", size=6.0, rival=r.id) for r in RIVALS),
            *layers,
        ),
        sphere=1.0,
    )


def _angles() -> Distribution:
    return Distribution(
        id="angles",
        title="Angles between the directions",
        help="Spread directions avoid each other; random ones come near now and then.",
        span=2,
        x=Axis("Angle of two directions", "°"),
        series=_by_rival("angles"),
        bins=45,
    )


def _cloud(bounded: bool) -> Points:
    return Points(
        id="cloud",
        title="The estimate falls onto the kernel",
        help="Every dot is a point x: its length and what the slices so far say of F there.",
        x=Axis("Distance |x|", low=0.0),
        y=Axis("Kernel", low=-0.25 if bounded else None, high=1.25 if bounded else None),
        layers=(
            *(Dots(f"cloud/{r.id}", r.title, size=4.0, rival=r.id) for r in RIVALS),
            Segments("kernel", "F, exact", value="kernel_color"),
        ),
        equal=False,
    )


def _slice() -> Curve:
    return Curve(
        id="slice",
        title="The kernel on a line",
        help="f, whose mean over all directions is F; dots are the points on this slice.",
        x=Axis("Place on the line"),
        y=Axis("f"),
        series=(
            Series("slice_cut", "f with these modes", x="slice_x"),
            Series("slice_all", "f", x="slice_x", style="dashed"),
            Series("slice_points", "Points", x="slice_places", style="dots"),
        ),
        history=False,
    )


def _rates() -> Bars:
    bars = _by_rival("rate")
    return Bars(
        id="rates",
        title="How fast the error falls",
        help="The fitted r of error ~ P^-r, above rounding; more is better.",
        value=Axis("Rate r", low=0.0),
        series=(*bars[:5], Series("chance", "Chance"), *bars[5:]),
    )


def _work() -> Bars:
    return Bars(
        id="work",
        title="Work for the wanted error",
        help="Inner products for each point, by the fitted lines; the naive sum needs the line's.",
        value=Axis("Inner products a point", log=True),
        series=_by_rival("work"),
        limit="naive",
        limit_title="naive sum",
    )
