"""Several processes save at once: they wait for each other, and nothing is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.checkpoint import CheckpointRecord

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow

_SAVES = """
import json, sys
from pathlib import Path
from handrail.checkpoint import CheckpointInfo, CheckpointStore

folder, tree, name, times = sys.argv[1:]
checkpoints = CheckpointStore(folder, tree)
for number in range(int(times)):
    Path(tree, name).write_text(f"{name} {number}")
    saved = checkpoints.save(CheckpointInfo(why=name), seconds=10)
    print(json.dumps([number, saved.record.id, saved.is_new]))
"""
_PACKS = """
import os, sys
from handrail.checkpoint.tidy import repack
from handrail.checkpoint.git.repository import CheckpointRepository

folder, _, _, times = sys.argv[1:]
private = CheckpointRepository(folder, os.environ)
for _ in range(int(times)):
    with private.open_for_packing(60, wait=10) as git:
        repack.collect(private, git, 10)
"""


def start(
    script: str, bench: CheckpointProject, tree: Path, name: str, times: int
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", script, bench.folder, tree, name, f"{times}"],
        env={**bench.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: "subprocess.Popen[str]") -> list[tuple[int, str, bool]]:
    """For each save its number, the id of its checkpoint, and whether that is a new one."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return [tuple(json.loads(line)) for line in out.splitlines()]


def held(bench: CheckpointProject, record: CheckpointRecord, name: str) -> str:
    return bench.git("show", f"{record.git_commit}:{name}", at=bench.folder / "git")


def test_two_processes_in_one_work_tree_lose_no_checkpoint(project: CheckpointProject) -> None:
    project.repository()
    names = ("one.txt", "two.txt")
    processes = [start(_SAVES, project, project.tree, name, 20) for name in names]
    records = {}
    for name, process in zip(names, processes, strict=True):
        saved = end(process)
        assert len(saved) == 20
        records = {record.id: record for record in project.checkpoints.newest_first()}
        for number, id_, _ in saved[::4]:
            # It may have been the other one that took it in.
            assert held(project, records[id_], name) == f"{name} {number}"
    numbers = [record.number for record in records.values()]
    assert numbers == list(range(len(numbers), 0, -1))
    assert len({record.git_commit for record in records.values()}) == len(numbers)


def test_linked_work_trees_of_one_project_lose_no_checkpoint(project: CheckpointProject) -> None:
    project.repository()
    linked = project.home / "linked"
    project.git("worktree", "add", "-q", str(linked))
    processes = [start(_SAVES, project, tree, "a.txt", 12) for tree in (project.tree, linked)]
    saved = [end(process) for process in processes]
    ids = [id_ for of_tree in saved for _, id_, is_new in of_tree if is_new]
    assert len(set(ids)) == 24
    for tree, of_tree in zip((project.tree, linked), saved, strict=True):
        number, id_, _ = of_tree[5]
        assert held(project, project.of(tree).find(id_), "a.txt") == f"a.txt {number}"


def test_saves_go_on_while_another_process_packs_everything_anew(
    project: CheckpointProject,
) -> None:
    project.write("noise.bin", os.urandom(200_000))
    project.save()
    processes = [
        start(_SAVES, project, project.tree, "a.txt", 20),
        start(_PACKS, project, project.tree, "", 8),
    ]
    saved, _ = [end(process) for process in processes]
    for number, id_, _ in saved[::5]:
        assert held(project, project.checkpoints.find(id_), "a.txt") == f"a.txt {number}"
    project.git("fsck", "--full", "--strict", at=project.folder / "git")
