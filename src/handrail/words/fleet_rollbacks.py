"""What the rollback of a fleet changes and loses, in words."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from handrail.fleet.rollback.preview import FleetRollbackPreview, WorkspaceMade
from handrail.words.amounts import count

_FILES_SHOWN = 5

Part = Literal[
    "agents", "completed", "changed", "added", "commits", "merges", "merges that stay",
    "files", "spared", "workspaces", "remade",
]  # fmt: skip


class RollbackPart(NamedTuple):
    """One sort of things that go back, or stay."""

    part: Part
    what: str
    lines: tuple[str, ...]
    style: str = ""


def rollback_parts(look: FleetRollbackPreview, *, keep: bool) -> Iterator[RollbackPart]:
    """Yield what a rollback would change and lose; `keep`: workspaces made since stay."""
    agents = [
        f"{each.task_id} (iteration {each.iteration})" if each.iteration else each.task_id
        for each in look.in_progress
    ]
    yield RollbackPart("agents", "stop the agents of", tuple(agents), "red")
    done = look.done_since
    yield RollbackPart("completed", "completed since, and pending again", done, "red")
    other = [
        f"{name}: {now} → {then}" for name, (now, then) in look.tasks.items() if name not in done
    ]
    yield RollbackPart("changed", "other tasks that change", tuple(other))
    added = look.added_since
    yield RollbackPart("added", "added since; they stay and wait for you", added)
    commits = [f"{each.branch} {each.hash[:9]} {each.subject}" for each in look.commits]
    yield RollbackPart("commits", "commits that leave their branches", tuple(commits), "red")
    back = [f"{each.task} from {each.target}" for each in look.merges if not each.stays]
    yield RollbackPart("merges", "merges taken back", tuple(back), "red")
    stays = [f"{each.task}: {each.stays}" for each in look.merges if each.stays]
    what = "merges that stay, with their tasks"
    yield RollbackPart("merges that stay", what, tuple(stays), "yellow")
    files = [f"{each.does} {each.path}" for each in look.files]
    yield RollbackPart("files", "files of the main tree", tuple(files), "yellow")
    spared = [f"{each.path}: {each.why}" for each in look.spared]
    yield RollbackPart("spared", "files left alone", tuple(spared))
    made = [_workspace(each) for each in look.workspaces]
    what = "workspaces kept" if keep else "workspaces and branches removed"
    yield RollbackPart("workspaces", what, tuple(made), "" if keep else "red")
    yield RollbackPart("remade", "workspaces made again", look.remade)


def _workspace(made: WorkspaceMade) -> str:
    """Name a workspace, and the files in it that nobody committed."""
    where, files = f"{made.path} ({made.branch})", made.uncommitted
    if not files:
        return where
    more = f" and {len(files) - _FILES_SHOWN} more" if len(files) > _FILES_SHOWN else ""
    shown = ", ".join(files[:_FILES_SHOWN])
    return f"{where} with {count(len(files), 'uncommitted file')}: {shown}{more}"
