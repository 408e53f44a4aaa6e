"""`python -m handrail.server.guardian NAME=VALUE … -- COMMAND …`: be the guardian."""

import os
import sys

from handrail.server.guardian.watch import DESCRIPTORS, Guardian, Post


def main(arguments: list[str]) -> int:
    """Guard what the arguments name, each a field of `Post`; the command starts a daemon."""
    end = arguments.index("--")
    given = dict(each.split("=", 1) for each in arguments[:end])
    numbers = {name: int(given[name]) for name in Post._fields[4:] if name in given}
    for name, number in numbers.items():
        if name in DESCRIPTORS:
            os.set_inheritable(number, False)
    command = tuple(arguments[end + 1 :])
    post = Post(command, given["path"], given["log"], given["lock_path"], **numbers)
    return Guardian(post).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
