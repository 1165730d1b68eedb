"""The toolbox: the tools, which of them is active, and the options that they share."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from polyorama_studio.jobs import Handlers
from polyorama_studio.viewport.camera_lock import CameraLock
from polyorama_studio.viewport.layers.table import Layers
from polyorama_studio.viewport.subject import Subject
from polyorama_studio.viewport.tally import Tally

if TYPE_CHECKING:
    from polyorama.core.jobs import Progress
    from polyorama.scene.regions import Region
    from polyorama_studio.session import Session
    from polyorama_studio.viewport.tools.tool import Tool

__all__ = ["TOOLS", "Options", "ToolEntry", "Toolbox"]

LARGE = 150_000
"""Scenes of more splats are picked from on a worker thread."""


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool of the table.

    Parameters
    ----------
    id, title, icon
        Stable name; sentence case; name of an icon.
    tool
        ``"module:Class"``.
    shortcut
        As Qt spells it.
    tooltip
        What it does, one sentence.
    group
        Tools of a group stand together.
    """

    id: str
    title: str
    icon: str
    tool: str
    shortcut: str
    tooltip: str
    group: int


_FOLDER = "polyorama_studio.viewport.tools"
TOOLS: tuple[ToolEntry, ...] = (
    ToolEntry(
        "pointer", "Look and choose", "pointer", f"{_FOLDER}.pointer:PointerTool", "Q",
        "Turn the view, click on things to choose them", 0,
    ),
    ToolEntry(
        "rect", "Rectangle", "select-rect", f"{_FOLDER}.outlines:RectTool", "B",
        "Select splats inside a rectangle", 1,
    ),
    ToolEntry(
        "lasso", "Lasso", "select-lasso", f"{_FOLDER}.outlines:LassoTool", "L",
        "Select splats inside a freely drawn outline", 1,
    ),
    ToolEntry(
        "polygon", "Polygon", "select-polygon", f"{_FOLDER}.outlines:PolygonTool", "P",
        "Select splats inside an outline of straight lines", 1,
    ),
    ToolEntry(
        "brush", "Brush", "select-brush", f"{_FOLDER}.outlines:BrushTool", "C",
        "Select splats by painting over them", 1,
    ),
    ToolEntry(
        "sphere", "Sphere", "select-sphere", f"{_FOLDER}.volumes:SphereTool", "O",
        "Select splats inside a ball placed in the scene", 1,
    ),
    ToolEntry(
        "box", "Box", "select-box", f"{_FOLDER}.volumes:BoxTool", "X",
        "Select splats inside a box placed in the scene", 1,
    ),
    ToolEntry(
        "eyedropper", "Eyedropper", "eyedropper", f"{_FOLDER}.colors:EyedropperTool", "E",
        "Select splats of like colour, wherever they are", 1,
    ),
    ToolEntry(
        "flood", "Flood", "flood", f"{_FOLDER}.colors:FloodTool", "K",
        "Select splats of like colour that hang together", 1,
    ),
    ToolEntry(
        "move", "Move", "move", f"{_FOLDER}.movers:MoveTool", "G",
        "Move the selected splats, or the chosen nodes", 2,
    ),
    ToolEntry(
        "rotate", "Rotate", "rotate", f"{_FOLDER}.movers:RotateTool", "R",
        "Turn the selected splats, or the chosen nodes", 2,
    ),
    ToolEntry(
        "scale", "Scale", "scale", f"{_FOLDER}.movers:ScaleTool", "S",
        "Scale the selected splats, or the chosen nodes", 2,
    ),
    ToolEntry(
        "measure", "Measure", "measure", f"{_FOLDER}.points:MeasureTool", "J",
        "Measure between two points, or set their real distance", 3,
    ),
    ToolEntry(
        "floor", "Lay on the floor", "floor", f"{_FOLDER}.points:FloorTool", "Shift+J",
        "Turn the scene so that three points of its floor lie level", 3,
    ),
)  # fmt: skip
"""Every tool, in the order of the rail."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the tool strip sets; values that do not concern the active tool wait.

    Parameters
    ----------
    mode
        What becomes of the selection where no key says otherwise; see `COMBINATIONS`.
    surface
        Pick the visible surface alone, not what lies behind.
    footprint
        Any part of a splat counts, not its centre alone.
    brush
        Radius in logical pixels.
    tolerance
        How unlike a colour may be, 0..1.
    local
        Gizmos stand along the axes of what they move, not the world's.
    pivot
        ``"origin"``, ``"center"`` or ``"cursor"``.
    snap
        Steps even without Ctrl, which then lets go of them.
    turning
        The gizmo of a volume turns it instead of moving it.
    """

    mode: str = "set"
    surface: bool = False
    footprint: bool = False
    brush: float = 32.0
    tolerance: float = 0.12
    local: bool = False
    pivot: str = "center"
    snap: bool = False
    turning: bool = False


class Toolbox(QObject):
    """Makes each tool when it is first used."""

    tool_changed = Signal(str)
    options_changed = Signal()
    repaint = Signal()
    """Something that tools paint has changed."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self.session = session
        self.options = Options()
        self.layers = Layers(self)
        self.camera_lock = CameraLock(self)
        self.subject = Subject(self)
        self.tally = Tally(self)
        self._tools: dict[str, Tool] = {}
        self.ready = False
        """Whether picking has been loaded, which takes a moment."""
        self._warming = False
        self.active_id = "pointer"
        self.active = self._tool("pointer")
        session.editing.replaced.connect(self._on_replaced)

    def _tool(self, tool_id: str) -> Tool:
        if tool_id not in self._tools:
            entry = next(e for e in TOOLS if e.id == tool_id)
            module, _, name = entry.tool.partition(":")
            self._tools[tool_id] = getattr(importlib.import_module(module), name)(self)
        return self._tools[tool_id]

    def choose(self, tool_id: str) -> None:
        """Work with another tool; what the present one has half done is given up."""
        self.active.cancel()
        self.tally.clear()
        self.active = self._tool(tool_id)
        self.active_id = tool_id
        self.active.activate()
        self.tool_changed.emit(tool_id)
        self.repaint.emit()

    def set_options(self, **values: object) -> None:
        """Change some options."""
        fresh = replace(self.options, **values)
        if fresh != self.options:
            self.options = fresh
            self.options_changed.emit()
            self.repaint.emit()

    def mode_of(self, shift: bool, control: bool) -> str:
        """What becomes of the selection while keys are held."""
        if shift and control:
            return "intersect"
        if shift:
            return "add"
        return "remove" if control else self.options.mode

    def pick(self, region: Region, mode: str) -> None:
        """Select the splats in a region."""
        on_screen = region.camera is not None
        self.run_pick(
            "select_region",
            region=region,
            mode=mode,
            surface=self.options.surface and on_screen,
            footprint=self.options.footprint and on_screen,
        )

    def run_pick(self, name: str, **arguments: object) -> None:
        """Carry out an operation that selects, beside the window where that may take long."""
        slow = not self.ready or any(
            arguments.get(what) for what in ("surface", "footprint", "connected")
        )
        if slow or self.session.stage.splat_count > LARGE:
            self.session.editing.start(name, **arguments)
        else:
            self.session.editing.run(name, **arguments)

    def _on_replaced(self) -> None:
        self.active.cancel()
        if not self.ready and not self._warming and self.session.editing.document is not None:
            self._warming = True
            handlers = Handlers(self._on_warm, self._on_cold, self._on_progress)
            self.session.start_job(_warmed, handlers, "warm tools")
        self.tally.clear()
        self.repaint.emit()

    def _on_warm(self, done: None) -> None:
        self.ready, self._warming = True, False

    def _on_cold(self, error: BaseException) -> None:
        # What could not be loaded is loaded by the first pick, which tells why it cannot.
        self._warming = False

    def _on_progress(self, progress: Progress) -> None:
        """It takes no steps."""


def _warmed() -> None:
    """Load what picking needs: else the first selection would hold the window up."""
    from polyorama.edit.ops import op_names
    from polyorama.scene.regions import Region
    from polyorama.verbs.selecting import region_bits
    from polyorama.verbs.warm import tiny_scene

    op_names()
    document, camera = tiny_scene()
    outline = (1.0, 1.0, 9.0, 1.0, 5.0, 9.0)
    for region in (
        Region.rect(camera, 0.0, 0.0, 9.0, 9.0),
        Region(kind="polygon", camera=camera, points=outline),
        Region(kind="brush", camera=camera, points=outline, radius=3.0),
        Region(kind="sphere", radius=1.0),
    ):
        region_bits(document, region)
