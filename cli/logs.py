"""Log lines of the services: text for people, or with ``--log json`` one JSON object a line for a program that collects them."""

import logging
from argparse import Namespace
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from firmware_bridge.frames import TRACE
from twinwall.game.documents import write_time

_TEXT = "%(asctime)s %(name)s %(message)s"
_LINE_FIELDS = ("venue", "table")
"""What a line may name by ``extra``, beside what its service is of."""


class JsonLines(logging.Formatter):
    """A JSON object a line: ``at`` (UTC), ``level``, ``logger``, ``message``, ``error`` (a traceback), what the service is of, and
    the venue or table that a line is about."""

    def __init__(self, where: Mapping[str, str]) -> None:
        """``where`` has the names of event and table; empty ones are left out."""
        super().__init__()
        self._where = {key: name for key, name in where.items() if name}

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": write_time(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "logger": record.name,
            **self._where,
            **{key: str(getattr(record, key)) for key in _LINE_FIELDS if hasattr(record, key)},
            "message": record.getMessage(),
        }
        if record.exc_info is not None:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


def begin(arguments: Namespace, where: Mapping[str, str] | None = None, level: int = logging.INFO) -> None:
    """Write the log to standard error in the form that was asked for; ``where`` names the event and the table of a service of one."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines(where or {}) if arguments.log == "json" else logging.Formatter(_TEXT))
    logging.basicConfig(level=level, handlers=[handler])


def trace_frames(arguments: Namespace) -> None:
    """Where ``--trace`` asks for it, write every frame to and from the feeder to standard error from now on."""
    if arguments.trace:
        logging.basicConfig(format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S")
        TRACE.setLevel(logging.DEBUG)
