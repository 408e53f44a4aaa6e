"""Files that a checkout would lose if git wrote new ones; git spares no ignored file."""

import os
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from handrail.checkpoint.files import folders_above
from handrail.checkpoint.git.runner import split_paths
from handrail.fleet.merges.checkout_recovery import changes_between, is_folder
from handrail.fleet.workspaces.repository_git import RepositoryGit


def files_in_the_way(git: RepositoryGit, before: str, after: str) -> list[str]:
    """Return the files that git does not track and that stand where new files will be."""
    new = [each.path for each in changes_between(git, before, after) if each.creates]
    if not new:
        return []
    tracked = set(split_paths(git.run("ls-files", "-z")))
    found = (path for each in new for path in _in_the_way(git.folder, each, tracked))
    return list(dict.fromkeys(found))


def _in_the_way(folder: str, path: str, tracked: AbstractSet[str]) -> Iterator[str]:
    for above in folders_above(path):
        place = above.rstrip("/")
        if _is_file(os.path.join(folder, place)) and place not in tracked:
            yield place
    if is_folder(os.path.join(folder, path)):
        yield from (each for each in _files_below(folder, path) if each not in tracked)
    elif _is_file(os.path.join(folder, path)):
        yield path


def _files_below(folder: str, path: str) -> Iterator[str]:
    for at, folders, files in os.walk(os.path.join(folder, path)):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        for name in (*files, *links):
            yield os.path.relpath(os.path.join(at, name), folder)


def _is_file(path: str) -> bool:
    return os.path.lexists(path) and not is_folder(path)
