"""The port of hosts: everything Handrail needs from a program that runs agents.

A host is a package with three modules, named by one row in `handrail.hosts.HOSTS`:

- `profile.py`, `PROFILE`: its names and the paths to protect, as data;
- `programs.py`, `PROGRAMS`: the effects of its own commands, for the shell's tables;
- `host.py`, `HOST`: an implementation of `HostAdapter`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from handrail.hosts.hook_integrity import HookIntegrity
from handrail.hosts.installation import Installation, Removal
from handrail.hosts.recording import NoRecording, Recording
from handrail.model.host import HostProfile

if TYPE_CHECKING:
    from handrail.checkpoint import CheckpointRecord, ConversationPosition
    from handrail.hosts.driven_agent import DrivenAgent
    from handrail.hosts.git_view import GitView
    from handrail.hosts.token_meter import TokenMeter
    from handrail.intervene import Capability
    from handrail.model.event import ModelAsked
    from handrail.supervise.decision.decision_progress import DecisionProgress, Ready
    from handrail.supervise.runs.run_registry import RunRegistry

MAX_BYTES = 32 * 1024 * 1024
"""Bytes of a hook's message; the daemon refuses a longer one unread."""

CAUSE = "@CAUSE@"
"""Stands in a reply of `FaultAnswers` for what is wrong."""

Reply = dict[str, object]
"""The reply to a host, as JSON."""
Version = tuple[int, int, int]
Mark = Literal["ok", "warn", "bad"]


class HostError(ValueError):
    """A host cannot be used as asked; the text says why."""


class NotDrivenError(HostError):
    """Handrail cannot drive this host; only a person can."""

    def __init__(self, title: str) -> None:
        super().__init__(f"Handrail cannot drive {title}")


class NotInstalledError(HostError):
    """This host needs no hooks in any settings."""

    def __init__(self, title: str) -> None:
        super().__init__(f"There is nothing to install for {title}")


class UnsupervisedError(HostError):
    """Something would keep the hooks of a session from running."""


def endpoint(host: str) -> str:
    """Return the daemon's path for the hooks of a host."""
    return f"/hooks/{host}"


class HookSender(Protocol):
    """Who has sent a request to the port, where a token is all that it needs."""

    admitted: set[str]
    """The runs that it was found to speak for."""

    @property
    def is_open(self) -> bool:
        """Whether it still waits for an answer; True where the system does not tell."""

    def is_held_by(self, pid: int) -> bool | None:
        """Whether a process is the sender; None where the system does not tell."""

    def find_owner(self) -> int:
        """The process that is the sender; 0 where the system does not tell."""


class SessionOrigin(msgspec.Struct, frozen=True):
    """The facts about a session that has sent a request."""

    attended: bool | None = None
    """Whether a person sits at the session; None if this request does not tell."""
    proxied: bool = False
    """The session sends its hooks through a proxy, which could answer them itself."""
    pid: int = 0
    """The session's process; 0 if this request does not tell."""
    sender: HookSender | None = None
    """The sender of a request to the port; None: it came over the socket of its owner."""


class HookConnection(msgspec.Struct, frozen=True):
    """The way from the hooks of this user's hosts to the daemon."""

    port: int | str
    """A port on loopback; a word in a dry run."""
    token: str
    client: str
    """The path of the hook client."""
    installs: str
    """The record of changed settings files."""


class HostProgram(msgspec.Struct, frozen=True):
    """A host's program on this machine."""

    path: str
    version: Version | None
    """None if the program did not answer in time."""

    @property
    def says(self) -> str:
        """Return the version as text."""
        return ".".join(map(str, self.version)) if self.version else ""


class Obstacle(msgspec.Struct, frozen=True):
    """An obstacle for hooks, and how to remove it."""

    path: str
    """The file with the obstacle; empty for the environment."""
    says: str


class InstallOffer(msgspec.Struct, frozen=True):
    """The changes of an installation, and remarks about it."""

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
    """The subject of the doctor: a host, for sessions in one folder."""

    program: HostProgram | None
    connection: HookConnection
    folder: str
    environ: Mapping[str, str]
    short: Callable[[str], str]
    """Shorten a path for people."""


class DriveOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A person's options for a driven session; empty: the host's own choice."""

    model: str = ""
    mode: str = ""
    """One of the host's `modes`."""
    arguments: tuple[str, ...] = ()
    """Further arguments for its program."""


class LaunchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request to start a driven session."""

    program: str
    run: str
    cwd: str
    environ: Mapping[str, str]
    settings: str
    """The settings from `HostAdapter.prepare`."""
    settings_file: str
    """The file to write them to, for this user alone."""
    options: DriveOptions
    resume: bool = False
    """The run was driven before."""
    start: tuple[str, ...] = ()
    """The words in front of the command line, which start it in its control group."""


class ProbeSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that proves whether the host enforces a refusal."""

    program: str
    folder: str
    """Its folder; the settings for this folder apply."""
    model: str
    """The address of a scripted model, which speaks Anthropic's Messages API."""
    prompt: str
    scratch: str
    """A folder for its temporary files."""
    state: str
    """Handrail's folder; the model will try to write into it."""
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
    """Answer the hook requests of all sessions of a host. One thread calls `handle` and
    `reconsider`; any thread calls the rest."""

    def handle(self, body: bytes, origin: SessionOrigin) -> "DecisionProgress[Reply]":
        """Answer one request. Refuse an unreadable one that may be about an action."""

    def reconsider(self, run: str, event: "ModelAsked") -> "Ready[Reply | None]":
        """Return the reply after a second opinion; None: it has not changed."""

    def failed(self, problem: str, body: bytes) -> Reply:
        """Return the reply when Handrail breaks down: a refusal, unless the call only reads."""

    def unreadable(self, problem: str) -> Reply:
        """Refuse a request that cannot be read."""

    def fault_answers(self) -> FaultAnswers:
        """The same answers as data."""

    def place(self, run: str) -> "ConversationPosition":
        """Return the place in the conversation at the run's last hook."""


class HostAdapter(Protocol):
    """One host. The methods with a body are the defaults of hosts that cannot do better."""

    profile: HostProfile
    capabilities: "frozenset[Capability]"
    """The capabilities of its hooks."""
    only_socket: bool = False
    """Its hooks come over the socket, which only its owner can open; the port refuses them."""
    modes: tuple[str, ...] = ("",)
    """Permission modes of a driven session; in the first one it asks nobody."""

    # Its sessions

    def hooks(
        self, runs: "RunRegistry", connection: HookConnection, environ: Mapping[str, str]
    ) -> HostHooks:
        """Return the object that answers `POST /hooks/NAME`."""

    def is_urgent(self, body: bytes) -> bool:
        """Return whether an agent waits for permission; other requests may wait their turn."""
        return True

    def may_wait(self, body: bytes) -> bool:
        """Whether a request may wait until it is known who has changed Handrail's own files."""
        return True

    def locate(self, record: "CheckpointRecord") -> "ConversationPosition | None":
        """Return the conversation of a checkpoint, with the message from which it can resume."""
        return record.conversation

    def token_meter(self, place: "ConversationPosition", since: float) -> "TokenMeter | None":
        """Return a reader of the tokens that a session has used since a time; None: the host keeps
        no record that Handrail can read."""
        return None

    def recording(self, seen: set[str]) -> Recording:
        """Return a reader for one file of a past session; `seen`: calls in other files."""
        return NoRecording()

    # Its settings

    def find_program(self, environ: Mapping[str, str]) -> HostProgram | None:
        """Return the program that a terminal would start."""
        return None

    def settings_file(self, environ: Mapping[str, str], project: str) -> str:
        """Return the file for the hooks: a project's on this machine; "": the user's own."""
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
        """Plan the installation of our hooks in a file, for sessions in a folder.

        Raises HostError, OSError or JsonTextError.
        """
        raise NotInstalledError(self.profile.title)

    def plan_removal(self, path: str, record: str) -> Removal:
        """Plan the removal of our hooks. Raises OSError or JsonTextError."""
        raise NotInstalledError(self.profile.title)

    def integrity(
        self, connection: HookConnection, environ: Mapping[str, str]
    ) -> HookIntegrity | None:
        """What watches over our hooks in its settings; None: there is nothing to watch."""
        return None

    def diagnose(self, who: ExaminedHost) -> Iterator[DoctorCheck]:
        """Check the program, the hooks, and everything that keeps them from running."""
        return iter(())

    def probe(self, asked: ProbeSession) -> str:
        """Run one session against a scripted model; return why it failed, or ""."""
        return "it cannot be asked by a program"

    # Driven by Handrail

    def check_arguments(self, arguments: Sequence[str]) -> None:
        """Raise HostError for an argument that a driven session cannot have."""
        raise NotDrivenError(self.profile.title)

    def check_mode(self, mode: str) -> None:
        """Raise HostError for a mode that this user cannot have."""
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
        """Return the settings for a driven session, with our hooks unless they are installed.

        Raises UnsupervisedError if an obstacle keeps the hooks from running, and HostError if this
        program cannot be used at all.
        """
        raise NotDrivenError(self.profile.title)

    def has_conversation(self, environ: Mapping[str, str], run: str) -> bool:
        """Return whether the host can go on with the conversation of a driven run."""
        return False

    def drive(
        self, request: LaunchRequest, heard: Callable[[str], None]
    ) -> "AbstractAsyncContextManager[DrivenAgent]":
        """Run a process of the agent inside the block. `heard`: called after each turn with its
        problem; empty if there was none."""
        raise NotDrivenError(self.profile.title)
