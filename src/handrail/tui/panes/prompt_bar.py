"""The open question at the bottom: what will happen, and a line for the answer."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Key, Paste
from textual.widgets import Input, Static

from handrail.tui.sending.questions import CommandQuestions
from handrail.tui.sending.task_commands import TaskQuestion
from handrail.tui.text import Line, StyledSpan, as_text, clean, clip, flat, wrap

OpenQuestion = CommandQuestions | TaskQuestion
_MAX = 4000
_MAX_WILL = 3


class AnswerInput(Input):
    """The line for an answer.

    It handles every key in the order of typing: Textual's own way runs Enter and Backspace later
    than the letters behind them, and what a person types blindly would be sent half.
    """

    def __init__(
        self,
        answer: Callable[[str], None],
        dismiss: Callable[[], None],
        is_open: Callable[[], bool],
    ) -> None:
        super().__init__(id="answer", compact=True, max_length=_MAX, select_on_focus=False)
        self._answer = answer
        self._dismiss = dismiss
        self._is_open = is_open

    async def _on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        if not self._is_open():  # it was answered meanwhile: the key is for the screen
            self.app.post_message(Key(event.key, event.character))
        elif event.key == "enter":
            self._answer(self.value)
        elif event.key in ("escape", "ctrl+c"):
            self._dismiss()
        elif event.is_printable and event.character:
            self.insert_text_at_cursor(event.character)
        else:
            for binding in self._bindings.key_to_bindings.get(event.key, ()):
                await self.run_action(binding.action)

    def _on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        if self._is_open():
            self.insert_text_at_cursor(clean(" ".join(event.text.splitlines())))


class PromptBar(Vertical):
    """The question and the answer; hidden while there is none."""

    def __init__(
        self,
        answer: Callable[[str], None],
        dismiss: Callable[[], None],
        is_open: Callable[[], bool],
    ) -> None:
        super().__init__(id="prompt")
        self._head = Static("", markup=False, id="question")
        self._label = Static("", markup=False, id="label")
        self.input = AnswerInput(answer, dismiss, is_open)

    def compose(self) -> ComposeResult:
        """Stack the question above the answer."""
        yield self._head
        with Horizontal(id="line"):
            yield self._label
            yield self.input

    def ask(self, asking: OpenQuestion | None, label: str, typed: str = "") -> None:
        """Show a question, about a command or a filter; the answer begins with `typed`."""
        self.display = True
        lines = _question_lines(asking, max(self.app.size.width - 2, 1)) if asking else []
        self.set_class(asking is not None and asking.is_grave, "-grave")
        self._head.update(as_text(lines))
        self._head.display = bool(lines)
        self._label.update(clean(label))
        self.input.value = typed
        self.input.cursor_position = len(typed)
        self.screen.set_focus(self.input)

    def close(self) -> None:
        """Hide the question."""
        self.display = False


def _question_lines(asking: OpenQuestion, width: int) -> list[Line]:
    """Return the command, what it will do, and what the keys do now."""
    style = "red" if asking.is_grave else ""
    will = wrap(flat(asking.will), width, _MAX_WILL)
    return [
        (StyledSpan(clip(flat(asking.head), width), f"bold {style}".rstrip()),),
        *((StyledSpan(line),) for line in will),
        (StyledSpan(asking.keys, style or "dim"),),
    ]
