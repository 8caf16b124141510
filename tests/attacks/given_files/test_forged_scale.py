"""Attack 25: whoever can write the scale's file gives it other numbers and lets it call itself official."""

import json
from pathlib import Path

import pytest

from cli import main
from tests.support.event.ledgers import csv_lines, team_results
from twinwall.event.field import EventField
from twinwall.event.imp_scale import ScaleStatus, parse_scale
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.wire.messages.file_signature import sign_file
from twinwall.wire.messages.signing import Signer

REFEREE = Signer("", b"\x11" * 32)
FORGER = Signer("", b"\x12" * 32)
TRUSTED = {"Li Na": REFEREE.public}
SCALE = b'format = "twinwall-scale-1"\nname = "house"\nstatus = "official"\nsource = "the club"\nbounds = [1, 20, 300]\n'
FORGED = SCALE.replace(b"300", b"30")


def provisional_because(content: bytes, signature: bytes | None) -> str:
    scale = parse_scale(content, "scale.toml", signature, TRUSTED)
    assert scale.status is ScaleStatus.PROVISIONAL
    assert scale.signer is None
    assert scale.doubt is not None
    return scale.doubt


def test_control_the_person_whom_the_reader_trusts_makes_the_scale_official() -> None:
    assert parse_scale(FORGED, "scale.toml", sign_file(FORGED, REFEREE), TRUSTED).status is ScaleStatus.OFFICIAL


def test_the_digest_that_the_program_prints_makes_no_scale_official() -> None:
    digest = parse_scale(FORGED, "scale.toml").digest
    marked = FORGED + f'[signature]\nreferee = "Li Na"\non = 2026-11-20\ndigest = "{digest}"\n'.encode()
    assert "it is not signed" in provisional_because(marked, None)


def test_a_scale_changed_after_it_was_signed_is_provisional() -> None:
    assert "changed after" in provisional_because(FORGED, sign_file(SCALE, REFEREE))


def test_a_scale_signed_by_somebody_else_is_provisional_and_the_key_is_named() -> None:
    said = provisional_because(FORGED, sign_file(FORGED, FORGER))
    assert FORGER.public.hex() in said
    assert "trusted: Li Na" in said


@pytest.mark.parametrize("key", ["key", "digest", "signature"])
def test_a_signature_put_together_from_two_is_none(key: str) -> None:
    good, other = json.loads(sign_file(SCALE, REFEREE)), json.loads(sign_file(FORGED, FORGER))
    provisional_because(FORGED, json.dumps({**other, key: good[key]}).encode())
    provisional_because(SCALE, json.dumps({**good, key: other[key]}).encode())


@pytest.mark.parametrize("signature", [b"", b"signed: Li Na", b"{}", b'{"format":"twinwall-signature-2"}'])
def test_what_is_no_signature_makes_no_scale_official(signature: bytes) -> None:
    provisional_because(SCALE, signature)


def test_an_events_programme_trusts_the_signers_that_its_settings_name_and_says_so_when_read_again() -> None:
    field = EventField(EntrantKind.INDIVIDUAL, ())
    signed = Programme("e", field, None, SCALE.decode(), scale_signature=sign_file(SCALE, REFEREE).decode())
    assert signed.scale.status is ScaleStatus.PROVISIONAL, "nobody is trusted unless the settings say so"
    trusting = Programme("e", field, None, SCALE.decode(), signed.points, signed.scale_signature, (f"Li Na {REFEREE.public.hex()}",))
    assert Programme.from_document(trusting.document) == trusting
    assert trusting.scale.signer == "Li Na"


def test_a_person_signs_on_the_command_line_and_compare_names_the_signer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scale, key, results = tmp_path / "scale.toml", tmp_path / "li-na.key", tmp_path / "results.csv"
    scale.write_bytes(SCALE)
    results.write_text("\n".join(csv_lines(team_results())) + "\n")
    assert main(["admin", "sign", "key", str(key)]) == 0
    signer = f"Li Na {capsys.readouterr().out.strip()}"
    assert key.stat().st_mode & 0o077 == 0
    compare = ["compare", str(results), "--team", "--scale", str(scale)]

    assert main([*compare, "--signer", signer, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["scale"]["status"] == "provisional"
    assert "it is not signed" in err
    assert main(["admin", "sign", "check", str(scale), "--signer", signer]) == 1

    assert main(["admin", "sign", str(scale), "--key", str(key)]) == 0
    assert main(["admin", "sign", "check", str(scale), "--signer", signer]) == 0
    capsys.readouterr()
    assert main([*compare, "--signer", signer]) == 0
    assert "house (official, signed by Li Na)" in capsys.readouterr().out
    assert main([*compare, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scale"]["status"] == "provisional", "nobody is trusted unasked"
    assert main(["admin", "sign", "check", str(scale)]) == 1


@pytest.mark.parametrize("words", [[], ["key"], ["SCALE"], ["check", "SCALE", "--signer", "Li Na"], ["key", "SCALE"], ["a", "b", "c"]])
def test_wrong_use_of_sign_is_said(words: list[str], tmp_path: Path) -> None:
    scale = tmp_path / "scale.toml"
    scale.write_bytes(SCALE)
    assert main(["admin", "sign", *(str(scale) if word == "SCALE" else word for word in words)]) == 2
