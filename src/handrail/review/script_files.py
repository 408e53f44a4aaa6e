"""Shell scripts that a command runs, whoever wrote them: what cannot be read does not run."""

from collections.abc import Callable, Sequence

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.review.context import ReviewContext
from handrail.review.judgment.unreadable import problem_of
from handrail.review.judgment.weigh import weigh
from handrail.review.tools.file_content import is_shell_script, is_zsh_script
from handrail.shell import Reading, UnreadableError


def script_effects(
    effects: Sequence[Effect], read_text: Callable[[str], Reading], at: ReviewContext
) -> list[Effect]:
    """What the script files do that the command runs, as far as they can be read."""
    found: list[Effect] = []
    for effect in effects:
        if effect.kind is not Kind.RUN or effect.opaque:
            continue
        text = at.world.script(effect.target)
        if text is None or not is_shell_script(effect.target, text):
            continue
        try:
            reading = read_text(text)
        except UnreadableError as error:
            says = f"runs {effect.target}, which cannot be read: {error}"
            found.append(_unseen(effect, says))
            continue
        fault = reading.program.fault
        if fault is not None and not is_zsh_script(text):
            says = f"runs {effect.target}, which cannot be read: {problem_of(fault)}"
            found.append(_unseen(effect, says))
        found += [
            msgspec.structs.replace(
                inner, command=effect.command, says=f"runs {effect.target}, which {inner.text}"
            )
            for inner in (weigh(item, at) for item in reading.effects)
            if inner.severity >= Severity.MEDIUM
        ]
    return found


def _unseen(effect: Effect, says: str) -> Effect:
    return Effect(
        Kind.UNSEEN,
        effect.target,
        Severity.HIGH,
        Undo.IMPOSSIBLE,
        says,
        f"Look at it: `less {effect.target}`, and run its commands one by one.",
        effect.command,
    )
