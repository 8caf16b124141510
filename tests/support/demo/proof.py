"""What an event has published, proved by whoever has downloaded it, with the page that came with it and without any network."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.support.demo.tutorials import TutorialDirector

_PATIENCE_MS = 300_000


def prove(director: TutorialDirector, browser: Browser, folder: Path, deals: int) -> Page:
    """Download the bundle of an event of so many deals, and prove each of them; the page that says so."""
    director.go("/trust")
    code = director.page.locator(".trust-code code").inner_text()
    expect(director.page.locator('a[download][href$="/slip.json"]'), "a slip of each deal").to_have_count(deals)
    links = {link.inner_text(): link.get_attribute("href") for link in director.page.locator("a[download]").all()}
    files = {name: director.page.request.get(f"{director.address}{link}").body() for name, link in links.items()}
    (folder / "verify.html").write_bytes(files.pop("verify.html"))
    payloads = [FilePayload(name=name, mimeType="", buffer=content) for name, content in files.items()]
    alone = browser.new_context(offline=True).new_page()
    alone.goto((folder / "verify.html").as_uri())
    alone.set_input_files("#files", payloads)
    alone.fill("#code", code)
    expect(alone.locator(".banner.good")).to_contain_text(f"{deals} of {deals} slips proved", timeout=_PATIENCE_MS)
    return alone
