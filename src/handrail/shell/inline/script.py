"""Read code of any script language with `CodeWalk`."""

import re
from contextlib import suppress

import msgspec

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.code import Code
from handrail.shell.inline.code_walk import CodeWalk
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.language import Language
from handrail.shell.inline.scan import bare
from handrail.shell.inline.time_limit import OutOfTimeError
from handrail.shell.word import OPAQUE

MAX_NESTED = 4
_COMMAND = re.compile(r"^\s*(?:sudo\s+)?(?:rm|mkfs(?:\.\w+)?|dd|shred)\s+(?:-|if=|of=)")


class ScriptLanguage(msgspec.Struct, frozen=True):
    """A language, the words that make its code worth reading, and patterns of its tricks."""

    language: Language
    words: re.Pattern[str]
    fork_bomb: re.Pattern[str] | None = None
    """Matches a fork bomb in code without texts and comments."""
    shell_on_connection: re.Pattern[str] | None = None
    """Matches a shell on a network connection, in code with its texts."""
    becomes_root: re.Pattern[str] | None = None
    """Matches becoming root, in code with its texts."""

    def read(self, code: str) -> Code:
        """Return what the code does; code nested too deeply counts as unseen."""
        if _COMMAND.match(code):
            return Code(scripts=(code,))
        if self.words.search(code) is None and OPAQUE not in code:
            return Code()
        found = EffectCollector()
        follow = CodeWalk(self.language, found)
        depth = 0

        def nested(text: str) -> None:
            nonlocal depth
            if depth < MAX_NESTED:
                depth += 1
                follow.read(text)
                depth -= 1

        found.nested = nested
        with suppress(OutOfTimeError):
            self._walk(code, follow, found)
        return found.code()

    def _walk(self, code: str, follow: CodeWalk, found: EffectCollector) -> None:
        try:
            tokens = self.language.scanner.scan(code)
            self._check_patterns(found, bare(tokens), code)
            follow.walk(tokens)
        except RecursionError:
            found.unseen("code that is nested too deeply to be read")

    def _check_patterns(self, found: EffectCollector, plain: str, code: str) -> None:
        if self.fork_bomb is not None and self.fork_bomb.search(plain):
            says = "doubles itself without end until the machine stands still (fork bomb)"
            found.add(Kind.EXHAUST, "fork", Severity.CRITICAL, says=says)
        if self.shell_on_connection is not None and self.shell_on_connection.search(code):
            found.streams_redirected = True
        if self.becomes_root is not None and (match := self.becomes_root.search(code)) is not None:
            found.add(Kind.PRIVILEGE, match[0])
