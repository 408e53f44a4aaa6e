"""Start Claude Code as a driven agent: its arguments, its environment, and our hooks.

If no settings file has the hooks, they come with `--settings`, so that a driven session is
supervised wherever it runs. These settings override those of the project and the user, are read
once, and an agent that writes a settings file cannot switch them off. Of several `--settings`
only the last one counts.
"""

import glob
import json
import os
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from handrail.hosts.claude.obstacles import read_text, settings_files, user_file
from handrail.hosts.claude.profile import PROFILE
from handrail.hosts.claude.settings import HookOptions, guards_tools, hooks_for, installed
from handrail.hosts.driven_agent import MARK
from handrail.hosts.json_text import JsonTextError
from handrail.hosts.port import HostError, LaunchRequest

_STREAM = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
_OF_A_SESSION = frozenset(
    "AI_AGENT CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH "
    "CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_SESSION_ATTENDED "
    "CLAUDE_CODE_SESSION_ID CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PID CLAUDE_PROJECT_DIR".split()
)
"""Variables that another session sets for the processes that it starts."""
_UNREAD = frozenset({"--setting-sources", "--restricted"})
"""With these options, Claude Code does not read every settings file."""

_OURS = "Handrail sets it itself"
_UNSUPERVISED = "without hooks nothing would be reviewed"
_REFUSED = {
    **dict.fromkeys(
        "-p --print --input-format --output-format --session-id -r --resume -c --continue "
        "--fork-session --from-pr --teleport --cloud --bg --background".split(),
        _OURS,
    ),
    "--model": "use the option of Handrail",
    "--permission-mode": "use the option of Handrail",
    "--settings": "Handrail's hooks come this way; put yours into .claude/settings.local.json",
    "--permission-prompt-tool": "nobody is there to be asked",
    "--no-session-persistence": "the run could not be resumed",
    "--bare": _UNSUPERVISED,
    "--safe-mode": _UNSUPERVISED,
}


class ArgumentError(HostError):
    """A driven Claude Code cannot have this argument."""

    def __init__(self, argument: str, why: str) -> None:
        super().__init__(f"{argument} cannot be passed on to Claude Code: {why}")
        self.argument = argument
        self.why = why


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a new process."""

    argv: tuple[str, ...]
    environ: dict[str, str]
    cwd: str
    model: str = ""
    settings: str = ""
    """The required content of `settings_file`."""
    settings_file: str = ""


def launch(request: LaunchRequest) -> Launch:
    """Return how to start Claude Code as a run. Raises ArgumentError.

    The settings are passed in a file, because every user of the machine can read the command line
    of a process.
    """
    options, run = request.options, request.run
    check_arguments(options.arguments)
    resumes = request.resume and has_conversation(request.environ, run)
    wanted = {
        "--resume" if resumes else "--session-id": run,
        "--model": options.model,
        "--permission-mode": options.mode,
        "--settings": request.settings_file,
    }
    chosen = (part for option, value in wanted.items() if value for part in (option, value))
    return Launch(
        # An option with any number of values would swallow an argument that is not an option.
        argv=(*request.start, request.program, *_STREAM, *options.arguments, *chosen),
        environ=environment(run, request.environ),
        cwd=request.cwd,
        model=options.model,
        settings=request.settings,
        settings_file=request.settings_file,
    )


def environment(run: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a new session, with a mark on all its processes."""
    dropped = _OF_A_SESSION | frozenset(PROFILE.off_variables)
    return {name: text for name, text in environ.items() if name not in dropped} | {MARK: run}


def check_arguments(arguments: Sequence[str]) -> None:
    """Raise ArgumentError for the first argument that a driven session cannot have."""
    for argument in arguments:
        option = argument.partition("=")[0]
        if not option.startswith("--"):
            option = option[:2]  # short options may be joined, or have their value attached
        if why := _REFUSED.get(option):
            raise ArgumentError(argument, why)


def has_conversation(environ: Mapping[str, str], run: str) -> bool:
    """Return whether a run has a conversation.

    Without one there is nothing to resume; with one, no other run can have its id.
    """
    folder = os.path.dirname(user_file(environ))
    return bool(glob.glob(f"{glob.escape(folder)}/projects/*/{glob.escape(run)}.jsonl"))


def settings_for(
    hooking: HookOptions,
    environ: Mapping[str, str],
    cwd: str,
    installs: Iterable[str],
    arguments: Sequence[str] = (),
) -> str:
    """Return the settings that a driven session needs beside those in files.

    `installs`: the settings files with an installation of Handrail.
    """
    unread = any(argument.partition("=")[0] in _UNREAD for argument in arguments)
    settings: dict[str, object] = {"disableAllHooks": False}
    if unread or not _are_installed(hooking, environ, cwd, set(installs)):
        settings["hooks"] = hooks_for(hooking)
    return json.dumps(settings)


def _are_installed(
    hooking: HookOptions, environ: Mapping[str, str], cwd: str, installs: set[str]
) -> bool:
    paths = [file.path for file in settings_files(environ, cwd) if file.path in installs]
    texts = (text for path in paths if (text := read_text(path)) is not None)
    return any(_guards(hooking, text) for text in texts)


def _guards(hooking: HookOptions, text: str) -> bool:
    try:
        return guards_tools(text) and installed(text, hooking).state != "stale"
    except JsonTextError:
        return False
