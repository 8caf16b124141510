"""``twinwall centre``: commands of a centre to which many venues send their ledgers."""

from __future__ import annotations

import argparse

from centre.commands.consume import register_consume
from centre.commands.deploy import register_files
from centre.commands.field_orders import register_field_orders
from centre.commands.field_vault import register_field_vault
from centre.commands.progress import register_progress
from centre.commands.publish_world import register_publish
from cli import Subparsers
from cli.errors import UsageError


def register(subparsers: Subparsers) -> None:
    """Add the command with its own commands."""
    parser = subparsers.add_parser("centre", help="run a centre that compares many venues")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    register_consume(commands)
    register_files(commands)
    register_publish(commands)
    register_progress(commands)
    register_field_orders(commands)
    register_field_vault(commands)
    # The character before options is one that no word has: every word is taken, whatever the old command knew.
    moved = commands.add_parser("rehearse", prefix_chars="\0", add_help=False)
    moved.add_argument("words", nargs="*")
    moved.set_defaults(func=_moved)


def _moved(_args: argparse.Namespace) -> int:
    raise UsageError("centre rehearse is no command of the program: in a checkout of it run make rehearse, or python -m tools.rehearsal")
