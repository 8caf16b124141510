"""What the hall's command says at its start, and the page that it opens on a desktop."""

from collections.abc import Callable
from pathlib import Path
from stat import S_IMODE
from urllib.parse import unquote, urlsplit

import pytest

from cli.desktop import show_in_browser
from cli.hall.hall_folder import HallFolder
from cli.hall.hall_serve import tell

LINK = "http://127.0.0.1:8080/invitation/1?a=b&c=d"


def browser(opened: list[str]) -> Callable[[str], bool]:
    def show(address: str) -> bool:
        opened.append(address)
        return True

    return show


@pytest.mark.parametrize(
    ("environment", "times"), [({"DISPLAY": ":0"}, 1), ({"WAYLAND_DISPLAY": "wayland-0"}, 1), ({"DISPLAY": ""}, 0), ({}, 0)]
)
def test_a_page_that_leads_to_the_link_is_opened_where_there_is_a_desktop(environment: dict[str, str], times: int, tmp_path: Path) -> None:
    opened = list[str]()
    show_in_browser(LINK, environment, tmp_path, browser(opened))
    assert len(opened) == times
    for address in opened:
        page = Path(unquote(urlsplit(address).path))
        assert 'content="0; url=http://127.0.0.1:8080/invitation/1?a=b&amp;c=d"' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("host", "says"), [("127.0.0.1", True), ("hall.example", False)])
def test_a_hall_on_this_computer_alone_says_that_no_phone_reaches_it(
    host: str, says: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(HallFolder(tmp_path, tmp_path, ("1",), 1883, 8080, False, host), None, shows=False)
    assert ("add --host with this computer's address" in capsys.readouterr().err) is says


def test_the_words_with_which_a_browser_is_started_do_not_have_the_link_and_its_page_is_read_by_nobody_else(tmp_path: Path) -> None:
    opened = list[str]()
    show_in_browser(LINK, {"DISPLAY": ":0"}, tmp_path, browser(opened))
    assert "invitation" not in opened[0]
    assert S_IMODE(Path(unquote(urlsplit(opened[0]).path)).stat().st_mode) == 0o600


def test_a_desktop_without_a_browser_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    show_in_browser(LINK, {"DISPLAY": ":0"}, tmp_path, lambda _: False)
    assert "open the address yourself" in capsys.readouterr().err
