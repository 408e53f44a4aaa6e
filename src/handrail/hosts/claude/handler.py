"""Choose how Claude Code calls Handrail, by its version and the obstacles."""

from collections.abc import Mapping

from handrail.hosts.claude.obstacles import proxied, session_variables
from handrail.hosts.claude.settings import HTTP_SINCE, REWRITES_SINCE, HookOptions, Style, hook_url
from handrail.hosts.port import HookConnection, HostError, HostProgram


def choose_style(
    handler: str, program: HostProgram | None, environ: Mapping[str, str], folder: str
) -> tuple[Style, list[str]]:
    """Return the style of the hooks in a folder, and remarks about it. Raises HostError."""
    first = ".".join(map(str, HTTP_SINCE))
    if program is None:
        if handler == "command":
            return "command", ["Claude Code was not found; this works with every version."]
        return "http", [f"Claude Code was not found; this is for version {first} or newer."]
    if program.version is not None and program.version < REWRITES_SINCE:
        oldest = ".".join(map(str, REWRITES_SINCE))
        raise HostError(
            f"Claude Code {program.says} would run a changed command unchanged; {oldest} or newer"
            " is needed. Update it: claude update"
        )
    known = f"Claude Code {program.says}" if program.says else f"{program.path} (version unknown)"
    if program.version is None or program.version < HTTP_SINCE:
        if handler == "http":
            raise HostError(
                f"--handler http needs Claude Code {first} or newer, this is {known}: an older one"
                " runs a tool when Handrail does not answer. Use --handler command."
            )
        return "command", [f"{known}: called as a command, as before {first}."]
    proxy = proxied(session_variables(environ, folder))
    if handler == "auto" and proxy:
        return "command", [f"{known}: called as a command, because {proxy} is set."]
    return ("command" if handler == "command" else "http"), [f"{known}, {program.path}"]


def hooking_for(
    style: Style, connection: HookConnection, program: HostProgram | None
) -> HookOptions:
    """Return the options of our hooks."""
    version = program.version if program else None
    return HookOptions(
        style, hook_url(connection.port), connection.token, connection.client, version
    )
