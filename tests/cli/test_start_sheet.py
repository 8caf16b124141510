"""The sheet of the start code: to print, to hang up, to photograph."""

from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import Browser

from cli.event.start_sheet import start_sheet
from dashboard.i18n.words import Words
from tests.support.commands import Twinwall
from tests.support.event.stored_event import PLAN, STARTED
from twinwall.art.names import LANGUAGES
from twinwall.game.deals import StartedPlan, plan_sessions


def test_the_sheet_has_the_code_in_eight_groups_and_says_in_three_languages_what_to_do() -> None:
    page = start_sheet(STARTED)
    groups = STARTED.start.words.split("-")
    assert f"<span>{'-'.join(groups[:4])}</span><span>{'-'.join(groups[4:])}</span>" in page
    for language in LANGUAGES:
        assert f'<section lang="{language}"><h2>{Words(language)("sheet.title")}</h2>' in page
        assert Words(language)("sheet.compare") in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", ""), "it loads nothing"


def test_names_are_text_and_never_markup() -> None:
    plan = plan_sessions("<b>Cup</b>", "mcr-duplicate", sessions=1, hands=1, holders=["server"], public="noon")
    page = start_sheet(StartedPlan(plan, STARTED.start.__class__(plan.digest, STARTED.start.root, "<i>5p</i>")))
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;Cup&lt;/b&gt;" in page


def test_a_camera_reads_the_code_from_the_printed_sheet(browser: Browser) -> None:
    tab = browser.new_page()
    tab.set_content(start_sheet(STARTED))
    picture = cv2.imdecode(np.frombuffer(tab.screenshot(full_page=True), np.uint8), cv2.IMREAD_COLOR)
    tab.close()
    assert picture is not None
    assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == STARTED.start.words


def test_the_command_writes_the_page_and_refuses_to_replace_one(tmp_path: Path, twinwall: Twinwall) -> None:
    plan, start, page = tmp_path / "plan.json", tmp_path / "start.json", tmp_path / "sheet.html"
    plan.write_bytes(PLAN.canonical)
    start.write_bytes(STARTED.start.canonical)
    command = ["deals", "sheet", str(plan), str(start), "--out", str(page)]
    twinwall(*command)
    assert page.read_text(encoding="utf-8") == start_sheet(STARTED)
    assert "exists" in twinwall(*command, code=2).err


def test_a_start_of_another_plan_is_refused(tmp_path: Path, twinwall: Twinwall) -> None:
    plan, start = tmp_path / "plan.json", tmp_path / "start.json"
    plan.write_bytes(plan_sessions("Other", "mcr-duplicate", sessions=1, hands=1, holders=["server"], public="noon").canonical)
    start.write_bytes(STARTED.start.canonical)
    assert "another plan" in twinwall("deals", "sheet", plan, start, "--out", tmp_path / "sheet.html", code=2).err
