"""Valid shell that the parser stumbles over, spelled so that it does not.

tree-sitter-bash takes `cat > f <<< x`, `python3 <<E 2>&1 | tail`, `x=$(y) 2>/dev/null` and more
for errors, and reads some of what it accepts wrongly. Such a text is read here once more, by the
grammar of bash, and given back in one plain spelling: here-documents as quoted text, redirects
behind the words, no comments, no `!`. What is no valid shell is refused with the place.
"""

from handrail.shell.spelling.pieces import NotShellError, Spelled
from handrail.shell.spelling.program import respell

__all__ = ["NotShellError", "Spelled", "respell"]
