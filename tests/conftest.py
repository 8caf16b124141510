"""Fixtures of every test: the tier's Hypothesis profile, its choice of tests, and the one browser."""

from __future__ import annotations

import gc
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.support.browser import CHROMIUM, QUIET
from tests.support.commands import Twinwall, runner
from tests.support.event.postgres import binaries, own_database, shared_url
from tests.support.firmware.core_board import built
from tests.support.patience import PATIENCE_S
from tests.support.tiers import DEFAULT_EXAMPLES, LEFT_OUT, TIER, Tier
from twinwall.event.store.databases.port import PostgresAddress, StoreAddress

if TYPE_CHECKING:
    from playwright.sync_api import Browser

gc.disable()  # until all is imported: nearly nothing of that is garbage
for _tier, _count in DEFAULT_EXAMPLES.items():
    settings.register_profile(_tier, deadline=None, max_examples=_count, suppress_health_check=[HealthCheck.too_slow])  # load is no fault
settings.load_profile(TIER)
if TIER is not Tier.NIGHTLY:
    # Hypothesis mixes the constants of all imported modules into its examples; every worker would collect them from 1,000 files.
    providers._get_local_constants = lambda: providers._local_constants

_SCHEMAS = itertools.count(1)
WHOLE_FILE = re.compile(r"^pytestmark = .*", re.MULTILINE)
_RUNNING: list[Browser] = []
LONG_FILES = frozenset({"browser", "firmware", "phones", "readiness", "station", "vision"})
"""Folders whose files take long, whether or not a test of theirs is marked slow."""
LONG_END = 0.8
"""The last long file begins when so much of the short ones is done."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Do not import a file of which the tier runs nothing: it imports cameras, browsers and databases."""
    if collection_path.suffix == ".py" and (marks := WHOLE_FILE.search(collection_path.read_text(encoding="utf-8"))):
        return any(f"pytest.mark.{name}" in marks[0] for name in LEFT_OUT[TIER]) or None
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the tier does not run; put sessions of real processes first, then long files and short ones by turns: long ones
    wait much, so that the workers would wait together, and nothing long is to begin last."""
    left_out, kept, slow = list[pytest.Item](), list[pytest.Item](), set[Path]()
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if not marks.isdisjoint(LEFT_OUT[TIER]):
            left_out.append(item)
            continue
        kept.append(item)
        if "slow" in marks:
            slow.add(item.path)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    sessions, long, short = dict[Path, float](), dict[Path, float](), dict[Path, float]()
    for path in dict.fromkeys(item.path for item in kept):
        is_long = path in slow or not LONG_FILES.isdisjoint(path.parts)
        (sessions if path.parent.name == "system" else long if is_long else short)[path] = 0.0
    turns = dict.fromkeys(sessions, -1.0)
    turns |= {path: LONG_END * number / len(long) for number, path in enumerate(long)}
    turns |= {path: number / len(short) for number, path in enumerate(short)}
    items[:] = sorted(kept, key=lambda item: turns[item.path])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker tell of a test that passes in one report in place of three: each takes either process as long as a short test."""
    if not hasattr(item.config, "workerinput"):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_collection_finish() -> None:
    """Collect garbage rarely, and none of what importing has made: a fast test otherwise spends a third of its time on that."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 50)


def pytest_configure(config: pytest.Config) -> None:
    """Bring the firmware's library up to date, once a run: every simulated feeder is driven by it."""
    if not hasattr(config, "workerinput"):
        gc.enable()  # where workers run the tests, this process collects none of them
        built("memory", "libtwinwall-feeder.so")


@pytest.fixture
def twinwall(capsys: pytest.CaptureFixture[str]) -> Twinwall:
    """``twinwall("deals", "verify", plan, code=1)`` runs a command and returns what it printed."""
    return runner(capsys)


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a worker's database at the one PostgreSQL server of the run; without its programs tests say so and are skipped."""
    if binaries() is None:
        pytest.skip("postgresql is not installed (apt-get install postgresql)")
    folder = tmp_path_factory.getbasetemp()
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    return shared_url(folder) if worker is None else own_database(shared_url(folder.parent), worker)


@pytest.fixture
def postgres_store(postgres_url: str) -> PostgresAddress:
    """A schema that no other test has, in which no store is yet."""
    return PostgresAddress(postgres_url, f"test_{os.getpid()}_{next(_SCHEMAS)}")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def store_address(request: pytest.FixtureRequest, tmp_path: Path) -> StoreAddress:
    """Where a store may be begun: a test of the store runs with each database."""
    if request.param == "sqlite":
        return tmp_path / "event.sqlite"
    address: PostgresAddress = request.getfixturevalue("postgres_store")
    return address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real browser, one for the whole run. It comes from the system, never from a download; without it tests say so and are skipped."""
    if _RUNNING:  # begun for another folder of tests, which has a fixture of its own
        yield _RUNNING[0]
        return
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415 — slow to import

    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed (apt-get install {CHROMIUM.name})")
    with sync_playwright() as playwright:
        expect.set_options(timeout=1000 * PATIENCE_S)
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(QUIET))
        running.on("context", lambda context: context.set_default_timeout(1000 * PATIENCE_S))
        _RUNNING.append(running)
        yield running
        _RUNNING.clear()
        running.close()
