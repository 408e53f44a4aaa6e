"""Freezes, thaws and ends the processes of a run at a person's request."""

import logging
from collections.abc import Callable
from concurrent.futures import Future

from handrail.checkpoint import CheckpointError, CheckpointRecord
from handrail.control.command_actions import CommandOutcome, Finished
from handrail.intervene.processes.control_group import remove_group
from handrail.intervene.processes.keyboard import loses_keyboard
from handrail.intervene.processes.process_tree import EndedProcesses, ProcessFamily, end_processes
from handrail.model.event import ControlAsked
from handrail.model.host import profile_of
from handrail.server.control.freezer import RunFreezer, first_few
from handrail.server.control.run_processes import (
    agent_of,
    agent_processes,
    all_processes,
    group_of,
    how_verified,
)
from handrail.server.files.checkpoint_scheduler import CheckpointScheduler
from handrail.server.home import Home
from handrail.server.threads.process_jobs import ProcessJobs
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

_log = logging.getLogger(__name__)

_STOP = "stop"
_END_SECONDS = 10.0
_SAVE_SECONDS = 15.0
"""Seconds to wait for a checkpoint before ending a run."""
_NO_AGENT = "The process of the agent itself is not known, or is gone"
_NOT_CERTAIN = (
    "Handrail does not know the agent's own process: end the agent in its window; its commands "
    "have ended"
)
_YOUR_PROGRAM = (
    "The agent is a part of your own program, which goes on: end it yourself. Handrail refuses "
    "every further call of the run"
)
_PAUSE_IT = "The agent is a part of your own program, which Handrail does not stop: use pause"
_KEYBOARD = (
    "Not frozen, but paused: the shell in the session's window would take the keyboard, and the "
    "session would come back without it"
)
_ALL_THE_SAME = "All the same, no process of the run is left"


class ProcessControl:
    """Acts on processes in other threads, in the order of the supervision thread."""

    def __init__(
        self, home: Home, scheduler: CheckpointScheduler, jobs: ProcessJobs | None = None
    ) -> None:
        """`jobs`: shared by everything that acts on processes, to keep one order."""
        self._home = home
        self._scheduler = scheduler
        self._freezes = RunFreezer(home)
        self._jobs = jobs or ProcessJobs()

    def freeze(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Freeze all processes of a run."""
        state = supervisor.state
        run, family = state.run, self._family(state)
        if cannot := _why_no_freeze(state):
            finished(CommandOutcome(ok=False, says=cannot))
            return

        def work() -> CommandOutcome:
            with self._jobs.turns:
                return self._freezes.freeze(run, family)

        self._begin(f"freeze {asked.request}", supervisor, work, finished)

    def thaw(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Thaw them."""
        run, family = supervisor.state.run, self._family(supervisor.state)

        def work() -> CommandOutcome:
            with self._jobs.turns:
                return self._freezes.thaw(run, family)

        self._begin(f"thaw {asked.request}", supervisor, work, finished)

    def stop(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        """Save the files, then end all processes of a run, including the agent."""
        state = supervisor.state
        if self._jobs.is_under_way(state.run, f"{_STOP} {asked.request}"):
            return
        run, family, is_certain = state.run, self._family(state), _is_certain(state)
        in_program, group = _is_in_program(state), group_of(state)
        saved = self._save(supervisor, asked)

        def work() -> CommandOutcome:
            kept, problem = _saved(saved)
            with self._jobs.turns:
                ended = end_processes(family, seconds=_END_SECONDS)
                how = how_verified(family)
            if not ended.left:
                self._freezes.forget(run)
                remove_group(group)
            outcome = _outcome_of(ended, kept, problem, is_certain, how)
            if in_program and not is_certain and not ended.left:
                outcome = CommandOutcome(says=_YOUR_PROGRAM, evidence=outcome.evidence)
            return outcome

        self._begin(f"{_STOP} {asked.request}", supervisor, work, finished)

    def end_unwritten(self, state: RunState) -> Callable[[], str]:
        """End all processes of a run and its driver, without saving."""
        family = all_processes(state, self._home)
        is_certain = _is_certain(state)

        def work() -> str:
            with self._jobs.turns:
                ended = end_processes(family, seconds=_END_SECONDS)
            outcome = _outcome_of(ended, "", "", is_certain, how_verified(family))
            return f"{outcome.says or _ALL_THE_SAME}. That is not in the log."

        return work

    def settle(self) -> None:
        """Wait for all work under way."""
        self._jobs.settle()

    def _begin(
        self,
        name: str,
        supervisor: Supervisor,
        work: Callable[[], CommandOutcome],
        finished: Finished,
    ) -> None:
        """Start a job; `name`: with the request, because a thaw may undo an overtaken freeze."""
        clean = supervisor.project.redactor.text

        def whole() -> None:
            try:
                outcome = work()
            except Exception as error:  # noqa: BLE001 - whoever asked has to hear
                _log.exception("a request could not be carried out")
                says = f"It is not known how far it came: {type(error).__name__}: {error}"
                outcome = CommandOutcome(ok=False, says=says)
            evidence = tuple(map(clean, outcome.evidence))
            finished(CommandOutcome(outcome.ok, clean(outcome.says), evidence))

        self._jobs.begin(supervisor.state.run, name, whole)

    def _save(self, supervisor: Supervisor, asked: ControlAsked) -> Future[CheckpointRecord] | str:
        """Start to save the files; return the reason if that is impossible."""
        if not supervisor.project.config.checkpoints.enabled:
            return "checkpoints are switched off"
        try:
            return self._scheduler.save_for(supervisor, f"before {asked.command.value}")
        except Exception as error:  # noqa: BLE001 - a stop does not depend on it
            _log.exception("a checkpoint could not be begun")
            return f"{type(error).__name__}: {error}"

    def _family(self, state: RunState) -> ProcessFamily:
        return agent_processes(state, self._home)


def _why_no_freeze(state: RunState) -> str:
    agent = agent_of(state)
    if agent is not None:
        return _KEYBOARD if loses_keyboard(agent.pid) else ""
    if state.loop is not None:  # it is found by its mark
        return ""
    return _PAUSE_IT if _is_in_program(state) else _NO_AGENT


def _is_certain(state: RunState) -> bool:
    """Return whether finding no process proves that none is left."""
    return state.pid > 0 or state.loop is not None or state.phase == "ended"


def _is_in_program(state: RunState) -> bool:
    """Return whether the user's own program calls Handrail, so that there is no host to end."""
    profile = profile_of(state.host)
    return profile is not None and not profile.program


def _saved(saved: Future[CheckpointRecord] | str) -> tuple[str, str]:
    """Return the checkpoint, or the reason why there is none."""
    if isinstance(saved, str):
        return "", saved
    try:
        return saved.result(_SAVE_SECONDS).id, ""
    except TimeoutError:
        return "", f"it was not done after {_SAVE_SECONDS:g} s"
    except (CheckpointError, OSError) as error:
        return "", str(error)
    except Exception as error:  # noqa: BLE001 - a stop does not depend on it
        _log.exception("a checkpoint failed")
        return "", f"{type(error).__name__}: {error}"


def _outcome_of(
    ended: EndedProcesses, kept: str, problem: str, is_certain: bool, how: str
) -> CommandOutcome:
    saved = f"checkpoint {kept}" if kept else f"no checkpoint: {problem}"
    gone = tuple(f"ended: {each}" for each in first_few(ended.ended)) or ("no process was left",)
    left = tuple(f"left: {each}" for each in first_few(ended.left))
    evidence = (saved, *gone, *left, how)
    if left:
        says = f"Could not be ended: {', '.join(first_few(ended.left))}"
        return CommandOutcome(ok=False, says=says, evidence=evidence)
    if not is_certain:
        return CommandOutcome(ok=False, says=_NOT_CERTAIN, evidence=evidence)
    says = f"No process of the run is left; the files were not saved: {problem}" if problem else ""
    return CommandOutcome(says=says, evidence=evidence)
