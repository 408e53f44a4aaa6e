"""AI agents started from the command line, and Handrail itself."""

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
    SECRET,
    TAMPER,
    UNSEEN,
    Fact,
    Program,
    Wrapper,
)

_LIMITS = "Let it ask: start it without that option, for example `claude --permission-mode plan`."
_PERSON = "Ask a person to decide; an agent does not change its own supervision."
_PLUGINS = "Look at what is installed: `claude plugin list`."
_MCP_LIST = "Look at what is set up: `{} mcp list`."


def _unlimited(*whens: str) -> tuple[Fact, ...]:
    says = "starts an agent that may do anything without asking"
    return tuple(Fact(DELEGATE, when, says=says, instead=_LIMITS) for when in whens)


def _unhooked(*whens: str) -> tuple[Fact, ...]:
    says = "starts an agent without its hooks, so that nobody supervises it"
    return tuple(
        Fact(TAMPER, when, severity=CRITICAL, says=says, instead=_LIMITS) for when in whens
    )


def _adds_tool(program: str) -> tuple[Fact, ...]:
    return (
        Fact(PERSIST, "mcp add|add-json|add-from-*|install|import|enable", on="1", severity=HIGH,
             says="gives every later agent the tool server {target}",
             instead=_MCP_LIST.format(program)),
        Fact(CHANGE, "mcp remove|rm|disable|reset-project-choices", severity=MEDIUM),
        Fact(PERSIST, "plugin|plugins|extension|extensions|marketplace|skills install|add|link",
             on="1", severity=MEDIUM, says="adds {target} to every later agent"),
    )  # fmt: skip


_HELP = "--help|-h|--version|-V"
_CLAUDE = Program(
    values="--permission-mode --settings --model --append-system-prompt --system-prompt --add-dir "
    "--allowedTools --allowed-tools --disallowedTools --mcp-config --output-format --input-format "
    "-r --resume --session-id --max-turns --agents --agent --fallback-model -s --scope -t "
    "--transport -e --env -H --header --setting-sources --plugin-dir --tools --json-schema",
    reader="claude",
    facts=(
        *_unlimited("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions",
                    "--permission-mode=bypassPermissions",
                    "--settings=*bypassPermissions*|--settings=*disableAllHooks*",
                    "--allowedTools=\\*|--allowedTools=Bash|--allowed-tools=Bash|"
                    "--allowedTools=Bash(\\*)*|--allowedTools=*Bash(*:\\*)*"),
        *_unhooked("--bare", "--safe-mode"),
        *_adds_tool("claude"),
        Fact(PERSIST, "plugin|plugins install|i|enable", on="1", severity=HIGH,
             says="adds the hooks of {target} to every later agent", instead=_PLUGINS),
        Fact(PERSIST, "plugin|plugins marketplace add|update", on="1", severity=HIGH,
             says="adds {target} as a source of plugins", instead=_PLUGINS),
        Fact(TAMPER, "plugin|plugins disable|uninstall|remove|rm @handrail*", severity=CRITICAL,
             says="switches off the guard of this agent", instead=_PERSON),
        Fact(UNSEEN, "--plugin-dir", on="--plugin-dir",
             says="starts an agent with the hooks of {target}", instead=_LIMITS),
        Fact(UNSEEN, "--mcp-config=/tmp/*|--mcp-config=/dev/shm/*",
             says="starts an agent with settings that anyone can write", instead=_LIMITS),
        Fact(TAMPER, "config set|add|remove @*permission*|*hook*|*allowedtools*|*trust*|*bypass*",
             severity=CRITICAL, says="changes what agents may do",
             instead="See `claude config list`."),
        Fact(CHANGE, "config set|add|remove", severity=MEDIUM),
        Fact(SECRET, "setup-token", says="creates a lasting access token",
             instead="Check the account: `claude doctor`."),
        Fact(RUN, severity=LOW, says="starts an agent"),
    ),
    harmless=_HELP + "|-v",
)  # fmt: skip
_CODEX = Program(
    values="-a --ask-for-approval -s --sandbox -c --config -m --model -p --profile -C --cd -i "
    "--image --output-last-message -o --output-schema --color --add-dir --remote",
    chdir="-C|--cd",
    facts=(
        *_unlimited("--yolo|--dangerously-bypass-approvals-and-sandbox|--dangerously-*",
                    "-s=danger-full-access|--sandbox=danger-full-access",
                    "-c=*danger-full-access*|--config=*danger-full-access*",
                    "-c=approval_policy=*never* -s=danger-full-access"),
        Fact(DELEGATE, "--full-auto", severity=HIGH, says="starts an agent that asks nobody",
             instead="Let it only read: `codex exec --sandbox read-only 'explain'`."),
        Fact(DELEGATE, "-a=never|--ask-for-approval=never|-c=approval_policy=*never*",
             severity=MEDIUM, says="starts an agent that asks nobody, in its sandbox"),
        *_adds_tool("codex"),
        Fact(UNSEEN, "-c=mcp_servers.*|-c=notify=*|--config=mcp_servers.*|-c=shell_environment*",
             says="makes the agent run a program that stands in an option", instead=_LIMITS),
        Fact(CHANGE, "login|logout", severity=LOW),
        Fact(RUN, severity=LOW, says="starts an agent"),
    ),
    wraps=(Wrapper(when="sandbox|debug linux|macos|landlock|seatbelt"),),
    harmless=_HELP,
)  # fmt: skip
_GEMINI = Program(
    values="-p --prompt -i --prompt-interactive -m --model --approval-mode --sandbox-image "
    "--include-directories --allowed-tools --allowed-mcp-server-names -e --extensions -o",
    facts=(
        *_unlimited("-y|--yolo", "--approval-mode=yolo"),
        *_adds_tool("gemini"),
        Fact(RUN, severity=LOW, says="starts an agent"),
    ),
    harmless=_HELP + "|-v",
)  # fmt: skip


def _agent(*unlimited: str, values: str = "-p --prompt -m --model") -> Program:
    facts = (*_unlimited(*unlimited), *_adds_tool("claude"), Fact(RUN, severity=LOW))
    return Program(values=values, facts=facts, harmless=_HELP)


_AGENTS: dict[str, Program] = {
    "claude": _CLAUDE,
    "claude-code": Program(same_as="claude"),
    "codex": _CODEX,
    "gemini": _GEMINI,
    "gemini-cli": Program(same_as="gemini"),
    "qwen": _GEMINI,
    "qwen-code": Program(same_as="qwen"),
    "aider": Program(
        values="-m --message -f --message-file --model --read --file --test-cmd --lint-cmd "
        "--env-file --config -c --load --api-key --editor",
        facts=(
            Fact(DELEGATE, "--yes-always|--yes", severity=HIGH, instead="Let it ask: `aider`.",
                 says="starts an agent that agrees to everything itself"),
            Fact(READ, on="--read|--file|-f|--message-file|--env-file|--load"),
            Fact(RUN, severity=LOW, says="starts an agent"),
        ),
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
    "goose": Program(
        values="-t --text -i --instructions -n --name --with-extension --with-builtin --recipe",
        facts=(Fact(UNSEEN, "--recipe=http*", says="follows instructions from the network",
                    instead="Download and read them first."),
               Fact(READ, on="-i|--instructions"), Fact(RUN, severity=LOW)),
        wraps=(Wrapper(form="shell", options="--with-extension"),),
        harmless=_HELP,
    ),
    "crush": _agent("-y|--yolo"),
    "auggie": _agent("--dangerously-*|--permission=*allow*"),
    "openhands": _agent("--always-approve|--yolo|--llm-approve"),
    "interpreter": _agent("-y|--auto_run|--auto-run"),
    "open-interpreter": Program(same_as="interpreter"),
    "gptme": _agent("-n|--non-interactive|-y|--no-confirm"),
    "autogpt": _agent("-c|--continuous|--continuous-mode|-y"),
    "auto-gpt": Program(same_as="autogpt"),
    "mini": _agent("-y|--yolo"),
    "sweagent": Program(facts=(Fact(RUN, severity=LOW, says="starts an agent"),)),
    "ollama": Program(facts=(
        Fact(CHANGE, "rm", on="each", severity=LOW, says="deletes the model {target}"),
        Fact(RUN, "run|pull|serve|create|cp|push", severity=LOW))),
}  # fmt: skip

_HANDRAIL = Program(
    facts=(
        Fact(TAMPER, "uninstall|approve|reject|disable|enable|pause|resume|stop|kill|release|"
             "install|init|trust|allow|deny|forget|purge|reset|migrate|import|shutdown|off|on|"
             "override|unblock|grant|revoke|token|feedback", severity=CRITICAL, instead=_PERSON,
             says="changes what the guard of this agent does"),
        Fact(TAMPER, "cancel|freeze|interrupt|steer|redirect|escalate|watch", severity=CRITICAL,
             says="takes hold of runs in the name of a person", instead=_PERSON),
        Fact(TAMPER, "run", severity=CRITICAL, instead=_PERSON,
             says="starts an agent that works on in the name of a person"),
        Fact(TAMPER, "incident|incidents resume|close|dismiss|delete|resolve|approve",
             severity=CRITICAL, says="lifts a stop that the guard has set", instead=_PERSON),
        Fact(TAMPER, "undo|redo|rollback", severity=CRITICAL, instead=_PERSON,
             says="puts files back behind the back of those who work with them"),
        Fact(TAMPER, "checkpoint", severity=CRITICAL,
             says="takes a checkpoint in the name of a person",
             instead="Handrail saves the files by itself; see `handrail checkpoints`."),
        Fact(TAMPER, "doctor --fix", severity=CRITICAL,
             says="puts the guard's log away and starts a new one", instead=_PERSON),
        Fact(TAMPER, "notify", severity=CRITICAL, instead=_PERSON,
             says="sends messages to people in the name of the guard"),
        Fact(TAMPER, "serve|server|service|daemon|hook", severity=CRITICAL,
             says="starts, stops or speaks for the guard of this agent", instead=_PERSON),
        Fact(TAMPER, "config|settings|rules|policy|scope|approvals|hooks|hook|agents|agent set|"
             "unset|edit|add|remove|delete|reset|import|enable|disable|approve|install|uninstall",
             severity=CRITICAL, says="changes the rules of this agent's guard", instead=_PERSON),
    ),
    values="--config -c --home",
    harmless="--help|--version",
)  # fmt: skip
_HOOK = Program(
    facts=(Fact(TAMPER, severity=CRITICAL, says="speaks to the guard in the place of the host",
                instead=_PERSON),),
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    **_AGENTS,
    "handrail": _HANDRAIL, "handrail-hook": _HOOK,
    "handrail.cli": Program(same_as="handrail"),
    "handrail.__main__": Program(same_as="handrail"),
    "handrail.server": _HOOK,
}  # fmt: skip
