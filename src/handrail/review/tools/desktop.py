"""What a desktop watch does: looks at the screen, and sends keys and clicks to a window."""

import re
from collections.abc import Iterator

from handrail.model.action import Action
from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.readers.make_effects import effect

_TYPES = re.compile(r"type\s+(?P<text>.+)", re.DOTALL)
_RUNS = re.compile(r"(?:press|key)\s+(?:.*\+)?(?:return|enter|kp_enter)\s*", re.IGNORECASE)
"""Keys that run what stands in a command line already."""
_TERMINAL_TITLE = re.compile(
    r"(?:u?xterm|rxvt|urxvt|konsole|(?:ba|z|fi|da)?sh|.*\bterminal)|[\w.-]+@[\w.-]+:.*",
    re.IGNORECASE | re.DOTALL,
)
"""The title of a terminal, or the prompt that a shell puts there."""
_MAX_SHOWN = 80


def input_effects_on_screen(action: Action) -> Iterator[Effect]:
    """Yield what one step of a recovery does, by its words and its window."""
    do, window = _text(action, "do"), _text(action, "window")
    is_terminal = action.input.get("terminal") is True or bool(_TERMINAL_TITLE.fullmatch(window))
    typed = _TYPES.fullmatch(do)
    if is_terminal and (typed is not None or _RUNS.fullmatch(do)):
        yield _command_line(typed["text"] if typed is not None else "", window)
        return
    where = f" in the window {window[:_MAX_SHOWN]!r}" if window else ""
    says = f"sends input to the screen{where}: {do[:_MAX_SHOWN]}"
    yield effect(Kind.CHANGE, "the screen", severity=Severity.LOW, undo=Undo.UNKNOWN, says=says)


def _command_line(text: str, window: str) -> Effect:
    """Whatever is typed there runs as a command, and nobody has reviewed it."""
    shown = " ".join(text.split())[:_MAX_SHOWN]
    what = f"types {shown!r} into a terminal" if text else "runs what stands in a terminal"
    named = f" ({window[:_MAX_SHOWN]})" if window else ""
    first = f"Run `{shown}` as a command" if text else "Run it as a command"
    return effect(
        Kind.UNSEEN,
        window or "a terminal",
        severity=Severity.CRITICAL,
        undo=Undo.IMPOSSIBLE,
        says=f"{what}{named}, where it runs unreviewed",
        instead=f"{first} of its own, so that it is reviewed; or focus the editor first.",
    )


def _text(action: Action, field: str) -> str:
    value = action.input.get(field)
    return value if isinstance(value, str) else ""
