"""``twinwall centre``: commands of a centre to which many venues send their ledgers."""

from __future__ import annotations

from centre.commands.consume import register_consume
from centre.commands.deploy import register_files
from centre.commands.field_orders import register_field_orders
from centre.commands.field_vault import register_field_vault
from centre.commands.progress import register_progress
from centre.commands.publish_world import register_publish
from centre.commands.rehearse import register_rehearsal
from cli import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the command with its own commands."""
    parser = subparsers.add_parser("centre", help="run a centre that compares many venues, or rehearse one")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    register_consume(commands)
    register_files(commands)
    register_rehearsal(commands)
    register_publish(commands)
    register_progress(commands)
    register_field_orders(commands)
    register_field_vault(commands)
