"""A window over the screen in which a person decides about a run that needs one."""

from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from handrail.tui.sending.decisions import DecisionChoice, OpenDecision
from handrail.tui.text import clean


class DecisionAnswer(NamedTuple):
    """A person's choice, and a note about it."""

    choice: DecisionChoice
    note: str


class DecisionScreen(ModalScreen[DecisionAnswer | None]):
    """Asks for one of the choices, then for a note. Esc decides nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "decide nothing")]

    def __init__(self, decision: OpenDecision) -> None:
        super().__init__()
        self._decision = decision
        self._choice: DecisionChoice | None = None

    def compose(self) -> ComposeResult:
        """Show the question, the choices, and the line for a note."""
        with Vertical(id="decision") as window:
            window.border_title = Content(clean(self._decision.title))
            yield Static(clean(self._decision.question), markup=False, id="decision-question")
            yield OptionList(*(self._option(each) for each in self._decision.choices), markup=False)
            note = Input(placeholder="a note for the record, may be empty", id="note")
            note.display = False
            yield note
            yield Static("↑ ↓ choose   ⏎ take it   Esc decide nothing", id="decision-keys")

    def _option(self, choice: DecisionChoice) -> Option:
        text = Text(clean(choice.title), "bold")
        text.append(f"\n  {clean(choice.says)}", "dim")
        return Option(text)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Ask for a note about the choice."""
        event.stop()
        self._choice = self._decision.choices[event.option_index]
        note = self.query_one("#note", Input)
        note.display = True
        note.placeholder, note.value = self._choice.asks, self._choice.text
        note.border_title = Content(clean(self._choice.title))
        self.query_one("#decision-keys", Static).update(
            Text(f"⏎ {self._choice.title}   Esc decide nothing")
        )
        note.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the choice."""
        event.stop()
        if self._choice is not None:
            self.dismiss(DecisionAnswer(self._choice, event.value.strip()))

    def action_leave(self) -> None:
        """Decide nothing."""
        self.dismiss(None)
