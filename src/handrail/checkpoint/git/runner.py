"""Runs git on a private directory: no settings, hooks, filters or programs of anybody else."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from copy import copy
from time import monotonic

import msgspec

from handrail.checkpoint.errors import (
    CheckpointStoreError,
    GitError,
    GitFailedError,
    GitTooSlowError,
)

_SETTINGS = {
    "core.attributesFile": os.devnull,
    "core.autocrlf": "false",
    "core.fileMode": "true",
    "core.fsmonitor": "false",
    # What a checkpoint consists of is on the disk before the checkpoint is.
    "core.fsync": "loose-object,pack,pack-metadata,reference",
    "core.fsyncMethod": "batch",
    "core.hooksPath": os.devnull,
    "core.looseCompression": "1",
    # Names that are odd on other systems are fine here: git never writes these files itself.
    "core.protectHFS": "false",
    "core.protectNTFS": "false",
    "core.safecrlf": "false",
    "core.splitIndex": "false",
    "core.symlinks": "true",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
ATTRIBUTES = "* -text !eol !crlf -ident -filter !working-tree-encoding\n"
"""Of a git directory: stronger than every .gitattributes, so that bytes stay as they are."""
_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_TOP_PAD_": "4194304"}
"""Of the C library: git would ask for memory for each file anew, and give it back each time."""
_PASSED_ON = ("HOME", "PATH", "TMPDIR", "XDG_CONFIG_HOME")
_MAX_SAID = 500
_VERSION = re.compile(r"(\d+)\.(\d+)")
_versions: dict[str, tuple[int, int]] = {}
"""The version of each git program; it only grows."""
_OF_STORE = re.compile(
    "no space left|disk quota|file too large|read-only file system|failed to insert into database"
    "|unable to (write|create temporary|create '|open object)|insufficient permission"
    "|cannot (lock|update) (the )?ref|write error|unable to make .* durable",
    re.IGNORECASE,
)
"""Messages of git when it cannot write; the files that it reads are not at fault."""


class GitDeadline:
    """Time that several git processes share."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds; never less than nothing."""
        return max(self._until - monotonic(), 0.0)


class GitOutput(msgspec.Struct, frozen=True):
    """The output of a git process that succeeded."""

    out: bytes
    err: bytes


class Git:
    """Git with one private directory, one private index and one work tree."""

    def __init__(
        self,
        directory: str,
        index: str,
        work_tree: str,
        deadline: GitDeadline,
        environ: Mapping[str, str] = os.environ,
        held: Sequence[int] = (),
    ) -> None:
        """`held`: open locks, which stay locked until every process of git has ended."""
        self.directory = directory
        self.index = index
        self.work_tree = work_tree
        self.excludes = ""
        """The user's own list of files that git leaves alone everywhere."""
        self.deadline = deadline
        self.held = tuple(held)
        self._program = shutil.which("git", path=environ.get("PATH"))
        self._settings = _SETTINGS
        self.environ = {
            **{name: environ[name] for name in _PASSED_ON if name in environ},
            "LC_ALL": "C",
            **_MEMORY,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_AUTHOR_EMAIL": "handrail@localhost",
            "GIT_AUTHOR_NAME": "Handrail",
            "GIT_COMMITTER_EMAIL": "handrail@localhost",
            "GIT_COMMITTER_NAME": "Handrail",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_DIR": directory,
            "GIT_INDEX_FILE": index,
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_WORK_TREE": work_tree,
        }

    def make(self) -> None:
        """Make the private directory, bound to no work tree."""
        self._with({"GIT_WORK_TREE": None}).run("init", "--quiet", "--bare", "--template=")

    def with_user_settings(self) -> "Git":
        """The same git with the settings of the user, to read them."""
        return self._with({"GIT_CONFIG_GLOBAL": None})

    def with_work_tree(self, work_tree: str) -> "Git":
        """The same git with another work tree."""
        return self._with({"GIT_WORK_TREE": work_tree}, work_tree=work_tree)

    def with_settings(self, settings: Mapping[str, str]) -> "Git":
        """The same git with more settings."""
        return self._with(_settings={**self._settings, **settings})

    def with_literal_paths(self) -> "Git":
        """The same git, which takes every path as it is written: `*`, `:(top)x`."""
        return self._with({"GIT_LITERAL_PATHSPECS": "1"})

    def with_index(self, index: str) -> "Git":
        """The same git with another index."""
        return self._with({"GIT_INDEX_FILE": index}, index=index)

    def with_deadline(self, deadline: GitDeadline) -> "Git":
        """The same git with another time limit."""
        return self._with(deadline=deadline)

    def _with(self, environ: Mapping[str, str | None] | None = None, **fields: object) -> "Git":
        """The same git with other variables (None: without one) and other fields."""
        other = copy(self)
        changed = {**self.environ, **(environ or {})}
        other.environ = {name: text for name, text in changed.items() if text is not None}
        vars(other).update(fields)
        return other

    def is_at_least(self, *version: int) -> bool:
        """Whether the program is of this version, or newer."""
        program = self._program or ""
        if program not in _versions:
            found = _VERSION.search(self.text("version"))
            _versions[program] = (int(found[1]), int(found[2])) if found else (0, 0)
        return _versions[program] >= version

    def run(self, *arguments: str, given: bytes = b"", good: Sequence[int] = (0,)) -> bytes:
        """Run git and give its output."""
        return self.finish(arguments[0], self.start(*arguments), given, good).out

    def run_together(self, *commands: Sequence[str]) -> list[GitOutput]:
        """Run several git processes at once; when one fails, all are ended."""
        with ExitStack() as stack:
            started = []
            for arguments in commands:
                process = self.start(*arguments)
                stack.callback(end_process, process)
                started.append((arguments[0], process))
            # One after the other: whoever prints much waits until it is heard.
            return [self.finish(command, process) for command, process in started]

    def finish(
        self,
        command: str,
        process: "subprocess.Popen[bytes]",
        given: bytes = b"",
        good: Sequence[int] = (0,),
    ) -> GitOutput:
        """Wait for a process of `start`, give its output, and end it in any case."""
        try:
            out, err = process.communicate(given, timeout=self.deadline.left)
        except subprocess.TimeoutExpired:
            raise GitTooSlowError(command, self.deadline.seconds) from None
        finally:
            end_process(process)
        if process.returncode not in good:
            says = os.fsdecode(err).strip()[-_MAX_SAID:] or f"ended with {process.returncode}"
            is_full = process.returncode == -signal.SIGXFSZ or _OF_STORE.search(says)
            raise (CheckpointStoreError if is_full else GitFailedError)(command, says)
        return GitOutput(out, err)

    def text(self, *arguments: str, given: bytes = b"") -> str:
        """Run git and give its output as one line of text."""
        return os.fsdecode(self.run(*arguments, given=given)).strip()

    def paths(self, *arguments: str, given: bytes = b"", good: Sequence[int] = (0,)) -> list[str]:
        """Run git and give the paths that it prints with -z."""
        return split_paths(self.run(*arguments, given=given, good=good))

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """A process of git, which the caller ends."""
        settings = dict(self._settings)
        if self.excludes:
            settings["core.excludesFile"] = self.excludes
        options = [part for name, text in settings.items() for part in ("-c", f"{name}={text}")]
        if self._program is None:
            raise GitError(arguments[0], "git is not installed, and checkpoints need it")
        try:
            return subprocess.Popen(
                [self._program, *options, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.work_tree,
                env=self.environ,
                pass_fds=self.held,
                start_new_session=True,
            )
        except OSError as error:
            raise GitError(arguments[0], str(error)) from None


def end_process(process: "subprocess.Popen[bytes]") -> None:
    """End git and its children, if they still run."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with suppress(OSError):  # git has ended before it has read everything
                pipe.close()


def join_lines(lines: Iterable[str]) -> bytes:
    """Names, one per line, as git reads them from its input."""
    return b"".join(os.fsencode(line) + b"\n" for line in lines)


def join_paths(paths: Sequence[str]) -> bytes:
    """Paths as git reads them with -z."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def split_paths(data: bytes) -> list[str]:
    """Paths as git prints them with -z."""
    return [os.fsdecode(path) for path in data.split(b"\0") if path]
