"""``twinwall centre files``: what it writes is what each machine needs, and it keeps certificates and passwords."""

import json
from pathlib import Path

import pytest

from cli import main
from twinwall.wire.certificates import name_in_certificate

WORDS = ["--broker", "mq1.example", "--broker", "mq2.example", "--database", "db1.example", "--database", "db2.example"]
WORDS += ["--etcd", "db1.example:2379", "--venue", "Haus 7", "--venue", "Kyoto=2"]


def written(out: Path, *words: str) -> dict[str, bytes]:
    assert main(["centre", "files", "--out", str(out), *WORDS, *words]) == 0
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_each_machine_has_its_files_and_certificate_and_a_second_run_changes_nothing(tmp_path: Path) -> None:
    first = written(tmp_path)
    assert name_in_certificate(first["venues/Kyoto/own.pem"]) == "venue-Kyoto-2"
    assert b"addresses mq1.example:8883 mq2.example:8883" in first["venues/Haus%207/gateway.conf"]
    assert {each["name"] for each in json.loads(first["rabbitmq/mq1.example/definitions.json"])["users"]} == {
        "venue-Haus%207-1",
        "venue-Kyoto-2",
        "consumer-1",
    }
    patroni = first["patroni/db2.example/patroni.yml"].decode()
    assert "    synchronous_mode: true\n" in patroni
    assert all(line.startswith(("local ", "hostssl ")) for line in patroni.partition("pg_hba:\n    - ")[2].split("\n    - "))
    assert b"host=db1.example,db2.example" in first["database.url"]
    assert written(tmp_path) == first


def test_each_holders_vault_at_the_centre_has_an_account_where_it_is_asked_for(tmp_path: Path) -> None:
    files = written(tmp_path, "--vaults", "2")
    users = {each["name"] for each in json.loads(files["rabbitmq/mq1.example/definitions.json"])["users"]}
    assert {user for user in users if user.startswith("vault")} == {"vault-1", "vault-2"}
    assert name_in_certificate(files["certificates/vault-2.pem"]) == "vault-2"


def test_viewers_have_a_server_of_their_own_where_one_is_asked_for(tmp_path: Path) -> None:
    assert not any(name.startswith("viewers/") for name in written(tmp_path))
    conf = written(tmp_path, "--viewers")["viewers/nginx.conf"]
    assert b"ssl_certificate /run/credentials/twinwall-viewers.service/viewers.pem;" in conf
    assert b"listen unix:/run/twinwall-viewers/publish.sock;" in conf


def test_a_venue_has_nothing_of_another_one(tmp_path: Path) -> None:
    files = written(tmp_path)
    of_kyoto = b"".join(content for name, content in files.items() if name.startswith("venues/Kyoto/"))
    assert b"Haus" not in of_kyoto
    assert files["venues/Haus%207/own.key"] not in of_kyoto


@pytest.mark.parametrize(
    ("venue", "said"),
    [("Kyoto", "two venues cannot have one name"), *((f"Osaka={number}", "number of the venue's account") for number in ("0", "", "²"))],
)
def test_a_venue_without_a_name_or_number_of_its_own_is_refused(
    venue: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["centre", "files", "--out", str(tmp_path), *WORDS, "--venue", venue]) == 2
    assert said in capsys.readouterr().err
