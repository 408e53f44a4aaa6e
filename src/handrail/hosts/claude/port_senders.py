"""Who may speak for a session on the port: the process that runs it, and nobody else.

The token stands in Claude Code's settings, where an agent can read it. So it opens the port for
what a session's own process tells of tools. Starts and prompts, which a person is behind, come
over the socket.
"""

from collections.abc import Callable

import psutil

from handrail.hosts.claude.payload import Payload
from handrail.hosts.port import HookSender
from handrail.intervene.processes.process_tree import is_same_moment, start_time_of_pid
from handrail.model.event import FaultNoted
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState

_SOCKET_ONLY = frozenset({"SessionStart", "UserPromptSubmit"})
_BY_SOCKET = (
    "Handrail takes {} over its socket only. If your own settings send it to the port, "
    "handrail install claude sets them right."
)
_FOREIGN = (
    "Another process than the one of this session has sent {} in its name to Handrail's port, "
    "and was refused."
)
_LEFT = (
    "The sender of {} has left before Handrail could recognize it, as a session does that waits no "
    "longer. Handrail takes no notice of it."
)
_FROM_ANYBODY = "PostToolBatch"
"""It closes calls and permits nothing: one that really ran is reported all the same."""
_MAX_SESSIONS = 4000


class PortSenders:
    """Remember the process of each session. Used from one thread at a time."""

    def __init__(self, runs: RunRegistry, clock: Callable[[], float]) -> None:
        self._runs = runs
        self._clock = clock
        self._hosts: dict[str, dict[int, float]] = {}
        """By session, its processes and when each began."""

    def check(self, payload: Payload, sender: HookSender | None) -> str:
        """Return why a request is not taken, or ""; the log of its run tells of the first one."""
        if sender is None:  # it came over the socket
            return ""
        supervisor = self._runs.get(payload.session_id, payload.cwd)
        problem = self._problem(payload.hook_event_name, supervisor.state, sender)
        if problem and supervisor.state.seq and supervisor.is_news(problem):
            supervisor.record(FaultNoted(self._clock(), "hooks", problem))
        return problem

    def _problem(self, event: str, state: RunState, sender: HookSender) -> str:
        if event in _SOCKET_ONLY:
            return _BY_SOCKET.format(event)
        if state.run in sender.admitted:
            return ""
        hosts = self._living(state)
        answers = [sender.is_held_by(pid) for pid in hosts]
        if any(answers):
            sender.admitted.add(state.run)
            return ""
        if not sender.is_open:
            return "" if event == _FROM_ANYBODY else _LEFT.format(event)
        if hosts and None not in answers:
            return _FOREIGN.format(event)
        # Nothing is known of the session's process: whoever speaks first for it is that.
        if not hosts and (owner := sender.find_owner()):
            self._hosts[state.run] = {owner: start_time_of_pid(owner)}
        sender.admitted.add(state.run)
        return ""

    def _living(self, state: RunState) -> dict[int, float]:
        """The processes of a session that are alive, with the one that its start told."""
        if len(self._hosts) > _MAX_SESSIONS:
            del self._hosts[next(iter(self._hosts))]
        hosts = self._hosts.setdefault(state.run, {})
        if state.pid and state.pid not in hosts:
            hosts[state.pid] = state.pid_began
        for pid, began in list(hosts.items()):
            if not _is_ours(pid, began):
                del hosts[pid]
        return hosts


def _is_ours(pid: int, began: float) -> bool:
    """Whether a process is alive and this user's; a number from another namespace is not."""
    now = start_time_of_pid(pid)
    if not now or (began and not is_same_moment(now, began)):
        return False
    try:
        return psutil.Process(pid).uids().effective == psutil.Process().uids().effective
    except psutil.Error:
        return False
