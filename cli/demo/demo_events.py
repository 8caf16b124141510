"""The events that a demo can play: who enters, how many sessions and tables, and which of these have machines."""

import json

from cli.demo.people import person_name, team_name
from twinwall.event.management.changes import (
    EnteredPlayer,
    EnteredTeam,
    EntrantsEntered,
    EventDescribed,
    change_document,
    usual_minutes,
    usual_points,
)
from twinwall.values import frozen

_NO_PHYSICS = {
    "en": (
        "At all tables",
        "Table 1 alone has its simulated machine. At the others",
        "Tables 1 to {} have their simulated machines. At the others",
    ),
    "ja": ("すべての卓で", "機械まで再現するのは1卓だけです。ほかの卓では", "機械まで再現するのは1～{}卓です。ほかの卓では"),
    "zh-Hans": ("所有桌都", "只有第1桌模拟了机器。其他桌", "第1至{}桌模拟了机器。其他桌"),
}
"""Which tables have no machine, where none, one or several have one."""
_IN_MEMORY = {
    "en": "Demo. {} no tile moves: their ledgers are real, their hands are played in memory.",
    "ja": "デモ：{}牌は動きません。台帳は本物で、対局はメモリー上で進みます。",
    "zh-Hans": "演示：{}没有实物牌：台账是真实的，牌局在内存中进行。",
}


@frozen
class DemoEvent:
    """An event that a demo plays: its tables, the first ``machines`` of which have machines."""

    name: str
    kind: str
    tables: int
    machines: int
    sessions: int
    hands: int
    seat_check: bool = False
    """Whether hands wait until somebody has said for each player where he sits; a demo that plays by itself does not."""

    def file(self, rules: str) -> bytes:
        """The event as a director could read it in: description, entrants and names."""
        numbers = range(1, 4 * self.tables + 1)
        players = tuple(EnteredPlayer(str(number)) for number in numbers)
        teams = tuple(
            EnteredTeam(team_name(team), tuple(str(4 * team + place + 1) for place in range(4)))
            for team in (range(self.tables) if self.kind == "team" else ())
        )
        described = EventDescribed(
            "team" if self.kind == "team" else "individual",
            rules,
            sessions=self.sessions,
            hands=self.hands,
            minutes=usual_minutes(self.hands),
            points=usual_points("team" if self.kind == "team" else "individual"),
            groups="by-standing" if self.kind == "team" else "fixed",
            seat_check=self.seat_check,
        )
        entered = change_document(EntrantsEntered(players, teams))
        del entered["type"]
        names = {str(number): person_name(number - 1) for number in numbers}
        document = {"format": "twinwall-event-1", "event": change_document(described), "names": names, **entered}
        return json.dumps(document, ensure_ascii=False).encode()

    def deals(self, session: int) -> range:
        return range((session - 1) * self.hands + 1, session * self.hands + 1)

    def announcement(self) -> dict[str, str]:
        """What the pages say of the tables that have no machine, by language; nothing where every table has one."""
        if self.machines == self.tables:
            return {}
        return {tag: _IN_MEMORY[tag].format(forms[min(self.machines, 2)].format(self.machines)) for tag, forms in _NO_PHYSICS.items()}


EVENTS = {
    "club": DemoEvent("Club evening", "individual", tables=4, machines=4, sessions=2, hands=4),
    "championship": DemoEvent("Championship", "team", tables=16, machines=1, sessions=3, hands=4),
}
