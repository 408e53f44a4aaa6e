"""A desk at which Claude Code's messages are answered: everything but the network and the disk."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from handrail.hosts.claude.hooks import ClaudeHooks, HookCall
from handrail.hosts.port import HookSender, SessionOrigin
from handrail.model.event import Event
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.store.port import Store
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.run_state import RunState
from tests.supervise.ready import ready

DATA = Path(__file__).parent / "data"
SESSION = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"

Json = dict[str, Any]


class Desk:
    """Hooks over a log in memory; its time passes by a second with every look at the clock."""

    def __init__(
        self,
        folder: str = "/home/dev/project",
        home: str = "/home/dev",
        *,
        store: Store | None = None,
        environ: Mapping[str, str] = {},
        observers: Sequence[Callable[[Event], None]] = (),
    ) -> None:
        self.folder = folder
        self.store = MemoryStore() if store is None else store
        self.refusal = ""
        """Why the hooks are not in force."""
        self.asked_about: list[tuple[HookCall, str]] = []
        clock = map(float, count(1_800_000_000)).__next__
        state = f"{home}/.handrail-state"
        self.environ = {"HOME": home, "HANDRAIL_HOME": state, **environ}
        self.journal = Journal(self.store, observers)
        self.runs = RunRegistry(self.journal, Projects(self.environ), clock=clock)
        self.hooks = ClaudeHooks(self.runs, find_problem=self._find_problem, clock=clock)

    def post(
        self,
        body: bytes,
        attended: bool | None = None,
        *,
        proxied: bool = False,
        sender: HookSender | None = None,
    ) -> Json:
        """What a raw message is answered with; `sender`: who has sent it to the port."""
        origin = SessionOrigin(attended, proxied, sender=sender)
        return ready(self.hooks.handle(body, origin)).wait()

    def tell(
        self,
        event: str,
        attended: bool | None = None,
        *,
        proxied: bool = False,
        sender: HookSender | None = None,
        **fields: Any,
    ) -> Json:
        """What a message is answered with."""
        payload = {"session_id": SESSION, "cwd": self.folder, "hook_event_name": event, **fields}
        body = json.dumps(payload).encode()
        return self.post(body, attended, proxied=proxied, sender=sender)

    def before(self, command: str, tool_use_id: str = "t1", **fields: Any) -> Json:
        """What is said before a shell command."""
        return self.tell(
            "PreToolUse",
            tool_name="Bash",
            tool_input={"command": command, "description": "why"},
            tool_use_id=tool_use_id,
            **fields,
        )

    def after(self, command: str, tool_use_id: str = "t1", **fields: Any) -> Json:
        """What is said after a shell command that worked."""
        return self.tell(
            "PostToolUse",
            tool_name="Bash",
            tool_input={"command": command, "description": "why"},
            tool_response={"stdout": "", "stderr": ""},
            tool_use_id=tool_use_id,
            **fields,
        )

    def events(self, session: str = SESSION) -> list[Event]:
        """What stands in the log about a run."""
        return [event for _, event in self.journal.read(topic_of(session))]

    def kinds(self, session: str = SESSION) -> list[str]:
        """The names of the events of a run."""
        return [type(event).__name__ for event in self.events(session)]

    def state(self, session: str = SESSION) -> RunState:
        """What is known of a run."""
        return self.runs.get(session, self.folder).state

    def _find_problem(self, visit: HookCall, folder: str) -> str:
        self.asked_about.append((visit, folder))
        return self.refusal


def samples() -> list[Path]:
    """Messages of the real Claude Code, one of every kind."""
    return sorted(DATA.glob("cc.*.json"))


def said(reply: Json) -> Json:
    """The part of a reply that is about the event."""
    part: Json = reply.get("hookSpecificOutput", {})
    return part


def decision(reply: Json) -> str:
    """What becomes of a tool call: as Claude Code would take it."""
    part = said(reply)
    if "permissionDecision" in part:
        return str(part["permissionDecision"])
    return "rewrite" if "updatedInput" in part else "run"
