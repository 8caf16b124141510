"""Every address of an application that a browser can ask for, from its own list of routes: a new page cannot be forgotten."""

from collections.abc import Mapping

from flask import Flask

NOT_ASKED = frozenset({"static"})
"""Files of the program: they are the same for every event."""


def addresses(app: Flask, values: Mapping[str, str]) -> dict[str, str]:
    """An address for each endpoint that answers GET.

    ``values`` stand for the parts of an address, by the part's name, or by endpoint and name with a point between, which goes first;
    a part that it does not have is 1.
    """
    found: dict[str, str] = {}
    adapter = app.url_map.bind("localhost")
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint not in NOT_ASKED:
            parts = {part: values.get(f"{rule.endpoint}.{part}", values.get(part, "1")) for part in rule.arguments}
            found[rule.endpoint] = adapter.build(rule.endpoint, parts)
    return found
