"""The panels of a table that its settings name: pins of the header, phones, both or none."""

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cli.usage import UsageError
from controller.adapters.phone_panel import PhonePanel
from controller.settings import TableSettings
from controller.state.messages import PanelMessage
from twinwall.wire.shapes.panel import KEYS, Key, Lamps, PanelPins

if TYPE_CHECKING:
    from controller.adapters.panel import Panel


class TablePanels:
    """All panels of a table: each press counts, each lights the same lamps."""

    def __init__(self, panels: "Sequence[Panel | PhonePanel]") -> None:
        self._panels = tuple(panels)

    def show(self, lamps: Lamps) -> None:
        """Light exactly these lamps everywhere."""
        for panel in self._panels:
            panel.show(lamps)

    def stop(self) -> None:
        """Post nothing more."""
        for panel in self._panels:
            panel.stop()


def open_panels(settings: TableSettings, post: Callable[[PanelMessage], None], keys: Sequence[Key] = KEYS) -> TablePanels:
    """The panels, started; phones show ``keys`` alone. Raises UsageError where the pins cannot be used."""
    panels: list[Panel | PhonePanel] = []
    if settings.panel.enabled:
        panels.append(_pins(settings, post))
    if settings.panel.phones is not None:
        panels.append(PhonePanel(settings.panel.phones, post, keys))
        panels[-1].start()
    return TablePanels(panels)


def _pins(settings: TableSettings, post: Callable[[PanelMessage], None]) -> "Panel":
    pins = settings.panel
    wiring = PanelPins(pins.rows, pins.columns, pins.turn, pins.call, pins.window, pins.fault, pins.buzzer, pins.wall or ())
    try:
        # lgpio makes a FIFO in the working directory while it is loaded, and LG_WD would move the process there for good.
        with tempfile.TemporaryDirectory(prefix="twinwall-pins-") as folder, contextlib.chdir(folder):
            from controller.adapters.panel import Panel  # noqa: PLC0415 - it can be imported only where there is GPIO

        panel = Panel(wiring, pins.scan_period_s, pins.debounce_s, post)
        panel.start()
    except Exception as error:  # loading the pins' libraries may fail in their own ways, as by a folder that lgpio cannot write to
        raise UsageError(f"the panel's pins cannot be used: {error}; set [panel] enabled = false where there is no panel") from error
    return panel
