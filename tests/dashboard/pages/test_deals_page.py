"""The page of deals, made and started there, and the page of trust, which lists them with what is proved of each."""

from dataclasses import replace

import pytest

from cli.demo.command import PUBLIC
from dashboard.custody.hall_vault import HolderProgress, VaultStep
from dashboard.i18n.words import Words
from dashboard.verify_page.page import page as verify_page
from dashboard.web_app import download
from tests.support.dashboard.custody.vaults import CommittingVaults
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import building, closed_hand, play
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.tables.tables_in_play import words_of
from tests.support.event.managed import PREPARED
from tests.support.event.stored_event import PLAN, STARTED
from tests.support.narrowed import of_type, present
from twinwall.art.names import LANGUAGES
from twinwall.event.deal_state import MadeDeals, NoDeals
from twinwall.wire.messages.boot_keys import SettledKeys
from twinwall.wire.messages.vaults.vault_orders import VaultRefusal

PASSPHRASE = "correct horse battery"


@pytest.fixture
def vaults() -> CommittingVaults:
    return CommittingVaults()


@pytest.fixture
def hall(vaults: CommittingVaults) -> Hall:
    hall = Hall(settings=OPEN, deals=vaults)
    hall.manage(*PREPARED)
    hall.log_in()
    return hall


def order(hall: Hall, do: str, **fields: str) -> tuple[int, str]:
    answer = hall.submit("/event/deals", {"do": do, **fields})
    return answer.status_code, answer.text


def make(hall: Hall) -> None:
    assert order(hall, "make", source="tiles: 32", passphrase=PASSPHRASE, again=PASSPHRASE)[0] == 303


def test_deals_are_made_with_a_passphrase_that_stands_on_no_page(hall: Hall, vaults: CommittingVaults) -> None:
    assert "32 deals are drawn" in hall.client.get("/event/deals").text
    make(hall)
    assert vaults.passphrases == [PASSPHRASE]
    page = hall.client.get("/event/deals").text
    must_say(page, "The deals are committed", "32 tiles, turned up in the hall before the first hand")
    assert PASSPHRASE not in page
    assert hall.client.get("/commitments.json").mimetype == "application/json"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"source": "", "other": "  ", "again": PASSPHRASE}, "Say where the public value comes from"),
        ({"source": "tiles: 32", "again": "another one"}, "The two passphrases differ"),
    ],
)
def test_without_a_source_of_the_public_value_or_with_two_passphrases_no_deal_is_made(
    hall: Hall, vaults: CommittingVaults, fields: dict[str, str], why: str
) -> None:
    status, page = order(hall, "make", passphrase=PASSPHRASE, **fields)
    assert (status, why in page, PASSPHRASE in page) == (409, True, False)
    assert vaults.state == NoDeals()


def test_a_text_that_was_pasted_by_mistake_is_no_public_value(hall: Hall, vaults: CommittingVaults) -> None:
    assert order(hall, "make", source="", other="noon", passphrase=PASSPHRASE, again=PASSPHRASE)[0] == 303
    status, page = order(hall, "start", public="y" * 1001)
    assert status == 409
    assert "The public value has 1001 characters: give no more than 1000." in page
    assert order(hall, "start", public="y" * 1000)[0] == 303
    assert isinstance(vaults.state, MadeDeals)


def test_a_public_value_that_is_not_as_the_plan_says_is_refused_with_the_reason(hall: Hall, vaults: CommittingVaults) -> None:
    make(hall)
    for typed, key, values in (
        ("1m 2m 3m", "count", {"count": 3, "wanted": 32}),
        ("1x 2m 3m", "tile", {"text": "1x"}),
        (" ".join(["1m"] * 32), "kinds", {"kinds": 1, "wanted": 32}),
    ):
        for language in LANGUAGES:
            hall.client.get(f"/login?lang={language}")
            status, page = order(hall, "start", public=typed)
            assert status == 409
            assert Words(language)(f"deals.problem.tiles.{key}", **values) in page
            assert '<span lang="en">' not in page, "no English sentence beside it"
    assert of_type(MadeDeals, vaults.state).start is None


def test_the_page_shows_how_tiles_are_typed_and_takes_any_blanks_and_full_width(hall: Hall, vaults: CommittingVaults) -> None:
    make(hall)
    page = hall.client.get("/event/deals").text
    assert all(f"<kbd>{text}</kbd>" in page for text in ("1m", "9p", "1s", "E", "C", "F", "P"))
    typed = PUBLIC.replace(" ", "  ").replace("1m", "１ｍ")
    assert order(hall, "start", public=f" {typed} ")[0] == 303
    assert present(of_type(MadeDeals, vaults.state).start).public == PUBLIC


def test_a_start_before_the_commitments_is_refused(hall: Hall) -> None:
    status, page = order(hall, "start", public="1m")
    assert status == 409
    assert "after the commitments" in page


@pytest.mark.parametrize("refusal", list(VaultRefusal))
def test_what_a_vault_refuses_is_said_in_the_reader_s_language(hall: Hall, vaults: CommittingVaults, refusal: VaultRefusal) -> None:
    vaults.progress = (HolderProgress("server", VaultStep.REFUSED, refusal, "why"), HolderProgress("witness", VaultStep.LOCKED))
    for language in ("en", "ja", "zh-Hans"):
        assert "why" in hall.client.get(f"/event/deals?lang={language}").text
    assert order(hall, "unlock", passphrase=PASSPHRASE)[0] == 303
    assert vaults.passphrases == [PASSPHRASE]


def test_a_refused_passphrase_can_be_entered_again_and_the_page_rests_while_it_is_typed(hall: Hall, vaults: CommittingVaults) -> None:
    make(hall)
    wrong = HolderProgress("server", VaultStep.REFUSED, VaultRefusal.WRONG_PASSPHRASE, "why", takes_passphrase=True)
    vaults.progress = (wrong, HolderProgress("witness", VaultStep.SILENT))
    page = hall.client.get("/event/deals").text
    assert 'id="unlock" name="passphrase"' in page
    assert 'http-equiv="refresh"' not in page
    assert order(hall, "unlock", passphrase=PASSPHRASE)[0] == 303
    assert vaults.passphrases[-1] == PASSPHRASE


def test_a_hall_without_such_a_vault_says_so() -> None:
    hall = Hall(settings=OPEN)
    hall.log_in()
    assert "No vault of this hall takes orders" in hall.client.get("/event/deals").text
    assert hall.client.get("/commitments.json").status_code == 404


@pytest.fixture
def promised() -> Hall:
    hall = Hall(settings=OPEN, desk=MemoryDesk(teams_of_four()))
    for table in "1234":
        hall.feed([*closed_hand(table), *building(2), *play("E2p", 2)], table)
    hall.release()
    return hall


def test_a_rehearsal_lists_a_released_deal_with_its_slip_and_says_that_nothing_is_fixed_or_signed(promised: Hall) -> None:
    page = promised.client.get("/trust").text
    assert '<a href="/deal/1/slip.json" download>slip-0001.json</a>' in page
    assert "/deal/2/slip.json" not in page
    must_say(words_of(page), "this very deal at tables 1, 2, 3, 4", "nothing is fixed before", "Nothing is signed here")
    answer = promised.client.get("/verify.html")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="verify.html"'
    assert answer.text == verify_page()


def test_an_event_shows_its_start_code_who_signs_and_how_many_deals_are_sealed() -> None:
    hall = Hall(settings=replace(OPEN, vault_keys={"club": "ab" * 32}, keys=SettledKeys({})))
    hall.desk.hall.programme = replace(hall.desk.hall.programme, event=PLAN.event, custody=STARTED)
    page = words_of(hall.client.get("/trust").text)
    must_say(page, STARTED.start.words, STARTED.start.root.hex(), f"{len(PLAN.deals)} deals are not released yet")
    assert "Key of the vault of club" in page
    assert "ab" * 32 in page


def test_a_download_from_a_table_of_any_name_says_its_name() -> None:
    header = download(b"", 'table-東"1.json').headers["Content-Disposition"]
    assert header == "attachment; filename=\"table-__1.json\"; filename*=UTF-8''table-%E6%9D%B1%221.json"
