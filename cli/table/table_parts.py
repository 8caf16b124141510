"""Parts of a table that its settings describe: the controller's set-up, the feeder's port, the cameras of the reading gates.

``twinwall table run`` plays with them, ``twinwall feeder test-deal`` builds walls without players.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from cli.table.table_deals import played_hands
from cli.tiles.readers import gate_readers, tile_sets, with_service
from config import SettingsError
from controller.adapters.cameras.gate_cameras import GateCameraWorker
from controller.device_settings import FeederSection
from controller.settings import TableSettings
from controller.state.messages import Message
from controller.state.table_state import Setup
from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.settings import KnownBoot, LinkSettings
from firmware_bridge.messages import Capabilities
from firmware_bridge.serial_port import devices
from twinwall.game.deals import DealError, Plan
from twinwall.game.documents import DocumentError, parse_toml
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set, wall_layout
from twinwall.given_files import limited_bytes, limited_text
from twinwall.wire.messages.assignment import TableKind
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
