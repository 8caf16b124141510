"""The suite's page is its rules, and every rule stands under a heading of the protocol."""

from __future__ import annotations

import re
from pathlib import Path

import firmware_bridge
from firmware_bridge.conformance import reference
from firmware_bridge.conformance.rules import RULES

PROTOCOL = (Path(firmware_bridge.__path__[0]) / "PROTOCOL.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_rules_say() -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run python -m firmware_bridge.conformance.reference"


def test_every_rule_names_a_section_of_the_protocol() -> None:
    headings = set(re.findall(r"^## (.+)$", PROTOCOL, re.MULTILINE))
    assert {rule.section for rule in RULES} <= headings
