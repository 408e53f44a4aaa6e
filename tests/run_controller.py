"""Somebody who controls the runs of a real daemon, and reads in its log what came of that."""

import json
import time
from collections.abc import Callable
from contextlib import closing
from typing import cast

from handrail.control.client import make_request
from handrail.control.message import AnyMessage, Request, Result, decode, encode
from handrail.control.topics import CONTROL, CURRENT
from handrail.model.control import ControlCommand
from handrail.model.event import Event
from handrail.server.home import Home
from handrail.server.http.socket_client import call_daemon
from handrail.store.journal import Journal
from handrail.store.opening import open_log
from handrail.store.port import NewEntry, StoredEntry
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.run_registry import load_state
from handrail.supervise.state.run_state import RunState

PATIENCE = 60.0
Json = dict[str, object]


class RunController:
    """Asks over the daemon's socket; what it reads is what is on the disk."""

    def __init__(self, home: Home, by: str = "ann") -> None:
        self.home = home
        self.by = by

    def request(
        self,
        command: ControlCommand,
        run: str,
        *,
        text: str = "",
        reason: str = "",
        expects: str = "",
    ) -> Request:
        """A request that is not sent yet."""
        return make_request(command, run, by=self.by, text=text, reason=reason, expects=expects)

    def send(self, request: Request, *, seconds: float = 0.0) -> list[AnyMessage]:
        """Hand over a request, and wait so long for its result."""
        path = f"/control?wait={seconds}"
        said = call_daemon(self.home, "POST", path, encode(request), timeout=seconds + 10)
        return [decode(json.dumps(each).encode()) for each in cast("list[Json]", said["messages"])]

    def ask(self, command: ControlCommand, run: str, **given: str) -> Request:
        """Ask for something that is not confirmed at once; it is acknowledged."""
        request = self.request(command, run, **given)
        kinds = [type(each).__name__ for each in self.send(request)]
        assert kinds == ["Request", "Ack"], kinds
        return request

    def result(self, request: Request) -> Result:
        """What has come of a request; waits for it."""
        path = f"/control/{request.request_id}?wait={PATIENCE}"
        said = call_daemon(self.home, "GET", path, timeout=PATIENCE + 10)
        messages = cast("list[Json]", said["messages"])
        assert messages, f"there is no result of {request}"
        result = decode(json.dumps(messages[-1]).encode())
        assert isinstance(result, Result)
        return result

    def has_result(self, request: Request) -> bool:
        """Whether a request was answered for good by now."""
        return any(
            isinstance(each, Result) and each.request_id == request.request_id
            for each in self.messages()
        )

    def get(self, command: ControlCommand, run: str, **given: str) -> Result:
        """The result of a request that is made now."""
        last = self.send(self.request(command, run, **given), seconds=PATIENCE)[-1]
        assert isinstance(last, Result), last
        return last

    def do(self, command: ControlCommand, run: str, **given: str) -> Result:
        """Have something done; it has to be confirmed."""
        result = self.get(command, run, **given)
        assert result.ok, result
        return result

    # What is on the disk

    def rows(self, topic: str) -> list[StoredEntry]:
        """All rows of a topic."""
        found: list[StoredEntry] = []
        with closing(open_log(self.home.log, "read")) as store:
            while page := store.read(topic, found[-1].seq if found else 0):
                found += page
        return found

    def messages(self) -> list[AnyMessage]:
        """Everything in `loop:control`."""
        return [decode(row.body) for row in self.rows(CONTROL)]

    def current(self) -> list[Json]:
        """Everything in `loop:current`."""
        return [json.loads(row.body) for row in self.rows(CURRENT)]

    def write(self, request: Request) -> None:
        """Put a request into the topic, as another program does."""
        with closing(open_log(self.home.log, "write")) as store:
            store.append([NewEntry(CONTROL, encode(request))]).result()

    def events(self, run: str) -> list[Event]:
        """What has happened in a run."""
        with closing(open_log(self.home.log, "read")) as store:
            return [event for _, event in Journal(store).read(topic_of(run))]

    def state(self, run: str) -> RunState:
        """How a run is now."""
        with closing(open_log(self.home.log, "read")) as store:
            return load_state(Journal(store), run)

    def when(self, run: str, condition: Callable[[RunState], object]) -> RunState:
        """How a run is, as soon as that meets a condition."""
        deadline = time.monotonic() + PATIENCE
        while not condition(state := self.state(run)):
            assert time.monotonic() < deadline, f"it never came to be: {state}"
            time.sleep(0.01)
        return state

    def when_held(self, run: str, *actions: str) -> RunState:
        """How a run is, as soon as all these actions wait."""
        return self.when(run, lambda state: set(actions) <= set(state.hand.held))
