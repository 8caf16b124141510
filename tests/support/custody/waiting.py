"""``twinwall vault run`` as a process whose settings name no event: holder, keys, folder and broker alone; it can be killed.

The passphrase of its seed costs little: at the full cost, each start of the process would compute for a second.
"""

import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cli import CommandParser
from cli.event import vault as vault_command
from config import MqttSettings, VaultSettings, write
from config.services import VaultSection
from tests.support.children import ends_with_parent
from tests.support.patience import PATIENCE_S
from twinwall.custody.seed_file import Cost
from twinwall.wire.messages.signing import Signer, write_signing_key


@dataclass
class WaitingVault:
    """One holder's vault on a machine of its own, which is a folder here."""

    folder: Path
    holder: str
    signer: Signer
    process: subprocess.Popen[str] | None = None

    def set_up(self, port: int, password: str, server: bytes) -> None:
        """What a holder does before: a key, and a short settings file."""
        self.folder.mkdir()
        write_signing_key(self.folder / "vault.key", self.signer.secret)
        (self.folder / "password").write_text(password)
        section = VaultSection(self.folder / "vault.key", self.folder / "kept", server_key=server.hex(), holder=self.holder)
        mqtt = MqttSettings(f"mqtt://127.0.0.1:{port}", self.signer.by, self.folder / "password")
        write(self.settings, VaultSettings(section, mqtt))

    @property
    def settings(self) -> Path:
        return self.folder / "vault.toml"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def start(self) -> None:
        command = [sys.executable, "-m", __name__, "--settings", str(self.settings)]
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(ends_with_parent(command), stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True)

    def kill(self) -> None:
        self.stop(signal.SIGKILL)
        self.start()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        self.process = None
        return code


def _main() -> int:
    """The command as the front door runs it, but for the cost of the passphrase."""
    arguments = CommandParser("vault run", vault_command.run).parse_args()
    return vault_command.keep(arguments, Cost(memory_kib=8, passes=1, lanes=1))


if __name__ == "__main__":
    sys.exit(_main())
