"""A bed: a world that is cut off from the machine, in which an attack can do its worst.

The real Claude Code, Handrail's daemon and the scripted model live in pid, mount, network and user
namespaces of their own, as a user who has no rights outside. The first process in there drives
the story; it ends with the pipe that this process holds, and everything ends with it.
"""

import json
import os
import pwd
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

from tests.attack.attack import PYTHON, SITE
from tests.claude.sandbox import CLAUDE

PATIENCE = 400
"""Seconds after which a bed is given up."""
_TESTS = Path(__file__).parents[1]
_MAIN = (
    f"import sys; sys.path[:0] = ['/mnt/lib', '/mnt/installation/{SITE}']; "
    "from tests.attack.inside import main; main()"
)
_OWN_WORLD = (
    "unshare --user --map-user=1000 --map-group=1000 --keep-caps --pid --fork --kill-child "
    "--mount --mount-proc --net"
).split()


class NoBedError(RuntimeError):
    """This machine gives no namespaces, or something in a bed failed."""


def run_in_bed(installation: Path, task: dict[str, object]) -> dict[str, object]:
    """What `tests.attack.inside` found out about a task."""
    answer = _run(installation, [f"/mnt/python/bin/{PYTHON}", "-Ic", _MAIN], json.dumps(task))
    try:
        found = json.loads(answer)
    except ValueError:
        raise NoBedError(f"the bed answered: {answer[-2000:]!r}") from None
    assert isinstance(found, dict)
    if found.get("problem"):
        raise NoBedError(str(found["problem"]))
    return found


def why_no_bed(installation: Path) -> str:
    """Why no bed can be had here; empty where it can."""
    missing = [name for name in ("unshare", "setpriv", "mount") if not shutil.which(name)]
    if sys.platform != "linux" or missing:
        return f"it takes Linux with {', '.join(missing) or 'namespaces'}"
    try:
        run_in_bed(installation, {"look": True})
    except (NoBedError, subprocess.TimeoutExpired) as error:
        return str(error)
    return ""


def _run(installation: Path, command: list[str], task: str) -> str:
    root = os.geteuid() == 0
    own_mounts = ["unshare", "--mount", *([] if root else ["--user", "--map-root-user"])]
    line = [*own_mounts, "sh", str(_TESTS / "attack" / "world.sh")]
    shown = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PYTHON": sys.base_prefix,
        "CLAUDE": str(CLAUDE),
        "INSTALLATION": str(installation),
        "TESTS": str(_TESTS),
    }
    lives, lifeline = os.pipe()
    try:
        done = subprocess.run(
            [*line, *(_nobody() if root else []), *_OWN_WORLD, *command, str(lives)],
            env=shown,
            input=task,
            capture_output=True,
            text=True,
            pass_fds=[lives],
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(lifeline)
        os.close(lives)
    if done.returncode or not done.stdout:
        raise NoBedError(f"no answer from the bed: {(done.stderr or done.stdout)[-2000:].strip()}")
    return done.stdout


def _nobody() -> list[str]:
    """A user that nothing belongs to."""
    known = {entry.pw_uid for entry in pwd.getpwall()}
    user = next(number for number in count(61357) if number not in known)
    return f"setpriv --reuid={user} --regid={user} --clear-groups --no-new-privs".split()
