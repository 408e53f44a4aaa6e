"""Agents without limits and changes to the guard are stopped; agents with limits are not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = {
    Kind.DELEGATE: [
        "claude --dangerously-skip-permissions",
        "claude --allow-dangerously-skip-permissions -p x",
        "claude -p x --permission-mode bypassPermissions",
        "claude --permission-mode=bypassPermissions",
        "claude --settings '{\"disableAllHooks\":true}' -p x",
        "npx -y @anthropic-ai/claude-code@latest --dangerously-skip-permissions",
        "bunx @anthropic-ai/claude-code --dangerously-skip-permissions",
        "codex --yolo",
        "codex exec --dangerously-bypass-approvals-and-sandbox x",
        "codex -a never -s danger-full-access x",
        "codex exec --full-auto x",
        "npx @openai/codex --yolo",
        "gemini -y -p x",
        "gemini --approval-mode=yolo",
        "npx @google/gemini-cli --yolo",
        "q chat --trust-all-tools",
        "cursor-agent -f -p x",
        "copilot --allow-all-tools -p x",
        "amp --dangerously-allow-all",
        "aider --yes-always",
        "opencode run --dangerously-skip-permissions x",
    ],
    Kind.PERSIST: [
        "claude mcp add x -- npx server",
    ],
    Kind.TAMPER: [
        "claude config set -g permissions.defaultMode bypassPermissions",
        "handrail uninstall claude",
        "handrail approve --all",
        "handrail serve stop",
        "handrail config set x y",
        "handrail incident resume 1",
        "handrail undo",
        "handrail undo --action 3 --yes",
        "handrail redo -y",
        "handrail rollback c12 --yes",
        "handrail checkpoint",
        "handrail checkpoint mine",
        "handrail disable",
        "yes | handrail uninstall",
    ],
}
ROWS = [(kind, command) for kind, commands in STOPPED.items() for command in commands]


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_no_limits_no_guard(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert kind in {effect.kind for effect in severe}


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_what_to_do_instead(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert all(effect.instead for effect in severe if effect.kind not in PATH_KINDS)


CALM = [
    "claude -p 'fix the tests'",
    "claude --permission-mode plan -p x",
    "claude --version",
    "claude mcp list",
    "codex exec --sandbox read-only x",
    "codex -a on-request x",
    "gemini -p x",
    "npx @google/gemini-cli --version",
    "copilot -p x",
    "aider --message fix src/x.py",
    "handrail review 'rm -rf /'",
    "handrail status",
    "handrail log",
    "handrail explain 12",
    "handrail replay run",
    "handrail config show",
    "handrail doctor",
    "handrail demo",
    "handrail restore",
    "handrail checkpoints",
    "handrail checkpoints --all --json",
    "handrail diff",
    "handrail diff c12 src/",
    "handrail undo --help",
    "handrail uninstall --help",
]


@pytest.mark.parametrize("command", CALM)
def test_with_limits(effects: Effects, command: str) -> None:
    assert all(effect.severity < Severity.HIGH for effect in effects(command))
