"""The example as the port of hosts wants it: it asks with an action, and hears `{"may"}`."""

import json
from collections.abc import Iterator, Mapping
from time import time

from handrail.checkpoint import ConversationPosition
from handrail.hosts import installation
from handrail.hosts.git_view import GitView
from handrail.hosts.installation import HookText, Removal
from handrail.hosts.port import (
    CAUSE,
    DoctorCheck,
    ExaminedHost,
    FaultAnswers,
    HookConnection,
    HostAdapter,
    HostProgram,
    InstallOffer,
    Reply,
    SessionOrigin,
    endpoint,
)
from handrail.hosts.wording import refuses, told
from handrail.intervene import Capability
from handrail.model.action import Action
from handrail.model.event import ModelAsked, RunStarted
from handrail.model.review import Verdict
from handrail.supervise.decision.decision_progress import DecisionProgress, Ready
from handrail.supervise.runs.run_registry import RunRegistry
from tests.hosts.example_host.profile import PROFILE

_HOOKS = HookText(lambda text: "", lambda text: not text)


class ExampleHooks:
    """Reviews every action, and hears nothing else."""

    def __init__(self, runs: RunRegistry) -> None:
        self._runs = runs

    def handle(self, body: bytes, seat: SessionOrigin) -> DecisionProgress[Reply]:
        """One action."""
        try:
            said = json.loads(body)
            action = Action(said["tool"], said["input"], said["cwd"], id=said["id"])
        except (ValueError, KeyError, TypeError) as error:
            reply = self.unreadable(str(error))
            return Ready(reply, [], lambda error: reply)
        supervisor = self._runs.get(said["run"], action.cwd)
        if supervisor.state.seq == 0:
            supervisor.record(RunStarted(time(), PROFILE.name, action.cwd, pid=seat.pid))
        return supervisor.decide(action).then(_lowered)

    def reconsider(self, run: str, event: ModelAsked) -> Ready[Reply | None]:
        """No second opinion makes it stricter."""
        return Ready(None, [], lambda error: None)

    def failed(self, problem: str, body: bytes) -> Reply:
        """Closed."""
        return self.unreadable(problem)

    def unreadable(self, problem: str) -> Reply:
        """Closed."""
        return {"may": False, "says": problem}

    def fault_answers(self) -> FaultAnswers:
        """Closed."""
        refusal = json.dumps(self.unreadable(CAUSE))
        return FaultAnswers(
            event="event",
            tool="tool",
            run="run",
            folder="cwd",
            reads=(),
            refusals={},
            otherwise=refusal,
            unreadable=refusal,
        )

    def place(self, run: str) -> ConversationPosition:
        """Unknown."""
        return ConversationPosition(PROFILE.name, run)


def _lowered(verdict: Verdict) -> Reply:
    return {"may": not refuses(verdict), "says": told(verdict, ask=False)}


class ExampleHost(HostAdapter):
    """Installs one line in one file. It is not driven, and keeps no recordings."""

    profile = PROFILE
    capabilities = frozenset({Capability.DENY})

    def hooks(
        self, runs: RunRegistry, connection: HookConnection, environ: Mapping[str, str]
    ) -> ExampleHooks:
        """Its hooks."""
        return ExampleHooks(runs)

    def find_program(self, environ: Mapping[str, str]) -> HostProgram | None:
        """It is never there."""
        return None

    def settings_file(self, environ: Mapping[str, str], project: str) -> str:
        """One file."""
        return f"{project or environ['HOME']}/{PROFILE.folder}/{PROFILE.settings_files[0]}"

    def plan_install(
        self,
        path: str,
        folder: str,
        connection: HookConnection,
        environ: Mapping[str, str],
        *,
        handler: str,
        view: GitView,
    ) -> InstallOffer:
        """One line."""
        line = f'{{"ask": "http://127.0.0.1:{connection.port}{endpoint(PROFILE.name)}"}}\n'
        plan = installation.plan_install(
            PROFILE.name, path, lambda text: line, _HOOKS, view, connection.installs
        )
        return InstallOffer(None, "http", plan, [], ())

    def plan_removal(self, path: str, record: str) -> Removal:
        """Take the line out."""
        return installation.plan_removal(path, _HOOKS, record)

    def diagnose(self, who: ExaminedHost) -> Iterator[DoctorCheck]:
        """Nothing to say."""
        yield DoctorCheck("example", "ok", "it is an example")


HOST = ExampleHost()
