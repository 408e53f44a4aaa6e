"""The port of hosts: all that Handrail needs of a program that runs agents.

A host is a package with three modules, named by one row in `handrail.hosts.HOSTS`:

- `profile.py`, `PROFILE`: what it wants protected and what it is called, as data;
- `programs.py`, `PROGRAMS`: what its own commands do, for the shell's tables;
- `host.py`, `HOST`: an object that does what `HostAdapter` says.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from handrail.hosts.installation import Installation, Removal
from handrail.hosts.recording import NoRecording, Recording
from handrail.model.host import HostProfile

if TYPE_CHECKING:
    from handrail.checkpoint import CheckpointRecord, ConversationPosition
    from handrail.hosts.driven_agent import DrivenAgent
    from handrail.hosts.git_view import GitView
    from handrail.intervene import Capability
    from handrail.model.event import ModelAsked
    from handrail.supervise.decision.decision_progress import DecisionProgress, Ready
    from handrail.supervise.runs.run_registry import RunRegistry

MAX_BYTES = 32 * 1024 * 1024
"""Bytes of a hook's message; a longer one is refused unread."""

CAUSE = "@CAUSE@"
"""Stands in a reply of `FaultAnswers` for what is wrong."""

Reply = dict[str, object]
"""What a host is answered, as JSON."""
Version = tuple[int, int, int]
Mark = Literal["ok", "warn", "bad"]


class HostError(ValueError):
    """A host cannot be used as somebody asked; the text tells them why."""


class NotDrivenError(HostError):
    """Handrail cannot drive a host; a person can."""

    def __init__(self, title: str) -> None:
        super().__init__(f"Handrail cannot drive {title}")


class NotInstalledError(HostError):
    """A host needs no hooks in any settings."""

    def __init__(self, title: str) -> None:
        super().__init__(f"There is nothing to install for {title}")


class UnsupervisedError(HostError):
    """Something would keep the hooks of a session from running."""


def endpoint(host: str) -> str:
    """The path on which the daemon hears the hooks of a host."""
    return f"/hooks/{host}"


class SessionOrigin(msgspec.Struct, frozen=True):
    """What a request's headers tell of the session that sent it."""

    attended: bool | None = None
    """Whether somebody sits at the session; None where this request does not tell."""
    proxied: bool = False
    """The session sends its hooks through a proxy, which could answer them itself."""
    pid: int = 0
    """The session's process; 0 where this request does not tell."""


class HookConnection(msgspec.Struct, frozen=True):
    """How the hooks of this user's hosts reach the daemon."""

    port: int | str
    """On loopback; a word where only a dry run is shown."""
    token: str
    client: str
    """The path of the hook client."""
    installs: str
    """The record of settings files that were changed."""


class HostProgram(msgspec.Struct, frozen=True):
    """A host's program on this machine."""

    path: str
    version: Version | None
    """None if it did not say in time."""

    @property
    def says(self) -> str:
        """The version as text."""
        return ".".join(map(str, self.version)) if self.version else ""


class Obstacle(msgspec.Struct, frozen=True):
    """Something that keeps hooks from running, and what to do about it."""

    path: str
    """The file it stands in; empty for the environment."""
    says: str


class InstallOffer(msgspec.Struct, frozen=True):
    """What an installation would change, and what to say about it."""

    program: HostProgram | None
    style: str
    """How the host will call Handrail: `http` or `command`."""
    plan: Installation
    notes: list[str]
    obstacles: tuple[Obstacle, ...]


class DoctorCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding of the doctor."""

    name: str
    mark: Mark
    says: str
    fix: str = ""


class ExaminedHost(msgspec.Struct, frozen=True):
    """What the doctor examines: a host, as it is for sessions in one folder."""

    program: HostProgram | None
    connection: HookConnection
    folder: str
    environ: Mapping[str, str]
    short: Callable[[str], str]
    """A path as a person would write it there."""


class DriveOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How somebody wants a session to be driven; empty is the host's own choice."""

    model: str = ""
    mode: str = ""
    """One of the host's `modes`."""
    arguments: tuple[str, ...] = ()
    """More of them for its program."""


class LaunchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A driven session that is to begin."""

    program: str
    run: str
    cwd: str
    environ: Mapping[str, str]
    settings: str
    """What `HostAdapter.prepare` gave."""
    settings_file: str
    """Where they may be written, for this user alone."""
    options: DriveOptions
    resume: bool = False
    """The run was driven before."""


class ProbeSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that proves whether a refusal is enforced."""

    program: str
    folder: str
    """Where it runs, with the settings that count there."""
    model: str
    """The address of a scripted model, which speaks Anthropic's Messages API."""
    prompt: str
    scratch: str
    """A folder for its temporary files."""
    state: str
    """Handrail's folder, into which the model will try to write."""
    environ: Mapping[str, str]


class FaultAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """How to answer a host's hooks where there is no daemon, as data for its guardian.

    The replies are JSON; `CAUSE` stands in them for what is wrong.
    """

    event: str
    tool: str
    run: str
    folder: str
    """The fields of a message that name these."""
    reads: tuple[str, ...]
    """Tools that change nothing: they go on."""
    refusals: dict[str, str]
    """The replies to events that ask for leave."""
    otherwise: str
    """The reply to all other events."""
    unreadable: str


class HostHooks(Protocol):
    """Answers the hook requests of all sessions of a host. `handle` and `reconsider` are called in
    one thread, the rest in any."""

    def handle(self, body: bytes, origin: SessionOrigin) -> "DecisionProgress[Reply]":
        """Answer one request. What cannot be read and may be about an action is refused."""

    def reconsider(self, run: str, event: "ModelAsked") -> "Ready[Reply | None]":
        """The reply in the light of a second opinion; None: it stays as it was."""

    def failed(self, problem: str, body: bytes) -> Reply:
        """The answer when Handrail itself breaks down over a request: closed, unless it reads."""

    def unreadable(self, problem: str) -> Reply:
        """The answer to a request that cannot be read: a refusal."""

    def fault_answers(self) -> FaultAnswers:
        """The same answers as data."""

    def place(self, run: str) -> "ConversationPosition":
        """Where the conversation of a run was when its last hook called."""


class HostAdapter(Protocol):
    """One host. What has a body is for hosts that cannot do better."""

    profile: HostProfile
    capabilities: "frozenset[Capability]"
    """What its hooks let Handrail do."""
    only_socket: bool = False
    """Its hooks come over the socket, which only its owner can open; the port refuses them."""
    modes: tuple[str, ...] = ("",)
    """Permission modes of a driven session; in the first it asks nobody."""

    # Its sessions

    def hooks(
        self, runs: "RunRegistry", connection: HookConnection, environ: Mapping[str, str]
    ) -> HostHooks:
        """What answers `POST /hooks/NAME`."""

    def is_urgent(self, body: bytes) -> bool:
        """Whether an agent waits for leave to act; other requests may wait their turn."""
        return True

    def locate(self, record: "CheckpointRecord") -> "ConversationPosition | None":
        """The conversation of a checkpoint, with the message at which it can be taken up again."""
        return record.conversation

    def recording(self, seen: set[str]) -> Recording:
        """A reader for one file of a past session; `seen`: calls that other files have told."""
        return NoRecording()

    # Its settings

    def find_program(self, environ: Mapping[str, str]) -> HostProgram | None:
        """The program that a terminal would start."""
        return None

    def settings_file(self, environ: Mapping[str, str], project: str) -> str:
        """The file that hooks go into: a project's on this machine; "": the user's own."""
        raise NotInstalledError(self.profile.title)

    def plan_install(
        self,
        path: str,
        folder: str,
        connection: HookConnection,
        environ: Mapping[str, str],
        *,
        handler: str,
        view: "GitView",
    ) -> InstallOffer:
        """What to change for our hooks, in a file, for sessions in a folder; nothing is done yet.

        Raises HostError, OSError or JsonTextError.
        """
        raise NotInstalledError(self.profile.title)

    def plan_removal(self, path: str, record: str) -> Removal:
        """What to change to take our hooks out again. Raises OSError or JsonTextError."""
        raise NotInstalledError(self.profile.title)

    def diagnose(self, who: ExaminedHost) -> Iterator[DoctorCheck]:
        """Which program is there, whether our hooks are loaded, and what would keep them out."""
        return iter(())

    def probe(self, asked: ProbeSession) -> str:
        """Run one session against a scripted model; why it did not work out, "" if it did."""
        return "it cannot be asked by a program"

    # Driven by Handrail

    def check_arguments(self, arguments: Sequence[str]) -> None:
        """Raises HostError where a driven session cannot have an argument."""
        raise NotDrivenError(self.profile.title)

    def check_mode(self, mode: str) -> None:
        """Raises HostError where this user cannot have a session in a mode."""
        raise NotDrivenError(self.profile.title)

    def prepare(
        self,
        program: HostProgram,
        connection: HookConnection,
        run: str,
        cwd: str,
        environ: Mapping[str, str],
        options: DriveOptions,
    ) -> str:
        """The settings for a driven session, with our hooks unless they are installed.

        Raises UnsupervisedError where something would keep the hooks from running, HostError where
        this program cannot be used at all.
        """
        raise NotDrivenError(self.profile.title)

    def drive(
        self, request: LaunchRequest, heard: Callable[[str], None]
    ) -> "AbstractAsyncContextManager[DrivenAgent]":
        """A process of the agent, inside the block. `heard`: told after each turn what went wrong
        in it; empty: nothing did."""
        raise NotDrivenError(self.profile.title)
