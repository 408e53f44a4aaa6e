"""Takes back what an agent did to a user's repository, by the user's own git."""

import os
from collections.abc import Callable, Mapping, Sequence

import msgspec

from handrail.checkpoint.errors import CheckpointError, GitError
from handrail.checkpoint.files import scratch_folder
from handrail.checkpoint.git.runner import Git, split_paths
from handrail.checkpoint.git.user_repository import read_text, repository_directories
from handrail.checkpoint.history.git_plan import (
    INDEX,
    GitUndoPlan,
    RefChange,
    SparedPart,
    plan_git_undo,
)
from handrail.checkpoint.history.repository_state import (
    RepositoryState,
    StashEntry,
    read_repository,
)
from handrail.checkpoint.path_keys import path_key, path_of

KEPT = "refs/handrail"
"""What an undo makes unreachable stays reachable below."""
_NONE = "0" * 40
_REF = "ref: "
_MAX_SMALL = 4096
Entries = Mapping[str, tuple[str, ...]]
"""By the key of a path, its entries in an index: `mode blob stage`."""


class GitChangedError(CheckpointError):
    """The repository changed between the preview and the undo."""

    def __init__(self) -> None:
        super().__init__("the repository was changed while you were looking; look again")


class GitNotUndoneError(CheckpointError):
    """The user's git did not do all of it."""

    def __init__(self, done: Sequence[str], says: str) -> None:
        so_far = f"; done so far: {', '.join(done)}" if done else "; nothing is changed"
        super().__init__(f"the repository did not go back: {says}{so_far}")
        self.done = tuple(done)


class GitUndo:
    """Previews or carries out the way back of one repository."""

    def __init__(self, git: Git, scratch: str) -> None:
        """`git`: the user's (`user_git`); `scratch`: a path in a private folder."""
        self._git = git
        self._scratch = scratch
        self._common = repository_directories(git.work_tree).common

    def state(self) -> RepositoryState | None:
        """The repository as it is now."""
        return read_repository(self._git)

    def plan(
        self,
        before: RepositoryState,
        after: RepositoryState,
        now: RepositoryState,
        others: Mapping[str, str],
    ) -> GitUndoPlan:
        """Plan the way back; raises GitError."""
        elsewhere = self._checked_out_elsewhere()
        plan = plan_git_undo(before, after, now, others=others, elsewhere=elsewhere)
        spared = list(plan.spared)
        plan = self._without_lost(plan, spared)
        paths: tuple[str, ...] = ()
        if None in (before.staged, after.staged, now.staged):
            spared.append(SparedPart(INDEX, "too much is staged to be recorded"))
        elif (before.staged, before.commit) != (after.staged, after.commit):
            paths = self._index_paths(before, after, others, spared)
        return msgspec.structs.replace(plan, index=paths, spared=tuple(spared))

    def apply(self, plan: GitUndoPlan, before: RepositoryState, key: str) -> None:
        """Carry out a plan; raises GitNotUndoneError.

        `key`: the checkpoint that was taken just before, which names what is kept.
        """
        why = f"handrail undo: back to before {key}"
        done: list[str] = []
        steps: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("operations", lambda: self._quit(plan)),
            ("refs", lambda: self._move(plan, key, why)),
            ("HEAD", lambda: self._set_head(plan, why)),
            ("new refs", lambda: self._delete(plan, why)),
            ("stash", lambda: self._restack(plan)),
            ("index", lambda: self._stage(plan, before)),
        )
        for name, step in steps:
            try:
                if step():
                    done.append(name)
            except (GitError, OSError) as error:
                says = error.says if isinstance(error, GitError) else str(error)
                raise GitNotUndoneError(done, says) from error

    # Planning

    def _without_lost(self, plan: GitUndoPlan, spared: list[SparedPart]) -> GitUndoPlan:
        """Leave out commits that git has collected since."""
        wanted = [each.then for each in plan.refs] + [each.commit for each in plan.store]
        lost = self._missing([*filter(None, wanted), *([plan.head] if _is_commit(plan) else [])])
        if not lost:
            return plan
        spared += [
            SparedPart(each.name, "git has removed the commit")
            for each in plan.refs
            if each.then in lost
        ]
        return msgspec.structs.replace(
            plan,
            refs=tuple(each for each in plan.refs if each.then not in lost),
            head="" if plan.head in lost else plan.head,
            store=tuple(each for each in plan.store if each.commit not in lost),
        )

    def _missing(self, commits: Sequence[str]) -> set[str]:
        if not commits:
            return set()
        given = "".join(f"{each}\n" for each in commits).encode()
        answers = self._git.run("cat-file", "--batch-check", given=given).decode().splitlines()
        return {each.split()[0] for each in answers if each.endswith(" missing")}

    def _checked_out_elsewhere(self) -> set[str]:
        found: set[str] = set()
        own = os.path.realpath(repository_directories(self._git.work_tree).own)
        folder = os.path.join(self._common, "worktrees")
        others = [os.path.join(folder, name) for name in _names(folder)]
        for directory in (self._common, *others):
            if os.path.realpath(directory) != own:
                head = read_text(os.path.join(directory, "HEAD"), _MAX_SMALL).strip()
                found.add(head.removeprefix(_REF))
        return found

    def _index_paths(
        self,
        before: RepositoryState,
        after: RepositoryState,
        others: Mapping[str, str],
        spared: list[SparedPart],
    ) -> tuple[str, ...]:
        """The paths of the index that the undone part changed, and nobody since."""
        if INDEX in others:
            spared.append(SparedPart(INDEX, others[INDEX]))
            return ()
        then, end, now = self._entries_of(before), self._entries_of(after), self._entries()
        found: list[str] = []
        left = 0
        for key in {**then, **end}:
            if then.get(key) == end.get(key) or now.get(key) == then.get(key):
                continue
            if now.get(key) == end.get(key):
                found.append(key)
            else:
                left += 1
        if left:
            spared.append(SparedPart(INDEX, f"{left} of its paths were staged since"))
        return tuple(sorted(found))

    def _entries_of(self, state: RepositoryState) -> Entries:
        """The entries of an index as it was."""
        with scratch_folder(self._scratch, "staged") as folder:
            git = self._git.with_index(os.path.join(folder, "index"))
            git.run("read-tree", state.commit) if state.commit else git.run("read-tree", "--empty")
            lines = [_index_lines(key, entry) for key, entry in (state.staged or {}).items()]
            git.run("update-index", "-z", "--index-info", given=b"".join(lines))
            return _read_entries(git)

    def _entries(self) -> Entries:
        return _read_entries(self._git)

    # Carrying out; each says whether there was something to do

    def _quit(self, plan: GitUndoPlan) -> bool:
        for operation in plan.quit:
            self._git.run(operation, "--quit")
        return bool(plan.quit)

    def _move(self, plan: GitUndoPlan, key: str, why: str) -> bool:
        """Move refs, and keep what becomes unreachable, in one transaction."""
        moved = [each for each in plan.refs if each.then]
        kept = {
            f"{KEPT}/{key}/{each.name.removeprefix('refs/')}": each.now
            for each in plan.refs
            if each.now
        }
        kept |= {f"{KEPT}/{key}/stash-{at}": each.commit for at, each in enumerate(plan.drop)}
        lines = [f"update {each.name} {each.then} {each.now or _NONE}" for each in moved]
        lines += [f"verify {each.name} {each.now}" for each in plan.refs if not each.then]
        lines += [f"update {name} {commit}" for name, commit in kept.items()]
        return self._transaction(lines, why)

    def _delete(self, plan: GitUndoPlan, why: str) -> bool:
        gone: list[RefChange] = [each for each in plan.refs if not each.then]
        return self._transaction([f"delete {each.name} {each.now}" for each in gone], why)

    def _transaction(self, lines: Sequence[str], why: str) -> bool:
        if lines:
            given = "".join(f"{line}\n" for line in ("start", *lines, "commit"))
            self._git.run(
                "update-ref", "-m", why, "--create-reflog", "--stdin", given=given.encode()
            )
        return bool(lines)

    def _set_head(self, plan: GitUndoPlan, why: str) -> bool:
        if not plan.head:
            return False
        where = repository_directories(self._git.work_tree).own
        if read_text(os.path.join(where, "HEAD"), _MAX_SMALL).strip() != plan.head_now:
            raise GitError("symbolic-ref", "HEAD was changed meanwhile")
        if _is_commit(plan):
            self._git.run("update-ref", "--no-deref", "-m", why, "HEAD", plan.head)
        else:
            self._git.run("symbolic-ref", "-m", why, "HEAD", plan.head.removeprefix(_REF))
        return True

    def _restack(self, plan: GitUndoPlan) -> bool:
        for each in plan.drop:
            self._check_top(each)
            self._git.run("stash", "drop", "-q", "stash@{0}")
        for each in plan.store:
            self._git.run("stash", "store", "-q", "-m", each.message, each.commit)
        return bool(plan.drop or plan.store)

    def _check_top(self, entry: StashEntry) -> None:
        if self._git.text("rev-parse", "-q", "--verify", "refs/stash") != entry.commit:
            raise GitError("stash", "the stash was changed meanwhile")

    def _stage(self, plan: GitUndoPlan, before: RepositoryState) -> bool:
        if not plan.index:
            return False
        then = self._entries_of(before)
        lines = [_restoring_lines(key, then.get(key, ())) for key in plan.index]
        self._git.run("update-index", "-z", "--index-info", given=b"".join(lines))
        return True


def _is_commit(plan: GitUndoPlan) -> bool:
    return bool(plan.head) and not plan.head.startswith(_REF)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read_entries(git: Git) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for entry in split_paths(git.run("ls-files", "-s", "-z")):
        about, _, path = entry.partition("\t")
        key = path_key(path)
        found[key] = (*found.get(key, ()), about)
    return found


def _index_lines(key: str, entry: str) -> bytes:
    """A staged difference, as `update-index --index-info` reads it."""
    stages = tuple(entry.split(", ")) if entry else ()
    return _restoring_lines(
        key, tuple(each if each.count(" ") > 1 else f"{each} 0" for each in stages)
    )


def _restoring_lines(key: str, entries: Sequence[str]) -> bytes:
    """Lines that give a path these entries, and no others."""
    path = os.fsencode(path_of(key))
    lines = [f"0 {_NONE}\t".encode() + path + b"\0"]
    lines += [f"{each}\t".encode() + path + b"\0" for each in entries]
    return b"".join(lines)
