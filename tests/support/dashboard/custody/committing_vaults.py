"""Vaults for tests of pages: they commit at once to deals of a known seed, and refuse when they are told to."""

from collections.abc import Callable, Sequence

from dashboard.custody.deal_making import DealMaking
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


class CommittingVaults(DealMaking):
    """One holder's vault; ``started`` is told of the start when the public value is fixed."""

    holders = ("server",)
    asked_session = 0
    """The session whose deals were asked for last."""
    state: DealState = NoDeals()
    progress: tuple[HolderProgress, ...] = (HolderProgress("server", VaultStep.READY),)

    def __init__(self, started: Callable[[StartedPlan], None] = lambda _plan: None) -> None:
        self.passphrases: list[str] = []
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

    def begin_session(
        self, session: int, tables: Sequence[SessionTable], groups: Sequence[Sequence[str]], by: str, *, spread: int = 1
    ) -> RefusedStep | None:
        self.asked_session = session
        return None
