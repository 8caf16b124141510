"""The folder of a hall that one command serves: in clear on this computer alone, by TLS under the hall's certificates beyond it."""

import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import config
from cli import main
from cli.hall import held_ports
from cli.hall.guided_tables import GuidedTables
from cli.hall.hall_folder import CERTIFICATE_DAYS, HallFolder
from cli.usage import UsageError
from tests.support.wire.brokers import free_port
from twinwall.wire.certificates import issued_by, name_in_certificate

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
ADDRESS, LOCAL = "192.0.2.7", "http://127.0.0.1"


def hall_at(folder: Path, host: str) -> HallFolder:
    return HallFolder(folder, folder / "memory", ("1",), 8883, 8443, trusting=False, host=host)


def test_a_hall_on_this_computer_alone_has_no_certificates(tmp_path: Path) -> None:
    hall = hall_at(tmp_path, "127.0.0.1")
    hall.broker()
    hall.dashboard()
    broker = config.load(tmp_path / "broker.toml", config.BrokerSettings).broker
    assert (broker.host, broker.certificate_file) == ("127.0.0.1", None)
    assert hall.page_url == "http://127.0.0.1:8443"
    assert not hall.certificates.has_authority


def test_beyond_it_broker_pages_and_vault_have_certificates_of_the_halls_authority(tmp_path: Path) -> None:
    hall = hall_at(tmp_path, ADDRESS)
    hall.make_certificates(NOW)
    for process in (hall.broker(), hall.vault(), hall.dashboard()):
        assert process.words[:2] in (("hall", "broker"), ("vault", "run"), ("hall", "dashboard"))
    broker = config.load(tmp_path / "broker.toml", config.BrokerSettings).broker
    pages = config.load(tmp_path / "dashboard.toml", config.DashboardSettings)
    vault = config.load(tmp_path / "vault.toml", config.VaultSettings)
    assert (broker.host, pages.dashboard.host, pages.dashboard.address) == (ADDRESS, ADDRESS, f"https://{ADDRESS}:8443")
    assert pages.mqtt.url == vault.mqtt.url == f"mqtts://{ADDRESS}:8883"
    authority = hall.certificates.certificate("authority").read_bytes()
    files = (broker.certificate_file, pages.dashboard.certificate, pages.mqtt.certificate_file, vault.mqtt.certificate_file)
    assert [name_in_certificate(file.read_bytes()) for file in files if file is not None] == ["broker", "server", "server", "vault"]
    assert all(file is not None and issued_by(file.read_bytes(), authority) for file in files)


def test_a_certificate_that_browsers_know_is_for_pages_and_phones_alone(tmp_path: Path) -> None:
    known = tmp_path / "fullchain.pem", tmp_path / "privkey.pem"
    hall = replace(hall_at(tmp_path, "hall.club.example"), phones=f"{LOCAL}:8120", readiness=f"{LOCAL}:8121", certificate=known)
    hall.make_certificates(NOW)
    hall.broker()
    hall.dashboard()
    assert next(process.name for process, _ in GuidedTables(hall, ("1",), 8443, (8105,)).processes(NOW)) == "phones"
    pages = config.load(tmp_path / "dashboard.toml", config.DashboardSettings)
    broker = config.load(tmp_path / "broker.toml", config.BrokerSettings).broker
    assert (pages.dashboard.certificate, pages.dashboard.certificate_key) == known
    section = config.load(tmp_path / "phones.toml", config.PhonesSettings).phones
    assert (section.certificate, section.certificate_key, section.host) == (*known, "hall.club.example")
    assert pages.dashboard.address == "https://hall.club.example:8443"
    assert broker.certificate_file == hall.certificates.certificate("broker")
    assert pages.mqtt.certificate_file == hall.certificates.certificate("server")


def test_certificates_are_kept_and_those_of_another_address_or_that_have_ended_are_refused(tmp_path: Path) -> None:
    hall_at(tmp_path, ADDRESS).make_certificates(NOW)
    kept = (tmp_path / "certificates" / "broker.pem").read_bytes()
    hall_at(tmp_path, ADDRESS).make_certificates(NOW + timedelta(days=1))
    assert (tmp_path / "certificates" / "broker.pem").read_bytes() == kept
    with pytest.raises(UsageError, match=rf"--host 192\.0\.2\.8: .* are of {ADDRESS}"):
        hall_at(tmp_path, "192.0.2.8").make_certificates(NOW)
    with pytest.raises(UsageError, match="ended on"):
        hall_at(tmp_path, ADDRESS).make_certificates(NOW + timedelta(days=CERTIFICATE_DAYS + 1))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--simulate --host 192.0.2.7", "--simulate is for a hall on this computer alone"),
        ("--machines 1", "--machines is of simulated tables"),
        ("--simulate --tables 16", "--machines 16: a number from 0 to 8"),
        ("--host 192.0.2.7 --certificate a.pem", "--certificate and --certificate-key belong together"),
        ("--certificate a.pem --certificate-key a.key", "--certificate is for a hall that others reach"),
        ("--host h.example --certificate a.pem --certificate-key a.key", "--certificate a.pem, --certificate-key a.key: [Errno 2] No such"),
        ("--tables 65", "--tables 65: a number from 1 to 64"),
        ("--host 192.0.2.7", "--host 192.0.2.7: this computer has no such address; hostname -I says which it has"),
        ("--host nowhere.invalid", "--host nowhere.invalid: "),
    ],
)
def test_what_cannot_be_served_is_refused_by_its_option(
    words: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hall", "serve", str(tmp_path / "hall"), *words.split()]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "hall").exists()


def test_a_port_that_the_parts_of_a_killed_hall_still_have_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setattr("time.sleep", lambda _: other.close())
        held_ports.refuse_taken("127.0.0.1", {"--port": other.getsockname()[1]})
        assert other.fileno() == -1


@pytest.mark.parametrize("option", ["--port", "--broker-port", "--phones-port"])
def test_a_port_that_another_program_has_is_named_before_anything_is_made(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_ports, "ENDING_S", 0.0)
    ports = {name: str(free_port()) for name in ("--port", "--broker-port", "--phones-port")}
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(ports[option])))
        other.listen()
        words = [word for pair in ports.items() for word in pair]
        assert main(["hall", "serve", str(tmp_path / "hall"), "--tables", "1", "--guided", "1", *words]) == 2
    assert f"{option} {ports[option]}: a program of this computer has that port already" in capsys.readouterr().err
    assert not (tmp_path / "hall").exists()
