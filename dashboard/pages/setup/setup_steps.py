"""The steps from a new event to its start, and how far each is."""

from collections.abc import Callable, Collection, Mapping

from twinwall.event.management.event_plan import event_plan
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.values import frozen
from twinwall.wire.messages.table_kind import TableKind


@frozen
class SetupStep:
    """A step: its page, and whether it is done; ``endpoint`` is empty where these pages have none for it."""

    key: str
    endpoint: str
    done: bool
    following: bool = False
    """Whether it is the first that is not done."""

    @property
    def path(self) -> str:
        """The address of its page."""
        return "/event/sessions" if self.key == "start" else f"/event/{self.key}"

    @property
    def state(self) -> str:
        """The key of its state's word, after ``step.``."""
        return "done" if self.done else "following" if self.following else "open"


TableKinds = Callable[[], Mapping[str, TableKind] | None]
"""The kinds that the hall's tables say that they are; None where the settings say which tables play."""


def are_tables_chosen(event: ManagedEvent, kinds: Mapping[str, TableKind] | None) -> bool:
    """Whether every table of the event has been heard, and is of the kind that the event has of it."""
    return bool(event.tables) and (kinds is None or all(kinds.get(table) is event.kind_of(table) for table in event.tables))


def setup_steps(
    event: ManagedEvent, deals_made: bool, endpoints: Collection[str], kinds: Mapping[str, TableKind] | None = None
) -> tuple[SetupStep, ...]:
    """The steps in their order; ``deals_made``: whether the event has its start in the vault; ``endpoints``: the pages that there are."""
    described = event.description is not None
    entrants = len(event.taking_part(event.next_session)) if described else 0
    enough = event.description is not None and event_plan(event.description, entrants).tables > 0
    done = {
        "description": described,
        "entrants": enough,
        "seating": (event.next_session in event.seatings and not event.unseated(event.next_session)) or bool(event.sessions),
        "deals": deals_made,
        "tables": bool(event.sessions) or are_tables_chosen(event, kinds),
        "start": bool(event.sessions),
    }
    first = next((key for key, is_done in done.items() if not is_done), "")
    pages = {key: "event_sessions" if key == "start" else f"event_{key}" for key in done}
    return tuple(
        SetupStep(key, pages[key] if pages[key] in endpoints else "", is_done, following=key == first) for key, is_done in done.items()
    )
