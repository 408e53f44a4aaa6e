"""Two controllers send opposite commands, from threads of their own, into one queue."""

import queue
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from time import time

from handrail.control.command_actions import CommandOutcome
from handrail.control.handler import ControlHandler
from handrail.control.response_log import ResponseLog
from handrail.control.topics import CONTROL
from handrail.model.event import ControlAsked, LoopBegun, RunStarted
from handrail.store.journal import Journal
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor
from tests.control.control_setup import RecordedActs, as_bytes, make
from tests.control.protocol_checks import check_current, check_events, check_rows, check_under_way

RUN = "run-1"
TIMES = 1000
Work = Callable[[], object]


class BusyActs(RecordedActs):
    """What is begun comes back from another thread, as it does in a daemon."""

    def __init__(self, later: Callable[[str, str], None]) -> None:
        super().__init__()
        self._later = later

    def _note(self, what: str, supervisor: Supervisor, asked: ControlAsked) -> None:
        run = supervisor.state.run
        threading.Thread(target=self._later, args=(run, asked.request)).start()


class ThreadWithQueue:
    """One thread that does what is put into its queue."""

    def __init__(self, store: SqliteStore) -> None:
        self.work: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self.problems: list[Exception] = []
        responses = ResponseLog(store, later=self.work.put)
        self.runs = RunRegistry(Journal(store), Projects({}), delivered=responses.delivered)
        self.desk = ControlHandler(self.runs, BusyActs(self._came), responses)
        self.runs.bus.subscribe(self.desk.on_event)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _came(self, run: str, request: str) -> None:
        self.work.put(lambda: self.desk.runner.command_finished(run, request, CommandOutcome()))

    def _run(self) -> None:
        while (work := self.work.get()) is not None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the test looks at it
                self.problems.append(error)

    def do(self, work: Work) -> None:
        """Have something done, and wait until it is."""
        done = threading.Event()
        self.work.put(work)
        self.work.put(done.set)
        done.wait()

    def close(self) -> None:
        self.work.put(None)
        self._thread.join()


def test_a_thousand_opposite_commands_leave_a_lawful_run_and_no_question_open(
    tmp_path: Path,
) -> None:
    with (
        closing(SqliteStore(str(tmp_path / "log.db"))) as store,
        closing(ThreadWithQueue(store)) as supervision,
    ):

        def begin() -> None:
            run = supervision.runs.get(RUN, "/")
            run.record(RunStarted(1.0, "claude", "/", "startup"))
            run.record(LoopBegun(1.0, "do it", 10))

        supervision.do(begin)

        def send(name: str, commands: tuple[str, ...]) -> None:
            for number in range(TIMES):
                command = commands[number % len(commands)]
                body = as_bytes(make(command, RUN, f"{name}-{number}", time()))
                put = supervision.work.put if number % 50 else supervision.do
                put(partial(supervision.desk.submit, body))

        controllers = [
            threading.Thread(target=send, args=("ann", ("pause", "freeze", "stop", "interrupt"))),
            threading.Thread(target=send, args=("ben", ("resume",))),
        ]
        for each in controllers:
            each.start()
        for each in controllers:
            each.join()
        while True:  # what was begun brings more to do with it
            supervision.do(lambda: store.append([]).result())
            if not supervision.runs.get(RUN, "/").state.hand.asked:
                break
        store.append([NewEntry("end", b"")]).result()
        assert supervision.problems == []
        told = check_rows(store)
        check_events(store, RUN)
        check_current(store, RUN)
        check_under_way(store, RUN)
        assert len(told) == 2 * TIMES
        ends = Counter(said[-1] for said in told.values())
        assert set(ends) == {"success", "invalid_state"}
        assert ends["success"] > 0
        assert store.read(CONTROL, 4 * TIMES - 1, 1)
