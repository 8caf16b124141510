"""Writes the OpenAPI document and the lists of ``docs/reference/api.md``: ``python -m tools.api_page``."""

from __future__ import annotations

import sys
from pathlib import Path

from dashboard.api.api_routes import OPERATIONS
from dashboard.api.openapi import openapi_file, operations_list, problems_list

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def written_documents() -> dict[Path, bytes]:
    """What each file should hold."""
    page = (REFERENCE / "api.md").read_text(encoding="utf-8")
    for name, table in (("operations", operations_list(OPERATIONS)), ("problems", problems_list())):
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        page = before + begin + table + rest[rest.index("<!-- end -->") :]
    return {REFERENCE / "openapi.json": openapi_file(OPERATIONS), REFERENCE / "api.md": page.encode()}


def main() -> int:
    """Write both files."""
    for path, content in written_documents().items():
        path.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
