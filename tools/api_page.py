"""Writes the OpenAPI document and the lists of ``docs/reference/api.md``: ``python -m tools.api_page``."""

import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from dashboard.api.api_routes import OPERATIONS
from dashboard.api.openapi import openapi_file, scopes_of
from dashboard.api.operations import Operation, ProblemKind

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def written_documents() -> dict[Path, bytes]:
    """What each file should hold."""
    page = (REFERENCE / "api.md").read_text(encoding="utf-8")
    for name, table in (("operations", operations_list(OPERATIONS)), ("problems", problems_list())):
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        page = before + begin + table + rest[rest.index("<!-- end -->") :]
    return {REFERENCE / "openapi.json": openapi_file(OPERATIONS), REFERENCE / "api.md": page.encode()}


def operations_list(operations: Sequence[Operation]) -> str:
    """The operations as a list in Markdown."""
    said = ((each, scopes_of(each)) for each in operations)
    rows = (f"- `{one.name}`, `{one.method} {one.path}`{scopes and f' ({scopes})'}: {one.summary}" for one, scopes in said)
    return "".join(fill(row, 100, subsequent_indent="  ", break_on_hyphens=False) + "\n" for row in rows)


def problems_list() -> str:
    """The kinds of problems as a list in Markdown."""
    return "".join(f"- `{kind.word}`, {kind.status}: {kind.title}\n" for kind in ProblemKind)


def main() -> int:
    """Write both files."""
    for path, content in written_documents().items():
        path.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
