"""AI agents started from the command line, and Handrail itself."""

from collections.abc import Iterator

from handrail.model.commands import CLI_COMMANDS, UNKNOWN, CliCommand
from handrail.shell.join_programs import joined
from handrail.shell.tables.other_agents import OTHER_AGENTS, OtherAgent
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
_YOURSELF = (
    "Do it yourself or with a sub-agent: Handrail reviews these steps. Or plan it: "
    "`claude --permission-mode plan -p 'look at it'`."
)
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
    Fact(DELEGATE, "-a=never|--ask-for-approval=never|-c=approval_policy=*never*", severity=MEDIUM,
         says="starts an agent without approval prompts, in its sandbox"),
    Fact(UNSEEN, "-c=mcp_servers.*|-c=notify=*|--config=mcp_servers.*|-c=shell_environment*",
         says="makes the agent run a program from an option", instead=LIMITS),
    Fact(CHANGE, "login|logout", severity=LOW),
    values="-a --ask-for-approval -s --sandbox -c --config -m --model -p --profile -C --cd -i "
    "--image --output-last-message -o --output-schema --color --add-dir --remote",
    chdir="-C|--cd", wraps=(Wrapper(when="sandbox|debug linux|macos|landlock|seatbelt"),),
)  # fmt: skip
_AIDER = program(
    Fact(READ, on="--read|--file|-f|--message-file|--env-file|--load"),
    values="-m --message -f --message-file --model --read --file --test-cmd --lint-cmd "
    "--env-file --config -c --load --api-key --editor",
    wraps=(Wrapper(form="shell", options="--test-cmd|--lint-cmd|--editor"),),
    harmless="--dry-run|--show-repo-map|--list-models",
)  # fmt: skip
_GOOSE = program(
    Fact(UNSEEN, "--recipe=http*", says="follows instructions from the network",
         instead="Download and read them first."),
    Fact(READ, on="-i|--instructions"),
    wraps=(Wrapper(form="shell", options="--with-extension"),),
)  # fmt: skip
_MORE = {"codex": _CODEX, "aider": _AIDER, "goose": _GOOSE}
"""What is known of an agent beside how it is started to ask nobody."""


def _program(name: str, agent: OtherAgent) -> Program:
    says = f"starts {agent.title} without approval prompts and without supervision"
    facts = (Fact(DELEGATE, when, says=says, instead=_YOURSELF) for when in agent.unattended)
    started = Fact(RUN, severity=LOW, says="starts an agent")
    known = program(*facts, *adds_tool(name), started, values=agent.values, harmless=HELP)
    more = _MORE.get(name)
    return known if more is None else joined(more, known)


_AGENTS: dict[str, Program] = {
    **{name: _program(name, agent) for name, agent in OTHER_AGENTS.items()},
    "gemini-cli": program(same_as="gemini"),
    "qwen-code": program(same_as="qwen"),
    "open-interpreter": program(same_as="interpreter"),
    "auto-gpt": program(same_as="autogpt"),
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
