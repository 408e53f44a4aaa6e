"""What the review of a later step needs to know of the earlier ones."""

from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.check_commands import is_check_run
from handrail.model.effect import UNNAMED_KINDS
from handrail.model.history import History, RecentStep
from handrail.model.intent import Intent
from handrail.model.unfinished_work import (
    goal_parts,
    is_program,
    placeholder_left,
    untouched,
)


def note_goal(history: History, prompt: str) -> None:
    """Note the parts of a new goal; "go on" keeps those of the old one."""
    if parts := goal_parts(prompt):
        history.open_parts = parts


def note_edit(history: History, action: Action) -> None:
    """Note the part of the goal that a permitted action is for, and a gap that it leaves."""
    if history.open_parts:
        history.open_parts = untouched(history.open_parts, action)
    path = action.input.get("file_path")
    text = action.input.get("content", action.input.get("new_string"))
    if isinstance(path, str) and isinstance(text, str):
        old = action.input.get("old_string")
        sign = placeholder_left(path, text, old if isinstance(old, str) else "")
        if sign or path in history.placeholders:
            is_whole = not isinstance(old, str)
            known = history.placeholders.get(path, "")
            kept = known if not is_whole and known not in str(old) else ""
            history.note_placeholder(path, sign or kept)


def _is_check(intent: Intent) -> bool:
    return intent.tool.lower() in SHELL_TOOLS and is_check_run(intent.shown)


def note_step(history: History, intent: Intent, ok: bool) -> None:
    """Note a step that has ended."""
    if intent.secrets:
        history.note_secrets(tuple(path for path in intent.secrets if path.startswith("/")))
    checks = history.unverified > 0 and _is_check(intent)
    changed = bool(intent.writes) or not UNNAMED_KINDS.isdisjoint(intent.kinds)
    history.add_step(
        RecentStep(
            intent.shown,
            (*intent.reads, *intent.writes),
            ok,
            changed,
            intent.before,
            intent.after,
        ),
        checks=checks,
        edits=ok and any(map(is_program, intent.writes)),
    )
