"""``--trace`` of the commands that open a link to a feeder: every frame in and out, on standard error."""

import argparse
import logging

from firmware_bridge.frames import TRACE


def begin(arguments: argparse.Namespace) -> None:
    """Trace from now on where it is asked for."""
    if arguments.trace:
        logging.basicConfig(format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S")
        TRACE.setLevel(logging.DEBUG)
