"""A formula whose terms have names, so that they can be lit while they act."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Formula", "Term"]

_TERM = re.compile(r"\\term\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a formula.

    Parameters
    ----------
    name
        As `Snapshot.acting` names it.
    meaning
        A few words, sentence case.
    """

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Formula:
    r"""LaTeX with named terms.

    Parameters
    ----------
    latex
        Mathematics without dollar signs. ``\term{bonus}{c/N}`` marks ``c/N`` as the term "bonus".
    terms
        The named terms.
    source
        Where it stands in the paper, such as "Algorithm 1, line 5".
    """

    latex: str
    terms: tuple[Term, ...] = ()
    source: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the LaTeX marks, in order."""
        return tuple(_TERM.findall(self.latex))

    @property
    def plain(self) -> str:
        """The LaTeX without the marks of terms, for any typesetter."""
        return _TERM.sub("", self.latex)
