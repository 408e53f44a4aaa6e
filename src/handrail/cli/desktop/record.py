"""`handrail desktop record`: a session from two git commits."""

import os
import sys

from handrail.cli.desktop.verify_report import show_left_out
from handrail.cli.output.terminal import TerminalOutput, visible


def record_file(
    screen: TerminalOutput,
    root: str,
    start: str = "HEAD~1",
    end: str = "HEAD",
    *,
    output: str = "-",
    by_hash: bool = False,
) -> int:
    """Write SESSION.json to a new file, or print it (`-`); raises DesktopError."""
    from handrail.desktop.verify.recorder import encode_session, record_session

    session = record_session(root, start, end, by_hash=by_hash)
    data = encode_session(session)
    if output == "-":
        sys.stdout.write(data.decode())
        return 0
    # A session that somebody has edited is not made anew.
    with open(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
        file.write(data)
    operations = sum(len(each.operations) for each in session.files)
    number = len(session.files)
    files = f"{number} {'file' if number == 1 else 'files'}"
    screen.say(f" {visible(output)}: {files}, {operations:,} operations")
    show_left_out(screen, session.left_out)
    return 0
