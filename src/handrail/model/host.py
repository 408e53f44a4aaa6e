"""The profile of a host, as data: its names, and the paths to protect."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

import msgspec

from handrail.model.program import Program

_REGISTRY = "handrail.hosts"


class LaunchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a host's program that would start an agent without its hooks."""

    off: tuple[str, ...] = ()
    """Options that leave all hooks out."""
    settings: str = ""
    """The option that gives it settings, as JSON or as a file."""
    tools: str = ""
    """The option that gives it tool servers, as JSON or as a file."""
    settings_keys: frozenset[str] = frozenset()
    """Settings that switch hooks off, replace them, or change the environment."""
    sources: str = ""
    """The option that names the settings files to read."""
    all_sources: frozenset[str] = frozenset()
    """The values of that option with which every hook is loaded."""
    texts: tuple[str, ...] = ()
    """Other options whose value may be any text, so that no option is looked for in it."""
    instead: str = ""
    """The alternative in a refusal."""


class HostProfile(msgspec.Struct, frozen=True, kw_only=True):
    """One host: its name, its controls and its program. Everything may be left empty but the first.

    The reviewer protects the controls of every registered host, whichever host asks.
    """

    name: str
    """In the log, in addresses and on the command line."""
    title: str
    """Its name for people."""
    program: str = ""
    """Its command; empty: it is a program of the user's own. Also the word by which its processes
    and its files are recognised."""

    # Where it takes its settings and hooks from
    folder: str = ""
    """The folder with its settings, in a home and in a project; empty: it has none."""
    folder_variable: str = ""
    """The variable that puts the folder of a home elsewhere."""
    settings_files: tuple[str, ...] = ()
    """Files in the folder that its hooks are read from; the first is that of a user."""
    settings_glob: str = ""
    """Names in the folder that count as such a file."""
    hook_folders: tuple[str, ...] = ()
    """Folders in the folder that hooks are loaded from, too."""
    files_beside: tuple[str, ...] = ()
    """Files beside the folder that hooks are read from."""
    system_folders: tuple[str, ...] = ()
    """Settings for all users of a machine."""

    # Other paths, as globs
    private: tuple[str, ...] = ()
    """Its other private paths."""
    notes: tuple[str, ...] = ()
    """Private paths that an agent may use for its own notes."""
    credentials: tuple[str, ...] = ()
    instruction_folders: tuple[str, ...] = ()
    """Folders with texts for agents, whose heads can set hooks and rights."""

    # Variables
    off_variables: tuple[str, ...] = ()
    """If set, it starts without hooks."""
    settings_variables: tuple[str, ...] = ()
    """If set, it takes settings from another file, and with them the hooks."""
    path_variables: tuple[str, ...] = ()
    """They hold the path of a control."""
    agent_variables: tuple[str, ...] = ()
    """Set in everything that an agent starts, so that the controls stay a person's."""
    session_variable: str = ""
    """Holds the run in the environment of everything that an agent starts."""

    # Its program
    program_path: str = ""
    """An expression for paths under which the program is called by another name."""
    program_files: tuple[str, ...] = ()
    """Globs for files of the program beside the one that a terminal would start."""
    program_script: str = ""
    """An expression for what an interpreter is given to run it."""
    launch: LaunchOptions = LaunchOptions()
    client: str = ""
    """The name of its hook client in Handrail's folder, made from `hook_client.sh` in its package;
    empty: its hooks need none."""

    # For people
    resume: str = ""
    """The command that takes a run up again: `… {run}`."""
    resume_at: str = ""
    """The same for a copy at a message: `{session}`, `{message}`, `{copy}`, `{checkpoint}`."""
    recordings: str = ""
    """Where it keeps what was said and done in past sessions."""
    pipeline_step: str = ""
    """The type of a step in a pipeline that runs its agent; empty: none does."""


@cache
def known_hosts() -> tuple[HostProfile, ...]:
    """Return the profiles of all registered hosts that have a program and settings to protect.

    Find them by name, because `hosts/` stands above every room that needs them. If callers had to
    pass them on, a reviewer without them would silently be laxer.
    """
    return tuple(host for host in _profiles() if host.program)


def _profiles() -> tuple[HostProfile, ...]:
    profiles: tuple[HostProfile, ...] = import_module(_REGISTRY).profiles()
    return profiles


def host_programs() -> tuple[Mapping[str, Program], ...]:
    """Return the effects of all registered hosts' programs; found by name, as the profiles are."""
    programs: tuple[Mapping[str, Program], ...] = import_module(_REGISTRY).programs()
    return programs


def profile_of(name: str) -> HostProfile | None:
    """The profile of one host; None: no such host is registered."""
    return next((host for host in _profiles() if host.name == name), None)
