"""Two controllers ask for the opposite while the daemon is killed again and again."""

import http.client
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count

import pytest

from handrail.control.client import make_request, request_stages
from handrail.control.message import Ack, Result
from handrail.model.control import ControlCommand
from handrail.server.control.connection import DaemonConnection
from handrail.store.opening import open_log
from handrail.testing.model_server import ToolCall
from handrail.testing.scripted_agent import ScriptedAgent
from tests.control import protocol_checks
from tests.run_controller import PATIENCE, RunController
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow

RUN = "5d0c3f5e-1c1a-4a43-9a55-3c7a3ce0a9d4"
TIMES = 60
KILLS = 3


class BusyAgent(ScriptedAgent):
    """One that works as long as it is let, whatever becomes of the daemon."""

    over = False

    def work(self) -> None:
        for number in count():
            file = {"file_path": f"{number % 20}.txt", "content": f"{number}\n"}
            try:
                self.do(ToolCall("Write", file))
            except (OSError, http.client.HTTPException):
                self._line.close()  # and talks to the next daemon
            if self.over:
                return


@contextmanager
def working(place: DaemonSandbox, ann: RunController) -> Iterator[None]:
    """An agent that works until the block ends."""
    agent = BusyAgent(
        place.home.socket, str(place.project), session=RUN, environ=place.environ, prompt="Go."
    )
    with agent, ThreadPoolExecutor() as pool:
        work = pool.submit(agent.work)
        try:
            yield
        finally:
            agent.over = True
            ann.get(ControlCommand.RESUME, RUN)
            work.result()


def insist(place: DaemonSandbox, command: ControlCommand, results: list[Result]) -> None:
    """Ask for the same thing again and again, each time until there is a result."""
    line = DaemonConnection(place.home, place.environ)
    for _ in range(TIMES):
        request = make_request(command, RUN, by=command)
        *before, result = request_stages(line, request, seconds=PATIENCE)
        assert isinstance(result, Result)
        assert result.request_id == request.request_id
        assert all(isinstance(each, Ack) for each in before)
        results.append(result)


def test_no_request_is_lost_or_done_twice_when_the_daemon_is_killed(place: DaemonSandbox) -> None:
    place.start()
    ann, results = RunController(place.home), list[Result]()
    with working(place, ann), ThreadPoolExecutor() as pool:
        both = [
            pool.submit(insist, place, command, results)
            for command in (ControlCommand.PAUSE, ControlCommand.RESUME)
        ]
        for number in range(KILLS):
            wait_for(results, (number + 1) * 2 * TIMES // (KILLS + 1))
            os.kill(place.pid, signal.SIGKILL)
        for each in both:
            each.result()
    assert len(results) == 2 * TIMES
    with closing(open_log(place.home.log, "read")) as store:
        told = protocol_checks.check_rows(store)
        protocol_checks.check_events(store, RUN)
        protocol_checks.check_current(store, RUN)
        protocol_checks.check_under_way(store, RUN)
    for result in results:
        said = told[result.request_id]
        assert said[-1] == (result.code or "success"), (result, said)


def wait_for(results: list[Result], number: int) -> None:
    """Until so many requests were answered."""
    deadline = time.monotonic() + PATIENCE
    while len(results) < number:
        assert time.monotonic() < deadline, f"only {len(results)} results"
        time.sleep(0.01)
