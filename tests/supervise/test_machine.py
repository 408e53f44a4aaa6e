"""Several runs, a daemon that restarts and a log that fails, in any order, against a model."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from handrail.model import Action, Decision, Verdict
from handrail.model.event import ActionReviewed, PromptGiven, RunEnded, RunStarted
from handrail.store.errors import DiskFullError
from handrail.supervise.log import event_recorder as recorder_room
from handrail.supervise.runs import run_registry as runs_room
from handrail.supervise.supervisor import Supervisor
from tests.supervise.ready import ready
from tests.supervise.supervision_setup import SupervisionSetup, ran

pytestmark = pytest.mark.slow

COMMANDS = {
    "ls": Decision.ALLOW,
    "make": Decision.ALLOW,
    "rm -rf notes": Decision.MODIFY,
    "rm -rf /srv/data": Decision.BLOCK,
}
READS = {"ls"}
RUNS = st.sampled_from(["one", "two", "three"])


class Open:
    """An action of the model that was judged and has not ended."""

    def __init__(self, action: Action, verdict: Verdict, *, asked: bool) -> None:
        self.action = action
        self.verdict = verdict
        self.asked = asked

    @property
    def refused(self) -> bool:
        return self.verdict.decision is Decision.BLOCK

    @property
    def let_run(self) -> Action:
        """What the host runs if it does as it was told."""
        changed = self.verdict.updated_input
        action = self.action
        return Action(action.tool, changed or action.input, action.cwd, id=action.id)


class Model:
    """What must be known of one run."""

    def __init__(self) -> None:
        self.decided: dict[str, int] = {}
        self.open: dict[str, Open] = {}
        self.ran = self.failed = self.asked = self.overruled = self.breaches = self.prompts = 0
        self.lost = False

    def judged(self, action: Action, verdict: Verdict, *, asked: bool) -> None:
        decision = verdict.decision.value
        self.decided[decision] = self.decided.get(decision, 0) + 1
        self.asked += asked
        self.open[action.id] = Open(action, verdict, asked=asked)


class Supervision(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.patch = pytest.MonkeyPatch()
        # Few enough that runs are let go and states are saved all the time.
        self.patch.setattr(runs_room, "_MAX_KEPT", 2)
        self.patch.setattr(recorder_room, "SNAPSHOT_EVERY", 3)
        self.bed = SupervisionSetup(Path(self.folder.name))
        self.models: dict[str, Model] = {}
        self.calls = 0

    def teardown(self) -> None:
        self.patch.undo()
        self.folder.cleanup()

    @property
    def faulty(self) -> bool:
        return self.bed.log.refuses is not None

    def run_of(self, name: str) -> Supervisor:
        return self.bed.get(name)

    def model_of(self, name: str) -> Model:
        return self.models.setdefault(name, Model())

    def action(self, command: str) -> Action:
        self.calls += 1  # each is different: what is repeated or failed before is riskier
        return self.bed.bash(f"{command} # {self.calls}", f"c{self.calls}")

    def some_open(self, name: str, data: st.DataObject) -> Open | None:
        items = list(self.model_of(name).open.values())
        return data.draw(st.sampled_from(items)) if items else None

    # --- what may happen -------------------------------------------------------------------

    @rule(name=RUNS, command=st.sampled_from(sorted(COMMANDS)), may_ask=st.booleans())
    def before(self, name: str, command: str, *, may_ask: bool) -> None:
        action = self.action(command)
        verdict = ready(self.run_of(name).decide(action, may_ask=may_ask)).wait(0)
        if self.faulty:
            expected = Decision.ALLOW if command in READS else Decision.BLOCK
            assert verdict.decision is expected
            self.model_of(name).lost = True
            return
        assert verdict.decision is COMMANDS[command]
        asked = may_ask and verdict.overrulable
        self.model_of(name).judged(action, verdict, asked=asked)

    @rule(name=RUNS, data=st.data())
    def the_same_again(self, name: str, data: st.DataObject) -> None:
        item = self.some_open(name, data)
        if item is None:
            return
        verdict = self.run_of(name).before(item.action)
        if self.faulty and verdict.decision is Decision.BLOCK:
            return
        assert verdict.decision is item.verdict.decision
        assert verdict.updated_input == item.verdict.updated_input

    @rule(name=RUNS, data=st.data(), ok=st.booleans())
    def after(self, name: str, data: st.DataObject, *, ok: bool) -> None:
        item = self.some_open(name, data)
        if item is None:
            return
        verdict = self.run_of(name).after(ran(item.let_run, ok=ok))
        breach = item.refused and not item.asked
        assert verdict.stop == breach
        if self.faulty:
            self.model_of(name).lost = True
            return
        model = self.model_of(name)
        del model.open[item.action.id]
        model.ran += 1
        model.failed += not ok
        model.breaches += breach
        model.overruled += item.asked

    @rule(name=RUNS)
    def unknown_outcome(self, name: str) -> None:
        assert not self.run_of(name).after(ran(self.action("ls"))).stop

    @rule(name=RUNS, data=st.data())
    def drop(self, name: str, data: st.DataObject) -> None:
        item = self.some_open(name, data)
        if item is None:
            return
        written = self.run_of(name).drop(item.action.id, "no")
        assert bool(written) == (not item.refused or item.asked)
        if written and self.faulty:
            self.model_of(name).lost = True
        elif written:
            del self.model_of(name).open[item.action.id]

    @rule(name=RUNS)
    def prompt(self, name: str) -> None:
        self.run_of(name).record(PromptGiven(self.bed.clock(), "go on"))
        if self.faulty:
            self.model_of(name).lost = True
        else:
            self.model_of(name).prompts += 1

    @precondition(lambda self: not self.faulty)
    @rule(name=RUNS, count=st.integers(2, 5), data=st.data())
    def a_burst_of_which_one_is_lost(self, name: str, count: int, data: st.DataObject) -> None:
        lost = data.draw(st.integers(0, count - 1))
        run, log = self.run_of(name), self.bed.log
        actions = [self.action("make") for _ in range(count)]
        log.held = True
        pending = [ready(run.decide(action)) for action in actions]
        for number in range(count):
            log.refuses = DiskFullError("/log") if number == lost else None
            log.release(1)
        log.refuses = None
        log.release()
        log.held = False
        model = self.model_of(name)
        model.lost = True
        for number, action in enumerate(actions):
            verdict = pending[number].wait(0)
            assert verdict.decision is (Decision.BLOCK if number == lost else Decision.ALLOW)
            if number != lost:
                model.judged(action, verdict, asked=False)

    @rule(name=RUNS)
    def end(self, name: str) -> None:
        self.run_of(name).record(RunEnded(self.bed.clock(), "exit"))
        self.bed.runs.end(name)
        if self.faulty:
            self.model_of(name).lost = True
        else:
            self.model_of(name).open.clear()

    @rule(name=RUNS)
    def start(self, name: str) -> None:
        began = RunStarted(self.bed.clock(), "claude", str(self.bed.path), "resume")
        self.run_of(name).record(began)
        if self.faulty:
            self.model_of(name).lost = True

    @rule(seconds=st.floats(-10_000, 10_000))
    def time_passes(self, seconds: float) -> None:
        self.bed.clock.advance(seconds)

    @rule(saves=st.booleans())
    def restart(self, *, saves: bool) -> None:
        """A daemon ends in order, or it is killed."""
        if saves:
            self.bed.runs.save_all()
        self.bed.restart()

    @rule()
    def the_disk_is_full(self) -> None:
        self.bed.log.refuses = DiskFullError("/log")

    @rule()
    def there_is_room_again(self) -> None:
        self.bed.log.refuses = None

    # --- what must be true -----------------------------------------------------------------

    @invariant()
    def the_log_counts_what_happened(self) -> None:
        for name, model in self.models.items():
            usage = self.bed.loaded(name).usage
            assert usage.decided == model.decided
            assert usage.asked == model.asked
            assert usage.ran == model.ran
            assert usage.failed == model.failed
            assert usage.overruled == model.overruled
            assert usage.breaches == model.breaches

    @invariant()
    def what_is_open_is_known(self) -> None:
        for name, model in self.models.items():
            assert {item.id for item in self.bed.loaded(name).open} == set(model.open)

    @invariant()
    def steps_grow_by_one(self) -> None:
        for name, model in self.models.items():
            events = self.bed.events(name)
            steps = [event.step for event in events if isinstance(event, ActionReviewed)]
            assert steps == sorted(set(steps))
            if not model.lost:
                assert steps == list(range(1, len(steps) + 1))

    @invariant()
    def snapshot_and_events_give_what_all_events_give(self) -> None:
        for name in self.models:
            assert self.bed.loaded(name) == self.bed.folded(name)

    @invariant()
    def the_state_in_memory_is_the_state_of_the_log(self) -> None:
        if not self.faulty:
            for name in self.models:
                assert self.run_of(name).state == self.bed.loaded(name)


Supervision.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestSupervision = Supervision.TestCase
