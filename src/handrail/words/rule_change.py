"""A change of the user's own file, as people read it."""

import difflib

from handrail.config.user_rules import UserRuleChange


def rule_diff(change: UserRuleChange) -> str:
    """Return a change as a unified diff."""
    before = (change.before or "").splitlines()
    old = change.path if change.before is not None else "/dev/null"
    lines = difflib.unified_diff(
        before, change.after.splitlines(), old, change.path, lineterm="", n=2
    )
    return "\n".join(lines)
