"""`handrail watch`: keys, questions, and the threads that read the log and send commands."""

import asyncio
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from time import time
from typing import ClassVar

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.events import DescendantFocus, Key, Resize
from textual.screen import Screen

from handrail.model.control import ControlCommand
from handrail.tui.keys import KEYS, OURS, parsed
from handrail.tui.panes.decision_screen import DecisionAnswer, DecisionScreen
from handrail.tui.panes.help import HelpScreen
from handrail.tui.panes.key_footer import KeyFooter
from handrail.tui.panes.prompt_bar import PromptBar
from handrail.tui.panes.watch_panes import WIDE, WatchPanes
from handrail.tui.sending.commands import BY_KEY
from handrail.tui.sending.decisions import DecisionMaker, OpenDecision
from handrail.tui.sending.port import CommandSender, SendingStage
from handrail.tui.sending.questions import CommandOrder
from handrail.tui.sending.sent_command import SentCommand
from handrail.tui.sending.task_commands import (
    TASK_COMMANDS,
    TaskOrder,
    TaskQuestion,
    TaskSender,
    why_not_task,
)
from handrail.tui.state.screen_state import ListName, ScreenState
from handrail.tui.stylesheet import CSS
from handrail.views.log_view import LogView, LogViewSource
from handrail.views.possible_commands import why_not
from handrail.views.run_overview import RunOverview
from handrail.words.run_signs import NEEDS_YOU

_PAUSE = 0.25
"""Seconds between two reads of the log."""


class WatchApp(App[Exception]):
    """The screen. It returns the error that ended it, if any."""

    CSS = CSS
    TITLE = "handrail"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared so by Textual
        (0, "-narrow"),
        (WIDE, "-wide"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [*KEYS]

    def __init__(
        self,
        open_source: Callable[[], LogViewSource],
        controls: CommandSender,
        open_decisions: Callable[[], DecisionMaker],
        open_tasks: Callable[[], TaskSender],
        *,
        clock: Callable[[], float] = time,
        pause: float = _PAUSE,
    ) -> None:
        """The callables that open something run in threads, so they may be slow."""
        colourless = bool(os.environ.get("NO_COLOR"))
        super().__init__(ansi_color=True if colourless else None)
        self.set_class(colourless, "-no-colour")
        self.watching = ScreenState(clock)
        self.panes = WatchPanes(self.watching, self._pick, self._pick_task)
        self._prompt = PromptBar(self._answer, self._dismiss, lambda: self.watching.is_asking)
        self._open_source = open_source
        self._controls = controls
        self._open_decisions = open_decisions
        self._open_tasks = open_tasks
        self._pause = pause
        self._wake = asyncio.Event()
        self._possible: list[bool | None] = []
        """Which keys do something now."""

    def compose(self) -> ComposeResult:
        """Stack the panes, the open question and the keys."""
        yield self.panes
        yield self._prompt
        yield KeyFooter(compact=True)

    def on_mount(self) -> None:
        """Start to read the log."""
        self._prompt.close()
        self.panes.look("runs")
        self.draw()
        self.run_worker(self._read(), exit_on_error=False)

    def draw(self) -> None:
        """Draw the current state."""
        if self.panes.is_attached and self.is_running:
            self.panes.draw()
            possible = [self.check_action(*parsed(each)) for each in KEYS]
            if possible != self._possible:  # each time, the keys at the bottom are made anew
                self._possible = possible
                self.refresh_bindings()

    def on_resize(self, event: Resize) -> None:
        """Draw again in the new size."""
        self.call_after_refresh(self.draw)

    # What comes in

    async def _read(self) -> None:
        """Read the log for ever."""
        try:
            source = await asyncio.to_thread(self._open_source)
            try:
                while True:
                    view = await asyncio.to_thread(source.poll, self.watching.chosen)
                    self.watching.show_view(view)
                    self.draw()
                    await self._rest(view)
            finally:
                source.close()
        except Exception as error:  # noqa: BLE001 - told by the command, on a screen that is whole
            self.exit(error)

    async def _rest(self, view: LogView) -> None:
        """Wait a moment, unless the screen still misses something."""
        is_missing = view.loading or self.watching.chosen != view.run
        if is_missing and not view.problem:
            return
        self._wake.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), self._pause)

    def _pick(self, run: str) -> None:
        """Choose a run, as a person did with a key or the mouse."""
        self.watching.pick(run)
        self._wake.set()
        self.draw()

    def _pick_task(self, key: str) -> None:
        """Choose a task; the timeline shows its run, if there is one."""
        self.watching.tasks.pick(key)
        self.watching.follow_task()
        self._wake.set()
        self.draw()

    # What goes out

    async def _send(self, order: CommandOrder) -> None:
        """Send a command, and show its progress."""
        command = order.command
        sent = self.watching.send(command.word, order.run, order.name, holds=command.holds)
        self.draw()
        try:
            async for stage in self._controls.send(
                command,
                order.run,
                reason=order.reason,
                text=order.text,
                choice=order.choice,
                expects=order.expects,
            ):
                self._hear(sent, stage)
        except Exception as error:  # noqa: BLE001 - the screen stays; it says what went wrong
            self._hear(sent, _failed(error))

    async def _send_task(self, order: TaskOrder) -> None:
        """Carry out a command about a task, and show what came of it."""
        command = TASK_COMMANDS[order.command]
        name = order.fleet if command.of_fleet else order.task
        sent = self.watching.send(command.word, "", name)
        self._hear(sent, SendingStage("requested"))
        try:
            if command.talks:
                with self.suspend():
                    stage = self._open_tasks().talk(order)
            else:
                stage = await asyncio.to_thread(lambda: self._open_tasks().send(order))
            self._hear(sent, stage)
        except Exception as error:  # noqa: BLE001 - the screen stays; it says what went wrong
            self._hear(sent, _failed(error))

    async def _find_decision(self, run: RunOverview) -> None:
        """Ask a person about a run that needs one."""
        try:
            decision = await asyncio.to_thread(lambda: self._open_decisions().find(run))
        except Exception as error:  # noqa: BLE001 - the screen stays; it says what went wrong
            self._tell(f"{type(error).__name__}: {error}")
            return
        if decision is None:
            self._tell(f"{run.name} asks elsewhere: see what it needs above")
        elif len(self.screen_stack) == 1:
            self.push_screen(DecisionScreen(decision), partial(self._decided, decision))

    def _decided(self, decision: OpenDecision, answer: DecisionAnswer | None) -> None:
        if answer is None:
            self._tell("nothing was decided")
        else:
            self.run_worker(self._decide(decision, answer), exit_on_error=False)

    async def _decide(self, decision: OpenDecision, answer: DecisionAnswer) -> None:
        sent = self.watching.send(answer.choice.title, decision.run, decision.name)
        self._hear(sent, SendingStage("requested"))
        try:
            self._hear(sent, await asyncio.to_thread(self._carry_out, decision, answer))
        except Exception as error:  # noqa: BLE001 - the screen stays; it says what went wrong
            self._hear(sent, _failed(error))

    def _carry_out(self, decision: OpenDecision, answer: DecisionAnswer) -> SendingStage:
        return self._open_decisions().decide(decision, answer.choice.value, answer.note)

    def _hear(self, sent: SentCommand, stage: SendingStage) -> None:
        sent.stages.append(stage)
        self._wake.set()
        self.draw()

    # Questions

    def _ask(self, typed: str = "") -> None:
        """Show the open question; keys go to its answer from now on."""
        self._prompt.ask(self.watching.asking, self.watching.prompt, typed)
        self.draw()

    def _answer(self, typed: str) -> None:
        order = self.watching.answer(typed)
        if isinstance(order, TaskOrder):
            self.run_worker(self._send_task(order), exit_on_error=False)
        elif order is not None:
            self.run_worker(self._send(order), exit_on_error=False)
        if self.watching.asking is not None:
            self._ask()
        else:
            self._end_question()

    def _dismiss(self) -> None:
        if self.watching.dismiss():
            self.panes.notice = "nothing was sent"
        self._end_question()

    def _end_question(self) -> None:
        self._prompt.close()
        self.panes.look(self.panes.list)
        self._wake.set()
        self.draw()

    def _tell(self, notice: str) -> None:
        self.panes.notice = notice
        self.draw()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave keys alone while a question or a window is open; dim what is impossible now."""
        if action not in OURS:
            return super().check_action(action, parameters)
        if len(self.screen_stack) > 1 or self.watching.is_asking:
            return False
        if action in ("task_command", "open_run"):
            return self._check_task(*map(str, parameters))
        run = self._commanded_run
        if action == "decide":
            return run is not None and run.state(self.watching.now) == NEEDS_YOU
        if action == "command":
            command = ControlCommand(str(parameters[0]))
            if run is None and self.panes.list == "tasks":
                return False  # the bottom line has room for the keys of the task
            if run is None or why_not(run, command):
                return False if command == ControlCommand.RESUME else None
        return True

    def _check_task(self, command: str = "") -> bool:
        """Show the keys of tasks only where a task has the keys, and those of possible ones."""
        tasks = self.watching.tasks
        if self.panes.list != "tasks" or tasks.task is None:
            return False
        return command not in TASK_COMMANDS or not why_not_task(command, tasks.task, tasks.fleet)

    @property
    def _commanded_run(self) -> RunOverview | None:
        """The run that commands go to: the chosen one, or that of the chosen task."""
        run = self.watching.run
        if self.panes.list != "tasks" or run is None:
            return run
        task = self.watching.tasks.task
        return run if task is not None and task.run == run.id else None

    def on_key(self, event: Key) -> None:
        """Say why a command is impossible: a key that is switched off comes here."""
        if len(self.screen_stack) > 1 or self.watching.is_asking:
            return
        if command := BY_KEY.get(event.character or ""):
            self.action_command(command.value)
        elif name := _TASK_KEYS.get(event.character or ""):
            self.action_task_command(name)

    def action_command(self, name: str) -> None:
        """Ask the first question of a command."""
        self.watching.settle()
        if self.panes.list == "tasks" and self._commanded_run is None:
            task = self.watching.tasks.task
            self._tell(f"no run of {task.task.id} is here" if task else "there is no task")
            return
        self.panes.notice = self.watching.press(ControlCommand(name))
        if self.watching.is_asking:
            self._ask()
        else:
            self.draw()

    def action_task_command(self, name: str) -> None:
        """Ask the question of a command about a task or its fleet."""
        if self.watching.tasks.is_empty:
            return
        self.panes.notice = self.watching.press_task(name)
        if isinstance(asking := self.watching.asking, TaskQuestion):
            self._ask(asking.suggested)
        else:
            self.draw()

    def action_open_run(self) -> None:
        """Go to the run of the chosen task."""
        task = self.watching.tasks.task
        if self.watching.follow_task():
            self._move(lambda: self.panes.look("timeline"))
        elif task is not None:
            more = f": handrail log {task.run[:8]}" if task.run else ""
            self._tell(f"no run of {task.task.id} is here{more}")

    def action_decide(self) -> None:
        """Decide about a run that needs a person."""
        self.panes.notice = ""
        run = self._commanded_run
        if run is not None:
            self.run_worker(self._find_decision(run), exit_on_error=False)

    def action_move(self, by: int) -> None:
        """Move up or down in the pane with the keys."""
        self._move(lambda: self.panes.pane.go(by))

    def action_page(self, by: int) -> None:
        """Move a page."""
        self._move(lambda: self.panes.pane.go_page(by))

    def action_edge(self, to: int) -> None:
        """Go to the first item, or to the last."""
        self._move(lambda: self.panes.pane.go_edge(to))

    def action_switch(self, by: int) -> None:
        """Give the keys to the next pane."""
        self._move(self.screen.focus_next if by > 0 else self.screen.focus_previous)

    def action_look(self, name: ListName) -> None:
        """Give the keys to a list."""
        self._move(lambda: self.panes.look(name))

    def _move(self, how: Callable[[], object]) -> None:
        self.watching.settle()
        self.panes.notice = ""
        how()
        self.panes.note_focus(self.focused)
        self.draw()

    def action_details(self) -> None:
        """Open or close the details."""
        self.panes.wants_details = not self.panes.has_details
        self.draw()

    def action_zoom(self) -> None:
        """Show one pane alone, or all of them again."""
        if self.screen.maximized is None:
            self.screen.maximize(self.panes.pane, container=False)
        else:
            self.screen.minimize()

    def action_filter(self) -> None:
        """Ask for a filter of the list with the keys."""
        self._ask(self.watching.seek(self.panes.list))

    def action_close(self) -> None:
        """Close the details; at last the filter, and follow the timeline again."""
        self.panes.notice = ""
        if self.panes.wants_details:
            self.panes.wants_details = None
        elif not self.watching.clear_filter(self.panes.list):
            self.panes.timeline.go_edge(1)
        self.draw()

    def action_keys(self) -> None:
        """Show all keys."""
        self.push_screen(HelpScreen(with_tasks=not self.watching.tasks.is_empty))

    def action_leave(self) -> None:
        """Quit; the runs continue."""
        self.exit()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Let the details follow a click."""
        self.panes.note_focus(event.widget)
        self.draw()

    def on_option_list_option_highlighted(self) -> None:
        """Let the details follow the chosen entry."""
        self.draw()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every command for the chosen run, too."""
        yield from super().get_system_commands(screen)
        run = self.watching.run
        if run is None:
            return
        for command in ControlCommand:
            if not why_not(run, command):
                title = f"{command.word} {run.name}".capitalize()
                press = partial(self.call_later, self.action_command, command.value)
                yield SystemCommand(title, command.spec.on_screen.short, press)


_TASK_KEYS = {each.key: each.name for each in TASK_COMMANDS.values()}


def _failed(error: Exception) -> SendingStage:
    return SendingStage("failed", f"{type(error).__name__}: {error}", "internal")
