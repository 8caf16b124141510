"""Addresses in pieces that appear both in served pages and in a club's own site (``dashboard.publishing``). Templates call them ``links``.
An empty address means that there is no page, and the text has no link. In a site addresses are relative, so that the files work in any
folder and from disk; each language has a folder of pages, and shared files are beside these folders."""

from collections.abc import Mapping
from urllib.parse import quote

from twinwall.values import frozen


@frozen
class ServedLinks:
    """The addresses of the dashboard; ``icons`` changes with the static files."""

    icons: str
    tiles: str = "/tiles.svg"
    plan: str = "/plan.json"
    start: str = "/start.json"
    trust: str = "/trust"

    def deal(self, n: int, group: str | None = None, number: int = 0) -> str:  # noqa: ARG002 - a group is named
        """A deal's page, or that of one of its groups."""
        return f"/deal/{n}" + (f"?group={quote(group)}" if group else "")

    def slip(self, n: int) -> str:
        """A released deal's slip."""
        return f"/deal/{n}/slip.json"

    def deal_print(self, n: int) -> str:
        """The PDF of a released deal."""
        return f"/print/deal/{n}.pdf"

    def replay(self, n: int, group: int, table: str) -> str:  # noqa: ARG002 - a table names its group
        """The replay of a released deal by the group of ``table``."""
        return f"/deal/{n}/replay?table={quote(table)}"

    def moment(self, n: int, group: int, table: str, step: int, seat: str) -> str:
        """A moment of a replay, with a seat at the bottom."""
        return f"{self.replay(n, group, table)}&at={step}&view={seat}"

    def standings(self, session: int | None = None, group: str | None = None) -> str:
        return "/standings" if session is None else f"/standings?session={session}" + (f"&group={quote(group)}" if group else "")

    def entrant(self, name: str, number: str = "") -> str:  # noqa: ARG002 - players are found by number
        """A player's card by number; a team has no page."""
        return f"/player/{number}" if number else ""


FILES = "files"


@frozen
class SiteLinks:
    """Addresses for a page in a language's folder; drawings are inside each page that shows them."""

    entrants: Mapping[str, str]
    """An entrant's page by the shown name."""
    groups: Mapping[int, tuple[str, ...]]
    """The groups of each session with several."""
    tiles: str = ""
    icons: str = ""
    plan: str = f"../{FILES}/plan.json"
    start: str = f"../{FILES}/start.json"
    trust: str = "verification.html"

    def deal(self, n: int, group: str | None = None, number: int = 0) -> str:
        """A released deal's page, or that of one of its groups, by number from 1."""
        return f"deal-{n:04d}-{number}.html" if group else f"deal-{n:04d}.html"

    def slip(self, n: int) -> str:
        """A released deal's slip."""
        return f"../{FILES}/slip-{n:04d}.json"

    def deal_print(self, n: int) -> str:  # noqa: ARG002 - one file has all deals on paper
        """Empty: one file has all deals on paper."""
        return ""

    def replay(self, n: int, group: int, table: str) -> str:  # noqa: ARG002 - the page names its tables
        """The replay of a released deal by a group, counted from 1."""
        return f"replay-{n:04d}-{group}.html"

    def moment(self, n: int, group: int, table: str, step: int, seat: str) -> str:
        """A moment of a replay, with a seat at the bottom."""
        return f"{self.replay(n, group, table)}?table={quote(table)}&at={step}&view={seat}"

    def standings(self, session: int | None = None, group: str | None = None) -> str:
        """The standings of the event, of a session, or of one of its groups, by its position in the session."""
        if session is None:
            return "index.html"
        names = self.groups.get(session, ())
        return f"session-{session}-{names.index(group) + 1}.html" if group in names else f"session-{session}.html"

    def entrant(self, name: str, number: str = "") -> str:  # noqa: ARG002 - its pages are found by name
        """An entrant's page, or empty."""
        return self.entrants.get(name, "")
