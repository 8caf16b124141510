"""``twinwall hall readiness``: says whether tables whose controllers run on this computer are ready, enrols their sets, tries four draws.

The dashboard asks it (``[dashboard] readiness``); it listens on loopback alone.
"""

from argparse import Namespace
from pathlib import Path

from cli.event_mode import prepare_event
from cli.run_settings import load_to_run
from cli.signals import until_stopped
from cli.usage import EVENT, UsageError, argument, port_number, takes
from controller.settings import TableSettings


def _settings(path: Path, arguments: Namespace) -> TableSettings:
    """A table's settings, fit for an event where they say that it is one; raises SettingsError and UsageError."""
    settings = load_to_run(path, TableSettings)
    prepare_event(settings, Namespace(settings=path, event=arguments.event))
    return settings


@takes(
    argument("settings", "settings files of the tables' controllers", type=Path, nargs="+"),
    argument("--port", "port on loopback", type=port_number, required=True, metavar="N"),
    EVENT,
    about=__doc__,
)
def serve(arguments: Namespace) -> None:
    settings = [_settings(path, arguments) for path in arguments.settings]
    from cli.hall.checked_parts import checked_parts  # noqa: PLC0415  # other commands need not wait for OpenCV and the model
    from tableside.readiness.checked_table import CheckedTable  # noqa: PLC0415
    from tableside.readiness.readiness_server import readiness_app  # noqa: PLC0415
    from twinwall.web.http_server import HttpServer  # noqa: PLC0415
    from vision.cameras.port import use_one_thread  # noqa: PLC0415

    use_one_thread()
    tables = {each.table.name: CheckedTable(checked_parts(each)) for each in settings}
    stop = until_stopped()
    try:
        server = HttpServer(readiness_app(tables), arguments.port)
    except OSError as problem:
        raise UsageError(f"--port {arguments.port} cannot be listened on ({problem.strerror}): choose another one") from problem
    server.start()
    stop.wait()
    for table in tables.values():
        table.close()
    server.stop()
