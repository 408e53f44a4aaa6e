"""Workspaces of tasks beside bare `git worktree add`, on generated repositories.

`python -m benchmarks.fleet_workspaces` prints the table; `--files` says of which sizes.
"""

import argparse
import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.machine import machine_lines
from benchmarks.measure import Table, milli
from benchmarks.trees import make_repository

from handrail.fleet.merges.merge_outcome import FastForwarded
from handrail.fleet.merges.merge_work import MergeRequest
from handrail.fleet.merges.merging import Merging
from handrail.fleet.workspaces.workspaces import Workspaces

WORKSPACE_SIZES = (100, 1_000, 10_000)
_MADE, _MERGED, _REMOVED = "made", "merged", "removed"
_HEAD = ("what", "p50", "best", "git alone, p50", "more")
_NOTE = (
    "The two ways take turns. *Git alone*: `git worktree add -b`, `git merge --ff-only`, `git "
    "worktree remove` with `git branch -D`. A workspace also gets a record and a mark, and "
    "Handrail reads the settings first, so that no program of the repository runs. A merge moves a "
    "branch and its checkout over one changed file, without a verify command."
)


class _WorkspaceBench:
    """One repository, and two ways to do the same in it."""

    def __init__(self, root: Path, files: int, environ: dict[str, str]) -> None:
        self._repository = make_repository(root / f"shop-{files}", files, environ)
        folders = (str(self._repository.path), str(root / f"state-{files}"), environ)
        trees = str(root / f"trees-{files}")
        self._workspaces = Workspaces(*folders, trees=trees)
        self._merging = Merging(*folders, trees=trees)
        self._bare = root / f"bare-{files}"
        self.own: dict[str, list[float]] = {}
        self.bare: dict[str, list[float]] = {}

    def measure_own(self, task: str) -> None:
        """Make, merge and remove a workspace."""
        _time(self.own, _MADE, lambda: self._workspaces.create(task))
        (made,) = self._workspaces.of_task(task)
        self._commit(made.path, task)
        _time(self.own, _MERGED, lambda: self._merge(task))
        _time(self.own, _REMOVED, lambda: self._workspaces.remove(made))

    def measure_bare(self, task: str) -> None:
        """Make, merge and remove a worktree by git alone."""
        git, path = self._repository.git, str(self._bare)
        _time(self.bare, _MADE, lambda: git("worktree", "add", "-q", "-b", "bare", path))
        self._commit(path, f"bare {task}")
        _time(self.bare, _MERGED, lambda: git("merge", "-q", "--ff-only", "bare"))
        _time(
            self.bare,
            _REMOVED,
            lambda: (git("worktree", "remove", path), git("branch", "-q", "-D", "bare")),
        )

    def _merge(self, task: str) -> None:
        request = MergeRequest(task=task, commit=f"handrail/{task}", target="main")
        done = asyncio.run(self._merging.merge(request))
        if not isinstance(done, FastForwarded):
            raise RuntimeError(f"not merged: {done}")

    def _commit(self, path: str, text: str) -> None:
        Path(path, "changed.txt").write_text(text)
        self._repository.git("-C", path, "add", "changed.txt")
        self._repository.git("-C", path, "commit", "-q", "-m", text)


def _time(times: dict[str, list[float]], what: str, work: Callable[[], object]) -> None:
    began = perf_counter()
    work()
    times.setdefault(what, []).append(perf_counter() - began)


def workspace_table(sizes: Sequence[int], rounds: int) -> Table:
    """Time workspaces of repositories of several sizes."""
    table = Table("Fleet: workspaces and merges", _HEAD, note=_NOTE)
    with TemporaryDirectory(prefix="handrail-fleet-") as folder:
        root = Path(folder).resolve()
        (root / "home").mkdir()
        roles = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
        who = {f"GIT_{role}": "bench@localhost" for role in roles}
        environ = {"PATH": os.environ["PATH"], "HOME": str(root / "home"), "LC_ALL": "C", **who}
        for files in sizes:
            bench = _WorkspaceBench(root, files, environ)
            for number in range(rounds):
                bench.measure_own(f"task-{number}")
                bench.measure_bare(f"task-{number}")
            for what, own in bench.own.items():
                alone = median(bench.bare[what])
                more = milli(max(median(own) - alone, 0.0))
                row = (milli(median(own)), milli(min(own)), milli(alone), more)
                table.add(f"{files:,} files, {what}", *row)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, action="append", default=[])
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    print("\n".join(machine_lines()), end="\n\n")
    print(workspace_table(given.files or WORKSPACE_SIZES, given.rounds).plain())


if __name__ == "__main__":
    main()
