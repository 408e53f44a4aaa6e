"""A step that an agent wants to take, and its outcome."""

import msgspec

SHELL_TOOLS = frozenset(
    """
    bash shell run_shell_command terminal execute_bash run_command exec_command local_shell
    run_terminal_cmd powershell container.exec
    """.split()
)
"""Tools whose input holds a command line, by any host's name for them."""


class Action(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step that an agent wants to take: tool, input, where."""

    tool: str
    input: dict[str, object]
    cwd: str = ""
    env: dict[str, str] = {}
    """Known environment of the command; `HOME` decides what `~` means."""
    id: str = ""
    """The host's own id of the call, where it has one."""


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of an action."""

    ok: bool
    exit_code: int | None = None
    output: str = ""
    error: str = ""
    duration_ms: float = 0.0
    cost_usd: float = 0.0
    tokens: int = 0
    """Tokens of the model call behind it, if the host tells."""
    memory_mb: float = 0.0
    """The peak memory of its processes, if measured."""
