"""Fields that several events have: type, class and meaning are said once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from twinwall.game.tiles import Seat
from twinwall.wire.events.definitions import P, T
from twinwall.wire.events.value_kinds import DIGEST

ACTED = T("the seat that did it")
IN_PLAN = P("number of the deal in the plan")
Actor = Annotated[Seat, ACTED]
DealNumber = Annotated[int, IN_PLAN]
SessionNumber = Annotated[int, P("session of the event, from 1")]
HandNumber = Annotated[int, P("hand of the session, from 1: 1 to 4 are East 1 to East 4")]
RuleSetName = Annotated[str, P("name of the rule set")]
Check = Annotated[str, P("check of the deal, equal at every table that has it", DIGEST)]
Payments = Annotated[Mapping[Seat, int], T("what each seat receives (or pays, when negative)")]
Sentence = Annotated[str, T("what happened and what to do, for people")]
