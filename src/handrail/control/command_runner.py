"""Carry out requests, and answer when they are done."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import takewhile

from handrail.control.client import make_request
from handrail.control.command_actions import CommandActions, CommandOutcome, Finished
from handrail.control.freeze_queue import FreezeQueue
from handrail.control.message import Request
from handrail.control.response_log import ResponseLog
from handrail.control.transitions import OVERTAKES, THEN, standing_after
from handrail.model.control import ENDING, HANDRAIL, ControlCommand, Standing
from handrail.model.event import ActionDropped, ControlAsked, Event, LoopEnded, RunEnded
from handrail.store.errors import StoreError
from handrail.store.port import Receipt
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor

_AFTER_LOOP = frozenset(command for command in ControlCommand if command.ends)
_AFTER_SESSION = _AFTER_LOOP | {ControlCommand.RESUME}
"""Requests that stay valid after the end of a session or a loop."""
_HELD_STILL = frozenset({Standing.PAUSING, Standing.FROZEN})
_TRY_AGAIN = 5.0
"""Seconds before another try to end a freeze, if the log refused it."""


class CommandRunner:
    """Carry out requests in the supervision thread, on behalf of the handler."""

    def __init__(
        self,
        runs: RunRegistry,
        actions: CommandActions,
        responses: ResponseLog,
        ask: Callable[[Request], Receipt | None],
    ) -> None:
        """`ask`: submits a request of our own; raises StoreError."""
        self._runs = runs
        self._actions = actions
        self._responses = responses
        self._ask = ask
        self._clock = responses.clock
        self._later = responses.later
        self._turns = FreezeQueue()

    def begin(self, run: str, request: str) -> None:
        """Begin the requested work, unless a later request has overtaken it."""
        try:
            supervisor = self._runs.find(run)
        except StoreError:
            self._responses.owed.append(partial(self.begin, run, request))
            return
        asked = None if supervisor is None else supervisor.state.hand.asked.get(request)
        if supervisor is None or asked is None:
            return
        try:
            _BEGIN.get(asked.command, CommandRunner._act)(self, supervisor, asked)
        except Exception as error:  # noqa: BLE001 - whoever asked has to hear
            self.command_finished(
                run, request, CommandOutcome(False, f"{type(error).__name__}: {error}")
            )

    def take_up(self, supervisor: Supervisor) -> None:
        """Begin again the work that the last daemon left unfinished."""
        hand = supervisor.state.hand
        for asked in list(hand.asked.values()):
            self.overtake(supervisor, asked)
        for asked in list(hand.asked.values()):
            self.begin(supervisor.state.run, asked.request)
        if hand.standing == Standing.FROZEN:
            self._limit_freeze(supervisor)

    def overtake(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Answer earlier requests that a later one has made void."""
        says = f"Overtaken: {asked.by or 'somebody'} asked for {asked.command.value}"
        under_way = supervisor.state.hand.asked.values()
        before = takewhile(lambda each: each.request != asked.request, under_way)
        for each in overtaken_requests(before, asked.command):
            self._void(supervisor, each, says)

    def command_finished(self, run: str, request: str, outcome: CommandOutcome) -> None:
        """Answer a request that succeeded or failed."""
        try:
            supervisor = self._runs.find(run)
        except StoreError:
            self._responses.owed.append(partial(self.command_finished, run, request, outcome))
            return
        if supervisor is None:
            return
        asked = supervisor.state.hand.asked.get(request)
        was = self._turns.leave(run, request)
        if asked is not None:
            self._finish(supervisor, asked, outcome)
        elif was is not None and was.command == ControlCommand.FREEZE and outcome.ok:
            self._let_go(supervisor, was)
        if was is not None:
            following = self._turns.first(run, supervisor.state.hand.asked)
            if following is not None:
                self.begin(run, following.request)

    def on_event(self, supervisor: Supervisor, event: Event) -> None:
        """Confirm a pause when nothing runs any more; give up when the run has ended."""
        if supervisor.state.hand.standing == Standing.PAUSING and not isinstance(
            event, ControlAsked
        ):
            self._settle(supervisor)
        if isinstance(event, LoopEnded):
            self._give_up(supervisor, _AFTER_LOOP)
        elif isinstance(event, RunEnded) and supervisor.state.loop is None:
            # The loop restarts its agent, or ends too.
            self._give_up(supervisor, _AFTER_SESSION)
            if supervisor.state.hand.standing in _HELD_STILL:
                self._confirm_pause(supervisor, ("its session has ended",))

    # How each command begins

    def _pause(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        if supervisor.state.is_fleet:
            self._begin_outside(supervisor, asked)
        elif supervisor.state.hand.frozen:
            self._thaw(supervisor, asked)
        else:
            self._settle(supervisor)

    def _resume(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        hand = supervisor.state.hand
        if hand.standing == Standing.STOPPED or supervisor.state.is_fleet:
            self._begin_outside(supervisor, asked)
        elif hand.frozen:
            self._thaw(supervisor, asked)
        else:
            self._confirm(supervisor, asked, CommandOutcome())

    def _interrupt(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        if supervisor.state.hand.frozen:  # a frozen agent cannot be told anything
            self._thaw(supervisor, asked)
        else:
            self._begin_outside(supervisor, asked)

    def _freeze(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        if self._is_its_turn(supervisor, asked):
            self._begin_outside(supervisor, asked)
            self._limit_freeze(supervisor)

    def _thaw(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        if self._is_its_turn(supervisor, asked):
            self._actions.thaw(supervisor, asked, self._finished(supervisor, asked))

    def _is_its_turn(self, supervisor: Supervisor, asked: ControlAsked) -> bool:
        state = supervisor.state
        return self._turns.enter(state.run, asked, state.hand.asked)

    def _act(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        # The agent gets the message with its next answer, so there is nothing to begin.
        if not asked.command.spec.tells:
            self._begin_outside(supervisor, asked)

    def _begin_outside(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        self._actions.begin(supervisor, asked, self._finished(supervisor, asked))

    def _finished(self, supervisor: Supervisor, asked: ControlAsked) -> Finished:
        run, request = supervisor.state.run, asked.request
        return lambda outcome: self._later(partial(self.command_finished, run, request, outcome))

    # A freeze ends by itself

    def _limit_freeze(self, supervisor: Supervisor) -> None:
        """End a freeze that lasts too long for the run."""
        run, frozen = supervisor.state.run, supervisor.state.hand.frozen
        most = supervisor.project.config.control.freeze_seconds
        left = min(max(frozen + most - self._clock(), 0.0), float(most))
        self._actions.remind(run, left, partial(self._end_freeze, run))

    def _end_freeze(self, run: str) -> None:
        """Turn an expired freeze into a pause; try again if the log fails."""
        again = partial(self._actions.remind, run, _TRY_AGAIN, partial(self._end_freeze, run))

        def look(receipt: Receipt) -> None:
            if receipt.exception() is not None:
                self._later(again)

        try:
            supervisor = self._runs.find(run)
            if supervisor is None or not (since := supervisor.state.hand.frozen):
                return
            most = supervisor.project.config.control.freeze_seconds
            if self._clock() < since + most:  # a later freeze
                self._limit_freeze(supervisor)
                return
            pause = make_request(
                ControlCommand.PAUSE,
                run,
                by=HANDRAIL,
                reason=f"it was frozen for {most} s",
                expects="frozen",
                at=self._clock(),
            )
            if (receipt := self._ask(pause)) is not None:
                receipt.add_done_callback(look)
        except StoreError:
            again()

    # Outcomes

    def _finish(self, supervisor: Supervisor, asked: ControlAsked, outcome: CommandOutcome) -> None:
        hand = supervisor.state.hand
        if outcome.ok and hand.frozen and asked.command.holds and asked.command.thaws:
            # The processes run again, so the requested work can begin.
            self._responses.note(supervisor, hand.standing, outcome.evidence)
            _BEGIN[asked.command](self, supervisor, asked)
        elif outcome.ok and asked.command == ControlCommand.PAUSE and not supervisor.state.is_fleet:
            self._settle(supervisor)
        else:
            self._confirm(supervisor, asked, outcome)
        if hand.standing == Standing.PAUSING:
            self._settle(supervisor)
        elif hand.standing == Standing.FROZEN:
            # The last reminder may have come before the freeze was confirmed.
            self._limit_freeze(supervisor)

    def _confirm(
        self, supervisor: Supervisor, asked: ControlAsked, outcome: CommandOutcome
    ) -> None:
        """Answer a request, and all others that asked the same of the run."""
        run, command = supervisor.state.run, asked.command
        if command == ControlCommand.INTERRUPT and outcome.ok:
            self._drop_all(supervisor, f"interrupted by {asked.by or 'a person'}")
        if command in _AFTER_LOOP and outcome.ok:
            self._turns.clear(run)
        same = [asked]
        if outcome.ok and command in THEN:
            asked_for = supervisor.state.hand.asked.values()
            same += [each for each in asked_for if each.command == command and each is not asked]
        for each in same:
            again = partial(self.command_finished, run, each.request, outcome)
            self._responses.answer(supervisor, each, outcome, again=again)

    def _settle(self, supervisor: Supervisor) -> None:
        """Confirm a pause when nothing runs any more."""
        if supervisor.state.is_fleet:  # it is paused when the runs of all its tasks are
            return
        state = supervisor.state
        goes_on = any(each.command == ControlCommand.RESUME for each in state.hand.asked.values())
        if state.hand.standing != Standing.PAUSING or state.hand.frozen or state.at_work or goes_on:
            return
        last = f"last: step {state.step}" if state.step else "no action yet"
        self._confirm_pause(supervisor, (f"no action is under way ({last})",))

    def _confirm_pause(self, supervisor: Supervisor, evidence: tuple[str, ...]) -> None:
        asked = supervisor.state.hand.asked.values()
        pause = next((each for each in asked if each.command == ControlCommand.PAUSE), None)
        if pause is not None:
            self._confirm(supervisor, pause, CommandOutcome(evidence=evidence))
        else:  # a stronger hold has failed, and this one remains
            self._responses.note(supervisor, Standing.PAUSED, evidence)

    def _give_up(self, supervisor: Supervisor, stay: frozenset[ControlCommand]) -> None:
        """Give up: nobody is left to tell or interrupt."""
        for asked in list(supervisor.state.hand.asked.values()):
            if asked.command not in stay:
                standing = standing_after(supervisor.state.hand, asked.command, ok=False)
                says = "The run has ended before that could be done"
                self._void(supervisor, asked, says, standing)

    def _void(
        self,
        supervisor: Supervisor,
        asked: ControlAsked,
        says: str,
        standing: Standing | None = None,
    ) -> None:
        """Answer a request that has no effect; `standing`: how the run stands instead."""
        state = supervisor.state
        standing = state.hand.standing if standing is None else standing
        again = partial(self._void_again, state.run, asked.request, says)
        self._responses.answer(
            supervisor, asked, CommandOutcome(False, says), standing=standing, again=again
        )

    def _void_again(self, run: str, request: str, says: str) -> None:
        supervisor = self._runs.find(run)
        asked = None if supervisor is None else supervisor.state.hand.asked.get(request)
        if supervisor is not None and asked is not None:
            self._void(supervisor, asked, says)

    def _let_go(self, supervisor: Supervisor, asked: ControlAsked) -> None:
        """Undo a freeze that nobody wants any more, unless a request under way does so."""
        hand = supervisor.state.hand
        is_wanted = any(each.command.is_level for each in hand.asked.values())
        if not is_wanted and hand.standing not in ENDING:
            self._actions.thaw(supervisor, asked, self._finished(supervisor, asked))

    def _drop_all(self, supervisor: Supervisor, says: str) -> None:
        for each in supervisor.state.at_work:
            supervisor.record(ActionDropped(self._clock(), each.step, says))


def overtaken_requests(under_way: Iterable[ControlAsked], by: ControlCommand) -> list[ControlAsked]:
    """Return the requests under way that a later one makes void."""
    void = OVERTAKES.get(by, frozenset())
    return [each for each in under_way if each.command in void]


_Begin = Callable[[CommandRunner, Supervisor, ControlAsked], None]
_BEGIN: dict[ControlCommand, _Begin] = {
    ControlCommand.PAUSE: CommandRunner._pause,
    ControlCommand.RESUME: CommandRunner._resume,
    ControlCommand.INTERRUPT: CommandRunner._interrupt,
    ControlCommand.FREEZE: CommandRunner._freeze,
}
"""Commands that depend on a freeze; the others begin at once."""
