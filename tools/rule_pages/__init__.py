"""The reference pages of the rule sets, with a drawn example of each fan.

``python -m tools.rule_pages`` writes ``docs/reference/rules``: a page for each rule set that describes itself
(``tools.rule_pages.rule_page``) and the pictures of its examples. A test holds them up to date.
"""

import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tools.rule_pages.rule_page import FanRow, RulePage
from twinwall.art.faces import Face
from twinwall.art.svg import row
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import WinningHand
from twinwall.game.rules import folder_of, rule_set, rule_set_names
from twinwall.game.rules.option_form import options_of
from twinwall.game.tiles import format_tiles

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "rules"


def pages() -> dict[str, RulePage]:
    """The pages of the rule sets that have one, by the rule sets' names."""
    modules = {name: f"{__name__}.{folder_of(name)}" for name in rule_set_names()}
    return {name: import_module(module).PAGE for name, module in modules.items() if find_spec(module)}


def files() -> dict[str, str]:
    """Every page and picture by its path under ``FOLDER``."""
    found: dict[str, str] = {}
    for name, page in pages().items():
        found[f"{name}.md"] = "\n".join(_page(name, page))
        hands = {_picture(name, fans[0]): fans[0].hand for fans in examples(page)}
        found |= {picture: row(_groups(hand), _words(hand)) + "\n" for picture, hand in hands.items()}
    return found


def examples(page: RulePage) -> list[list[FanRow]]:
    """The fans of a page, those that one hand shows together."""
    shown: dict[tuple[str, str], list[FanRow]] = {}
    for fan in page.fans:
        shown.setdefault((_words(fan.hand), _won(fan)), []).append(fan)
    return list(shown.values())


def _picture(name: str, fan: FanRow) -> str:
    return f"pictures/{name}-{fan.kind.id}.svg"


def _page(name: str, page: RulePage) -> Iterator[str]:
    yield f"# {page.texts.title}"
    yield ""
    yield "*Written by `python -m tools.rule_pages`; change `tools/rule_pages` or the rule set's folder.*"
    yield ""
    yield page.texts.opening
    yield "## Fans"
    yield ""
    usual = Counter(_won(fans[0]) for fans in examples(page)).most_common(1)[0][0]
    yield f"Each fan with its id and what it is worth, then a hand: the winning tile stands apart, then melds. Unless said: {usual}."
    yield ""
    english = {fan.kind.id: fan.kind.english for fan in page.fans}
    for fans in examples(page):
        for fan in fans:
            kind = fan.kind
            names = kind.chinese if kind.chinese == kind.japanese else f"{kind.chinese}/{kind.japanese}"
            excluded = f"; replaces {', '.join(english[other] for other in fan.excludes)}" if fan.excludes else ""
            yield f"- **{kind.english}** {names} `{kind.id}`, {fan.worth}: {fan.note}{excluded}."
        yield ""
        yield _example(name, fans[0], usual)
        yield ""
    yield "## Options"
    yield ""
    yield f"With the default, what can be set, and what it decides; `twinwall rules show {name}` prints them as a file:"
    yield ""
    for option in options_of(type(rule_set(name).options)):
        allowed = "" if option.allowed == "true or false" else f" ({option.allowed.replace('a whole number from', 'from')})"
        yield f"- `{option.name}`, {option.toml.partition(' = ')[2]}{allowed}: {option.says}"
    yield ""
    yield "## Request keys and flags of `score`"
    yield ""
    yield from (f"- {key}: {meaning}" for key, meaning in page.texts.request)
    yield ""
    yield "## Settled readings"
    yield ""
    yield page.texts.readings


def _example(name: str, fan: FanRow, usual: str) -> str:
    won = _won(fan)
    return f"![{_notation(fan.hand)}]({_picture(name, fan)}) {won if won != usual else ''}".rstrip()


def _won(fan: FanRow) -> str:
    """How the hand was won, and under which flags and options."""
    hand = fan.hand
    won = f"{hand.seat.value} self-drawn" if hand.source is None else f"{hand.seat.value} on {hand.source.value}'s discard"
    said = (f"{option} = {str(value).lower()}" for option, value in fan.example.options.items())
    return "".join((won, *(f", `{condition}`" for condition in (*sorted(hand.flags), *said))))


def _words(hand: WinningHand) -> str:
    """The hand in notation, each tile by itself."""
    melds = "".join(f" · {meld.type.value.replace('_', ' ')} {format_tiles(meld.tiles)}" for meld in hand.melds)
    return f"{format_tiles(hand.concealed)} · {hand.winning.text}{melds}"


def _notation(hand: WinningHand) -> str:
    """The hand with neighbours of a suit together: ``123m`` for ``1m 2m 3m``; the winning tile after a plus, melds after commas."""
    close = re.sub(r"(?<=[ESWNCFP]) (?=[ESWNCFP])|([mps]) (?=\d\1)", "", _words(hand))
    return close.replace(" · ", "+", 1).replace(" · ", ", ")


def _groups(hand: WinningHand) -> list[tuple[Face, ...]]:
    return [tuple(hand.concealed), (hand.winning,), *(_laid(meld) for meld in hand.melds)]


def _laid(meld: Meld) -> tuple[Face, ...]:
    """The faces of a meld; of a concealed kong one tile is drawn face up, to tell its kind."""
    if meld.type is MeldType.CONCEALED_KONG:
        return (meld.tiles[0], "back", "back", "back")
    return tuple(meld.tiles)


def write() -> None:
    """Replace the folder."""
    (FOLDER / "pictures").mkdir(parents=True, exist_ok=True)
    for path, text in files().items():
        (FOLDER / path).write_text(text, encoding="utf-8")
