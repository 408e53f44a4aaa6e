"""AI agents started from the command line, and Handrail itself."""

from collections.abc import Iterator

from handrail.model.commands import CLI_COMMANDS, UNKNOWN, CliCommand
from handrail.shell.tables.shorthand import (
    CHANGE,
    CRITICAL,
    DELEGATE,
    HIGH,
    LOW,
    MEDIUM,
    PERSIST,
    READ,
    RUN,
    TAMPER,
    UNSEEN,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

LIMITS = "Let it ask: start it without this option, for example `claude --permission-mode plan`."
PERSON = "Ask a person to decide; an agent does not change its own supervision."
_MCP_LIST = "List the servers: `{} mcp list`."


def unlimited(*whens: str) -> tuple[Fact, ...]:
    """Calls that start an agent which asks nobody."""
    says = "starts an agent with all permissions and no approval prompts"
    return tuple(Fact(DELEGATE, when, says=says, instead=LIMITS) for when in whens)


def adds_tool(program: str) -> tuple[Fact, ...]:
    """Calls that give later agents more tools."""
    return (
        Fact(PERSIST, "mcp add|add-json|add-from-*|install|import|enable", on="1", severity=HIGH,
             says="gives every later agent the tool server {target}",
             instead=_MCP_LIST.format(program)),
        Fact(CHANGE, "mcp remove|rm|disable|reset-project-choices", severity=MEDIUM),
        Fact(PERSIST, "plugin|plugins|extension|extensions|marketplace|skills install|add|link",
             on="1", severity=MEDIUM, says="adds {target} to every later agent"),
    )  # fmt: skip


HELP = "--help|-h|--version|-V"
_CODEX = program(
    *unlimited("--yolo|--dangerously-bypass-approvals-and-sandbox|--dangerously-*",
               "-s=danger-full-access|--sandbox=danger-full-access",
               "-c=*danger-full-access*|--config=*danger-full-access*",
               "-c=approval_policy=*never* -s=danger-full-access"),
    Fact(DELEGATE, "--full-auto", severity=HIGH, says="starts an agent without approval prompts",
         instead="Let it only read: `codex exec --sandbox read-only 'explain'`."),
    Fact(DELEGATE, "-a=never|--ask-for-approval=never|-c=approval_policy=*never*", severity=MEDIUM,
         says="starts an agent without approval prompts, in its sandbox"),
    *adds_tool("codex"),
    Fact(UNSEEN, "-c=mcp_servers.*|-c=notify=*|--config=mcp_servers.*|-c=shell_environment*",
         says="makes the agent run a program from an option", instead=LIMITS),
    Fact(CHANGE, "login|logout", severity=LOW),
    Fact(RUN, severity=LOW, says="starts an agent"),
    values="-a --ask-for-approval -s --sandbox -c --config -m --model -p --profile -C --cd -i "
    "--image --output-last-message -o --output-schema --color --add-dir --remote",
    chdir="-C|--cd", wraps=(Wrapper(when="sandbox|debug linux|macos|landlock|seatbelt"),),
    harmless=HELP,
)  # fmt: skip
_GEMINI = program(
    *unlimited("-y|--yolo", "--approval-mode=yolo"),
    *adds_tool("gemini"),
    Fact(RUN, severity=LOW, says="starts an agent"),
    values="-p --prompt -i --prompt-interactive -m --model --approval-mode --sandbox-image "
    "--include-directories --allowed-tools --allowed-mcp-server-names -e --extensions -o",
    harmless=HELP + "|-v",
)  # fmt: skip


def _agent(*whens: str, values: str = "-p --prompt -m --model") -> Program:
    facts = (*unlimited(*whens), *adds_tool("claude"), Fact(RUN, severity=LOW))
    return program(*facts, values=values, harmless=HELP)


_AGENTS: dict[str, Program] = {
    "codex": _CODEX,
    "gemini": _GEMINI,
    "gemini-cli": program(same_as="gemini"),
    "qwen": _GEMINI,
    "qwen-code": program(same_as="qwen"),
    "aider": program(
        Fact(DELEGATE, "--yes-always|--yes", severity=HIGH, instead="Let it ask: `aider`.",
             says="starts an agent with automatic approval"),
        Fact(READ, on="--read|--file|-f|--message-file|--env-file|--load"),
        Fact(RUN, severity=LOW, says="starts an agent"),
        values="-m --message -f --message-file --model --read --file --test-cmd --lint-cmd "
        "--env-file --config -c --load --api-key --editor",
        wraps=(Wrapper(form="shell", options="--test-cmd|--lint-cmd|--editor"),),
        harmless="--help|-h|--version|--dry-run|--show-repo-map|--list-models",
    ),
    "cursor-agent": _agent("-f|--force|--yolo", "--approve-mcps|--trust"),
    "copilot": _agent("--allow-all-tools|--allow-all|--yolo", "--allow-all-paths|--allow-all-urls",
                      "--allow-tool=shell*|--allow-tool=write"),
    "opencode": _agent("--dangerously-skip-permissions|--yolo", "--dangerously-*"),
    "amp": _agent("--dangerously-allow-all", values="-x --execute --mode -m"),
    "q": _agent("chat -a|--trust-all-tools", "chat --trust-tools=*execute_bash*"),
    "kiro-cli": _agent("chat -a|--trust-all-tools", "chat --trust-tools=*execute_bash*"),
    "droid": _agent("--skip-permissions-unsafe", "--auto=high"),
    "goose": program(
        Fact(UNSEEN, "--recipe=http*", says="follows instructions from the network",
             instead="Download and read them first."),
        Fact(READ, on="-i|--instructions"),
        Fact(RUN, severity=LOW),
        values="-t --text -i --instructions -n --name --with-extension --with-builtin --recipe",
        wraps=(Wrapper(form="shell", options="--with-extension"),), harmless=HELP,
    ),
    "crush": _agent("-y|--yolo"),
    "auggie": _agent("--dangerously-*|--permission=*allow*"),
    "openhands": _agent("--always-approve|--yolo|--llm-approve"),
    "interpreter": _agent("-y|--auto_run|--auto-run"),
    "open-interpreter": program(same_as="interpreter"),
    "gptme": _agent("-n|--non-interactive|-y|--no-confirm"),
    "autogpt": _agent("-c|--continuous|--continuous-mode|-y"),
    "auto-gpt": program(same_as="autogpt"),
    "mini": _agent("-y|--yolo"),
    "sweagent": program(Fact(RUN, severity=LOW, says="starts an agent")),
    "ollama": program(
        Fact(CHANGE, "rm", on="each", severity=LOW, says="deletes the model {target}"),
        Fact(RUN, "run|pull|serve|create|cp|push", severity=LOW),
    ),
}  # fmt: skip


def _guarded(row: CliCommand) -> Iterator[Fact]:
    """What an agent may not do with a command of its guard: all that is not named as harmless."""
    if row.harmless == "*" and not row.unless:
        return
    only = row.unless if row.harmless == "*" else f"!{row.harmless}" if row.harmless else ""
    yield Fact(TAMPER, f"{row.name} {only}".strip(), severity=CRITICAL, says=row.refusal,
               instead=row.instead)  # fmt: skip


_KNOWN = "|".join(row.name for row in CLI_COMMANDS)
_HANDRAIL = program(
    *(fact for row in CLI_COMMANDS for fact in _guarded(row)),
    *_guarded(UNKNOWN._replace(name=f"!{_KNOWN}")),
    values="--config -c --home", harmless="--help|--version",
)  # fmt: skip
_HOOK = program(
    Fact(TAMPER, severity=CRITICAL, says="speaks to the guard in the place of the host",
         instead=PERSON),
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    **_AGENTS,
    "handrail": _HANDRAIL,
    "handrail-hook": _HOOK,
    **aliases("handrail", "handrail.cli", "handrail.__main__"),
    "handrail.server": _HOOK,
}  # fmt: skip
