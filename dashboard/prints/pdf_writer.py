"""Writes the PDF file of an HTML page: ``python -m dashboard.prints.pdf_writer`` reads the page from standard input.

The dashboard runs it as a process of its own (``press``): WeasyPrint takes seconds and hundreds of MiB for a long file, and a page
that somebody waits for gets the processor first. Nothing is fetched while a file is made: every picture stands in the page.
"""

import os
import sys

LACKS_LIBRARY = 3
"""The exit status where a library of this machine is missing."""
_LESS_URGENT = 5
"""How much nicer than the pages a print is to others (``nice``)."""


def write_pdf(html: str) -> bytes:
    """The PDF file of a page; raises OSError where a library is missing, and for an address that is not ``data:``."""
    from weasyprint import HTML, URLFetcher  # noqa: PLC0415 - slow to import, and a dashboard starts without printing

    return HTML(string=html, url_fetcher=URLFetcher(allowed_protocols=("data",), fail_on_errors=True)).write_pdf(stylesheets=[])


def main() -> int:
    """Read a page, write its file."""
    os.nice(_LESS_URGENT)
    try:
        content = write_pdf(sys.stdin.buffer.read().decode())
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return LACKS_LIBRARY
    sys.stdout.buffer.write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
