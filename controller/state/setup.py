"""Set-up of a controller, constant while it runs: table, rules, players, times and limits, all from the settings."""

from collections.abc import Mapping
from dataclasses import field

from controller.state.open_deal import OpenDeal
from firmware_bridge.messages import Capabilities
from twinwall.game.rule_set import RuleSet
from twinwall.values import frozen


@frozen
class Setup:
    """The settings of a controller. ``options`` are those that ``rules`` was made with; ``names`` are the players by place; times are in
    seconds of play time, the lease in wall time. ``frames_to_agree`` readings of a tile must agree before it may be placed; after
    ``frames_before_recirculating`` it goes back to the drum to be shown another time; a smear or a reflection can look like no tile at all,
    so only after ``showings_before_rejecting`` unreadable showings in a row is what is no tile rejected, and after
    ``showings_before_staff`` unreadable showings in a row a person is called; ``decoys_before_naming`` good places are emptied before a
    missing kind is named. A meld or hand that does not appear within ``show_timeout_s`` calls the referee. A seat that has not drawn or
    discarded within ``turn_limit_s`` (0 for no limit) is warned ``turn_notice_s`` before; then he is called. A hand that is not over within
    ``hand_limit_s`` (0 for no limit) calls him too, ``hand_notice_s`` after a notice. Deals follow each other until ``last_hand`` of the
    session was played, and where ``sessions_follow`` in later sessions too; ``sets`` are the names of the tile sets by the colour of their
    backs, as the feeder tells it, and a well whose count stays short for ``well_patience_s`` calls staff; so does a wait for the machine
    that lasts ``machine_patience_s`` (``controller.state.waits``). ``custody`` says that deals come from a vault, which tells when each is
    released. At a ``paper`` table people build walls from printed sheets and enter the scores; no deal is opened here. Of a ready wall
    ``re_read_share`` is read once more while a hand is played; ``most_doubtful`` positions at most are read again because the looks at a
    full wall leave doubt. With ``seat_check`` no hand of ``session`` starts before the four players have said to sit where they belong.
    With ``decodes`` decoders follow each hand beside the table's own record (``controller.recorder``); without ``senses_draws`` people say
    when a seat has drawn."""

    table: str
    rules: RuleSet
    names: tuple[str, str, str, str]
    claim_window_s: float
    unlock_lease_s: float
    options: Mapping[str, bool | int | str] = field(default_factory=dict)
    drum_empty_s: float = 8.0
    frames_to_agree: int = 2
    frames_before_recirculating: int = 3
    showings_before_rejecting: int = 4
    showings_before_staff: int = 12
    decoys_before_naming: int = 8
    show_timeout_s: float = 60.0
    turn_limit_s: float = 0.0
    turn_notice_s: float = 10.0
    hand_limit_s: float = 0.0
    hand_notice_s: float = 60.0
    well_patience_s: float = 20.0
    machine_patience_s: float = 60.0
    last_hand: int = 1
    sessions_follow: bool = False
    sets: Mapping[int, str] = field(default_factory=lambda: {1: "blue", 2: "green"})
    capabilities: Capabilities = field(default_factory=Capabilities)
    custody: bool = False
    paper: bool = False
    re_read_share: float = 0.15
    most_doubtful: int = 8
    session: int = 1
    seat_check: bool = False
    decodes: bool = False
    senses_draws: bool = True

    def plays_only(self, hand: int) -> bool:
        """Whether the table plays no hand but this one, where it has not played any yet: then one tile set does."""
        return hand == self.last_hand and not self.sessions_follow

    def leaves(self, deal: OpenDeal | None) -> bool:
        """Whether a deal whose hand has not begun stays unplayed: it is of another session than this one."""
        return deal is not None and deal.session != self.session
