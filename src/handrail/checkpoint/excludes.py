"""What the user has git leave alone, beyond the .gitignore files in the work tree."""

# NOTE for the saving side (remove when done):
# - Private._prepare: write `excluded_lines(...) + nested.excluded_lines(git)` to info/exclude.
# - staging.stage: call `is_seeded = seeding.seed(git)` at EVERY save, before looking whether there
#   is an index: it also notices that the user's store has lost objects, and removes the index.
#   (`is_fresh = is_seeded or not os.path.exists(git.index)`; two stats where nothing is borrowed.)
# - listing: `nested.files_of(git, path, include_options(include))`; an empty answer is no LeftOut:
#   everything in there is ignored, or there is nothing.
# - committing.differences: `diff-index --cached` needs --ita-invisible-in-index: a seeded index
#   announces files that have to be read by intent-to-add entries (never in a tree).

import os
import re

from handrail.checkpoint.errors import GitError, GitTooSlowError
from handrail.checkpoint.git import Git
from handrail.checkpoint.user_repository import directories, read_text

_MAX_BYTES = 1_000_000
_SPECIAL = re.compile(r"([\\*?\[\]#! ])")


def global_excludes(git: Git) -> str:
    """The file that `core.excludesFile` of the user names; empty: git's usual one."""
    asked = ("config", "--global", "--type=path", "--get", "core.excludesFile")
    try:
        path = git.of_user().text(*asked)
    except GitTooSlowError:
        raise
    except GitError:  # there is none
        return ""
    return path if os.path.isabs(path) else ""


def excluded_lines(work_tree: str, state: str) -> str:
    """The lines of the repository's own list, and Handrail's state where it lies inside."""
    lines = _own_excludes(work_tree)
    inside = os.path.relpath(os.path.realpath(state), work_tree)
    if not inside.startswith(".."):
        lines += "\n/" + _SPECIAL.sub(r"\\\1", inside) + "/\n"
    return lines


def _own_excludes(work_tree: str) -> str:
    return read_text(os.path.join(directories(work_tree).common, "info", "exclude"), _MAX_BYTES)
