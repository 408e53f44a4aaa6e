"""Carries out a plan, all of it or nothing."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from handrail.checkpoint.errors import EditedMeanwhileError, GitError, NotRestoredError
from handrail.checkpoint.git.blobs import CopyBlob, open_blobs
from handrail.checkpoint.git.file_content import LINK
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.tree_diff import MAX_NAMED, TreeChange
from handrail.checkpoint.path_keys import path_key
from handrail.checkpoint.record import CheckpointRecord
from handrail.checkpoint.restore.folders import WorkTreeFolders
from handrail.checkpoint.restore.journal import RestoreJournal, RestoreJournals
from handrail.checkpoint.restore.safe_work_tree import Look, SafeWorkTree, applicable_permissions

_AS_BEFORE = "nothing is changed"
_MEANWHILE = "changed while it was restored"
_Done = list[tuple[TreeChange, str]]
"""Changes with their temporary files; empty: a deletion has none."""


class RestoreTransaction(msgspec.Struct):
    """One restore: new contents are written beside their places, then all are moved."""

    git: Git
    tree: SafeWorkTree
    journals: RestoreJournals
    target: CheckpointRecord
    before: CheckpointRecord
    old: dict[str, int | None] = {}
    """Permissions of the files before the restore, by path."""
    seen: dict[str, Look | None] = {}
    """How each file looked when it was the same as in the checkpoint before."""
    names: dict[tuple[int, int], list[str]] = {}
    """The paths of each file, by device and inode: a file may have several names."""

    @contextmanager
    def applied(self, changes: Sequence[TreeChange]) -> Iterator[None]:
        """Change the files; on NotRestoredError they are as they were before.

        A process that is killed inside the block leaves the journal of an interrupted restore.
        """
        deletes = [(each, "") for each in changes if each.deletes]
        writes = [each for each in changes if not each.deletes]
        folders = WorkTreeFolders(self.git.work_tree)
        beside = [folders.nearest(each.path) for each in writes]
        made = folders.missing(each.path for each in writes)
        around = folders.above(each.path for each in changes)
        journal = RestoreJournal.of(self.target.id, self.before.id, beside, around, made)
        self.old = {each.path: self.tree.permissions(each.path, each.old_mode) for each in changes}
        with self._kept(journal, changes):
            moves = list(zip(writes, journal.fresh_paths, strict=True))
            self._write(moves)
            self._check(changes)
            self._note(msgspec.structs.replace(journal, is_changing=True), changes)
            # First deleted: a file may have to become a folder, or the other way.
            self._change([*deletes, *moves], journal)
            # One folder: a file system with a journal writes down all that was before it, too.
            self.tree.sync(os.path.dirname(changes[-1].path))
            yield

    @contextmanager
    def _kept(self, journal: RestoreJournal, changes: Sequence[TreeChange]) -> Iterator[None]:
        """Keep the journal; remove temporary files after a failure."""
        self._note(journal, changes)
        try:
            yield
        except BaseException:
            self.journals.clear(journal)
            raise
        self.journals.end()

    def _note(self, journal: RestoreJournal, changes: Sequence[TreeChange]) -> None:
        try:
            self.journals.write(journal)
        except OSError as error:
            paths = [each.path for each in changes]
            raise self._not_restored(paths, f"{_AS_BEFORE}: {error}") from error

    def _write(self, moves: _Done) -> None:
        with open_blobs(self.git) as copy:
            for change, fresh in moves:
                try:
                    self._write_one(copy, change, fresh)
                except (OSError, GitError) as error:
                    raise self._not_restored([change.path], f"{_AS_BEFORE}: {error}") from error

    def _write_one(self, copy: CopyBlob, change: TreeChange, fresh: str) -> None:
        def fill(write: Callable[[bytes], object]) -> None:
            copy(change.blob, write)

        self.tree.write(fresh, change.mode, fill, self._permissions(change))

    def _permissions(self, change: TreeChange) -> int | None:
        """The saved permissions; else those of the file now, if they are usual."""
        key = path_key(change.path)
        if key in self.target.modes:
            return applicable_permissions(self.target.modes[key], change.mode)
        if key in self.before.modes:
            return None
        return self.tree.permissions(change.path, change.mode)

    def _is_shared(self, change: TreeChange) -> bool:
        """Whether the file has had the same several names since: all of them go back together."""
        key = path_key(change.path)
        link = self.target.links.get(key)
        return link is not None and link == self.before.links.get(key) and change.mode != LINK

    def _check(self, changes: Sequence[TreeChange]) -> None:
        """Raise if somebody changed these files after they were saved: that would be lost."""
        self.seen = {each.path: self.tree.look(each.path) for each in changes}
        for path, seen in self.seen.items():
            self.names.setdefault(seen[:2] if seen else (0, 0), []).append(path)
        try:
            edited = self._edited(changes)
        except GitError as error:
            paths = [each.path for each in changes]
            raise self._not_restored(paths, f"{_AS_BEFORE}: {error}") from error
        folders = WorkTreeFolders(self.git.work_tree)
        meanwhile = [
            each.path
            for each in changes
            if each.path in edited or (each.creates and folders.holds_file(each.path))
        ]
        if meanwhile:
            why = f"{_AS_BEFORE}: {_MEANWHILE}"
            raise EditedMeanwhileError(tuple(meanwhile), self.before.id, why)

    def _edited(self, changes: Sequence[TreeChange]) -> set[str]:
        """The files that changed since they were saved; asks git only about many."""
        if len(changes) > MAX_NAMED:
            return set(self.git.paths("diff-files", "-z", "--name-only"))
        there = (each for each in changes if not each.creates)
        return {each.path for each in there if self.tree.content(each.path) != each.before}

    def _change(self, steps: _Done, journal: RestoreJournal) -> None:
        begun: _Done = []
        path = ""
        try:
            for change, fresh in steps:
                path = change.path
                self._check_again(path)
                begun.append((change, fresh))
                if change.deletes:
                    self.tree.delete(path)
                elif self._is_shared(change):
                    self.tree.fill(fresh, path)
                else:
                    self.tree.put(fresh, path)
                self._look_again(path)
        except BaseException as error:
            wrong = self._put_back(begun, journal)
            if not isinstance(error, OSError):
                raise
            why = f"{_AS_BEFORE}: {error}"
            if wrong:
                why = f"{error}; `handrail rollback {self.before.id}` puts back what was there"
            raise self._not_restored(wrong or [path], why) from error

    def _check_again(self, path: str) -> None:
        """Raise if somebody changed this file during the restore."""
        if self.tree.look(path) != self.seen[path]:
            raise OSError(_MEANWHILE)

    def _look_again(self, path: str) -> None:
        """Of a file with several names, the others look changed when one of them goes."""
        seen = self.seen[path]
        names = self.names[seen[:2]] if seen else []
        for name in names if len(names) > 1 else ():
            self.seen[name] = self.tree.look(name)

    def _put_back(self, begun: _Done, journal: RestoreJournal) -> list[str]:
        """Undo the changes so far, the last first; gives the paths that failed."""
        wrong: list[str] = []
        with open_blobs(self.git) as copy:
            for change, fresh in reversed(begun):
                try:
                    self._put_back_one(copy, change, fresh, journal)
                except (OSError, GitError):
                    wrong.append(change.path)
        return wrong

    def _put_back_one(
        self, copy: CopyBlob, change: TreeChange, fresh: str, journal: RestoreJournal
    ) -> None:
        path, folders = change.path, WorkTreeFolders(self.git.work_tree)
        is_shared = self._is_shared(change)
        if fresh and folders.holds_file(fresh) and not is_shared:  # it was not moved
            return
        if change.creates:
            self.tree.delete(path)
            return
        mode, blob = change.old_mode, change.old_blob
        beside = journal.back_path(folders.nearest(path))
        self.tree.discard(beside)  # of another file, for which it has failed
        self.tree.write(beside, mode, lambda write: copy(blob, write), self.old[path])
        move = self.tree.fill if is_shared else self.tree.put
        move(beside, path)

    def _not_restored(self, paths: Iterable[str], why: str) -> NotRestoredError:
        return NotRestoredError(tuple(paths), self.before.id, why)
