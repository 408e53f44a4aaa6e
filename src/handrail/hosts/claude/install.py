"""Our hooks in one settings file of Claude Code."""

from functools import partial

from handrail.hosts import installation
from handrail.hosts.claude.profile import PROFILE
from handrail.hosts.claude.settings import HookOptions, add, is_blank, remove
from handrail.hosts.git_view import GitView
from handrail.hosts.installation import HookText, Installation, Removal
from handrail.hosts.json_text import scan


def plan_install(path: str, hooking: HookOptions, view: GitView, record: str) -> Installation:
    """Plan the installation of our hooks; see `installation.plan_install`."""
    ours = partial(add, hooking=hooking)
    private = hooking.style == "http"
    return installation.plan_install(
        PROFILE.name, path, ours, _HOOKS, view, record, private=private
    )


def plan_removal(path: str, record: str) -> Removal:
    """Plan the removal of our hooks."""
    return installation.plan_removal(path, _HOOKS, record)


def _holds_nothing(text: str) -> bool:
    return is_blank(text) or not scan(text).entries


_HOOKS = HookText(remove, _holds_nothing)
