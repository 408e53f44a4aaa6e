"""The git settings under which Handrail works in a user's repository.

An agent can write into the settings of the repository that it works in. Handrail's own git runs
unsupervised, so it must not run a program that only these settings name. The user's own settings
count: attributes, line ends, and filters such as Git LFS.
"""

import os
import re
from collections.abc import Iterable, Mapping

import msgspec

FIXED: Mapping[str, str] = {
    "advice.detachedHead": "false",
    "branch.autoSetupMerge": "false",
    "commit.gpgSign": "false",
    "core.editor": "true",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "gc.auto": "0",
    "maintenance.auto": "false",
    "merge.autoStash": "false",
    "merge.verifySignatures": "false",
    "rerere.enabled": "false",
    "submodule.recurse": "false",
}
_OF_USER = frozenset({"system", "global"})
_PROGRAMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"filter\..*\.(clean|smudge|process)", re.DOTALL), ""),
    # It fails, so the file counts as a conflict; an empty one would take our side unseen.
    (re.compile(r"merge\..*\.driver", re.DOTALL), "false"),
    (re.compile(r"core\.sshcommand"), "ssh"),
    (re.compile(r"core\.gitproxy"), ""),
    (re.compile(r"remote\..*\.uploadpack", re.DOTALL), "git-upload-pack"),
)
"""Settings that name a program, and a harmless value for each."""
_FILTER = re.compile(r"(filter\..*\.)(clean|smudge|process)", re.DOTALL)
_FALLBACK: Mapping[str, str] = {"user.name": "Handrail", "user.email": "handrail@localhost"}


class GitSetting(msgspec.Struct, frozen=True):
    """One line of the settings, and where it stands: system, global, local or worktree."""

    scope: str
    name: str
    value: str


def read_settings(listed: bytes) -> list[GitSetting]:
    """Read the output of `git config --list --show-scope -z`."""
    parts = os.fsdecode(listed).split("\0")
    pairs = zip(parts[:-1:2], parts[1::2], strict=False)
    found = []
    for scope, line in pairs:
        name, _, value = line.partition("\n")
        found.append(GitSetting(scope, name, value))
    return found


def safe_settings(settings: Iterable[GitSetting]) -> dict[str, str]:
    """Return the settings that override those of a repository: no program of its own runs.

    Where the user's settings name a program for the same purpose, that one counts.
    """
    of_user: dict[str, str] = {}
    of_repository: dict[str, None] = {}
    for each in settings:
        if each.scope in _OF_USER:
            of_user[each.name] = each.value
        else:
            of_repository[each.name] = None
    found = dict(FIXED)
    for name in of_repository:
        harmless = next((value for pattern, value in _PROGRAMS if pattern.fullmatch(name)), None)
        if harmless is None:
            continue
        found[name] = of_user.get(name, harmless)
        if name not in of_user and (of_filter := _FILTER.fullmatch(name)):
            found[f"{of_filter[1]}required"] = "false"
    known = of_user.keys() | of_repository.keys()
    return found | {name: value for name, value in _FALLBACK.items() if name not in known}


def as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables that give git these settings, stronger than all files."""
    found = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        found[f"GIT_CONFIG_KEY_{number}"] = name
        found[f"GIT_CONFIG_VALUE_{number}"] = value
    return found
