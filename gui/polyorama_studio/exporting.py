"""What an export dialog chooses, in one value: the engine's call and its command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama_studio.camera_text import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document
    from polyorama.verbs.export import Exported
    from polyorama_studio.session import Session

__all__ = ["ENDINGS", "ExportSettings", "files_of_now", "with_ending"]

ENDINGS = (
    (".sog", "SOG"), (".spz", "SPZ"), (".compressed.ply", "Compressed PLY"), (".ply", "PLY"),
    (".splat", "SPLAT"), (".glb", "glTF"), (".csv", "CSV table"), (".poly", "Polyorama project"),
)  # fmt: skip
"""What can be written: endings and titles, in the order of the menu."""


def with_ending(path: Path, ending: str, formats: Sequence[tuple[str, str]]) -> Path:
    """The same file with another ending of some formats, as `ENDINGS` has them; none stays none."""
    name = path.name
    if not name:
        return path
    for known, _ in formats:
        if name.lower().endswith(known) and len(name) > len(known):
            return path.with_name(name[: -len(known)] + ending)
    return path.with_name(name + ending)


def files_of_now(session: Session) -> tuple[Path, ...]:
    """The files that hold just what is shown; none where changes were not saved yet."""
    if session.saving.modified:
        return ()
    return session.files if session.saving.path is None else (session.saving.path,)


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """Everything that decides what is written; fields as of `polyorama.verbs.export.export_job`."""

    path: Path
    what: str = "visible"
    degree: int | None = None
    share: float = 100.0
    time: float = 0.0

    def options(self) -> dict[str, Any]:
        """The options that are not as they are by themselves."""
        found: dict[str, Any] = {}
        if self.degree is not None:
            found["degree"] = self.degree
        if self.share < 100.0:
            found["share"] = self.share
        if self.time > 0.0:
            found["time"] = round(self.time, 6)
        return found

    def job(self, document: Document, comments: Sequence[str]) -> Job[Exported]:
        """Write it."""
        from polyorama.verbs.export import export_job

        return export_job(document, self.path, self.what, **self.options(), comments=comments)

    def python(self) -> str:
        """The Python line that does the same."""
        words = [repr(str(self.path))]
        if self.what != "visible":
            words.append(repr(self.what))
        words += [f"{name}={value:g}" for name, value in self.options().items()]
        return f"po.export(doc.document, {', '.join(words)})"

    def command(self, files: Sequence[Path]) -> str:
        """The command line that does the same with saved files."""
        words = ["polyorama", "export", *(quoted(path) for path in files or [Path("PROJECT.poly")])]
        words += ["-o", quoted(self.path)]
        if self.what != "visible":
            words += ["--what", quoted(Path(self.what))]
        flags = {"degree": "--sh-degree", "share": "--decimate", "time": "--time"}
        for name, value in self.options().items():
            words += [flags[name], f"{value:g}"]
        return " ".join(words)
