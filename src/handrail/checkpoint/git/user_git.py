"""Git on the user's own repository: its objects and refs, without its hooks and programs."""

import os
from collections.abc import Mapping

from handrail.checkpoint.git.runner import Git, GitDeadline
from handrail.checkpoint.git.user_repository import repository_directories


def user_git(work_tree: str, seconds: float, environ: Mapping[str, str] = os.environ) -> Git:
    """The user's git in a work tree: no hook, monitor or setting outside the repository counts."""
    own = repository_directories(work_tree).own
    git = Git(own, os.path.join(own, "index"), work_tree, GitDeadline(seconds), environ)
    git.environ["GIT_NO_LAZY_FETCH"] = "1"
    return git
