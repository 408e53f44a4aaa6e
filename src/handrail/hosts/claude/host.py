"""Claude Code behind the port of hosts.

It imports the parts that work with sessions on demand: many commands need only a few.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from handrail.hosts import port
from handrail.hosts.claude.profile import PROFILE
from handrail.intervene.capability import Capability

if TYPE_CHECKING:
    from handrail.checkpoint import CheckpointRecord, ConversationPosition
    from handrail.hosts.claude.hooks import ClaudeHooks
    from handrail.hosts.claude.integrity import ClaudeIntegrity
    from handrail.hosts.claude.recording import Transcript
    from handrail.hosts.claude.transcript_usage import TranscriptMeter
    from handrail.hosts.driven_agent import DrivenAgent
    from handrail.hosts.git_view import GitView
    from handrail.hosts.installation import Removal
    from handrail.supervise.runs.run_registry import RunRegistry

_BEFORE = b'"hook_event_name":"PreToolUse"'
_BEGINNING = 4096
"""Bytes of a payload in which its event is looked for: the host writes it before what a tool
printed. Where it comes later, a call only loses its precedence."""
_CHANGED = b'"hook_event_name":"ConfigChange"'
_BYPASS = "bypassPermissions"


class ClaudeCode(port.HostAdapter):
    """The adapter of Claude Code."""

    profile = PROFILE
    capabilities = frozenset(
        {
            Capability.INJECT,
            Capability.REWRITE,
            Capability.DENY,
            Capability.STOP,
            Capability.END,
            Capability.METER,
            *([Capability.LIMIT] if sys.platform == "linux" else ()),
        }
    )
    modes = (_BYPASS, "acceptEdits", "auto", "default", "dontAsk", "plan")

    def hooks(
        self, runs: "RunRegistry", connection: port.HookConnection, environ: Mapping[str, str]
    ) -> "ClaudeHooks":
        """Return the object that answers the hooks of all sessions."""
        from handrail.hosts.claude.guard import SettingsGuard
        from handrail.hosts.claude.hooks import ClaudeHooks

        return ClaudeHooks(runs, find_problem=SettingsGuard(connection, environ).find_problem)

    def is_urgent(self, body: bytes) -> bool:
        """Return whether an agent waits for permission."""
        return body.find(_BEFORE, 0, _BEGINNING) >= 0

    def may_wait(self, body: bytes) -> bool:
        """Changed settings are judged as they are: the session may take over what it has read."""
        return _CHANGED not in body

    def locate(self, record: "CheckpointRecord") -> "ConversationPosition | None":
        """Return the conversation of a checkpoint, as far as the transcript shows it."""
        from handrail.hosts.claude.transcript import located

        return located(record)

    def token_meter(self, place: "ConversationPosition", since: float) -> "TranscriptMeter | None":
        """Return a reader of the session's transcript."""
        from handrail.hosts.claude.transcript_usage import TranscriptMeter

        return TranscriptMeter(place.transcript, since) if place.transcript else None

    def recording(self, seen: set[str]) -> "Transcript":
        """Return a reader of a transcript."""
        from handrail.hosts.claude.recording import Transcript

        return Transcript(seen)

    def find_program(self, environ: Mapping[str, str]) -> port.HostProgram | None:
        """Return the Claude Code that a terminal would start."""
        from handrail.hosts.claude.program import find_claude

        return find_claude(environ)

    def settings_file(self, environ: Mapping[str, str], project: str) -> str:
        """Return `settings.json` of the user, or `settings.local.json` of a project."""
        from handrail.hosts.claude.obstacles import project_file, user_file

        return project_file(project, "local") if project else os.path.abspath(user_file(environ))

    def plan_install(
        self,
        path: str,
        folder: str,
        connection: port.HookConnection,
        environ: Mapping[str, str],
        *,
        handler: str,
        view: "GitView",
    ) -> port.InstallOffer:
        """Plan the installation of our hooks, and tell whether they will run in a folder."""
        from handrail.hosts.claude.handler import choose_style, hooking_for
        from handrail.hosts.claude.install import plan_install
        from handrail.hosts.claude.obstacles import find_obstacles
        from handrail.hosts.settings_file import decode

        program = self.find_program(environ)
        style, notes = choose_style(handler, program, environ, folder)
        hooking = hooking_for(style, connection, program)
        plan = plan_install(path, hooking, view, connection.installs)
        found = find_obstacles(
            environ,
            folder,
            url=hooking.url if style == "http" else "",
            instead={plan.settings.path: decode(plan.settings.after or b"")},
        )
        return port.InstallOffer(program, style, plan, notes, found)

    def plan_removal(self, path: str, record: str) -> "Removal":
        """Plan the removal of our hooks."""
        from handrail.hosts.claude.install import plan_removal

        return plan_removal(path, record)

    def integrity(
        self, connection: port.HookConnection, environ: Mapping[str, str]
    ) -> "ClaudeIntegrity":
        """Watches over the settings of users and projects."""
        from handrail.hosts.claude.integrity import ClaudeIntegrity

        return ClaudeIntegrity(connection, environ)

    def diagnose(self, who: port.ExaminedHost) -> Iterator[port.DoctorCheck]:
        """Check the program, the hooks, and everything that keeps them from running."""
        from handrail.hosts.claude import doctor

        yield from doctor.check_program(who)
        yield from doctor.check_hooks(who)
        yield from doctor.check_obstacles(who)

    def probe(self, asked: port.ProbeSession) -> str:
        """Run one session against a scripted model."""
        from handrail.hosts.claude.probe import run_probe

        return run_probe(asked)

    def check_arguments(self, arguments: Sequence[str]) -> None:
        """Raise HostError for the first argument that a driven session cannot have."""
        from handrail.hosts.claude.launch import check_arguments

        check_arguments(arguments)

    def check_mode(self, mode: str) -> None:
        """Raise HostError if Claude Code would not start in this mode."""
        if mode == _BYPASS and os.geteuid() == 0 and not os.environ.get("IS_SANDBOX"):
            raise port.HostError(
                "Claude Code does not take bypassPermissions as root: run it as a user, set "
                "IS_SANDBOX=1 in a container, or use --permission-mode acceptEdits"
            )

    def prepare(
        self,
        program: port.HostProgram,
        connection: port.HookConnection,
        run: str,
        cwd: str,
        environ: Mapping[str, str],
        options: port.DriveOptions,
    ) -> str:
        """Return the hooks, unless they are installed."""
        from handrail.hosts.claude.handler import choose_style, hooking_for
        from handrail.hosts.claude.launch import environment, settings_for
        from handrail.hosts.claude.obstacles import find_obstacles
        from handrail.hosts.settings_file import load_installs

        own = environment(run, environ)
        style, _ = choose_style("auto", program, own, cwd)
        hooking = hooking_for(style, connection, program)
        for found in find_obstacles(own, cwd, url=hooking.url if style == "http" else ""):
            where = f"{found.path}: " if found.path else ""
            raise port.UnsupervisedError(f"{where}{found.says}")
        installs = [each.settings.path for each in load_installs(connection.installs)]
        return settings_for(hooking, own, cwd, installs, options.arguments)

    def has_conversation(self, environ: Mapping[str, str], run: str) -> bool:
        """Return whether there is a transcript of the session."""
        from handrail.hosts.claude.launch import has_conversation

        return has_conversation(environ, run)

    def drive(
        self, request: port.LaunchRequest, heard: Callable[[str], None]
    ) -> "AbstractAsyncContextManager[DrivenAgent]":
        """Start one process that takes prompts on stdin."""
        from handrail.hosts.claude.driver import ClaudeDriver
        from handrail.hosts.claude.launch import launch

        return ClaudeDriver(launch(request), heard=heard)


HOST = ClaudeCode()
