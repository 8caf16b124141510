"""The verify page proves what Python proves, and says in the player's language what is not proved."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from dashboard.verify_page.page import FOLDER, LARGEST
from dashboard.verify_page.page import page as page_text
from tests.support.browser import keep_picture
from tests.support.event.evenings import bundle, with_heading
from tests.support.event.stored_event import STARTED, slip_bytes
from tests.support.tiers import examples
from tests.support.verify_page.slips import HARMS, VECTORS, Vector, any_slip, open_page, vector, verdict, verdicts_of_page
from twinwall.catalogues import page_texts
from twinwall.event.bundle.bundle_files import ledger_name, slip_name, write_zip
from twinwall.game.documents import canonical_json

WORDS = STARTED.start.words
STARTED_FILES = {"plan.json": STARTED.plan.canonical, "start.json": STARTED.start.canonical}
GOLDEN = {
    (("server",), 1): "d588e2f76e330a37f49c0e774d2a78cc9ab9fa931a7d7b523ff93416886e02a0",
    (("server",), 17): "0f1cd5b80beca19dbe53ab326d95b3741b52d609eabed47c6d4329bf8dd672b7",
    (("server", "witness"), 1): "17387ac6dc7774705eb726eb44669659399aeb81735bf0330a8e58505d99ad62",
}


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, list[str]]]:
    """The page, with what went wrong on it and what it has asked for besides its own file; ``heard`` takes both."""
    page = open_page(browser, tmp_path_factory.mktemp("page"))
    file = page.url
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: errors.append(request.url) if request.url != file else None)
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield page, errors
    page.context.close()
    assert errors == [], "no error, and nothing asked of a network, after the last test"


def heard(page: Page, errors: list[str]) -> list[str]:
    """What came since it was asked last. The page answers once more first, so that what it had sent before has arrived."""
    page.evaluate("0")
    found = [*errors]
    errors.clear()
    return found


@pytest.fixture
def functions(opened: tuple[Page, list[str]]) -> Iterator[Page]:
    """The page for tests that only call its functions."""
    page, errors = opened
    yield page
    assert heard(page, errors) == [], "no error, and nothing asked of a network"


@pytest.fixture
def page(opened: tuple[Page, list[str]]) -> Iterator[Page]:
    loaded, errors = opened
    loaded.reload()
    loaded.wait_for_selector("#languages button")
    yield loaded
    assert heard(loaded, errors) == [], "no error, and nothing asked of a network"


def give(page: Page, files: dict[str, bytes]) -> None:
    page.set_input_files("#files", [FilePayload(name=name, mimeType="", buffer=content) for name, content in files.items()])


def zipped(files: dict[str, bytes]) -> dict[str, bytes]:
    return {"evening.zip": write_zip(files)}


def test_control_an_error_and_a_request_just_before_the_end_of_a_test_are_heard(opened: tuple[Page, list[str]]) -> None:
    page, errors = opened
    page.evaluate("() => { void Promise.reject(new Error('late')); void fetch('http://127.0.0.1:9/').catch(() => 0); }")
    found = heard(page, errors)
    assert "late" in found
    assert any("http://127.0.0.1:9/" in each for each in found), "the page's own policy refuses the request, and the browser says so"


def test_the_page_is_small_enough_to_hand_on_and_has_every_text_in_three_languages() -> None:
    assert len(page_text().encode()) <= LARGEST
    texts = page_texts(FOLDER / "translations")
    keys = [set(by_key) for by_key in texts.values()]
    assert keys[0] == keys[1] == keys[2]
    assert all(text for by_key in texts.values() for text in by_key.values())


@pytest.mark.parametrize(("holders", "n"), GOLDEN)
def test_the_golden_vectors_of_the_contracts_come_out(functions: Page, holders: tuple[str, ...], n: int) -> None:
    known = vector(*holders)
    slip = canonical_json(known.slips[n - 1].to_json())
    assert verdicts_of_page(functions, known, [slip]) == [f"good {GOLDEN[holders, n]}"]
    assert functions.evaluate("(text) => wordsOfCode(readCode(text))", known.started.start.words.lower()) == known.started.start.words


def test_hashes_agree_with_those_of_the_standard_library(functions: Page) -> None:
    lengths = (0, 55, 56, 63, 64, 119, 135, 136, 137, 272, 1000)
    contents = [bytes(number % 251 for number in range(length)) for length in lengths]
    asked = "(all) => all.map((each) => [toHex(sha256(Uint8Array.from(each))), toHex(shake256(Uint8Array.from(each), 300))])"
    found = functions.evaluate(asked, [list(content) for content in contents])
    assert found == [[hashlib.sha256(content).hexdigest(), hashlib.shake_256(content).hexdigest(300)] for content in contents]


def test_page_and_python_agree_on_slips_good_and_harmed(functions: Page) -> None:
    chance = Random(7)
    asked: dict[tuple[str, ...], list[bytes]] = {holders: [] for holders in VECTORS}
    for _ in range(examples(180)):
        known, content = any_slip(chance)
        asked[known.started.plan.holders].append(content)
    said = [(verdict(vector(*holders).started, content), content) for holders, slips in asked.items() for content in slips]
    found = [answer for holders, slips in asked.items() for answer in verdicts_of_page(functions, vector(*holders), slips)]
    assert [(one, content) for (one, content), other in zip(said, found, strict=True) if one != other] == []
    assert {one.split()[0] for one, _ in said} == {"good", "format", "plan", "public", "key", "path", "digest", "check"}


@pytest.mark.parametrize("harm", HARMS)
def test_page_and_python_agree_on_each_kind_of_harm(functions: Page, harm: str) -> None:
    known: Vector = vector("server", "witness")
    chance = Random(harm)
    slips = [HARMS[harm](chance.choice(known.slips), known, chance) for _ in range(examples(20))]
    assert verdicts_of_page(functions, known, slips) == [verdict(known.started, slip) for slip in slips]


def test_an_evening_is_proved_and_its_walls_are_shown_as_tiles(page: Page) -> None:
    give(page, zipped(dict(bundle())))
    expect(page.locator("#result > *")).to_have_count(0)
    page.fill("#code", WORDS.lower().replace("-", " "))
    expect(page.locator(".banner.good")).to_contain_text("Everything that this page checks is proved")
    expect(page.locator(".banner.good")).to_contain_text("3 of 3 slips proved; the plan has 3 deals")
    deal = page.locator(".deal").first
    deal.locator("summary").click()
    expect(deal).to_contain_text("These tables had this very deal: 1, 2, 3, 4.")
    expect(deal.locator(".tile")).to_have_count(136)
    expect(page.locator(".ledgers")).to_contain_text("lines hold and are signed")
    keep_picture(page, "verify-1440")


@pytest.mark.nightly
@pytest.mark.parametrize(("language", "proved"), [("en", "proved"), ("ja", "証明"), ("zh-Hans", "已证明")])
def test_a_phone_reads_it_in_its_language_without_scrolling_sideways(browser: Browser, tmp_path: Path, language: str, proved: str) -> None:
    page = open_page(browser, tmp_path, width=390, height=844, locale={"zh-Hans": "zh-CN"}.get(language, language))
    give(page, {"plan.json": STARTED.plan.canonical, "slip.json": bundle()[slip_name(2)]})
    page.fill("#code", WORDS)
    expect(page.locator(".mark")).to_have_text(proved)
    page.locator(".deal summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    keep_picture(page, f"verify-390-{language}")
    page.context.close()


def test_another_code_proves_nothing_and_names_the_code_of_the_files(page: Page) -> None:
    give(page, zipped(dict(bundle())))
    page.fill("#code", "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92")
    expect(page.locator(".banner.bad")).to_contain_text("Nothing is proved")
    expect(page.locator(".banner.bad")).to_contain_text(WORDS)
    expect(page.locator(".deal")).to_have_count(0)
    page.fill("#code", "5PHC")
    expect(page.locator("#code-said")).to_have_text("A start code has 32 symbols, eight groups of four.")
    expect(page.locator("#result > *")).to_have_count(0)


def test_a_changed_slip_and_a_changed_line_are_named(page: Page) -> None:
    slip = bundle()[slip_name(2)].replace(STARTED.start.public.encode(), b"another")
    lines = bundle()[ledger_name(3)].splitlines(keepends=True)
    lines[20] = lines[20].replace(b'"at":"2026', b'"at":"2027')
    give(page, zipped(with_heading({**bundle(), slip_name(2): slip, ledger_name(3): b"".join(lines)})))
    page.fill("#code", WORDS)
    expect(page.locator(".banner.bad")).to_contain_text("Not everything is proved")
    expect(page.locator(".deal .mark.bad")).to_have_count(1)
    expect(page.locator(".deal").nth(1)).to_contain_text("It is made with another public value than the start fixed.")
    expect(page.locator(".ledgers")).to_contain_text(
        "Table 3 (ledgers/003.jsonl): line 21: this line was changed, or does not follow the one before it"
    )
    keep_picture(page, "verify-bad")


def test_statement_15_a_deal_is_made_again_from_its_released_slip(page: Page) -> None:
    give(page, {**STARTED_FILES, "slip-0002.json": slip_bytes(2)})
    page.fill("#code", WORDS)
    expect(page.locator(".deal .mark")).to_have_text("proved")
    expect(page.locator(".deal .tile")).to_have_count(136)


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("keys", "Its keys are not those that were committed to"),
        ("path", "Its keys are right, but its path does not lead to the root."),
        ("digest", "Its keys give other walls than its digest says."),
        ("check", "Its check value is another than keys and walls give."),
    ],
)
def test_statement_15_one_changed_character_of_a_slip_is_named_by_its_part(page: Page, part: str, sentence: str) -> None:
    slip = json.loads(slip_bytes(2))
    old = slip[part]
    changed = _with_another_digit(old) if isinstance(old, str) else [_with_another_digit(old[0]), *old[1:]]
    give(page, {**STARTED_FILES, "slip-0002.json": canonical_json({**slip, part: changed})})
    page.fill("#code", WORDS)
    expect(page.locator(".deal .mark.bad")).to_have_count(1)
    expect(page.locator(".deal")).to_contain_text(sentence)


def _with_another_digit(text: str) -> str:
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def test_a_cut_ledger_is_found_by_the_signatures(page: Page) -> None:
    lines = bundle()[ledger_name(1)].splitlines(keepends=True)
    give(page, zipped(with_heading({**bundle(), ledger_name(1): b"".join(lines[:-3])})))
    page.fill("#code", WORDS)
    expect(page.locator(".ledgers")).to_contain_text(f"line {len(lines) - 3}: the table has signed more lines: the rest is cut off")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"evening.zip": b"PK no zip"}, "This is no zip, or only a part of one."),
        ({"slip.json": slip_bytes(1)}, "Every deal is checked against the event's plan (plan.json)."),
        ({"photo.png": b"\x89PNG"}, "Every deal is checked against the event's plan (plan.json)."),
    ],
)
def test_files_that_cannot_be_used_are_said_in_a_sentence(page: Page, files: dict[str, bytes], sentence: str) -> None:
    give(page, files)
    page.fill("#code", WORDS)
    expect(page.locator(".banner.bad")).to_contain_text(sentence)
