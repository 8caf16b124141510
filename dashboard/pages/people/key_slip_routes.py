"""The pages of a key slip: a referee scans the code of a table without network, and shows the table the vaults' answers. The address of a
request is the content of its QR code, in capital letters, so that the phone's own camera opens the page."""

import segno
from flask import Flask, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.custody.key_slips import KeySlips
from dashboard.web_app import see_other
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.vaults.key_codes import REQUEST_PATH, RequestCode, read_request_text

REFRESH_S = 3
"""How often the page reloads while an answer is missing."""


def add_key_slips(app: Flask, policy: AccessPolicy, slips: KeySlips) -> None:

    @app.get("/key-slip")
    def key_slip_form() -> str:
        return render_template("people/key_slip_form.html", wrong=False)

    @app.post("/key-slip")
    def read_key_request() -> ResponseReturnValue:
        text = request.form.get("text", "")
        if _wanted(policy, text) is None:
            return render_template("people/key_slip_form.html", wrong=True), 400
        return see_other("key_slip", text="".join(text.split()).upper().rpartition(REQUEST_PATH)[2])

    @app.get(f"{REQUEST_PATH}<text>")
    def key_slip(text: str) -> ResponseReturnValue:
        """The vaults' answers to a request; the other vaults are asked."""
        found = _wanted(policy, text)
        if found is None:
            return render_template("people/key_slip_form.html", wrong=True), 404
        answered = slips.codes(found)
        missing = [vault for vault in found.kept if vault not in answered]
        return render_template(
            "people/key_slip.html",
            name=found.table,
            digits=found.keys.fingerprint,
            pictures=[
                segno.make(code, error="l").svg_data_uri(scale=8, border=4, light="#fff") for codes in answered.values() for code in codes
            ],
            missing=missing,
            sent=not missing or slips.ask(found),
            refresh_s=REFRESH_S,
        )


def _wanted(policy: AccessPolicy, text: str) -> RequestCode | None:
    try:
        found = read_request_text(text)
    except DocumentError:
        return None
    return None if policy.scope(viewer()).table(found.table) is None else found
