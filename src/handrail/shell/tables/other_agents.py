"""Agent programs that Handrail does not supervise, and how each is started to ask nobody."""

from typing import NamedTuple


class OtherAgent(NamedTuple):
    """One agent program; nobody reviews its steps."""

    title: str
    unattended: tuple[str, ...]
    """Calls after which it asks nobody, each in the words of a fact's `when`."""
    bounds: str = "nothing"
    """What still holds it then."""
    values: str = "-p --prompt -m --model"
    """Its options with a separate value."""


_SANDBOX = "its own sandbox, unless that is switched off too"
_DENIED = "its own `deny` rules"
_GEMINI_VALUES = (
    "-p --prompt -i --prompt-interactive -m --model --approval-mode --sandbox-image "
    "--include-directories --allowed-tools --allowed-mcp-server-names -e --extensions -o"
)

OTHER_AGENTS: dict[str, OtherAgent] = {
    "acli": OtherAgent("Rovo Dev", ("rovodev --yolo",)),
    "aider": OtherAgent("Aider", ("--yes-always|--yes",)),
    "amp": OtherAgent("Amp", ("--dangerously-allow-all",), values="-x --execute --mode -m"),
    "auggie": OtherAgent("Auggie", ("--dangerously-*|--permission=*allow*",), _DENIED),
    "autogpt": OtherAgent("AutoGPT", ("-c|--continuous|--continuous-mode|-y",)),
    "cline": OtherAgent("Cline", ("-y|--yolo",)),
    "codex": OtherAgent("Codex CLI", ("--full-auto",), _SANDBOX),
    "copilot": OtherAgent(
        "Copilot CLI",
        ("--allow-all-tools|--allow-all|--yolo", "--allow-all-paths|--allow-all-urls",
         "--allow-tool=shell*|--allow-tool=write"),
        "its own `--deny-tool` rules",
    ),
    "crush": OtherAgent("Crush", ("-y|--yolo", "run"), values="-c --cwd -D --data-dir -m --model"),
    "cursor-agent": OtherAgent(
        "Cursor", ("-f|--force|--yolo", "--approve-mcps|--trust", "-c|--cloud"), _DENIED
    ),
    "droid": OtherAgent("Droid", ("--skip-permissions-unsafe", "--auto"), "its blocklist",
                        "-o --output-format -f --file --auto -s --session-id -m --model"),
    "gemini": OtherAgent("Gemini CLI", ("-y|--yolo", "--approval-mode=yolo"), _SANDBOX,
                         _GEMINI_VALUES),
    "goose": OtherAgent("Goose", ("run",), "nothing: its mode is `auto` unless you set another",
                        "-t --text -i --instructions -n --name --with-extension --with-builtin "
                        "--recipe"),
    "gptme": OtherAgent("gptme", ("-n|--non-interactive|-y|--no-confirm",)),
    "grok": OtherAgent("Grok CLI", ("-p|--prompt",)),
    "iflow": OtherAgent("iFlow CLI", ("-y|--yolo", "--approval-mode=yolo"), _SANDBOX,
                        _GEMINI_VALUES),
    "interpreter": OtherAgent("Open Interpreter", ("-y|--auto_run|--auto-run",)),
    "kilocode": OtherAgent("Kilo Code", ("--auto|--yolo",)),
    "kimi": OtherAgent(
        "Kimi CLI",
        ("-y|--yolo|--yes|--auto-approve", "--auto|--afk", "--print|--quiet", "-p|--prompt"),
        values="-p --prompt -m --model -w --work-dir -S --session -r --resume --add-dir "
        "--agent --agent-file --config --config-file --output-format --skills-dir",
    ),
    "kiro-cli": OtherAgent("Kiro", ("chat -a|--trust-all-tools",
                                    "chat --trust-tools=*execute_bash*")),
    "mini": OtherAgent("mini-swe-agent", ("-y|--yolo",)),
    "opencode": OtherAgent(
        "OpenCode", ("--auto|--yolo|--dangerously-*", "run"), _DENIED,
        "-m --model -s --session --agent -f --file --title --attach --port --format",
    ),
    "openhands": OtherAgent("OpenHands", ("--always-approve|--yolo|--llm-approve",)),
    "pi": OtherAgent("pi", ("-p|--print", "--mode=json|--mode=rpc"),
                     values="--mode --model --provider --api-key --system-prompt --session"),
    "q": OtherAgent("Amazon Q", ("chat -a|--trust-all-tools", "chat --trust-tools=*execute_bash*")),
    "qwen": OtherAgent("Qwen Code", ("-y|--yolo", "--approval-mode=yolo"), _SANDBOX,
                       _GEMINI_VALUES),
    "tabnine": OtherAgent("Tabnine CLI", ("-y|--yolo", "--approval-mode=yolo"), _SANDBOX,
                          _GEMINI_VALUES),
    "trae-cli": OtherAgent("Trae Agent", ("run",)),
    "vibe": OtherAgent(
        "Mistral Vibe", ("--auto-approve|--yolo", "--agent=auto-approve", "-p|--prompt"),
        values="-p --prompt --agent --max-turns --workdir --output",
    ),
}  # fmt: skip
