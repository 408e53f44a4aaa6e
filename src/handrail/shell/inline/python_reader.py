"""Parse Python code and walk through it, and through the code that it runs."""

import ast
import re
import warnings
from contextlib import suppress

from handrail.shell.inline.code import Code
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.python_values import HOLE
from handrail.shell.inline.python_walk import PythonWalk
from handrail.shell.inline.time_limit import OutOfTimeError
from handrail.shell.word import OPAQUE

MAX_NESTED = 4
"""Depth of code that runs code from a text."""

_RISKY = re.compile(
    r"\b(?:os\s*\.\s*(?:system|popen|exec\w+|spawn\w+|remove|unlink|fork|kill)|subprocess|rmtree"
    r"|shutil\s*\.\s*move|pty\s*\.\s*spawn|__import__|exec\s*\(|eval\s*\(|socket\s*\.\s*socket"
    r"|urlopen|unlink\s*\(|requests\s*\.\s*(?:post|put)|b64decode|ctypes)"
)
_PRINTS = re.compile(r"((?:^|[;:])[ \t]*)(print|exec)[ \t]+(?![=(])([^;\n]+)", re.MULTILINE)


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


def parse(code: str) -> ast.Module | None:
    """Return the syntax tree, also of Python 2 or code with unknown parts; None if unreadable."""
    for attempt in (_as_is, _with_names, _with_calls):
        text = attempt(code)
        if text is None:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except (SyntaxError, ValueError) as error:
            if "too many nested" in str(error):
                raise RecursionError from error
    return None


def _as_is(code: str) -> str | None:
    return code


def _with_names(code: str) -> str | None:
    """Turn unknown parts into names, which are valid anywhere."""
    return code.replace(OPAQUE, HOLE) if OPAQUE in code else None


def _with_calls(code: str) -> str | None:
    """Turn Python 2 statements into calls."""
    calls = _PRINTS.sub(r"\1\2(\3)", code.replace(OPAQUE, HOLE).lstrip())
    return calls if calls != code else None
