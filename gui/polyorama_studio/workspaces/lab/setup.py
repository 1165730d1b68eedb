"""What a run is made of, and what is known about it before it begins."""

from __future__ import annotations

import dataclasses
import json
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.lab.experiment import Experiment, Preset
    from polyorama.lab.views import View

__all__ = ["Loaded", "Setup", "load"]


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a run follows from.

    Parameters
    ----------
    id
        Of the experiment.
    seed
        Of all its luck.
    values
        Parameters that are not as they come.
    rivals
        Ids of those that take part; None for the experiment's own choice.
    paintings
        Arrays on canvases, by name.
    """

    id: str
    seed: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)
    rivals: tuple[str, ...] | None = None
    paintings: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def with_value(self, name: str, value: Any, default: Any) -> Setup:
        """With one parameter changed; one that is as it comes is not named."""
        values = {k: v for k, v in self.values.items() if k != name}
        if value != default:
            values[name] = value
        return dataclasses.replace(self, values=values)

    def with_preset(self, preset: Preset) -> Setup:
        """With a preset's parameters and rivals, and nothing else changed."""
        rivals = preset.rivals or None
        return dataclasses.replace(self, values=dict(preset.values), rivals=rivals)

    # The same for scripts

    def python(self, steps: int) -> str:
        """The Python that makes the run and goes to its present step."""
        parts = [repr(self.id)]
        if self.rivals is not None:
            parts.append(f"rivals={self.rivals!r}")
        parts += [f"{name}={value!r}" for name, value in self.values.items()]
        made = f"run = po.experiment({', '.join(parts)})"
        return f"{made}; run.reset({self.seed}); run.step({steps})"

    def command(self, steps: int) -> str:
        """The command line that does the run anew."""
        words = ["polyorama", "lab", "run", self.id, "--seed", str(self.seed)]
        words += ["--steps", str(max(steps, 1))]
        if self.rivals is not None:
            words += ["--rivals", ",".join(self.rivals)]
        for name, value in self.values.items():
            text = value if isinstance(value, str) else json.dumps(value)
            words += ["--set", f"{name}={text}"]
        return shlex.join(words)


@dataclass(frozen=True, slots=True)
class Loaded:
    """An experiment as the window needs it; nothing in it runs.

    Parameters
    ----------
    kind
        Its class.
    views
        Its pictures with these parameters.
    values
        All parameters.
    active
        Ids of the rivals that take part.
    """

    kind: type[Experiment]
    views: tuple[View, ...]
    values: Mapping[str, Any]
    active: tuple[str, ...]


def load(setup: Setup) -> Loaded:
    """Import an experiment and ask it for its pictures; takes a moment the first time.

    Raises
    ------
    PolyoramaError
        If there is none of that id, it cannot be imported, or the setup does not fit it.
    """
    from polyorama.lab.catalog import experiment_class

    kind = experiment_class(setup.id)
    experiment = kind(kind.Params(**setup.values), setup.rivals, setup.paintings)
    values = {p.name: getattr(experiment.params, p.name) for p in kind.parameters()}
    return Loaded(kind, experiment.views(), values, experiment.active)
