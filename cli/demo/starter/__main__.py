"""``python -m cli.demo.starter DESCRIPTOR ROOM``: the starter's own end, until the asking end is closed.

No thread runs here, and nothing is opened but what comes over the socket: a fork finds modules and nothing else.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import time
import traceback
from collections.abc import Sequence

import msgspec

import cli.event_mode
import cli.table.mqtt_connection  # noqa: F401 - with what it imports it is what most commands import
from cli import action_of, main
from cli.demo.starter import MOST_BYTES, MOST_DESCRIPTORS, Answer, Asked, ToStart, write_command_line
from cli.demo.supervisor import die_with_parent

_REPARENT_S = 0.0005


def serve(asking: socket.socket) -> Sequence[str] | None:
    """Fork what is asked for until the asking end is closed. In a process that has become a part: its words; None in all others."""
    groups: list[int] = []
    while True:
        content, descriptors, _, _ = socket.recv_fds(asking, MOST_BYTES, MOST_DESCRIPTORS)
        if not content:
            break
        wanted = msgspec.json.decode(content, type=Asked)
        if not (pid := os.fork()):
            return _split(asking, wanted, descriptors)
        groups.append(pid)
        for descriptor in descriptors:
            os.close(descriptor)
    for pid in groups:
        os.waitpid(pid, 0)
    return None


def _split(asking: socket.socket, wanted: Asked, descriptors: Sequence[int]) -> Sequence[str] | None:
    """In a group's process: import its command, fork its parts, and tell their ids."""
    number, command, parts = wanted
    pids: list[int] = []
    try:
        action_of(command)
        if command == "table simulate world":  # it is imported only when a world runs, and several run
            import simulator.world.service  # noqa: F401, PLC0415
        gc.collect()
        gc.freeze()
        left = list(descriptors)
        for part in parts:
            own, left = left[: 1 + part[2]], left[1 + part[2] :]
            here = os.getpid()
            if not (pid := os.fork()):
                asking.close()
                for each in set(descriptors) - set(own):
                    os.close(each)
                return _become(part, own[0], own[1:], here)
            pids.append(pid)
    except Exception:  # the asking end starts in the usual way what has no id
        traceback.print_exc()
    answer: Answer = (number, tuple(pids))
    asking.send(msgspec.json.encode(answer))
    return None


def _become(part: ToStart, log: int, passphrases: Sequence[int], group: int) -> Sequence[str]:
    """Be a process of its own; answers its words."""
    os.setsid()
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    words, environment, _ = part
    os.environ.update(environment)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    words = (*words, *(f"--passphrase-fd={number}" for number in passphrases))
    write_command_line((sys.executable, "-P", "-m", "cli", *words))
    while os.getppid() == group:  # it ends when all are forked; then this process is adopted by the one that asked, and ends with it
        time.sleep(_REPARENT_S)
    return words


if __name__ == "__main__":
    die_with_parent()
    write_command_line(("twinwall-starter",))
    with socket.socket(fileno=int(sys.argv[1])) as own_end:
        becomes = serve(own_end)
    if becomes is not None:
        sys.argv = ["twinwall", *becomes]
        sys.exit(main(becomes))
