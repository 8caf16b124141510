"""The forms by name. A new form is a module with ``write`` and, where it is read too, ``read``, and an entry here."""

from __future__ import annotations

from twinwall.event.forms import pmn
from twinwall.event.forms.form import HandForm

PMN = HandForm(
    name="pmn",
    title="PMN, Portable Mahjong Notation",
    suffix=".pmn",
    write=pmn.write,
    read=pmn.read,
    rules=("mcr-duplicate",),
    keeps="players, event, board, prevalent wind, starting hands, every draw, discard, claim, kong and win, scores, fans; in tags of "
    "our own also session, hand, table, rule set with its options, check, riichi, and whole walls in their order",
    loses="rulings; the date, unless it is given along or comes from a store",
    tried="python-majiang 0.0.1 (PyPI): hands of `mcr-duplicate` that were won without a kong, with a date and without double quotes "
    "in names",
    between="\n",
)

FORMS = {form.name: form for form in (PMN,)}
READABLE = {name: form for name, form in FORMS.items() if form.read is not None}
