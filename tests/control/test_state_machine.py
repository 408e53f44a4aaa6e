"""Two controllers, an agent, acts that succeed, fail or never come back, and restarts."""

from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    precondition,
    rule,
)

from handrail.control.command_actions import CommandOutcome
from handrail.model.control import FINAL, ControlCommand, Standing
from handrail.model.ordinal import Decision
from handrail.store.memory import MemoryStore
from handrail.supervise.decision.decision_progress import Ready
from tests.control.control_setup import ControlClock, ControlSetup, as_bytes, make
from tests.control.protocol_checks import check_current, check_events, check_rows, check_under_way

pytestmark = pytest.mark.slow

RUN = "run-1"
LEVELS = {
    ControlCommand.PAUSE,
    ControlCommand.RESUME,
    ControlCommand.INTERRUPT,
    ControlCommand.FREEZE,
}
ENDS = {ControlCommand.STOP, ControlCommand.CANCEL, ControlCommand.REASSIGN}
UNFINISHED = {
    Standing.PAUSING: LEVELS,
    Standing.INTERRUPTING: {ControlCommand.INTERRUPT, ControlCommand.RESUME},
    Standing.FREEZING: {ControlCommand.FREEZE, ControlCommand.RESUME},
}


class OutsideWork(NamedTuple):
    """Something that is under way outside."""

    what: str
    request: str


class Conversation(RuleBasedStateMachine):
    """What was asked for is what the desk has to answer to; processes are one flag."""

    sent = Bundle("sent")

    def __init__(self) -> None:
        super().__init__()
        self.clock = ControlClock()
        self.store = MemoryStore(clock=self.clock)
        self.bed = ControlSetup(self.store, self.clock)
        self.bed.loop(RUN)
        self.asked: dict[str, ControlCommand] = {}
        self.outside: list[OutsideWork] = []
        self.begun: set[OutsideWork] = set()
        self.is_frozen = False
        self.at_work: list[str] = []
        self.actions = 0

    # Controllers

    @rule(
        target=sent,
        by=st.sampled_from(["ann", "ben"]),
        command=st.sampled_from(ControlCommand),
        way=st.sampled_from(["call", "row"]),
    )
    def ask(self, by: str, command: ControlCommand, way: str) -> bytes:
        request = f"{by}-{len(self.asked)}"
        self.asked[request] = command
        body = as_bytes(make(command, RUN, request, self.clock.now, by=by))
        self._send(body, way)
        return body

    @rule(body=sent, way=st.sampled_from(["call", "row"]))
    def ask_again(self, body: bytes, way: str) -> None:
        self._send(body, way)

    def _send(self, body: bytes, way: str) -> None:
        if way == "call":
            self.bed.ask(body)
        else:
            self.bed.put(body)
            self.bed.read_rows()

    # The world

    @rule()
    def begin(self) -> None:
        self.bed.go_on()
        self._look()

    @precondition(lambda self: self.outside)
    @rule(data=st.data(), ok=st.booleans())
    def come_back(self, data: st.DataObject, ok: bool) -> None:
        act = data.draw(st.sampled_from(self.outside))
        self.outside.remove(act)
        ok = ok or (act.what == "thaw" and not self.is_frozen)  # then nobody can stand still
        self._take_effect(act, ok=ok)
        models: dict[str, object] = {"previous_model": "haiku", "new_model": "opus"}
        payload = models if act.what == "switch_model" and ok else {}
        self.bed.came(
            RUN, act.request, CommandOutcome(ok, "" if ok else "it did not work", (), payload)
        )
        self._look()

    def _take_effect(self, act: OutsideWork, *, ok: bool) -> None:
        if act.what == "freeze":
            self.is_frozen = ok
        elif act.what in ("thaw", "stop") and ok:
            self.is_frozen = False

    @rule()
    def begin_action(self) -> None:
        self.actions += 1
        id_ = f"a-{self.actions}"
        answer = self.bed.begin_action(id_, RUN, command=f"echo {self.actions}")
        if isinstance(answer, Ready) and answer.value.decision is not Decision.BLOCK:
            self.at_work.append(id_)

    @precondition(lambda self: self.at_work)
    @rule()
    def end_action(self) -> None:
        id_ = self.at_work.pop(0)
        self.bed.end_action(id_, RUN, command=f"echo {id_[2:]}")

    @rule(seconds=st.sampled_from([0.001, 1, 20, 400]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule(data=st.data(), saves=st.booleans())
    def restart(self, data: st.DataObject, saves: bool) -> None:
        if saves:
            self.bed.desk.close()
            self.bed.runs.save_all()
        for act in self.outside:  # how far they came nobody knows
            if data.draw(st.booleans()):
                self._take_effect(act, ok=True)
        self.outside.clear()
        self.begun.clear()
        self.bed = ControlSetup(self.store, self.clock)
        self._look()

    @precondition(lambda self: self.actions > 5)
    @rule(target=sent)
    def end_of_all(self) -> object:
        """Everything comes to its end: then every request was answered for good."""
        for _ in range(20):
            self.bed.go_on()
            self._look()
            for id_ in self.at_work:
                self.bed.end_action(id_, RUN, command=f"echo {id_[2:]}")
            self.at_work.clear()
            while self.outside:
                act = self.outside.pop(0)
                self._take_effect(act, ok=True)
                self.bed.came(RUN, act.request)
                self._look()
        left = self.bed.hand(RUN).asked.values()
        assert {each.command for each in left} <= {ControlCommand.STEER, ControlCommand.REDIRECT}
        return multiple()

    def _look(self) -> None:
        for what, _, request in self.bed.actions.begun:
            assert OutsideWork(what, request) not in self.begun, "begun twice by the same daemon"
            self.begun.add(OutsideWork(what, request))
            self.outside.append(OutsideWork(what, request))
        self.bed.actions.begun.clear()

    # What is always true

    @invariant()
    def rows_are_in_order(self) -> None:
        told = check_rows(self.store)
        assert set(told) <= set(self.asked)
        assert all(told[request] for request in self.asked)

    @invariant()
    def standing_is_lawful(self) -> None:
        check_events(self.store, RUN)

    @invariant()
    def last_row_tells_how_it_stands(self) -> None:
        check_current(self.store, RUN)

    @invariant()
    def topic_and_run_agree(self) -> None:
        check_under_way(self.store, RUN)

    @invariant()
    def paused_means_that_nothing_is_at_work(self) -> None:
        state = self.bed.state(RUN)
        if state.hand.standing == Standing.PAUSED:
            assert state.at_work == []

    @invariant()
    def what_is_not_confirmed_is_under_way(self) -> None:
        state = self.bed.state(RUN)
        needed = UNFINISHED.get(state.hand.standing)
        if needed is not None and not state.at_work:
            assert any(each.command in needed for each in state.hand.asked.values())

    @invariant()
    def frozen_means_that_processes_stand_still(self) -> None:
        hand = self.bed.hand(RUN)
        is_busy = any(act.what in ("freeze", "thaw", "stop") for act in self.outside)
        is_asked = any(each.command in LEVELS | ENDS for each in hand.asked.values())
        if is_busy or is_asked or self.bed.waits or hand.standing in FINAL:
            return
        if hand.standing == Standing.FROZEN:
            assert self.is_frozen
        elif hand.standing in (Standing.RUNNING, Standing.PAUSED):
            assert not self.is_frozen


TestConversation = Conversation.TestCase
TestConversation.settings = settings(max_examples=60, stateful_step_count=40)
