"""The form of the centre's ledger: what its vault has decided, in chained lines that the vault signs. Nothing in it is secret."""

from twinwall.custody.vault_files import LedgerForm

FIELD_LEDGER = LedgerForm(
    "field",
    "twinwall-field-ledger-1",
    {
        "table": "venue",
        "key-accepted": "key-taken",
        "sealing_key": "key",
        "signing_key": "",
        "table-withdrawn": "withdrawn",
        "awaited": "",
        "slip-released": "released",
    },
)
"""Words of this ledger since its first version; a venue's vault has no boot signing key, and nothing is awaited of it."""
