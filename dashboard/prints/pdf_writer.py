"""Writes the PDF file of an HTML page: ``python -m dashboard.prints.pdf_writer`` reads the page from standard input. The dashboard runs it
as a separate process (``press``): WeasyPrint takes seconds and hundreds of MiB for a long file, and pages for waiting people have priority.
Nothing is fetched meanwhile: every picture is in the page."""

import os
import sys

LACKS_LIBRARY = 3
"""The exit status if a library is missing on this machine."""
_LESS_URGENT = 5
"""Added niceness of a print (``nice``), so that pages have priority."""


def write_pdf(html: str) -> bytes:
    """The PDF file of a page; raises OSError for a missing library, and for an address that is not ``data:``."""
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
