"""The page on which a director lets phones in as cameras and keys of tables."""

from __future__ import annotations

import segno
from flask import Flask, abort, render_template
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import Role
from dashboard.access.login import directors_alone, require_token, viewer
from dashboard.readiness.local_server import LocalServerError
from dashboard.readiness.table_phones import ShownPhone, TablePhones


def add_phones(app: Flask, phones: TablePhones | None) -> None:
    """Add the page; without ``phones`` there is none."""

    @app.context_processor
    def has_phones() -> dict[str, object]:
        return {"has_phones": phones is not None and Role.DIRECTOR in viewer().roles}

    def server() -> TablePhones:
        directors_alone()
        if phones is None:
            abort(404)
        return phones

    @app.get("/phones")
    def table_phones() -> str:
        return _page(server())

    @app.post("/phones/<table>/<name>/code")
    def phone_code(table: str, name: str) -> AnyResponse | str:
        asked = server()
        require_token()
        try:
            return _page(asked, asked.offer(table, name), f"{table}/{name}")
        except LocalServerError as away:
            return _page(asked, problem=str(away))

    @app.post("/phones/<table>/<name>/dismiss")
    def dismiss_phone(table: str, name: str) -> AnyResponse | str:
        asked = server()
        require_token()
        problem = ""
        try:
            asked.dismiss(table, name)
        except LocalServerError as away:
            problem = str(away)
        return _page(asked, problem=problem)


def _page(asked: TablePhones, link: str = "", role: str = "", problem: str = "") -> str:
    found: list[ShownPhone] = []
    try:
        found = asked.phones()
    except LocalServerError as away:
        problem = str(away)
    tables = {table: [phone for phone in found if phone.table == table] for table in dict.fromkeys(phone.table for phone in found)}
    return render_template("people/phones.html", tables=tables, link=link, role=role, picture=_picture(link), problem=problem)


def _picture(link: str) -> str:
    """A QR code as a ``data:`` address; empty without a link."""
    return segno.make(link, error="m").svg_data_uri(scale=8, border=4, light="#fff") if link else ""
