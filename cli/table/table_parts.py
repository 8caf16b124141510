"""Parts of a table by its settings: the controller's set-up, the feeder's port, the gates' cameras, the source of its deals. Deals come
sealed from the vault, or in rehearsals in the clear from a folder. ``twinwall table run`` plays with them, ``twinwall feeder test-deal``
builds walls without players."""

import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from cli.event.starts import started_plan
from cli.tiles.readers import gate_readers, tile_sets, with_service
from config import SettingsError
from config.reading import named_keys
from controller.adapters.cameras.gate_cameras import GateCameraWorker
from controller.adapters.deal_folder import DealFolder, due_deals
from controller.adapters.memory_folder import MOUNTS, boot_secrets, open_folder
from controller.adapters.sealed_deals import SealedDeals
from controller.adapters.table_identity import TableIdentity
from controller.device_settings import FeederSection
from controller.settings import TableSettings
from controller.state.messages import Message
from controller.state.table_state import Setup
from controller.table_loop import Deals
from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.session import KnownBoot, LinkSettings
from firmware_bridge.messages import Capabilities
from firmware_bridge.serial_port import devices
from twinwall.game.deals import DealError, Plan, StartedPlan
from twinwall.game.documents import DocumentError, parse_toml
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set, wall_layout
from twinwall.game.tiles import hands_in_order
from twinwall.given_files import limited_bytes, limited_text
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.messages.boot_keys import BOOT_SECRETS_SIZE
from twinwall.wire.messages.signing import Counter, Recipient, Signer, read_signer
from twinwall.wire.mqtt.access import SERVER_USER
from vision.cameras.port import Camera

LEAST_WINDOW_BY_VOICE_S = 5.0
"""People take some 3 s to lay a meld, and the decoder up to 2 s to be certain of it."""

log = logging.getLogger(__name__)


def feeder_port(
    settings: TableSettings, post: Callable[[Message], None], capabilities: Capabilities, known: KnownBoot | None
) -> FeederConnection:
    """The serial line to the feeder; the receiver of its events acknowledges them."""
    return FeederConnection(
        settings.feeder.port,
        settings.feeder.baud_rate,
        post,
        known=known,
        auto_acknowledge=False,
        settings=LinkSettings(expected=capabilities, uid=bytes.fromhex(settings.feeder.uid) or None),
        search=lambda: devices(settings.feeder.search),
    )


def gate_workers(settings: TableSettings, cameras: Sequence[Camera], post: Callable[[Message], None]) -> tuple[GateCameraWorker, ...]:
    """The camera workers of the reading gates, in the order of ``cameras``."""
    readers = with_service(gate_readers(settings.vision, tile_sets(settings), wall_layout(settings.rules.name).kinds), settings.service)
    read, frames = {back: reader.read for back, reader in readers.items()}, settings.vision.gate_frames
    return tuple(GateCameraWorker(camera, read, post, frames=frames, gate=gate) for gate, camera in enumerate(cameras))


def table_setup(settings: TableSettings) -> Setup:
    """The controller's set-up; raises SettingsError or RuleSetError for rules that it cannot play."""
    options = rule_options(settings.rules.options)
    return Setup(
        table=settings.table.name,
        rules=led_rules(settings.rules.name, options),
        options={name: value for name, value in options.items() if isinstance(value, bool | int | str)},
        names=settings.seats.players,
        last_hand=played_hands(settings)[-1],
        sessions_follow=_sessions_follow(settings),
        sets={each.back: each.name for each in tile_sets(settings)},
        capabilities=capabilities(settings.feeder),
        custody=settings.custody.identity is not None,
        paper=settings.table.kind == TableKind.PAPER,
        re_read_share=settings.audit.share,
        most_doubtful=settings.audit.most_doubtful,
        session=settings.hands.session,
        seat_check=settings.seats.check,
        decodes=settings.recorder.mode == "record" and settings.table.kind != TableKind.PAPER,
        senses_draws=settings.table.kind != TableKind.GUIDED,
        **asdict(settings.play),
        **asdict(settings.build),
    )


def note_short_window(setup: Setup) -> None:
    """Say in the log where a decoder is to tell calls by voice, and the claim window leaves it little time after a meld is laid."""
    if setup.decodes and setup.claim_window_s < LEAST_WINDOW_BY_VOICE_S:
        log.info(
            "[play] claim_window_s = %g is short for calls by voice, which [recorder] mode tells when the meld lies there: one that is "
            "known after the window calls the referee; set it to as long as people take to lay a meld, and 2 s more (%g or longer), or "
            "have all players call by key",
            setup.claim_window_s,
            LEAST_WINDOW_BY_VOICE_S,
        )


def _sessions_follow(settings: TableSettings) -> bool:
    """Whether the plan has a later session; False where there is no plan that can be read, which is refused elsewhere."""
    plan = settings.deals.plan
    try:
        return plan is not None and any(deal.session > settings.hands.session for deal in Plan.from_bytes(limited_bytes(plan)).deals)
    except (OSError, DocumentError, DealError):
        return False


def capabilities(feeder: FeederSection) -> Capabilities:
    """What the settings say of the feeder; one that answers otherwise is refused."""
    return Capabilities(
        bypass_cells=feeder.bypass_cells,
        gates=feeder.gates,
        exchangers=feeder.exchangers,
        pocket_places=feeder.pocket_places,
        shuttles=feeder.shuttles,
    )


def led_rules(name: str, options: Mapping[str, object]) -> RuleSet:
    """The rule set with its options; raises SettingsError where it draws what no gate gives out, and RuleSetError as ``rule_set`` does."""
    rules = rule_set(name, options)
    if rules.replaces_from_end:
        raise SettingsError(
            f"[rules] {name}: a draw gate gives out the next tile of a wall and never the last one, by which these options replace kongs: "
            "leave that to the command line, which scores and replays such hands"
        )
    return rules


def rule_options(path: Path | None) -> Mapping[str, object]:
    """The options in a file; none without one. Raises SettingsError when it is no TOML."""
    if path is None:
        return {}
    try:
        return parse_toml(limited_text(path), str(path))
    except DocumentError as error:
        raise SettingsError(f"{error}: write rule options as TOML") from error


def table_deals(settings: TableSettings, sealed: SealedDeals | None) -> Deals:
    """Where the table takes its deals from; at a table without cameras the plan says which is next, and none is opened."""
    is_paper = settings.table.kind == TableKind.PAPER
    if sealed is not None and not is_paper:
        return sealed
    return DealFolder(_started(settings), settings.hands.session, played_hands(settings), None if is_paper else settings.deals.folder)


def sealed_deals(settings: TableSettings) -> SealedDeals | None:
    """The deals from the vault; None where they lie in a folder. A table without cameras takes none, and tells the vault how far it is.
    Raises DocumentError or OSError for the table's key, SettingsError when what opens deals would reach a disk."""
    custody, name = settings.custody, settings.table.name
    if custody.identity is None or not custody.vault_keys:
        return None
    started, signer = _started(settings), read_signer(name, custody.identity)
    memory = open_folder(custody.memory, MOUNTS.read_text(encoding="utf-8"))
    boot = boot_secrets(memory, name, secrets.token_bytes(BOOT_SECRETS_SIZE))
    log.info("the fingerprint of this table's boot keys is %s", boot.public.fingerprint)
    try:
        recipient = Recipient(settings.table.event, name, started.start.root)
        identity = TableIdentity(started, recipient, named_keys(custody.vault_keys), signer, boot, Counter(_since_boot_ms))
    except DealError as error:
        raise SettingsError(f"custody.vault_keys: {error}") from None
    hands = () if settings.table.kind == TableKind.PAPER else played_hands(settings)
    return SealedDeals(identity, memory, due_deals(started.plan, settings.hands.session, hands))


def trusted_signers(settings: TableSettings, sealed: SealedDeals | None) -> Mapping[str, bytes] | None:
    """Whose commands count, by name; None in a rehearsal, where they are not signed."""
    custody = settings.custody
    if custody.identity is None:
        return None
    trusted = dict(sealed.identity.vaults) if sealed is not None else {}
    if custody.server_key is not None:
        trusted[SERVER_USER] = bytes.fromhex(custody.server_key)
    return trusted or None


def head_signer(settings: TableSettings, sealed: SealedDeals | None) -> Signer | None:
    """Who signs the heads of this table's ledgers: its boot key, or its identity key where there is no vault to accept one; None
    in a rehearsal without keys."""
    if sealed is not None:
        return sealed.identity.boot.signer
    identity = settings.custody.identity
    return None if identity is None else read_signer(settings.table.name, identity)


def played_hands(settings: TableSettings) -> tuple[int, ...]:
    """The hands that the table plays, in order."""
    return hands_in_order(settings.hands.first, settings.hands.last, settings.hands.begins)


def _since_boot_ms() -> int:
    """The key is of one boot, and so is its counter: a table without a clock of its own may wake up in the past."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


def _started(settings: TableSettings) -> StartedPlan:
    deals = settings.deals
    assert deals.plan is not None and deals.start is not None, "settings with an event name both"
    try:
        return started_plan(deals.plan, deals.start)
    except OSError as error:
        key, what = ("start", "start") if error.filename == str(deals.start) else ("plan", "plan of deals")
        raise SettingsError(f"deals.{key}: {error.filename} cannot be read ({error.strerror}): name the event's {what}") from error
