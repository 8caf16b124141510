"""The size of a key slip's codes, and the size in a camera's picture from which OpenCV reads them.

A slip of one vault is made and cut into codes of several lengths. Each code is drawn as on a phone and seen as by the camera above a table:
turned by any angle, tilted, a little blurred, with noise (``tests.support.vision.pictures``).
"""

import numpy as np

from tests.support.vision.pictures import module_count, seen_phone
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults import key_codes
from twinwall.wire.messages.vaults.journal_key import give_journal_key
from vision.cameras.qr_codes import QrCodes

LENGTHS = (32, 64, key_codes.CHUNK, 180, 400)
"""Characters of a slip in one code; the last is all of them."""
MODULES_PX = (2.0, 2.5, 3.0, 4.0, 5.0)
BORDER = 8


def measure(frames: int, seed: int) -> dict[str, object]:
    """Measure, for each length, the number of codes of a slip, and the share of frames in which one is read, by the width of a module in
    px."""
    chance, reader = np.random.default_rng(seed), QrCodes()
    known = LedgerPosition("0123456789abcdef", 4321, "cd" * 32)
    boot = BootSecrets.from_bytes("12", bytes(range(64)))
    given = give_journal_key(Signer("vault", b"v" * 32), "Club evening", "12", b"p" * 32, to=boot.sealing.public, known=known)
    whole = "".join(text.rpartition("/")[2] for text in key_codes.slip_texts(given, "12"))
    figures: dict[str, object] = {"slip_characters": len(whole), "slip_bytes": len(whole) * 5 // 8}
    for length in LENGTHS:
        part = f"TWS/ABCD/1/1/{whole[:length]}"
        modules = module_count(part)
        read = {}
        for module_px in MODULES_PX:
            seen = sum(part in reader.read(seen_phone(part, chance, module_px=module_px)) for _ in range(frames))
            read[f"{module_px} px a module, {round((modules + BORDER) * module_px)} px wide"] = round(seen / frames, 2)
        figures[f"{len(part)} characters"] = {"codes": -(-len(whole) // length), "modules": modules, "read": read}
    return figures
