"""``twinwall hall``: a whole hall on this computer (``serve``, also without that word); the hall's certificate authority, the certificates
of its programs, and Mosquitto's configuration."""

from argparse import Namespace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cli.event.starts import read_plan
from cli.hall.certificate_files import CertificateFiles
from cli.hall.hall_folder import CERTIFICATE_DAYS, HALL
from cli.usage import (
    FORCE,
    PRIVATE,
    PUBLISHED,
    UsageError,
    argument,
    port_number,
    refuse_existing,
    settings_file,
    takes,
    tell,
    write_file,
    wrong_use,
)
from config import DashboardSettings, load
from config.connections import is_loopback
from twinwall.wire.certificates import CertificateError
from twinwall.wire.messages.signing import vault_names
from twinwall.wire.mqtt.access import BROKER, SERVER_USER, VAULT_USER, format_rights, rights, table_user, tls_conf
from twinwall.wire.mqtt.centre_topics import GATEWAY_USER, gateway_rights

DAYS = 30
"""An event with its days of building up and rehearsing; a certificate kept longer is worth nothing."""

_DASHBOARD = settings_file("the dashboard's")
_GATEWAY = argument("--gateway", "also for the gateway to a centre", action="store_true")


@takes(
    _DASHBOARD,
    argument("--out", "the folder, made where it is not there", type=Path, required=True, metavar="FOLDER"),
    argument(
        "--host", "a name or address of the machines with broker and pages; once for each", action="append", default=[], metavar="NAME"
    ),
    argument("--days", f"how long all of it is good (1 to {CERTIFICATE_DAYS}; {DAYS})", type=int, default=DAYS),
    argument("--table", "also a certificate for this table, to carry there", action="append", default=[], metavar="TABLE"),
    _GATEWAY,
    about="Make the hall's authority where OUT has none, and the certificates that OUT lacks. No file is written over.",
)
def certificates(args: Namespace) -> None:
    settings = load(args.settings, DashboardSettings)
    if unknown := [table for table in args.table if table not in settings.tables]:
        raise UsageError(f"table {unknown[0]!r} is not in {args.settings}")
    if not 1 <= args.days <= CERTIFICATE_DAYS:
        raise UsageError(f"--days must be 1 to {CERTIFICATE_DAYS}, not {args.days}")
    now = datetime.now(UTC)
    files = CertificateFiles(args.out)
    with wrong_use(args.out, CertificateError):
        if files.has_authority:
            authority = files.read_authority()
            if authority.ends <= now:
                raise UsageError(f"the certificates in {args.out} ended on {authority.ends:%Y-%m-%d}: name a new folder for new ones")
            if args.host:
                raise UsageError(f"{args.out} has an authority, whose hosts are fixed: leave --host out, or name a new folder")
        else:
            authority = files.make_authority(_event(settings) or HALL, args.host, now, timedelta(days=args.days))
        hosts = authority.hosts
        vaults: dict[str, tuple[str, ...]] = dict.fromkeys(_vaults(settings), ())
        asked = {BROKER: hosts, SERVER_USER: hosts, **vaults, **{table_user(table): () for table in args.table}}
        asked |= {GATEWAY_USER: ()} if args.gateway else {}
        for name, served in asked.items():
            is_new = files.issue(authority, name, served, now)
            tell(f"{files.certificate(name)}: {'made' if is_new else 'was there, and is kept'}")
    tell(f"good until {authority.ends:%Y-%m-%d}; keep {files.authority_key} where no other person can read it")


@takes(
    _DASHBOARD,
    argument("--certificates", "the folder of hall certificates", type=Path, required=True, metavar="FOLDER"),
    argument("--listen", "this machine's address in the hall's network", required=True, metavar="ADDRESS"),
    argument("--port", "the port (8883)", type=port_number, default=8883, metavar="N"),
    argument("--out", "where mosquitto.conf and mosquitto.rights go", type=Path, required=True, metavar="FOLDER"),
    FORCE,
    _GATEWAY,
)
def mosquitto(args: Namespace) -> None:
    settings = load(args.settings, DashboardSettings)
    files = CertificateFiles(args.certificates.absolute())
    broker = files.tls_files(BROKER)
    if missing := [path for path in (broker.authority, broker.certificate, broker.key) if path is not None and not path.exists()]:
        raise UsageError(f"{missing[0]} is not there: make it with twinwall hall certificates")
    out: Path = args.out.absolute()
    conf, granted = out / "mosquitto.conf", out / "mosquitto.rights"
    if not args.force:
        refuse_existing((conf, granted))
    every = (*rights(_event(settings), settings.tables, _vaults(settings)), *(gateway_rights(_vaults(settings)) if args.gateway else ()))
    write_file(granted, format_rights(every).encode(), PRIVATE, args.force)
    write_file(conf, tls_conf(granted, broker, args.listen, args.port).encode(), PUBLISHED, args.force)
    reached = "127.0.0.1" if is_loopback(args.listen) else args.listen
    tell(f"start it with mosquitto -c {conf}; programs find it at mqtts://{reached}:{args.port}")


def _event(settings: DashboardSettings) -> str | None:
    """The event of the settings; None where events are made in the browser, for rights that hold at each of them."""
    return None if settings.event is None else settings.event.name


def _vaults(settings: DashboardSettings) -> tuple[str, ...]:
    """The accounts of the vaults: one for each holder, whom the settings name with his vault's key or the plan does."""
    event = settings.event
    if settings.vault_keys:
        return tuple(vault_names(tuple(settings.vault_keys)).values())
    if event is None or event.plan is None:
        return (VAULT_USER,)
    return tuple(vault_names(read_plan(event.plan).holders).values())
