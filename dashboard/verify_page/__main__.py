"""Writes the verify page: ``python -m dashboard.verify_page OUT``."""

import argparse
import sys
from pathlib import Path

from dashboard.verify_page.page import LARGEST, page


def main() -> int:
    """Write the page; exit 1 when it is too large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write, such as verify.html")
    out: Path = parser.parse_args().out
    content = page().encode()
    if len(content) > LARGEST:
        sys.stderr.write(f"the page has {len(content)} bytes, and may have {LARGEST}: make texts or scripts shorter\n")
        return 1
    out.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
