"""Where the commands to a vault find its event: in files that the settings name, or in the folder of a vault that takes orders."""

from pathlib import Path

from cli.table.mqtt_connection import mqtt_account
from cli.usage import UsageError
from config import SettingsError, VaultSettings
from twinwall.custody.vault_files import Orders, VaultLedger, last_order
from twinwall.custody.vault_home import VaultHome
from twinwall.game.deals import Plan
from twinwall.given_files import limited_bytes
from twinwall.values import frozen
from twinwall.wire.messages.signing import VAULT, Signer, read_signer, vault_names


@frozen
class VaultFolder:
    """The present event of a vault. ``tables`` are those of its session, none where no session was ordered yet."""

    folder: Path
    plan: Plan
    tables: tuple[str, ...]
    signer: Signer
    server: bytes | None

    @property
    def ledger(self) -> VaultLedger:
        return VaultLedger(self.folder, self.plan.event, self.signer)

    @property
    def orders(self) -> Orders:
        return Orders(self.folder, self.plan.event, self.signer, self.server)


def vault_folder(settings: VaultSettings) -> VaultFolder:
    """The vault's present event; raises UsageError where it has none, DocumentError."""
    vault = settings.vault
    if settings.deals is None or settings.hall is None:
        return _of_orders(settings)
    plan = Plan.from_bytes(limited_bytes(settings.deals.plan))
    names = vault_names(plan.holders)
    if vault.holder not in names:
        raise UsageError(f"{vault.holder!r} is no holder of the plan ({', '.join(names)}): correct [vault] holder")
    tables = tuple(line.split(" ")[0] for line in settings.hall.tables)
    return VaultFolder(vault.folder, plan, tables, read_signer(names[vault.holder], vault.signing_key), vault.server)


def vault_account(settings: VaultSettings) -> str:
    """The account of a vault that no plan names yet: its user at the broker, or the name in its certificate. Raises SettingsError."""
    account, holder = mqtt_account(settings.mqtt), settings.vault.holder
    allowed = (VAULT, vault_names(("", holder))[holder])
    if account not in allowed:
        raise SettingsError(
            f"mqtt.user: the vault of {holder!r} has the account {account!r}; it is {allowed[0]!r} for the first holder of the plans, "
            f"{allowed[1]!r} for another one"
        )
    return account


def _of_orders(settings: VaultSettings) -> VaultFolder:
    signer = read_signer(vault_account(settings), settings.vault.signing_key)
    present = VaultHome(settings.vault.folder, signer).present
    if present is None:
        raise UsageError(f"the vault of {settings.vault.holder!r} has no event yet: its deals are made by the dashboard's order")
    plan = present.plan
    ordered = last_order(VaultLedger(present.folder, plan.event, signer).read())
    tables = () if ordered is None else tuple(table.name for table in ordered.tables)
    return VaultFolder(present.folder, plan, tables, signer, settings.vault.server)
