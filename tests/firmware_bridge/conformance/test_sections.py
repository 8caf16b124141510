"""Every rule of the suite stands under a heading of the protocol."""

from __future__ import annotations

import re
from pathlib import Path

import firmware_bridge
from firmware_bridge.conformance.rules import RULES

PROTOCOL = (Path(firmware_bridge.__path__[0]) / "PROTOCOL.md").read_text(encoding="utf-8")


def test_every_rule_names_a_section_of_the_protocol() -> None:
    headings = set(re.findall(r"^## (.+)$", PROTOCOL, re.MULTILINE))
    assert {rule.section for rule in RULES} <= headings
