"""Parse Python code and walk through it, and through the code that it runs."""

import re
from contextlib import suppress

from handrail.shell.inline.code import Code
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.python_syntax import parse
from handrail.shell.inline.python_walk import PythonWalk
from handrail.shell.inline.time_limit import OutOfTimeError

MAX_NESTED = 4
"""Depth of code that runs code from a text."""

_RISKY = re.compile(
    r"\b(?:os\s*\.\s*(?:system|popen|exec\w+|spawn\w+|remove|unlink|fork|kill)|subprocess|rmtree"
    r"|shutil\s*\.\s*move|pty\s*\.\s*spawn|__import__|exec\s*\(|eval\s*\(|socket\s*\.\s*socket"
    r"|urlopen|unlink\s*\(|requests\s*\.\s*(?:post|put)|b64decode|ctypes)"
)


def read(code: str) -> Code:
    """Return what Python code does; parse it whatever it names."""
    found = EffectCollector()
    with suppress(OutOfTimeError):
        PythonReader(found).read(code)
    return found.code()


class PythonReader:
    """Reads a text as code, and the texts that the code runs."""

    def __init__(self, found: EffectCollector) -> None:
        self.found = found
        self.walk = PythonWalk(found)
        self._depth = 0
        found.nested = self.read

    def read(self, code: str) -> None:
        """Add what the code does; broken or too deep code counts as unseen."""
        if self._depth > MAX_NESTED:
            self.found.unseen("code inside code inside code")
            return
        self._depth += 1
        try:
            tree = parse(code)
            if tree is None:
                if _RISKY.search(code):
                    self.found.unseen("code that does not parse")
            else:
                self.walk.module(tree)
        except (RecursionError, MemoryError):
            self.found.unseen("code that is nested too deeply to be read")
        finally:
            self._depth -= 1
