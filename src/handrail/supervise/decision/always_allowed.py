"""Actions that a person has allowed for good in one project: exactly these, and nowhere else."""

import os
from collections.abc import Iterable

from handrail.config.approvals import AlwaysAllowed
from handrail.config.sources import find_work_tree
from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.fingerprint import fingerprint
from handrail.review.tools.tool_effects import MalformedInputError, command_of
from handrail.supervise.runs.settings_trust import repository_of


def rule_for(action: Action) -> AlwaysAllowed:
    """Return the narrowest rule for an action."""
    root = find_work_tree(action.cwd) or action.cwd
    command = _command(action)
    if not command:
        return AlwaysAllowed(root, action.tool, fingerprint=fingerprint(action))
    return AlwaysAllowed(root, action.tool, command, _folder(action.cwd, root))


def is_always_allowed(action: Action, name: str, rules: Iterable[AlwaysAllowed]) -> bool:
    """Return whether a person has allowed an action for good; `name`: its fingerprint."""
    for rule in rules:
        if rule.tool != action.tool:
            continue
        if rule.fingerprint == name if rule.fingerprint else rule.command == _command(action):
            root = find_work_tree(action.cwd) or action.cwd
            is_there = bool(rule.fingerprint) or rule.folder == _folder(action.cwd, root)
            if is_there and _is_same_project(rule.project, root):
                return True
    return False


def _command(action: Action) -> str:
    if action.tool.lower() not in SHELL_TOOLS:
        return ""
    try:
        return command_of(action) or ""
    except MalformedInputError:
        return ""


def _folder(cwd: str, root: str) -> str:
    below = os.path.relpath(cwd, root)
    return "" if below == "." else below


def _is_same_project(one: str, other: str) -> bool:
    """Return whether two folders are the same, or work trees of one repository."""
    if one == other:
        return True
    return repository_of(os.path.join(one, "_")) == repository_of(os.path.join(other, "_"))
