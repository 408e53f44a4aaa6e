"""Starts bash so that it can harm nothing: `python bash_jail.py FOLDER ARGUMENTS…`.

It may write below FOLDER only and signal nobody outside (Landlock), has no programs on its PATH,
dies with its parent, and has limits for time and memory. Without Landlock it does not start.
"""

import ctypes
import os
import resource
import signal
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_WRITE_FILE = 1 << 1
_CHANGES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
"""Writing, removing and making files and folders: what Landlock knows since its first version."""
_SIGNALS = 1 << 1
"""Signals to processes outside of the jail."""
_SCOPES_SINCE = 6
_SECONDS = 20
_MEMORY = 1024**3


def is_available() -> bool:
    """Whether this system can keep a process inside a folder."""
    if not sys.platform.startswith("linux"):
        return False
    return bool(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, 1) >= _SCOPES_SINCE)


def main() -> None:
    """Lock this process in, and become bash."""
    folder, *arguments = sys.argv[1:]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    attributes = struct.pack("QQQ", _CHANGES, 0, _SIGNALS)
    ruleset = libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    _allow(libc, ruleset, folder, _CHANGES)
    _allow(libc, ruleset, "/dev/null", _WRITE_FILE)
    if ruleset < 0 or libc.syscall(_RESTRICT_SELF, ruleset, 0):
        sys.exit("no Landlock: bash is not started")
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    os.execv("/bin/bash", ["bash", "--norc", "--noprofile", *arguments])


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, access: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", access, place), 0):
        sys.exit("no Landlock: bash is not started")


if __name__ == "__main__":
    main()
