"""Transition tables of wall, hand and seat check: which step leads from which stage to which.

The reducers (``controller.wall.wall_reducer``, ``controller.hand.hand_reducer``, ``controller.hand.seat_check``) map events to steps;
``next_stage`` alone returns stages. It raises for a step without an entry, before anything is written.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from controller.state.sides import PlayStage, WallStage
from controller.state.table_state import SeatStage


class WallStep(StrEnum):
    """Steps of the wall in the making: an event of the journal, or a result of several kinds of event."""

    DEAL_OPENED = "deal-opened"
    WALL_READY = "wall-ready"
    NO_LONGER_WHOLE = "a tile is doubted, missing or new at a reading gate"
    READ_AGAIN = "positions-checked, all agreed"
    CLEARING_BEGAN = "clearing-began"
    CLEARED = "cleared"
    RAISE_ISSUED = "RAISE issued"
    WALL_RAISED = "wall-raised"


class PlayStep(StrEnum):
    """Steps of the hand at the table: events of the journal."""

    WALL_RAISED = "wall-raised"
    SHEETS_DUE = "sheets-due"
    LEFT = "deal-opened, of another session"
    HAND_STARTED = "hand-started"
    PAYMENTS_COMPUTED = "payments-computed"
    RULED = "ruling on this deal"
    HAND_CLOSED = "hand-closed"


class SeatStep(StrEnum):
    """Steps of the seat check: events of the journal."""

    SEATS_AWAITED = "seats-awaited"
    SEAT_TAKEN = "seat-taken"
    SEATS_CONFIRMED = "seats-confirmed"


WALL_TRANSITIONS: Mapping[tuple[WallStage, WallStep], WallStage] = {
    (WallStage.NONE, WallStep.DEAL_OPENED): WallStage.BUILDING,
    (WallStage.BUILDING, WallStep.DEAL_OPENED): WallStage.BUILDING,
    (WallStage.READY, WallStep.DEAL_OPENED): WallStage.BUILDING,
    (WallStage.BUILDING, WallStep.WALL_READY): WallStage.READY,
    (WallStage.BUILDING, WallStep.READ_AGAIN): WallStage.READY,
    (WallStage.READY, WallStep.NO_LONGER_WHOLE): WallStage.BUILDING,
    (WallStage.READY, WallStep.CLEARING_BEGAN): WallStage.CLEARING,
    (WallStage.READY, WallStep.RAISE_ISSUED): WallStage.RAISING,
    (WallStage.CLEARING, WallStep.CLEARED): WallStage.RAISING,
    (WallStage.RAISING, WallStep.RAISE_ISSUED): WallStage.RAISING,
    (WallStage.RAISING, WallStep.CLEARING_BEGAN): WallStage.CLEARING,
    (WallStage.RAISING, WallStep.WALL_RAISED): WallStage.NONE,
}
"""RAISE is issued again after a refusal; tiles in the magazines below a wall in the trays are cleared away first. A wall of another session
is left when a deal is opened."""

PLAY_TRANSITIONS: Mapping[tuple[PlayStage, PlayStep], PlayStage] = {
    (PlayStage.NONE, PlayStep.WALL_RAISED): PlayStage.TAKING,
    (PlayStage.NONE, PlayStep.SHEETS_DUE): PlayStage.TAKING,
    (PlayStage.TAKING, PlayStep.SHEETS_DUE): PlayStage.TAKING,
    (PlayStage.TAKING, PlayStep.LEFT): PlayStage.CLOSED,
    (PlayStage.TAKING, PlayStep.HAND_STARTED): PlayStage.PLAYING,
    (PlayStage.TAKING, PlayStep.RULED): PlayStage.TAKING,
    (PlayStage.PLAYING, PlayStep.PAYMENTS_COMPUTED): PlayStage.SETTLING,
    (PlayStage.PLAYING, PlayStep.RULED): PlayStage.PLAYING,
    (PlayStage.PLAYING, PlayStep.HAND_CLOSED): PlayStage.CLOSED,
    (PlayStage.SETTLING, PlayStep.PAYMENTS_COMPUTED): PlayStage.SETTLING,
    (PlayStage.SETTLING, PlayStep.RULED): PlayStage.PLAYING,
    (PlayStage.SETTLING, PlayStep.HAND_CLOSED): PlayStage.CLOSED,
    (PlayStage.CLOSED, PlayStep.RULED): PlayStage.CLOSED,
    (PlayStage.CLOSED, PlayStep.WALL_RAISED): PlayStage.TAKING,
    (PlayStage.CLOSED, PlayStep.SHEETS_DUE): PlayStage.TAKING,
}
"""A ruling during the settlement computes the payments again; one that ends the hand closes it. Without cameras, sheets are opened instead
of walls raised (in another session also instead of waiting sheets), and the player who entered a result may correct it. Raised walls of
another session, of which no hand began, are left."""

SEAT_TRANSITIONS: Mapping[tuple[SeatStage, SeatStep], SeatStage] = {
    (SeatStage.NONE, SeatStep.SEATS_AWAITED): SeatStage.AWAITED,
    (SeatStage.AWAITED, SeatStep.SEATS_AWAITED): SeatStage.AWAITED,
    (SeatStage.AWAITED, SeatStep.SEAT_TAKEN): SeatStage.AWAITED,
    (SeatStage.AWAITED, SeatStep.SEATS_CONFIRMED): SeatStage.CONFIRMED,
    (SeatStage.CONFIRMED, SeatStep.SEAT_TAKEN): SeatStage.AWAITED,
    (SeatStage.CONFIRMED, SeatStep.SEATS_AWAITED): SeatStage.AWAITED,
}
"""Other players, or another session, are asked again; so is a player who names another place than confirmed."""

Stage = TypeVar("Stage", bound=StrEnum)
Step = TypeVar("Step", bound=StrEnum)


class TransitionError(Exception):
    """A step that cannot happen in this stage: the caller is wrong."""


def next_stage(transitions: Mapping[tuple[Stage, Step], Stage], stage: Stage, step: Step) -> Stage:
    """Return the stage after a step; raises TransitionError without an entry."""
    try:
        return transitions[stage, step]
    except KeyError:
        raise TransitionError(f"{step.name} cannot happen in stage {stage.name}") from None
