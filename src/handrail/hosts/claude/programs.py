"""The effects of the command `claude`, for the tables of programs."""

from handrail.shell.tables.agents import HELP, LIMITS, PERSON, adds_tool, unlimited
from handrail.shell.tables.shorthand import (
    CHANGE,
    CRITICAL,
    DELEGATE,
    HIGH,
    LOW,
    MEDIUM,
    PERSIST,
    RUN,
    SECRET,
    TAMPER,
    UNSEEN,
    Fact,
    Program,
)

_PLUGINS = "List the installed ones: `claude plugin list`."


def _unhooked(*whens: str) -> tuple[Fact, ...]:
    says = "starts an agent without its hooks, so nobody supervises it"
    return tuple(Fact(TAMPER, when, severity=CRITICAL, says=says, instead=LIMITS) for when in whens)


_CLAUDE = Program(
    values="--permission-mode --settings --model --append-system-prompt --system-prompt --add-dir "
    "--allowedTools --allowed-tools --disallowedTools --mcp-config --output-format --input-format "
    "--plugin-url --environment "
    "-r --resume --session-id --max-turns --agents --agent --fallback-model -s --scope -t "
    "--transport -e --env -H --header --setting-sources --plugin-dir --tools --json-schema",
    reader="claude",
    facts=(
        *unlimited("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions",
                    "--permission-mode=bypassPermissions",
                    "--settings=*bypassPermissions*|--settings=*disableAllHooks*",
                    "--allowedTools=\\*|--allowedTools=Bash|--allowed-tools=Bash|"
                    "--allowedTools=Bash(\\*)*|--allowedTools=*Bash(*:\\*)*"),
        *_unhooked("--bare", "--safe-mode"),
        *adds_tool("claude"),
        Fact(PERSIST, "plugin|plugins install|i|enable", on="1", severity=HIGH,
             says="adds the hooks of {target} to every later agent", instead=_PLUGINS),
        Fact(PERSIST, "plugin|plugins marketplace add|update", on="1", severity=HIGH,
             says="adds {target} as a source of plugins", instead=_PLUGINS),
        Fact(TAMPER, "plugin|plugins disable|uninstall|remove|rm @handrail*", severity=CRITICAL,
             says="switches off the guard of this agent", instead=PERSON),
        Fact(UNSEEN, "--plugin-dir", on="--plugin-dir",
             says="starts an agent with the hooks of {target}", instead=LIMITS),
        Fact(UNSEEN, "--plugin-url", on="--plugin-url",
             says="starts an agent with the hooks of {target}", instead=LIMITS),
        Fact(DELEGATE, "--cloud|--environment", says="starts an agent on a machine where nobody "
             "supervises it", instead="Start it here: `claude --permission-mode plan`."),
        Fact(UNSEEN, "--mcp-config=/tmp/*|--mcp-config=/dev/shm/*",
             says="starts an agent with world-writable settings", instead=LIMITS),
        Fact(TAMPER, "config set|add|remove @*permission*|*hook*|*allowedtools*|*trust*|*bypass*",
             severity=CRITICAL, says="changes the permissions of agents",
             instead="See `claude config list`."),
        Fact(CHANGE, "config set|add|remove", severity=MEDIUM),
        Fact(SECRET, "setup-token", says="creates a lasting access token",
             instead="Check the account: `claude doctor`."),
        Fact(RUN, severity=LOW, says="starts an agent"),
    ),
    harmless=HELP + "|-v",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "claude": _CLAUDE,
    "claude-code": Program(same_as="claude"),
}
