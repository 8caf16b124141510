"""Settings file of a vault for tests of its commands, with the plan and the vault's key beside it."""

from pathlib import Path

from config import write
from config.connections import MqttSettings
from config.services import HallSection, VaultDealsSection, VaultSection, VaultSettings
from tests.support.custody.hall import NAMES, PLAN, PUBLIC_KEYS, VAULT
from twinwall.wire.messages.signing import write_signing_key


def settings_file(folder: Path, mqtt: MqttSettings = MqttSettings("mqtt://127.0.0.1:1")) -> Path:  # noqa: B008 - it never changes
    write(
        folder / "vault.toml",
        VaultSettings(
            VaultSection(folder / "vault.key", folder / "kept", folder / "server.seed", folder / "released"),
            mqtt,
            VaultDealsSection(folder / "plan.json", folder / "start.json"),
            HallSection(tuple(f"{name} {PUBLIC_KEYS[name].hex()}" for name in NAMES)),
        ),
    )
    (folder / "plan.json").write_bytes(PLAN.canonical)
    write_signing_key(folder / "vault.key", VAULT.secret)
    return folder / "vault.toml"
