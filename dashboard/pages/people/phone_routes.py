"""The page on which a director admits phones as cameras and keys of tables, and finds the projector's address as a code."""

from urllib.parse import urlsplit

import segno
from flask import Flask, render_template, url_for
from flask.typing import ResponseReturnValue

from dashboard.readiness.local_servers import LocalServerError, TablePhones
from dashboard.web_app import site_address
from twinwall.wire.shapes.panel import PhoneNow


def add_phones(app: Flask, phones: TablePhones) -> None:

    def shown(link: str = "", role: str = "", problem: str = "") -> str:
        found: list[PhoneNow] = []
        try:
            found = phones.phones()
        except LocalServerError as away:
            problem = str(away)
        projector, address = site_address() + url_for("projector"), urlsplit(link)
        return render_template(
            "people/phones.html",
            tables={table: [phone for phone in found if phone.table == table] for table in dict.fromkeys(phone.table for phone in found)},
            role=role,
            problem=problem,
            link=link,
            picture=_picture(link),
            host=address.hostname if address.scheme == "https" else None,  # over TLS alone a browser may warn first
            projector=projector,
            projector_picture=_picture(projector),
        )

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


def _picture(link: str) -> str:
    """A QR code as a ``data:`` address; empty without a link."""
    return segno.make(link, error="m").svg_data_uri(scale=8, border=4, light="#fff") if link else ""
