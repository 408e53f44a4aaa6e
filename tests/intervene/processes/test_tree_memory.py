"""The memory of a process and of all below it."""

import os
import subprocess
import sys

import pytest

from handrail.intervene.processes import tree_memory
from handrail.intervene.processes.process_tree import ProcessIdentity, identity_of
from handrail.intervene.processes.tree_memory import measure_trees

HOLD = "import sys; x = b'x' * {0}; print(flush=True); sys.stdin.read()"
PARENT = (
    "import subprocess, sys; "
    "subprocess.run([sys.executable, '-c', sys.argv[1]], stdin=sys.stdin, check=False)"
)


def me() -> ProcessIdentity:
    found = identity_of(os.getpid())
    assert found is not None
    return found


@pytest.mark.parametrize("by_psutil", [False, True])
def test_a_tree_is_measured_with_what_is_below_it(
    by_psutil: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_psutil:
        monkeypatch.setattr(tree_memory, "_all_processes", tree_memory._by_psutil)
    child = HOLD.format(100 * 1024 * 1024)
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, child], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        root = identity_of(process.pid)
        assert root is not None
        found = measure_trees([root, me()])
        process.communicate()
    tree = found[process.pid]
    assert 100 <= tree.below < tree.whole
    assert found[os.getpid()].below >= tree.below


def test_another_process_with_the_number_is_not_measured() -> None:
    other = ProcessIdentity(os.getpid(), me().began + 100)
    assert measure_trees([other]) == {}


def test_nobody_to_measure_is_nothing() -> None:
    assert measure_trees([]) == {}
