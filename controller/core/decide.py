"""Decision function of the table: which events follow from a message, and when a hand starts (``_hand_starts``).

``decide`` answers a message with events or a refusal; ``due_events`` returns what then happens without a message (a gate unlocks, a claim
window opens, the next tile is placed). Both are pure: the same state and message give the same events.
"""

from typing import assert_never

from controller.core import waits
from controller.hand import clocks, decoding, draw_gates, paper_hand, play, referee, seat_check, table_observations
from controller.ledger.journal_events import Events, FeederBooted, FeederEventTaken, HandTileTaken, JournalEvent, OperationDone, TileArrived
from controller.state.faults import (
    ESTOP,
    FEEDER_FAULTS,
    LID,
    MISSING,
    STAFF_FAULTS,
    STOPPING,
    WELL,
    WRONG_FEEDER,
    WRONG_PORT,
    emergency_stop,
    feeder_fault,
    open_drum_lid,
    wrong_port,
)
from controller.state.messages import (
    CallDecoded,
    ClaimWindowTimer,
    Decision,
    ExposureTimer,
    GateSeen,
    HandTimer,
    KeyPressed,
    LeaseTimer,
    Message,
    PartFound,
    PartLost,
    PauseTimer,
    Refused,
    SlipHeard,
    SlotsSeen,
    StarvedTimer,
    StatusTimer,
    TilesDecoded,
    Timer,
    TimerFired,
    TurnTimer,
    ViolationDecoded,
    WearSeen,
    WellShortTimer,
)
from controller.state.sides import HAND_TILES, OpenDeal, PlayStage
from controller.state.table_state import BROKER, FEEDER, Setup, TableState, are_awaited, issue_all, may_begin
from controller.state.waits import Waiting
from controller.wall import audit, build, clearing, survey, wear
from firmware_bridge import messages as feeder_messages
from firmware_bridge.link import events as feeder
from firmware_bridge.messages import Clear, CloseWell
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.tiles import SEATS
from twinwall.wire.events.hand_events import DealReleased, HeadsNoted, RecordDoubt
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed
from twinwall.wire.events.trouble_events import CallSubject, CameraTrouble, FaultCleared, LinkLost, LinkRestored, TableFault
from twinwall.wire.events.wall_events import DealOpened, DealRefused, HandsTaken
from twinwall.wire.messages.commands import (
    AnswerRecord,
    AnswerTile,
    BeginHand,
    CallReferee,
    ConfirmScore,
    EnterResult,
    PauseClock,
    SwapSeats,
    TakeSeat,
)
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.shapes.panel import Key


def decide(setup: Setup, state: TableState, message: Message) -> Decision:
    match message:
        case OpenDeal():
            return _open_deal(setup, state, message)
        case PlannedDeal():
            return paper_hand.sheets_due(setup, state, message)
        case DealRefused() | HeadsNoted():
            return (message,)
        case SlipHeard(n):
            return _released(state, n)
        case Ruling():
            return referee.ruled(setup, state, message)
        case AnswerTile():
            return table_observations.answered(setup, state, message)
        case AnswerRecord():
            return decoding.answered(setup, state, message)
        case TakeSeat(place, player):
            return seat_check.taken(setup, state, place, player)
        case SwapSeats((first, second)):
            return seat_check.swapped(setup, state, first, second)
        case ConfirmScore(place, n, payments):
            return play.score_entered(setup, state, place, n, payments)
        case BeginHand():
            return paper_hand.begun(setup, state, message)
        case EnterResult():
            return paper_hand.entered(setup, state, message)
        case CallReferee(place, about):
            return _called(state, place, about)
        case PauseClock(paused):
            return _clock(state, paused=paused)
        case GateSeen():
            return build.seen(state, message)
        case SlotsSeen():
            return table_observations.seen(setup, state, message)
        case TilesDecoded():
            return table_observations.decoded(setup, state, message)
        case CallDecoded():
            return play.called_aloud(setup, state, message)
        case ViolationDecoded():
            return referee.decoded(state, message)
        case RecordDoubt():
            return decoding.disputed(setup, state, message)
        case KeyPressed():
            return _key(setup, state, message)
        case TimerFired(timer):
            return _timer(setup, state, timer)
        case Waiting():
            return waits.over(setup, state, message)
        case WearSeen(found):
            return wear.advice(setup, state, found)
        case PartLost():
            return _part_lost(state, message)
        case PartFound(what):
            return _restored(state, what)
        case _:
            return _feeder(setup, state, message)


def _called(state: TableState, place: int, about: CallSubject) -> Decision:
    deal = state.playing.deal
    if deal is None:
        return Refused(f"place {place} calls the referee before a hand is at the table")
    seat = deal.seat(place)
    return referee.key_pressed(state, seat, about) or Refused(f"{seat.name.title()} has called the referee before")


def _clock(state: TableState, *, paused: bool) -> Decision:
    if state.paused == paused:
        return Refused(f"the clock is {'paused' if paused else 'running'} already")
    return (ClockPaused(published=True) if paused else ClockResumed(published=True),)


def due_events(setup: Setup, state: TableState) -> Events:
    """Return what happens by itself next; asked again until it is empty."""
    return waits.due_events(setup, state) or seat_check.due_events(setup, state) or _in_hand(setup, state) or build.due_events(setup, state)


def _in_hand(setup: Setup, state: TableState) -> Events:
    match state.playing.stage:
        case PlayStage.TAKING:
            return _hand_starts(setup, state)
        case PlayStage.PLAYING:
            return () if setup.paper else play.due_events(setup, state)
        case PlayStage.NONE | PlayStage.SETTLING | PlayStage.CLOSED:
            return ()
        case _:
            assert_never(state.playing.stage)


def _open_deal(setup: Setup, state: TableState, deal: OpenDeal) -> Decision:
    if deal.rules != setup.rules.name:
        sentence = f"Deal {deal.n} is for {deal.rules}, this table plays {setup.rules.name}: check [rules] name and [hands] in the settings"
        return (DealRefused(deal.n, "rules", sentence),)
    if state.making.deal is not None and not survey.trays_are_free(setup, state):
        return Refused(f"deal {deal.n} came while the wall of deal {state.making.deal.n} is in the making")
    if deal.n in state.done:
        return Refused(f"deal {deal.n} came again: it is in play or has been played")
    return (DealOpened(deal.n, deal.session, deal.hand, deal.rules, deal.check, deal.walls, deal.digest, deal.rest),)


def _released(state: TableState, n: int) -> Decision:
    """The vault repeats a slip; a table that has not played the deal takes it once it has."""
    if n in state.released or n not in state.closed:
        return Refused(f"the slip of deal {n} is known already, or the deal has still to be played here")
    return DealReleased(n), *decoding.questioned(state, n)


def _hand_starts(setup: Setup, state: TableState) -> Events:
    deal = state.playing.deal
    assert deal is not None
    begins = may_begin(setup, state.seats, paused=state.paused) and not setup.leaves(deal)
    if len(state.playing.hand.taken) < HAND_TILES * len(SEATS) or not begins:
        return ()
    return HandsTaken(deal.n), paper_hand.started(setup, deal, {seat: len(deal.walls[seat].draws) for seat in SEATS})


def _key(setup: Setup, state: TableState, press: KeyPressed) -> Decision:
    """The hand comes first: a CONFIRM that it awaits never counts as the staff's, who press when none is awaited."""
    if press.key is Key.CONFIRM and not play.awaits_confirm(state, press.place) and (cleared := _dealt_with(state)):
        return cleared
    if press.key is Key.CONFIRM and BROKER in state.lost and are_awaited(setup, state.seats):
        return seat_check.confirmed_by_key(setup, state, press.place)
    if state.playing.deal is None:
        return Refused(f"{press.key} at place {press.place} means nothing before a hand is at the table")
    return play.key(setup, state, press)


def _timer(setup: Setup, state: TableState, timer: Timer) -> Decision:
    match timer:
        case ClaimWindowTimer(deal, window):
            return _window_over(setup, state, deal, window)
        case LeaseTimer(operation):
            return play.lease_due(setup, state, operation)
        case StarvedTimer(event):
            return _starved(setup, state, event)
        case WellShortTimer(deal, short):
            return _well_short(state, deal, short)
        case ExposureTimer(watch):
            return table_observations.not_shown(setup, state, watch)
        case TurnTimer():
            return clocks.turn_over(setup, state, timer)
        case HandTimer():
            return clocks.hand_step_over(setup, state, timer)
        case PauseTimer(operation):
            return build.pause_over(state, operation)
        case StatusTimer():
            return Refused("the follower asks the sensors")
        case _:
            assert_never(timer)


def _starved(setup: Setup, state: TableState, event: int) -> Decision:
    if event != state.making.build.starved:
        return Refused(f"tiles have come since the drum was empty after event {event}")
    return audit.starved(setup, state)


def _well_short(state: TableState, n: int, short: int) -> Decision:
    if state.making.deal is None or state.making.deal.n != n:
        return Refused(f"the well count of deal {n} is of another clearing")
    return clearing.count_short(state, short)


def _window_over(setup: Setup, state: TableState, n: int, window: int) -> Decision:
    if state.playing.deal is None or state.playing.deal.n != n:
        return Refused(f"claim window {window} is of deal {n}, which is not in play")
    return play.window_over(setup, state, window)


def _feeder(setup: Setup, state: TableState, message: feeder.FeederEvent) -> Decision:
    match message:
        case feeder.LinkUp():
            return _link_up(state, message)
        case feeder.LinkDown():
            return _lost(state, FEEDER)
        case feeder.NotAFeeder():
            fault = wrong_port(message.reason, another=message.another)
            return Refused(message.reason) if fault in state.faults else (*_events(_lost(state, FEEDER)), fault)
        case feeder.Acked():
            return ()
        case feeder.OperationRefused() | feeder.Done():
            answered = build.answered(state, message)
            return answered if isinstance(answered, Refused) else (*answered, *draw_gates.refused(setup, state, message))
        case feeder.FeederStatus():
            return _unreported_faults(state, message) or survey.surveyed(setup, state, message)
        case _:
            return _device(setup, state, message)


def _device(setup: Setup, state: TableState, message: feeder_messages.DeviceEvent) -> Decision:
    """A numbered event of the feeder: with what follows from it, its number goes into the journal."""
    if message.number <= state.last_event:
        return Refused(f"event {message.number} of the feeder is in the journal already")
    return (FeederEventTaken(message.number), *_events(_device_meaning(setup, state, message)))


def _device_meaning(setup: Setup, state: TableState, message: feeder_messages.DeviceEvent) -> Decision:
    match message:
        case feeder_messages.TileAtGate():
            return (TileArrived(message.number, message.back, doubled=message.edges != 1, gate=message.gate),)
        case feeder_messages.Taken(seat=place, place=index):
            return _taken(state, place, index)
        case feeder_messages.Drawn(seat=place):
            return play.drawn(setup, state, place)
        case feeder_messages.PutBack(seat=place):
            return play.put_back(state, place)
        case feeder_messages.Fault():
            return (feeder_fault(message.code, message.where),)
        case feeder_messages.Estop():
            return _interlock(
                state, message.on, emergency_stop(), feeder_fault(feeder_messages.FaultCode.ESTOP, feeder_messages.Where.TABLE)
            )
        case feeder_messages.Lid():
            return _interlock(state, message.open, open_drum_lid(), feeder_fault(feeder_messages.FaultCode.LID, feeder_messages.Where.DRUM))
        case feeder_messages.Well(count=count):
            return clearing.fallen(state, count)


def _interlock(state: TableState, on: bool, stands: TableFault, afterwards: TableFault) -> Decision:
    """While it ``stands``, CONFIRM clears nothing; ``afterwards`` the feeder moves only after CONFIRM."""
    gone, follows = (afterwards, stands) if on else (stands, afterwards)
    return (FaultCleared(gone.code), follows) if state.has_fault(gone.code) else (follows,)


def _unreported_faults(state: TableState, status: feeder.FeederStatus) -> tuple[TableFault, ...]:
    """Return faults that stop the feeder and are not in the journal: another controller took their events."""
    if state.awaits(feeder_messages.Clear):
        return ()
    standing = (feeder_fault(code, feeder_messages.Where.TABLE) for code in sorted(status.faults & STOPPING))
    return tuple(fault for fault in standing if not state.has_fault(fault.code) and not state.has_fault(fault.code.removeprefix("feeder-")))


def _taken(state: TableState, place: int, index: int) -> Decision:
    """A hand tile was taken. That proves no wall: the answer to RAISE or the sensors do, and show by then what was taken before."""
    playing = state.playing
    if playing.deal is None or playing.stage is not PlayStage.TAKING:
        return Refused(f"hand tile {index} left place {place} while no hands were being taken")
    seat = playing.deal.seat(place)
    return () if (seat, index) in playing.hand.taken else (HandTileTaken(seat, index),)


def _link_up(state: TableState, message: feeder.LinkUp) -> Decision:
    events: list[JournalEvent] = list(_events(_restored(state, FEEDER)))
    events.extend(FaultCleared(fault.code) for fault in state.faults if fault.code in (WRONG_PORT, WRONG_FEEDER))
    if message.hello.boot_id != state.boot:
        foreign = message.last_operation if message.last_operation >= state.next_operation else None
        events.append(FeederBooted(message.hello.uid.hex(), message.hello.boot_id, foreign))
        events.extend(OperationDone(pending.operation, "unknown") for pending in state.pending)
        events.extend(FaultCleared(code) for code in (ESTOP, LID) if state.has_fault(code))  # it reports again what still stands
    return tuple(events)


def _part_lost(state: TableState, message: PartLost) -> Decision:
    """A part is lost; report a camera again if it is lost in another way."""
    lost = _lost(state, message.what)
    if message.why is None or (isinstance(lost, Refused) and state.troubles.get(message.what) == message.why):
        return lost
    return (*_events(lost), CameraTrouble(message.what, message.why))


def _lost(state: TableState, what: str) -> Decision:
    return Refused(f"{what} is known to be lost") if what in state.lost else (LinkLost(what),)


def _restored(state: TableState, what: str) -> Decision:
    return (LinkRestored(what),) if what in state.lost else ()


def _events(decision: Decision) -> Events:
    return () if isinstance(decision, Refused) else decision


def _dealt_with(state: TableState) -> Events:
    """Staff have dealt with the faults: the well closes, the feeder may move again. Empty if no fault waits for staff."""
    dealt = [fault for fault in state.faults if fault.code in STAFF_FAULTS | FEEDER_FAULTS.keys()]
    shut = [CloseWell() for fault in dealt if fault.code == MISSING and fault.where == WELL]
    clear = [Clear(FEEDER_FAULTS[fault.code]) for fault in dealt if fault.code in FEEDER_FAULTS]
    return *[FaultCleared(fault.code) for fault in dealt], *issue_all(state, [*shut, *clear])
