"""Settings of one table's controller, in the order in which a person at the table would check them. Those of its devices are in
``controller.device_settings``.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from config.connections import MqttSettings
from config.reading import (
    CLOCK,
    DEFAULT_RULES,
    HOLDER_KEY,
    HOLDER_KEY_SHAPE,
    MAKE_KEY,
    MAKE_PLAN,
    MAKE_START,
    NAME,
    NAME_SHAPE,
    PLAYER_NUMBER,
    REHEARSAL_MODE,
    RULES,
    RULES_SHAPE,
    Mode,
    SettingKey,
)
from controller.device_settings import CameraSection, FeederSection, PanelSection, ServiceSection, SetsSection, VisionSection
from twinwall.game.tiles import check_hands
from twinwall.values import frozen
from vision.mat import Mat

_SESSION_HANDS = 16


@frozen
class TableSection:
    """Which table this is."""

    name: Annotated[
        str,
        SettingKey(
            "The table's name on the hall's plan; it is part of every topic.", pattern=r"[^\s/+#]+", shape="a text without space, /, + or #"
        ),
    ]
    event: Annotated[
        str,
        SettingKey(
            "The event, as in its plan of deals. Left out, the hall's server assigns it with rules, players and deals; then this file has "
            "none of them.",
            pattern=rf"({NAME})?",
            shape=f"{NAME_SHAPE}, or nothing",
        ),
    ] = ""
    mode: Mode = REHEARSAL_MODE
    kind: Annotated[
        str,
        SettingKey(
            "How its walls are built: by a feeder, by people guided by a station's screen and cameras, or from paper without any camera "
            "(twinwall hall paper); or the table is simulated, for a rehearsal.",
            choices=("feeder", "guided", "paper", "simulated"),
        ),
    ] = "feeder"

    @property
    def is_assigned(self) -> bool:
        """Whether the hall's server assigns what is played here."""
        return not self.event


@frozen
class SeatsSection:
    """Who sits here."""

    players: Annotated[
        tuple[str, str, str, str],
        SettingKey(
            "The players' numbers by place, counter-clockwise; place 0 is East in the first hand of four. Names are kept on the "
            "server alone (twinwall hall players), since a ledger cannot forget.",
            pattern=PLAYER_NUMBER,
            shape='four numbers in quotes such as "17"',
        ),
    ] = ("1", "2", "3", "4")
    check: Annotated[
        bool, SettingKey("Whether no hand starts before the four players have said who they are: with a new session, and new players.")
    ] = False


@frozen
class DealsSection:
    """Where the walls come from. Every deal is checked against the event's start before a tile moves."""

    plan: Annotated[Path | None, SettingKey("The event's plan of deals.", made_by=MAKE_PLAN)] = None
    start: Annotated[Path | None, SettingKey("The event's start; the table accepts no other one later.", made_by=MAKE_START)] = None
    folder: Annotated[
        Path | None,
        SettingKey("Folder of the deal files of this table, in the clear: for rehearsals. Left out where deals come from the vault."),
    ] = None


_PUBLIC_KEY = r"[0-9a-f]{64}"
_PUBLIC_KEY_SHAPE = "64 lower-case hex digits, as twinwall vault key prints them"


@frozen
class CustodySection:
    """Deals from the vault: sealed to this table, opened in memory. Left out, deals come from [deals] folder."""

    identity: Annotated[Path | None, SettingKey("File of the key with which this table signs.", made_by=MAKE_KEY)] = None
    vault_keys: Annotated[
        tuple[str, ...],
        SettingKey("Each seed holder of the plan and the public key of his vault.", pattern=HOLDER_KEY, shape=HOLDER_KEY_SHAPE),
    ] = ()
    server_key: Annotated[
        str | None,
        SettingKey("The public key of the hall's server, whose commands count too.", pattern=_PUBLIC_KEY, shape=_PUBLIC_KEY_SHAPE),
    ] = None
    memory: Annotated[Path, SettingKey("Folder in memory, on no disk, for the key that opens deals.")] = Path("/run/twinwall/table")
    pages: Annotated[
        str,
        SettingKey(
            "Address of the dashboard's pages, which a referee's phone opens when it scans the table's key request. Left empty, the code "
            "holds the request alone, to be put into the page /key-slip.",
            pattern=r"(https?://[a-z0-9.:\[\]-]+)?",
            shape='an address such as "https://hall.example", or nothing',
        ),
    ] = ""

    def __post_init__(self) -> None:
        if self.identity is None and self.vault_keys:
            raise ValueError("needs identity where it names vault_keys")


@frozen
class HandsSection:
    """What is played."""

    session: Annotated[int, SettingKey("The session.", 1, 999)] = 1
    first: Annotated[int, SettingKey("The first hand to play.", 1, _SESSION_HANDS)] = 1
    last: Annotated[int, SettingKey("The last hand to play.", 1, _SESSION_HANDS)] = _SESSION_HANDS
    begins: Annotated[
        int,
        SettingKey(
            "The hand with which the table begins, in a staggered session; after the last it plays on from the first. 0: the first.",
            0,
            _SESSION_HANDS,
        ),
    ] = 0

    def __post_init__(self) -> None:
        check_hands(self.first, self.last, self.begins)


@frozen
class RulesSection:
    """By which rules."""

    name: Annotated[str, SettingKey("The rule set.", pattern=RULES, shape=RULES_SHAPE)] = DEFAULT_RULES
    options: Annotated[Path | None, SettingKey("TOML file of the rule set's options, where they differ from its own.")] = None


@frozen
class PlaySection:
    """How long the table waits for people."""

    claim_window_s: Annotated[
        float,
        SettingKey(
            "How long a discard may be claimed, whether a seat can claim it or not. Where people call by voice, as long as they take to "
            "lay a meld, and 2 s more.",
            0.5,
            30.0,
        ),
    ] = 3.0
    unlock_lease_s: Annotated[float, SettingKey("How long a gate stays open for one draw before it must be opened again.", 1.0, 60.0)] = (
        20.0
    )
    show_timeout_s: Annotated[
        float, SettingKey("How long a claimed meld or a won hand may take to appear before the referee is called.", 5.0, 600.0)
    ] = 60.0
    turn_limit_s: Annotated[
        float,
        SettingKey("How long a player may take to draw, and then to discard, before the referee is called; 0 for no limit.", 0.0, 600.0),
    ] = 0.0
    turn_notice_s: Annotated[float, SettingKey("How long before the limit the player's lamp and the buzzer warn.", 1.0, 120.0)] = 10.0
    hand_limit_s: Annotated[
        float, SettingKey("How long a whole hand may take before the referee is called; 0 for no limit.", 0.0, 7200.0)
    ] = 0.0
    hand_notice_s: Annotated[float, SettingKey("How long before the limit of the hand a lamp and the buzzer warn.", 1.0, 600.0)] = 60.0


@frozen
class BuildSection:
    """How patient the table is with the feeder and its tiles."""

    drum_empty_s: Annotated[float, SettingKey("With places still open, a drum that gives no tile for this long is empty.", 1.0, 120.0)] = (
        8.0
    )
    frames_to_agree: Annotated[int, SettingKey("Frames of a tile in a row that must read the same before it is placed.", 1, 5)] = 2
    frames_before_recirculating: Annotated[int, SettingKey("A tile unread on this many frames goes back to the drum.", 1, 20)] = 3
    showings_before_rejecting: Annotated[
        int, SettingKey("What looks like no tile is rejected after this many unread showings in a row.", 1, 136)
    ] = 4
    showings_before_staff: Annotated[int, SettingKey("After this many unread showings in a row staff are called.", 2, 136)] = 12
    decoys_before_naming: Annotated[
        int, SettingKey("Good places emptied before a missing kind is named, so that the name tells nothing of the wall.", 8, 136)
    ] = 8
    well_patience_s: Annotated[
        float, SettingKey("Between two hands, staff are called if the well's count stays short for this long.", 1.0, 600.0)
    ] = 20.0
    machine_patience_s: Annotated[
        float, SettingKey("Staff are called if the feeder or a gate's camera does not answer for this long.", 10.0, 3600.0)
    ] = 60.0


@frozen
class AuditSection:
    """How much of a wall is read again, beside what the count of four asks for (docs/explanation/wall-audit.md)."""

    share: Annotated[
        float, SettingKey("Share of a ready wall that is read once more while a hand is played; no player waits for it.", 0.0, 1.0)
    ] = 0.15
    most_doubtful: Annotated[int, SettingKey("Most positions of a full wall that are read again before it is ready.", 0, 136)] = 8


@frozen
class RecorderSection:
    """The decoder of hands, which follows what lies anywhere on the mat (docs/explanation/recording/recorder.md)."""

    mode: Annotated[
        str,
        SettingKey(
            "Whether the table's hands are decoded beside the table's own record. Without it a discard that lies off its slot stops play.",
            choices=("off", "record"),
        ),
    ] = "record"


@frozen
class ClockSection:
    """Who says that a claim window is over."""

    source: Annotated[
        str, SettingKey("The system's clock, or a rehearsal's.", pattern=CLOCK, shape='"system" or "http://127.0.0.1:PORT"')
    ] = "system"


@frozen
class LedgerSection:
    """What the table remembers."""

    folder: Annotated[Path, SettingKey("Folder of the journal and the public events; keep it on a disk that lasts.")]


@frozen
class TableSettings:
    """Settings of one table's controller: twinwall table run --settings FILE"""

    table: TableSection
    feeder: FeederSection
    camera: CameraSection
    mqtt: MqttSettings
    ledger: LedgerSection
    deals: DealsSection = DealsSection()
    custody: CustodySection = CustodySection()
    seats: SeatsSection = SeatsSection()
    hands: HandsSection = HandsSection()
    rules: RulesSection = RulesSection()
    build: BuildSection = BuildSection()
    audit: AuditSection = AuditSection()
    play: PlaySection = PlaySection()
    recorder: RecorderSection = RecorderSection()
    clock: ClockSection = ClockSection()
    panel: PanelSection = PanelSection()
    vision: VisionSection = VisionSection()
    sets: SetsSection = SetsSection()
    mat: Mat = Mat()
    service: ServiceSection = ServiceSection()

    def __post_init__(self) -> None:
        if self.service.keep_refused is not None and self.custody.vault_keys:
            raise ValueError("keeps no frames (service.keep_refused) while deals come from the vault: that is an event")
        self._refuse_other_deals()
        cameras = 1 + len(self.camera.other_gates)
        if cameras != self.feeder.gates:
            raise ValueError(
                f"feeder.gates is {self.feeder.gates}, but cameras are named for {cameras}: name in camera.other_gates those of all gates "
                "after the first"
            )
        sources = (self.camera.gate.source, *self.camera.other_gates, self.camera.table.source)
        if twice := [source for source in sources if sources.count(source) > 1]:
            raise ValueError(f"camera names {twice[0]} for two places: each gate and the table have a camera of their own")

    @property
    def own_mat(self) -> Mat:
        """The mat of this table; its frames name the table or none."""
        return replace(self.mat, table=self.table.name)

    def _refuse_other_deals(self) -> None:
        deals, custody = self.deals, self.custody
        if self.table.is_assigned:
            if deals.plan is not None or deals.start is not None:
                raise ValueError("table.event is left out, so the hall assigns plan and start: take deals.plan and deals.start out")
            if custody.identity is None or custody.server_key is None:
                raise ValueError(
                    "table.event is left out, so the hall's server assigns it: set custody.identity and custody.server_key, "
                    "or name the event"
                )
            if deals.folder is not None and custody.vault_keys:
                raise ValueError("deals come either from deals.folder or from the vault (custody): set one of them, or none")
        elif deals.plan is None or deals.start is None:
            raise ValueError("deals.plan and deals.start must be named where table.event is: each deal is checked against them")
        elif (deals.folder is None) == (not custody.vault_keys):
            raise ValueError("deals come either from deals.folder or from the vault (custody): set one of them")
