"""The page on which a director lets phones in as cameras and keys of tables, and finds the projector's address as a code."""

from urllib.parse import urlsplit

import segno
from flask import Flask, render_template, url_for
from flask.typing import ResponseReturnValue

from dashboard.readiness.local_servers import LocalServerError, TablePhones
from dashboard.web_app import site_address
from twinwall.wire.shapes.phones import PhoneNow


def add_phones(app: Flask, phones: TablePhones) -> None:
    """Add the page."""

    def shown(link: str = "", role: str = "", problem: str = "") -> str:
        return _page(phones, site_address() + url_for("projector"), link, role, problem)

    @app.get("/phones")
    def table_phones() -> str:
        return shown()

    @app.post("/phones/<table>/<name>/code")
    def phone_code(table: str, name: str) -> ResponseReturnValue:
        try:
            return shown(phones.offer(table, name), f"{table}/{name}")
        except LocalServerError as away:
            return shown(problem=str(away))

    @app.post("/phones/<table>/<name>/dismiss")
    def dismiss_phone(table: str, name: str) -> ResponseReturnValue:
        problem = ""
        try:
            phones.dismiss(table, name)
        except LocalServerError as away:
            problem = str(away)
        return shown(problem=problem)


def _page(asked: TablePhones, projector: str, link: str, role: str, problem: str) -> str:
    found: list[PhoneNow] = []
    try:
        found = asked.phones()
    except LocalServerError as away:
        problem = str(away)
    tables = {table: [phone for phone in found if phone.table == table] for table in dict.fromkeys(phone.table for phone in found)}
    codes = {
        "link": link,
        "picture": _picture(link),
        "host": _over_tls(link),
        "projector": projector,
        "projector_picture": _picture(projector),
    }
    return render_template("people/phones.html", tables=tables, role=role, problem=problem, **codes)


def _over_tls(link: str) -> str | None:
    """The host of a link whose browser may warn first; None without TLS."""
    address = urlsplit(link)
    return address.hostname if address.scheme == "https" else None


def _picture(link: str) -> str:
    """A QR code as a ``data:`` address; empty without a link."""
    return segno.make(link, error="m").svg_data_uri(scale=8, border=4, light="#fff") if link else ""
