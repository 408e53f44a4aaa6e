"""An action that was read and is not judged yet."""

import msgspec

from handrail.model.effect import Effect
from handrail.shell import ParsedProgram


class UnderstoodAction(msgspec.Struct, frozen=True):
    """Its effects as they weigh here, and the program behind them."""

    effects: tuple[Effect, ...]
    program: ParsedProgram | None = None
    command: str = ""
    name: str = ""
    """The fingerprint of the action, where the caller has it."""
