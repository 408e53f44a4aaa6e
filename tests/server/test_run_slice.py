"""The processes of a driven run in a slice of a real `systemd --user`."""

import sys

import pytest

from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.user_manager import UserManager

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="systemd is for Linux"),
]
RUN = "3f2a9c1e-0b11-4d01-b42d-00cf4fc964ff"
CODE = """
import os, subprocess, sys
from handrail.intervene.processes.control_group import group_in_systemd, is_group_of, members_of
from handrail.intervene.processes.process_tree import ProcessFamily, end_processes
run = sys.argv[1]
group = group_in_systemd(run, os.environ)
print(os.path.basename(group.path))
hide = "(env -i setsid sh -c 'echo $$ > hidden; exec sleep 600' > /dev/null 2>&1 &) & wait"
for _ in range(2):  # an agent that is started again gets a scope of its own
    subprocess.run([*group.start, "/bin/sh", "-c", hide], check=True)
while len(members_of(group.path)) < 2:
    pass
print(is_group_of(group.path, run), len(members_of(group.path)))
ended = end_processes(ProcessFamily({}, group=group.path))
print(len(ended.ended), ended.left, members_of(group.path))
"""


def test_a_slice_holds_what_a_run_has_started(place: DaemonSandbox) -> None:
    with UserManager(place) as manager:
        ran = manager.run(sys.executable, "-c", CODE, RUN)
    assert ran.stdout.splitlines() == [
        f"handrail-{RUN.replace('-', '_')}.slice",
        "True 2",
        "2 () set()",
    ], ran.stderr
