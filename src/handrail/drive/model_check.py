"""Check from an agent's answers that it uses the model that a person asked for."""

_CHOOSES = frozenset({"default", "best", "opusplan"})
"""Names that leave the choice to the host."""


class ModelCheck:
    """Remember the model that a person asked for until an answer shows which one is used."""

    def __init__(self) -> None:
        self._asked = ""

    def ask(self, model: str) -> None:
        """Note a change of the model."""
        self._asked = "" if model.lower() in _CHOOSES else model

    def begin_turn(self) -> str:
        """Return the model that all answers of a turn must come from, or ""."""
        return self._asked

    def end_turn(self, began_with: str, answered: str) -> str:
        """Return the model that was asked for if another one has answered, or "".

        `began_with`: from `begin_turn`. The first answers of a turn may be older than the change.
        """
        asked = self._asked
        if not asked or not answered:
            return ""
        if is_model(asked, answered):
            self._asked = ""
            return ""
        if began_with != asked:
            return ""
        self._asked = ""
        return asked


def is_model(asked: str, answered: str) -> bool:
    """Return whether a name such as `opus` stands for the model that answered."""
    name, full = (each.lower().removesuffix("[1m]") for each in (asked, answered))
    return name in full or full in name
