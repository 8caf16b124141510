"""A process that a test has started does not outlive the test run, even one that is killed outright."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.children import ends_with_parent
from tests.support.wire.brokers import eventually

PARENT = """
import subprocess, sys
print(subprocess.Popen(sys.argv[1:]).pid, flush=True)
sys.stdin.read()
"""


def ended(pid: int) -> bool:
    """Whether a process is gone, or only waits for somebody to take its exit status (proc(5): state Z)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except FileNotFoundError:
        return True


def test_a_child_ends_when_its_parent_is_killed() -> None:
    words = [sys.executable, "-c", PARENT, *ends_with_parent(["sleep", "3600"])]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        eventually(lambda: Path(f"/proc/{child}/comm").read_text() == "sleep\n", "the child has begun its program")
        os.kill(parent.pid, signal.SIGKILL)
    eventually(lambda: ended(child), "the child has ended")
