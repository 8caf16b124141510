"""Vaults for tests of pages: they commit at once to deals of a known seed, and refuse when they are told to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dashboard.custody.hall_vault import HolderProgress, VaultStep
from tests.support.wire.assignments import SEEDS
from twinwall.event.deal_state import (
    DealState,
    MadeDeals,
    NoDeals,
    RefusedStep,
    apply,
    ask_deals,
    fix_start,
    take_tiles,
    with_tiles_to_read,
)
from twinwall.event.drawn_tiles import TableTiles
from twinwall.game.deals import Plan, StartedPlan, commit
from twinwall.wire.messages.vaults.vault_orders import SessionTable


class CommittingVaults:
    """One holder's vault; ``started`` is told of the start when the public value is fixed."""

    holders = ("server",)

    def __init__(self, started: Callable[[StartedPlan], None] = lambda _plan: None) -> None:
        self.state: DealState = NoDeals()
        self.passphrases: list[str] = []
        self.progress: Sequence[HolderProgress] = (HolderProgress("server", VaultStep.READY),)
        self.begun: list[int] = []
        """The sessions whose deals were asked for."""
        self._started = started

    def make_deals(self, plan: Plan, passphrase: str, by: str) -> RefusedStep | None:
        step = ask_deals(self.state, plan, event="Autumn", holders=self.holders)
        if isinstance(step, RefusedStep):
            return step
        self.passphrases.append(passphrase)
        self.state = MadeDeals(plan, commit(plan, SEEDS))
        return None

    def fix_start(self, public: str, by: str, readings: int | None = None) -> RefusedStep | None:
        step = fix_start(self.state, public, readings)
        if isinstance(step, RefusedStep):
            return step
        if step is not None:
            self.state = apply(self.state, step)
        if isinstance(self.state, MadeDeals) and self.state.start is not None:
            self._started(StartedPlan(self.state.plan, self.state.start))
        return None

    def read_tiles(self, look: Callable[[MadeDeals], tuple[TableTiles, ...]], by: str) -> RefusedStep | None:
        made = with_tiles_to_read(self.state)
        if isinstance(made, RefusedStep):
            return made
        step = take_tiles(self.state, made, look(made))
        if isinstance(step, RefusedStep):
            return step
        self.state = apply(self.state, step)
        return None

    def unlock(self, passphrase: str) -> None:
        self.passphrases.append(passphrase)

    @property
    def asked_session(self) -> int:
        return self.begun[-1] if self.begun else 0

    def begin_session(self, session: int, tables: Sequence[SessionTable], groups: Sequence[Sequence[str]], by: str) -> object | None:
        self.begun.append(session)
        return None
