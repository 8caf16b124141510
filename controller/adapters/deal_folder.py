"""Deals from a folder: finds the next deal of this table, and checks it against the event's start before a tile moves.

For rehearsals and tests, because the folder has walls in clear text. At an event deals come from the vault
(``controller.adapters.sealed_deals``). Imported walls without a commitment have no slip. A table without cameras needs only the plan:
what opens its deals never comes here.
"""

import logging
from collections.abc import Sequence
from pathlib import Path

from controller.state.sides import OpenDeal, opened_deal
from twinwall.game.deals import Deal, Plan, Slip, Start, StartedPlan, VerificationError, verify_deal
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.deals.uncommitted import NOT_COMMITTED, verify_uncommitted
from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.events.wall_events import DealRefused

log = logging.getLogger(__name__)


def due_deals(plan: Plan, session: int, hands: Sequence[int]) -> tuple[int, ...]:
    """The numbers of a session's deals to play, in the order of the ``hands``."""
    numbers = {planned.hand: planned.n for planned in plan.deals if planned.session == session}
    return tuple(numbers[hand] for hand in hands if hand in numbers)


@frozen
class DealFolder:
    """The deals of one session, in the order of the ``hands``. The ``folder`` has ``deal-0001.json`` with its slip ``slip-0001.json``;
    under a start without a commitment there are no slips. A table whose deals are on printed sheets has no folder."""

    started: StartedPlan
    session: int
    hands: Sequence[int]
    folder: Path | None = None

    @property
    def start(self) -> Start:
        return self.started.start

    @property
    def awaited(self) -> None:
        """None: no deal here has to come from elsewhere."""

    def after(self, done: tuple[int, ...]) -> OpenDeal | PlannedDeal | DealRefused | None:
        """The next deal when those of ``done`` (deal numbers) are played or in play, or None."""
        due = next((n for n in due_deals(self.started.plan, self.session, self.hands) if n not in done), None)
        if due is None or self.folder is None:
            return next((deal for deal in self.started.plan.deals if deal.n == due), None)
        found = self._read(due, self.folder)
        if isinstance(found, DealRefused):
            log.warning("%s", found.sentence)
        return found

    def _read(self, n: int, folder: Path) -> OpenDeal | DealRefused:
        deal_file, slip_file = (folder / f"{kind}-{n:04d}.json" for kind in ("deal", "slip"))
        try:
            deal = Deal.from_json(deal_file.read_text(encoding="utf-8"))
            if deal.n != n:
                return DealRefused(n, "format", f"{deal_file} holds deal {deal.n}: put deal {n} there")
            if self.start.root == NOT_COMMITTED:
                verify_uncommitted(deal, self.started)
            else:
                verify_deal(deal, Slip.from_json(slip_file.read_text(encoding="utf-8")), self.started)
        except FileNotFoundError as error:
            return DealRefused(n, "missing", f"{error.filename} is missing: bring the deal to this table and start it again")
        except OSError as error:
            return DealRefused(n, "unreadable", f"{error.filename} cannot be read ({error.strerror}): the table's user must own it")
        except VerificationError as error:
            return DealRefused(n, str(error.part), f"{deal_file} must not be played: {error}")
        except (DocumentError, UnicodeDecodeError) as error:
            return DealRefused(n, "format", f"{deal_file} or its slip cannot be read: {error}")
        return opened_deal(deal)
