"""A rule is added to the user's own file, whatever that looks like; all else stays as it is."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from handrail.config.approvals import AlwaysAllowed
from handrail.config.errors import ConfigError
from handrail.config.layers import load_settings
from handrail.config.user_rules import UnwritableRuleError, plan_rule

RULE = AlwaysAllowed("/home/ada/shop", "Bash", 'echo "a: b" # {c}', "src")
PLAIN = {
    "project": "/home/ada/shop", "tool": "Bash", "command": 'echo "a: b" # {c}', "folder": "src"
}  # fmt: skip


def user(home: Path, text: str | None) -> dict[str, str]:
    folder = home / ".config" / "handrail"
    folder.mkdir(parents=True, exist_ok=True)
    if text is not None:
        (folder / "handrail.yaml").write_text(text)
    return {"HOME": str(home)}


FILES = [
    None,
    "",
    "# nothing yet\n",
    "goal: shop  # the goal",
    "approvals:\n",
    "approvals:\n  valid_minutes: 5\ngoal: shop\n",
    "approvals:\n    # four spaces\n    valid_minutes: 5\n\n\ngoal: shop\n",
    "approvals:\n  always: []\n",
    "approvals:\n  always:\n  - {project: /a, tool: Bash, command: ls}\n  valid_minutes: 5\n",
    "approvals:\n  always:\n    - project: /a\n      tool: Bash\n      command: ls\n\ngoal: shop\n",
    "approvals:\n  always: [{project: /a, tool: Bash, command: ls}] # mine\ngoal: shop\n",
]


@pytest.mark.parametrize("text", FILES)
def test_a_rule_is_added_and_nothing_else_changes(tmp_path: Path, text: str | None) -> None:
    environ = user(tmp_path, text)
    before = yaml.safe_load(text or "") or {}
    change = plan_rule(RULE, environ)
    after = yaml.safe_load(change.after)
    rules = after["approvals"].pop("always")
    assert rules[-1] == PLAIN or rules[0] == PLAIN
    section = dict(before.get("approvals") or {})
    known = section.pop("always", None) or []
    assert len(rules) == len(known) + 1
    assert after == {**before, "approvals": section}
    for line in (text or "").split("\n"):
        assert line.partition("[")[0].rstrip() in change.after
    user(tmp_path, change.after)
    assert RULE in load_settings(tmp_path, environ=environ).config.approvals.always


@given(st.text())
def test_any_command_comes_back_as_it_was(command: str) -> None:
    if not command:
        return
    rule = AlwaysAllowed("/home/ada/shop", "Bash", command)
    try:
        change = plan_rule(rule, {"HOME": "/nowhere/at/all"})
    except UnwritableRuleError:
        return  # YAML has no way to write it
    assert yaml.safe_load(change.after)["approvals"]["always"][0]["command"] == command


@pytest.mark.parametrize(
    "text", ["- a list\n", "goal: [", "approvals: 3\n", "approvals: {valid_minutes: 5}\n"]
)
def test_a_file_that_cannot_be_extended_is_left_alone(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnwritableRuleError, match="by hand"):
        plan_rule(RULE, user(tmp_path, text))


def test_a_rule_counts_only_in_the_user_s_own_file(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    text = plan_rule(RULE, {"HOME": str(tmp_path)}).after
    (project / "handrail.yaml").write_text(text)
    with pytest.raises(ConfigError, match="only in your own file"):
        load_settings(project, environ={"HOME": str(tmp_path)})
    given = {"HOME": str(tmp_path), "HANDRAIL_APPROVALS__ALWAYS": "[]"}
    with pytest.raises(ConfigError, match="only in your own file"):
        load_settings(tmp_path, environ=given)


def test_a_rule_names_a_command_or_a_fingerprint() -> None:
    for more in ({}, {"command": "ls", "fingerprint": "f"}):
        with pytest.raises(ValueError, match="not both"):
            AlwaysAllowed("/a", "Bash", **more)
