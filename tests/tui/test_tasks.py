"""The tasks on the screen: their list, their keys, their details."""

from pathlib import Path

import pytest

from handrail.fleet.engine import events
from handrail.fleet.tasks.task import Task
from handrail.model.control import ControlCommand
from handrail.tui.keys import KEYS
from handrail.tui.panes.help import help_text
from handrail.tui.panes.tasks_table import TasksTable
from handrail.tui.sending.task_commands import TASK_COMMANDS
from tests.cli.fleet_log import FLEET, FleetLog, sample_fleet
from tests.tui.sample_log import NOON, SHOP, SampleLog
from tests.tui.screen_user import ScreenUser, at_screen

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet(book: SampleLog) -> FleetLog:
    log = sample_fleet(book.store, NOON)
    log.claim("search", 2, run=SHOP)
    return log


async def choose(stand: ScreenUser, task: str) -> None:
    """Go to a task."""
    await stand.press("T", "g")
    names = [each.task.id for each in stand.app.watching.tasks.list]
    await stand.press(*["j"] * names.index(task))


def test_without_a_fleet_there_is_no_pane_of_tasks(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.press("T", "t", "P", "X")
        assert "Tasks" not in stand.text
        assert stand.app.panes.list == "runs"
        assert stand.last == ""

    at_screen(book, work)


def test_a_fleet_whose_last_task_was_done_long_ago_is_not_shown(book: SampleLog) -> None:
    log = FleetLog(book.store, NOON - 7200)
    log.add("docs")
    log.write(events.TaskCancelled(log.now, "docs", "ada"))

    async def work(stand: ScreenUser) -> None:
        assert "Tasks" not in stand.text

    at_screen(book, work)


def test_tasks_that_need_a_person_come_first_and_the_title_sums_up(
    book: SampleLog, fleet: FleetLog
) -> None:
    async def work(stand: ScreenUser) -> None:
        shown = stand.shown_in("tasks")
        names = ["ports", "broken", "cart", "login", "search", "later", "release", "docs"]
        assert [each.task.id for each in stand.app.watching.tasks.list] == names
        places = [shown.index(f" {name} ") for name in names]
        assert places == sorted(places)
        assert "Tasks · shop · 3 slots used · $0.42 · 1 needs you, 1 failed, 3 working" in shown

    at_screen(book, work, size=(140, 45))


@pytest.mark.parametrize(
    ("key", "task", "command", "says"),
    [
        ("t", "ports", "retry", "ports may be tried again."),
        ("b", "later", "block", "No agent takes later until you let it be tried again."),
        ("X", "cart", "give_up", "cart counts as failed, and an agent at work on it ends."),
        ("P", "cart", "pause_fleet", f"No agent of {FLEET} takes a task or begins an iteration"),
        ("C", "cart", "save_fleet", f"Handrail saves every task of {FLEET}"),
    ],
)
def test_a_command_says_what_will_happen_and_asks_once(
    book: SampleLog, fleet: FleetLog, key: str, task: str, command: str, says: str
) -> None:
    async def work(stand: ScreenUser) -> None:
        await choose(stand, task)
        await stand.press(key, "escape")
        assert "nothing was sent" in stand.last
        await stand.press(key)
        assert says in " ".join(stand.last.split())
        assert stand.tasks.sent == []
        await stand.type("because")
        await stand.until_answered()
        (sent,) = stand.tasks.sent
        assert (sent.command, sent.fleet, sent.task, sent.typed) == (
            command, FLEET, task, "because",
        )  # fmt: skip
        assert "/w/trees/cart" in sent.folders
        assert "/home/ada/shop" in sent.folders

    at_screen(book, work)


def test_a_paused_fleet_says_so_and_can_be_resumed(book: SampleLog, fleet: FleetLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.press("T", "R")
        assert f"{FLEET} is not paused" in stand.last
        fleet.write(events.DispatchClosed(NOON, "ada", "lunch"))
        await stand.until_shows("Tasks · shop · paused by ada")
        await stand.press("P")
        assert "press R to resume it" in stand.last
        await stand.press("R", "enter")
        await stand.until_answered()
        assert [each.command for each in stand.tasks.sent] == ["resume_fleet"]

    at_screen(book, work)


@pytest.mark.parametrize(
    ("key", "task", "says"),
    [
        ("t", "cart", "an agent works on cart already"),
        ("t", "docs", "docs is done; handrail task retry docs --again does it once more"),
        ("t", "later", "later is pending; nobody stopped it"),
        ("b", "broken", "no block: broken is failed"),
        ("m", "later", "later is pending; only done tasks are merged"),
        ("m", "docs", "docs is done without a commit; there is nothing to merge"),
        ("E", "cart", "cart is active; stop its agent before you change it"),
        ("n", "cart", "cart is active; stop its agent before you change it"),
        ("X", "docs", "docs is done: there is nothing left to give up"),
        ("p", "login", "no run of login is here"),
        ("o", "login", "no run of login is here: handrail log run-logi"),
    ],
)
def test_what_cannot_be_done_says_why(
    book: SampleLog, fleet: FleetLog, key: str, task: str, says: str
) -> None:
    async def work(stand: ScreenUser) -> None:
        await choose(stand, task)
        await stand.press(key)
        assert says in " ".join(stand.last.split())
        assert stand.tasks.sent == []
        assert stand.controls.sent == []

    at_screen(book, work)


def test_a_priority_begins_with_the_present_one_and_a_rollback_needs_a_name(
    book: SampleLog, fleet: FleetLog
) -> None:
    async def work(stand: ScreenUser) -> None:
        await choose(stand, "later")
        await stand.press("n")
        assert "its priority: 0" in stand.last
        await stand.press("backspace", "7", "enter")
        await stand.until_answered()
        await stand.press("B", "enter")
        assert "the checkpoint:" in stand.last, "it still asks"
        await stand.press("escape")
        assert [(each.command, each.typed) for each in stand.tasks.sent] == [("prioritize", "7")]

    at_screen(book, work)


def test_a_question_is_answered_with_a_key_and_a_task_that_asks_nothing_says_so(
    book: SampleLog, fleet: FleetLog
) -> None:
    asked = (events.QuestionAsked(fleet.now, "cart", 1, text, fleet.now) for text in ("A?", "B?"))
    fleet.write(*asked)

    async def work(stand: ScreenUser) -> None:
        await choose(stand, "later")
        await stand.press("A")
        assert "later asks nothing" in stand.last
        await choose(stand, "cart")
        await stand.press("A")
        assert "your answer: 2" in stand.last, "the number of the last question"
        await stand.press("N", "o", "enter")
        await stand.until_answered()
        assert [(each.command, each.typed) for each in stand.tasks.sent] == [("answer", "2 No")]

    at_screen(book, work)


def test_the_bottom_line_has_the_keys_of_a_task_without_a_run_and_the_help(
    book: SampleLog, fleet: FleetLog
) -> None:
    async def work(stand: ScreenUser) -> None:
        await choose(stand, "later")
        keys = "⏎ details b block X give up E edit P pause all o its run ? help / filter q quit"
        await stand.until(lambda: stand.lines[-1] == keys)

    at_screen(book, work)


def test_a_redirect_to_another_task_asks_for_it_and_for_the_workspace(
    book: SampleLog, fleet: FleetLog
) -> None:
    async def work(stand: ScreenUser) -> None:
        await choose(stand, "search")
        await stand.until_shows("● shop-3f2a · working")
        await stand.press("D")
        await stand.type("later")
        assert "workspace (new, or same):" in stand.last
        await stand.type("old")
        assert "workspace (new, or same):" in stand.last, "there is no such one"
        await stand.type("same")
        await stand.type("it is urgent")
        await stand.until_answered()
        (sent,) = stand.controls.sent
        assert sent[:4] == (ControlCommand.REASSIGN, SHOP, "it is urgent", "later")
        assert stand.controls.choices == ["same"]

    at_screen(book, work)


def test_every_key_of_the_tasks_stands_on_the_help_page_and_none_has_two_meanings() -> None:
    page = help_text(with_tasks=True)
    keys = [each.key for each in TASK_COMMANDS.values()]
    assert all(f"{each.key}  {each.word}" in page for each in TASK_COMMANDS.values())
    assert all(len(each.short) < 25 for each in TASK_COMMANDS.values()), "two columns"
    documented = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text()
    assert all(f"`{key}`" in documented for key in keys)
    used = [key for binding in KEYS for key in binding.key.split(",")]
    assert len(set(used)) == len(used)
    assert set(keys) <= set(used)


def test_the_run_of_a_task_is_shown_takes_commands_and_can_be_opened(
    book: SampleLog, fleet: FleetLog
) -> None:
    async def work(stand: ScreenUser) -> None:
        await choose(stand, "search")
        await stand.until_shows("● shop-3f2a · working")
        await stand.press("p", "enter")
        await stand.until_answered()
        assert [sent[1] for sent in stand.controls.sent] == [SHOP]
        await stand.press("o")
        assert stand.app.panes.list == "timeline"
        assert stand.app.watching.chosen == SHOP

    at_screen(book, work)


def test_the_details_of_a_task_have_its_audit_log_workspace_and_merge(
    book: SampleLog, fleet: FleetLog
) -> None:
    async def work(stand: ScreenUser) -> None:
        await choose(stand, "cart")
        shown = " ".join(stand.shown_in("detail").split())
        for text in (
            "Branch handrail/cart",
            "Workspace /w/trees/cart",
            "Attempt 1, iteration 2",
            "iteration 2, changed cart.py, 3 of 4 tests passed",
            'last commit f00dfeed "Fix the total"',
        ):
            assert text in shown, shown
        await choose(stand, "docs")
        assert "Merge merged into main" in " ".join(stand.shown_in("detail").split())

    at_screen(book, work, size=(140, 45))


def test_a_filter_finds_tasks_and_tells_if_there_are_none(book: SampleLog, fleet: FleetLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.press("T", "/")
        await stand.type("port")
        assert [each.task.id for each in stand.app.watching.tasks.list] == ["ports"]
        await stand.press("/", *["backspace"] * 4)
        await stand.type("nothing like it")
        assert "no task has that in it" in stand.text
        await stand.press("escape")
        assert len(stand.app.watching.tasks.list) == 8

    at_screen(book, work)


def test_a_fleet_without_any_run_is_shown_alone(book: SampleLog) -> None:
    for topic in book.store.topics("run:"):
        book.store.forget(topic.name).result(5)
    log = FleetLog(book.store, NOON)
    log.add("docs")

    async def work(stand: ScreenUser) -> None:
        assert "Runs" not in stand.text
        await stand.press("T", "enter")
        assert "Prompt    Do docs well" in stand.text

    at_screen(book, work)


class _Counted:
    """Counts what a table does."""

    def __init__(self, table: TasksTable, patch: pytest.MonkeyPatch) -> None:
        self.made = {"add_row": 0, "update_cell_at": 0, "clear": 0}
        for name in self.made:
            patch.setattr(table, name, self._counting(name, getattr(table, name)))

    def _counting(self, name: str, method: object) -> object:
        def call(*args: object, **more: object) -> object:
            self.made[name] += 1
            return method(*args, **more)  # type: ignore[operator]

        return call


def test_a_thousand_tasks_are_drawn_once_and_then_only_what_changes(
    book: SampleLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = FleetLog(book.store, NOON)
    names = [f"task-{number:04}" for number in range(1000)]
    tasks = [Task(id=name, prompt=f"Do {name}") for name in names]
    log.write(*(events.TaskSubmitted(NOON, task) for task in tasks))

    async def work(stand: ScreenUser) -> None:
        table = stand.app.panes.tasks
        assert table.row_count == 1000
        counted = _Counted(table, monkeypatch)
        before = stand.app.watching.tasks.list
        for _ in range(5):  # what is the same costs nothing, however often it is drawn
            stand.app.watching.refresh()
            stand.app.draw()
        await stand.press("T", *"jjjj")
        assert set(counted.made.values()) == {0}
        assert stand.app.watching.tasks.list is before
        log.write(events.TaskSubmitted(NOON, Task(id=names[2], prompt="Do it better")))
        await stand.until_shows("Do it better")
        assert counted.made["update_cell_at"] == 1
        assert counted.made["add_row"] == counted.made["clear"] == 0
        log.claim(names[900])
        await stand.until(lambda: "1 working" in stand.text)
        assert table.keys()[0] == f"{FLEET}/{names[900]}"
        assert counted.made["clear"] <= 3  # the order has changed, once for each poll at most
        assert table.row_count == 1000

    at_screen(book, work)
