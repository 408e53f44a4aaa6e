"""An engine over both stores, with clocks that a test sets."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest

from handrail.fleet.engine.engine import FleetEngine, Worker
from handrail.fleet.engine.engine_rules import EngineRules
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.requests import (
    FleetAnswer,
    FleetCall,
    FleetRequest,
    RemoteFleetEngine,
    perform,
)
from handrail.fleet.engine.state_loading import load_fleet
from handrail.store.memory import MemoryStore
from handrail.store.port import Store
from handrail.store.sqlite import SqliteStore

RULES = EngineRules(lease_seconds=60, max_expiries=3, max_tries=2)


class SteppedClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Every test that takes it runs over both implementations."""
    opened: Store = SqliteStore(tmp_path / "log.db") if request.param == "sqlite" else MemoryStore()
    yield opened
    opened.close()


Restart = Callable[[], LogEngine]


@pytest.fixture
def restart(store: Store, clock: SteppedClock, tmp_path: Path) -> Restart:
    """Open the engine as the next daemon would."""

    def open_engine() -> LogEngine:
        loaded = load_fleet(store, "shop", str(tmp_path / "backups"))
        return LogEngine(store, "shop", loaded.state, RULES, clock=clock, lease_time=clock)

    return open_engine


@pytest.fixture(params=["direct", "by messages"])
def engine(request: pytest.FixtureRequest, restart: Restart) -> FleetEngine:
    """The engine itself, and the same one in another process."""
    direct = restart()
    return direct if request.param == "direct" else RemoteFleetEngine(partial(_over_a_wire, direct))


def _over_a_wire(engine: FleetEngine, request: FleetRequest) -> FleetAnswer:
    call = msgspec.json.decode(msgspec.json.encode(FleetCall("/shop", request)), type=FleetCall)
    answer = msgspec.json.encode(perform(engine, call.request))
    return msgspec.json.decode(answer, type=FleetAnswer)


def worker(name: str = "laptop/1", pid: int = 100) -> Worker:
    return Worker(owner=name, host="laptop", boot="b1", pid=pid, pid_began=5.0)
