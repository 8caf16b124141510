"""``twinwall centre``: commands of a centre to which many venues send their ledgers."""

from __future__ import annotations

from twinwall.cli import Subparsers
from twinwall.cli.centre.consume import register_consume
from twinwall.cli.centre.deploy import register_files
from twinwall.cli.centre.field_orders import register_field_orders
from twinwall.cli.centre.field_vault import register_field_vault
from twinwall.cli.centre.progress import register_progress
from twinwall.cli.centre.publish_world import register_publish
from twinwall.cli.centre.rehearse import register_rehearsal


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
