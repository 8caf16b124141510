"""The toy's folder among the folders of rule sets, as if somebody had added it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.game import toy_rules
from twinwall.game import rules
from twinwall.game.rules import rule_set_names

NAME = "toy-dots"


@contextmanager
def toy_rules_added() -> Iterator[None]:
    """While this lasts the rule set is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "__path__", [*rules.__path__, *toy_rules.__path__])
        rule_set_names.cache_clear()
        yield
    rule_set_names.cache_clear()
