"""Slips of the golden vectors, good and harmed in many ways, what the program in Python says of each, and the verify page in a browser."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar

from msgspec.structs import replace
from playwright.sync_api import Browser, Page

from dashboard.verify_page.page import page as page_text
from twinwall.game.deals import (
    SEED_SIZE,
    Plan,
    PlannedDeal,
    Seed,
    Slip,
    Start,
    StartedPlan,
    VerificationError,
    commit,
    make_slip,
    verify_slip,
)
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError, canonical_json
from twinwall.game.typed_json import HexBytes

PUBLIC = "2026-11-20 12:00 UTC"
DEALS = (*(PlannedDeal(n, 1, n, "mcr-duplicate") for n in range(1, 17)), PlannedDeal(17, 2, 1, "sichuan"), PlannedDeal(18, 2, 2, "seigo"))


@dataclass(frozen=True, slots=True)
class Vector:
    """An event of the contracts: its plan with its start, and all of its slips."""

    started: StartedPlan
    slips: tuple[Slip, ...]


@cache
def vector(*holders: str, event: str = "vector") -> Vector:
    """The event of the golden vectors with these seed holders."""
    plan = Plan(event, holders, "vector: given in the test", DEALS)
    numbers = [range(SEED_SIZE * index, SEED_SIZE * (index + 1)) for index in range(len(holders))]
    seeds = {holder: Seed(bytes(seed)) for holder, seed in zip(holders, numbers, strict=True)}
    commitments = commit(plan, seeds)
    slips = tuple(make_slip(plan, seeds, deal.n, PUBLIC, commitments) for deal in DEALS)
    return Vector(StartedPlan(plan, Start(plan.digest, commitments.root, PUBLIC)), slips)


VECTORS = (("server",), ("server", "witness"))


def verdict(started: StartedPlan, content: bytes) -> str:
    """What Python says of a slip: ``good`` with the deal's digest, or the part that fails, in the page's words."""
    try:
        slip = Slip.from_json(content)
    except DocumentError:
        return "format"
    try:
        return f"good {verify_slip(started, slip).digest.hex()}"
    except VerificationError as error:
        return error.part.value
    except DocumentError:
        return "plan"


def any_slip(chance: Random) -> tuple[Vector, bytes]:
    """A slip, good or harmed, with the event that it is checked for."""
    known = vector(*chance.choice(VECTORS))
    slip = chance.choice(known.slips)
    return known, HARMS[chance.choice(tuple(HARMS))](slip, known, chance)


def _written(slip: Slip) -> bytes:
    return canonical_json(slip.to_json())


def _with(slip: Slip, **values: object) -> bytes:
    return canonical_json({**slip.to_json(), **values})


_Hex = TypeVar("_Hex", bound=HexBytes)


def _other_digest(digest: _Hex, chance: Random) -> _Hex:
    place = chance.randrange(len(digest))
    return type(digest)(digest[:place] + bytes([digest[place] ^ 1 << chance.randrange(8)]) + digest[place + 1 :])


def _good(slip: Slip, _known: Vector, chance: Random) -> bytes:
    return chance.choice(
        (_written(slip), json.dumps(slip.to_json(), indent=chance.randrange(4)).encode(), b"\xef\xbb\xbf" + _written(slip))
    )


def _flip(slip: Slip, _known: Vector, chance: Random) -> bytes:
    content = _written(slip)
    place = chance.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]


def _digit(slip: Slip, _known: Vector, chance: Random) -> bytes:
    """One digit of a key, digest or number is another."""
    content = _written(slip)
    place = chance.choice([place for place, byte in enumerate(content) if byte in b"0123456789abcdef"])
    return content[:place] + chance.choice("0123456789abcdef").encode() + content[place + 1 :]


def _cut(slip: Slip, _known: Vector, chance: Random) -> bytes:
    content = _written(slip)
    return content[: chance.randrange(len(content))]


def _key(slip: Slip, _known: Vector, chance: Random) -> bytes:
    keys = list(slip.keys)
    place = chance.randrange(len(keys))
    keys[place] = _other_digest(keys[place], chance)
    return _written(replace(slip, keys=tuple(keys)))


def _path(slip: Slip, _known: Vector, chance: Random) -> bytes:
    path = list(slip.path)
    place = chance.randrange(len(path))
    match chance.randrange(4):
        case 0:
            path[place] = _other_digest(path[place], chance)
        case 1:
            del path[place]
        case 2:
            path.append(Sha256(32))
        case _:
            path.reverse()
    return _written(replace(slip, path=tuple(path)))


def _values(slip: Slip, _known: Vector, chance: Random) -> bytes:
    if chance.random() < 0.5:
        return _written(replace(slip, digest=_other_digest(slip.digest, chance)))
    return _written(replace(slip, check=_other_digest(slip.check, chance)))


def _number(slip: Slip, _known: Vector, chance: Random) -> bytes:
    numbers: list[object] = [0, -1, 19, 10**30, 1.0, "1", True, None, chance.randint(1, 18)]
    return _with(slip, n=chance.choice(numbers))


def _public(slip: Slip, _known: Vector, chance: Random) -> bytes:
    values: list[object] = ["", " ", "\x1f", "\u0085", "\ufeff", PUBLIC + " ", " " + PUBLIC, PUBLIC.lower(), "２０２６", 7, None]
    return _with(slip, public=chance.choice(values))


def _of_another_event(slip: Slip, known: Vector, _chance: Random) -> bytes:
    return _written(vector(*known.started.plan.holders, event="another").slips[slip.n - 1])


def _of_another_deal(slip: Slip, known: Vector, chance: Random) -> bytes:
    other = chance.choice(known.slips)
    part = chance.choice(({"keys": other.keys}, {"path": other.path}, {"digest": other.digest}, {"check": other.check}, {"n": other.n}))
    return _written(replace(slip, **part))


def _written_otherwise(slip: Slip, _known: Vector, chance: Random) -> bytes:
    """Keys doubled, unknown or missing, other spellings of hex, and other JSON."""
    text = _written(slip).decode()
    match chance.randrange(8):
        case 0:
            return text.replace('"n":', '"n":1,"n":', 1).encode()
        case 1:
            return _with(slip, more=1)
        case 2:
            return _with(slip, digest=slip.digest.hex().upper())
        case 3:
            document = slip.to_json()
            del document[chance.choice(sorted(document))]
            return canonical_json(document)
        case 4:
            return text.replace('"n":', chance.choice(('"n":0', '"n":+', '"n": \t')), 1).encode()
        case 5:
            return text.replace("twinwall-slip-1", chance.choice(("twinwall-slip-2", "\\u0074winwall-slip-1", "")), 1).encode()
        case 6:
            return (text + chance.choice((" ", "x", "{}", "\x00"))).encode()
        case _:
            return chance.choice((b"", b"[]", b"null", b"{}", b"NaN", b"[" * 600, text.encode("utf-8") + b"\xff"))


HARMS: Mapping[str, Callable[[Slip, Vector, Random], bytes]] = {
    "good": _good,
    "flip": _flip,
    "digit": _digit,
    "cut": _cut,
    "key": _key,
    "path": _path,
    "values": _values,
    "number": _number,
    "public": _public,
    "another event": _of_another_event,
    "another deal": _of_another_deal,
    "written otherwise": _written_otherwise,
}


ASK = """
([plan, start, slips]) => {
  const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const readPlanOf = readPlan(bytes(plan)), readStartOf = readStart(bytes(start));
  return slips.map((slip) => {
    const found = checkSlip(readPlanOf, readStartOf, bytes(slip));
    return found.good ? `good ${toHex(found.deal.digest)}` : found.part;
  });
}
"""


def open_page(browser: Browser, folder: Path, *, width: int = 1440, height: int = 900, locale: str = "en") -> Page:
    """The page, from a file as players have it; a request to any network fails the test by an error on the page."""
    file = folder / "verify.html"
    file.write_text(page_text(), encoding="utf-8")
    page = browser.new_context(viewport={"width": width, "height": height}, locale=locale).new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("#languages button")
    return page


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def verdicts_of_page(page: Page, known: Vector, slips: Sequence[bytes]) -> list[str]:
    """What the page says of slips, in the words of ``slips.verdict``."""
    started = known.started
    found: list[str] = page.evaluate(ASK, [_text(started.plan.canonical), _text(started.start.canonical), [_text(slip) for slip in slips]])
    return found
