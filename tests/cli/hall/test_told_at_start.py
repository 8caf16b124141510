"""What the hall's command says at its start, and the page that it opens on a desktop."""

from __future__ import annotations

import pytest

from twinwall.cli.hall.told_at_start import show_in_browser

LINK = "http://127.0.0.1:8080/invitation/1"


@pytest.mark.parametrize(
    ("environment", "opened"),
    [({"DISPLAY": ":0"}, [LINK]), ({"WAYLAND_DISPLAY": "wayland-0"}, [LINK]), ({"DISPLAY": ""}, []), ({}, [])],
)
def test_the_link_is_opened_where_there_is_a_desktop(environment: dict[str, str], opened: list[str]) -> None:
    pages = list[str]()

    def browser(address: str) -> bool:
        pages.append(address)
        return True

    show_in_browser(LINK, environment, browser)
    assert pages == opened


def test_a_desktop_without_a_browser_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_in_browser(LINK, {"DISPLAY": ":0"}, lambda _: False)
    assert "open the address yourself" in capsys.readouterr().err
