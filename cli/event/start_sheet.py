"""``twinwall deals sheet``: the start code on one page of paper, in three languages, to hang up in the hall and to keep. A sheet that was
printed before the first deal cannot be changed later by a person who controls table, server and pages. The file needs no network and no
program but a browser."""

import argparse
from html import escape
from pathlib import Path

import segno

from cli.event.starts import started_plan
from cli.usage import FORCE, PLAN, PUBLISHED, argument, new_file, takes, tell, write_file
from dashboard.i18n.words import Words
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.deals import StartedPlan

_ROW = 4
"""Groups of the code in a line."""
_STYLE = """@page { margin: 15mm }
body { font-family: system-ui, "Noto Sans CJK JP", "Noto Sans CJK SC", sans-serif; text-align: center; color: #000; background: #fff }
h1 { font-size: 26pt; margin: 4mm 0 }
.code { font: 700 34pt/1.35 ui-monospace, "DejaVu Sans Mono", monospace; margin: 8mm 0 }
.code span { display: block; white-space: nowrap }
svg { width: 60mm; height: 60mm }
section { font-size: 12pt; margin: 5mm auto; max-width: 160mm }
h2 { font-size: 14pt; margin: 0 }
p { margin: 1mm 0; overflow-wrap: anywhere }"""


def start_sheet(started: StartedPlan) -> str:
    """The page: the event, the code's eight groups, the same as a QR code, and what to compare them with."""
    words, event = started.start.words, escape(started.plan.event)
    groups = words.split("-")
    rows = "".join(f"<span>{'-'.join(groups[first : first + _ROW])}</span>" for first in range(0, len(groups), _ROW))
    code = segno.make(words, error="m", micro=False).svg_inline(omitsize=True, title=words)
    sections = "".join(_section(started, language) for language in LANGUAGES)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{event} · {words}</title>\n<style>{_STYLE}</style>\n'
        f'<h1>{event}</h1>\n<div class="code" translate="no">{rows}</div>\n{code}\n{sections}</html>\n'
    )


def _section(started: StartedPlan, language: Language) -> str:
    words = Words(language)
    public = escape(words("sheet.public", value=started.start.public))
    return (
        f'<section lang="{language}"><h2>{escape(words("sheet.title"))}</h2><p>{escape(words("sheet.compare"))}</p>'
        f"<p>{escape(words('sheet.after'))}</p><p>{public}</p></section>\n"
    )


@takes(
    PLAN,
    argument("start", "the start's file", type=Path),
    argument("--out", "the page", type=new_file, required=True, metavar="FILE.html"),
    FORCE,
)
def run(args: argparse.Namespace) -> None:
    started = started_plan(args.plan, args.start)
    write_file(args.out, start_sheet(started).encode(), PUBLISHED, force=args.force)
    tell(f"print {args.out} and hang it up before the first deal: {started.start.words}")
