"""A person decides about tasks in the browser: their order, their slots, their merges."""

from collections.abc import Iterator
from time import time

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from handrail.fleet.engine.events import TaskAudited
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.tasks.task import TaskStatus
from tests.panel.browser import PanelSandbox
from tests.panel.working_fleet import HOSTILE, WorkingFleet, column

pytestmark = pytest.mark.slow


@pytest.fixture
def fleet(place: PanelSandbox) -> WorkingFleet:
    """A fleet without tasks."""
    return WorkingFleet(place)


def task(fleet: WorkingFleet, name: str) -> TaskState:
    """A task as the log has it."""
    return fleet.engine.look_at(name)


def cards(page: Page, title: str = "Pending") -> Locator:
    return column(page, title).get_by_role("article")


def card(page: Page, name: str) -> Locator:
    """One task on the board."""
    return page.get_by_role("article").filter(has=page.locator("code", has_text=name))


def dialog(page: Page, title: str) -> Locator:
    return page.get_by_role("dialog", name=title)


def open_board(page: Page, fleet: WorkingFleet, count: int) -> None:
    page.goto(fleet.address)
    expect(page.get_by_role("article")).to_have_count(count)


def choose(page: Page, name: str) -> None:
    """Walk to a task with the keyboard."""
    chosen = page.locator(".task-chosen")
    page.keyboard.press("j")
    for _ in range(10):
        expect(chosen).to_have_count(1)
        if name in chosen.locator("code").all_inner_texts():
            return
        page.keyboard.press("j")
        page.keyboard.press("l")
    pytest.fail(f"the keyboard does not reach {name}")


# The order


def test_a_task_is_dragged_to_another_place_of_those_that_wait(
    page: Page, fleet: WorkingFleet
) -> None:
    fleet.submit("one", "two", "three")
    open_board(page, fleet, 3)
    expect(cards(page)).to_contain_text(["one", "two", "three"])
    card(page, "three").drag_to(card(page, "one"), target_position={"x": 20, "y": 5})
    expect(cards(page)).to_contain_text(["three", "one", "two"])
    claim, _ = fleet.claim()
    assert claim.ticket.task == "three"


def test_a_task_moves_up_by_keyboard_alone(page: Page, fleet: WorkingFleet) -> None:
    fleet.submit("one", "two", "three")
    open_board(page, fleet, 3)
    choose(page, "two")
    page.keyboard.press("K")
    expect(cards(page)).to_contain_text(["two", "one", "three"])
    expect(page.locator(".task-chosen")).to_contain_text("two")
    assert fleet.claim()[0].ticket.task == "two"


# A slot goes on with another task


@pytest.fixture
def working(fleet: WorkingFleet) -> Iterator[WorkingFleet]:
    """One agent works on `one`; `two` and `three` wait."""
    fleet.submit("one", "two", "three")
    with fleet.work():
        yield fleet


def test_a_waiting_task_that_is_dragged_onto_one_at_work_takes_its_slot(
    page: Page, working: WorkingFleet
) -> None:
    open_board(page, working, 3)
    card(page, "three").drag_to(card(page, "one"))
    redirect = dialog(page, "Give its slot another task: one")
    expect(redirect.get_by_label("The other task")).to_have_value("three")
    redirect.get_by_role("button", name="Give its slot another task").click()
    assert task(working, "one").status is TaskStatus.ACTIVE
    redirect.get_by_role("button", name="Yes: Give its slot another task").click()
    expect(cards(page).filter(has_text="one")).to_be_visible()
    assert task(working, "one").status is TaskStatus.PENDING
    assert working.claim()[0].ticket.task == "three"


def test_the_same_is_done_by_the_menu_and_the_keyboard_alone(
    page: Page, working: WorkingFleet
) -> None:
    open_board(page, working, 3)
    choose(page, "one")
    page.keyboard.press(".")
    menu = dialog(page, "do one")
    entry = menu.get_by_role("button", name="Give its slot another task")
    for _ in range(12):
        page.keyboard.press("Tab")
        if entry.evaluate("entry => entry === document.activeElement"):
            break
    page.keyboard.press("Enter")
    redirect = dialog(page, "Give its slot another task: one")
    expect(redirect.get_by_label("The other task")).to_be_focused()
    page.keyboard.type("two")
    expect(redirect.get_by_label("The other task")).to_have_value("two")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(redirect.get_by_role("alert")).to_contain_text("Are you sure?")
    page.keyboard.press("Enter")
    expect(cards(page).filter(has_text="one")).to_be_visible()
    found = working.workspaces.reuse("two")
    assert found is not None, "the slot goes on in the same workspace"
    assert working.claim()[0].ticket.task == "two"


# Edit, block, retry, give up


def test_a_task_that_nobody_works_on_is_edited(page: Page, fleet: WorkingFleet) -> None:
    fleet.add("docs", "Write the docs")
    open_board(page, fleet, 1)
    choose(page, "docs")
    page.keyboard.press("E")
    form = dialog(page, "Edit docs")
    expect(form.get_by_label("What the agent shall do")).to_have_value("Write the docs")
    form.get_by_label("What the agent shall do").fill("Write the docs of the API")
    form.get_by_role("textbox", name="Verified by").fill("make docs")
    form.get_by_role("button", name="Save").click()
    expect(card(page, "docs")).to_contain_text("Write the docs of the API")
    changed = task(fleet, "docs").task
    assert (changed.prompt, changed.verify) == ("Write the docs of the API", "make docs")


def test_a_task_is_blocked_by_a_drag_and_tried_again_with_a_word_to_its_agent(
    page: Page, fleet: WorkingFleet
) -> None:
    fleet.submit("docs")
    open_board(page, fleet, 1)
    card(page, "docs").drag_to(column(page, "Blocked"))
    block = dialog(page, "Block: docs")
    block.get_by_label("Reason").fill("wait for the release")
    block.get_by_role("button", name="Block").click()
    expect(cards(page, "Blocked")).to_contain_text("wait for the release")
    assert fleet.engine.state().tasks["docs"].status is TaskStatus.BLOCKED
    choose(page, "docs")
    page.keyboard.press("t")
    again = dialog(page, "Try again: docs")
    again.get_by_label("What the next agent is told").fill("Use the new API.")
    again.get_by_role("button", name="Try again").click()
    expect(cards(page, "Pending")).to_contain_text("docs")
    assert task(fleet, "docs").message == "Use the new API."


def test_giving_a_task_up_takes_a_second_step(page: Page, fleet: WorkingFleet) -> None:
    fleet.submit("docs")
    open_board(page, fleet, 1)
    choose(page, "docs")
    page.keyboard.press("X")
    give_up = dialog(page, "Give up: docs")
    give_up.get_by_label("Reason").fill("not needed")
    give_up.get_by_role("button", name="Give up").click()
    expect(give_up.get_by_role("alert")).to_contain_text("Are you sure?")
    assert task(fleet, "docs").status is TaskStatus.PENDING
    give_up.get_by_role("button", name="Yes: Give up").click()
    expect(cards(page, "Failed")).to_contain_text("not needed")
    assert task(fleet, "docs").status is TaskStatus.FAILED


def test_what_cannot_be_done_now_says_why_and_does_nothing(
    page: Page, working: WorkingFleet
) -> None:
    open_board(page, working, 3)
    card(page, "one").get_by_role("button", name="Commands of one").click()
    menu = dialog(page, "do one")
    merge = menu.get_by_role("listitem").filter(has_text="Merge")
    expect(merge).to_contain_text("Not now: one is working.")
    merge.get_by_role("button").click(force=True)
    expect(menu).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(1)


# Merge


def merge(page: Page, name: str) -> None:
    choose(page, name)
    page.keyboard.press("m")
    asked = dialog(page, f"Merge: {name}")
    asked.get_by_role("button", name="Merge", exact=True).click()
    expect(asked).to_have_count(0)


def test_a_clean_merge_brings_the_work_to_the_branch(page: Page, fleet: WorkingFleet) -> None:
    fleet.submit("api")
    fleet.do("api.txt")
    open_board(page, fleet, 1)
    merge(page, "api")
    expect(cards(page, "Done")).to_contain_text("merged into main")
    assert (fleet.tree / "api.txt").read_text() == "done\n"


def test_a_merge_with_a_conflict_changes_nothing_and_names_the_file(
    page: Page, fleet: WorkingFleet
) -> None:
    fleet.submit("api")
    fleet.do("README.md", "# Another shop\n")
    (fleet.tree / "README.md").write_text("# A third shop\n")
    fleet.git("commit", "-q", "-am", "meanwhile")
    before = fleet.git("rev-parse", "HEAD")
    open_board(page, fleet, 1)
    merge(page, "api")
    expect(card(page, "api")).to_contain_text("conflict")
    expect(card(page, "api")).to_contain_text("needs you")
    card(page, "api").get_by_role("link").click()
    expect(page.get_by_role("main")).to_contain_text("README.md")
    assert (fleet.tree / "README.md").read_text() == "# A third shop\n"
    assert fleet.git("rev-parse", "HEAD") == before
    assert fleet.git("status", "--porcelain") == ""


def test_a_conflict_goes_back_to_the_agent_if_the_person_wants_that(
    page: Page, fleet: WorkingFleet
) -> None:
    fleet.submit("api")
    fleet.do("README.md", "# Another shop\n")
    (fleet.tree / "README.md").write_text("# A third shop\n")
    fleet.git("commit", "-q", "-am", "meanwhile")
    open_board(page, fleet, 1)
    choose(page, "api")
    page.keyboard.press("m")
    dialog(page, "Merge: api").get_by_label("A conflict goes back").check()
    dialog(page, "Merge: api").get_by_role("button", name="Merge", exact=True).click()
    expect(cards(page, "Pending")).to_contain_text("api")
    assert task(fleet, "api").status is TaskStatus.PENDING


# One task


def test_the_next_agent_s_context_and_the_workspace_stand_on_the_page_of_a_task(
    page: Page, fleet: WorkingFleet
) -> None:
    fleet.submit("api")
    claim, path = fleet.claim()
    done = TaskAudited(time(), "api", 1, "iteration", iteration=1, files=("cart.py",))
    fleet.engine.note(done)
    fleet.engine.give_back(claim.ticket, "its driver crashed")
    page.goto(f"{fleet.address}/api")
    context = page.get_by_role("region", name="What the next agent is told")
    expect(context).to_contain_text("1 earlier attempt")
    context.get_by_text("What it reads about them").click()
    expect(context.get_by_role("listitem").first).to_contain_text("cart.py")
    expect(page.get_by_role("main")).to_contain_text("handrail/api")
    expect(page.get_by_role("main")).to_contain_text(path)


def test_a_question_of_an_agent_is_answered_on_the_page_of_its_task(
    page: Page, fleet: WorkingFleet
) -> None:
    fleet.submit("api")
    claim, _ = fleet.claim()
    open_board(page, fleet, 1)
    fleet.ask_person(claim, "Shall the old name stay?")
    expect(card(page, "api")).to_contain_text("Shall the old name stay?")
    card(page, "api").get_by_role("link").click()
    asked = page.get_by_role("region", name="Questions of its agent")
    asked.get_by_label("Your answer").fill("Yes, for a year.")
    asked.get_by_role("button", name="Answer").click()
    expect(asked.get_by_role("button", name="Answer")).to_have_count(0)
    expect(asked).to_contain_text("Yes, for a year.")
    (question,) = task(fleet, "api").questions
    assert (question.answer, question.needs_person) == ("Yes, for a year.", False)


# Who looks


def test_two_browsers_see_the_same_board(
    page: Page, place: PanelSandbox, browser: Browser, fleet: WorkingFleet
) -> None:
    fleet.submit("one", "two")
    open_board(page, fleet, 2)
    with place.logged_in(browser) as other:
        open_board(other, fleet, 2)
        choose(other, "two")
        other.keyboard.press("K")
        expect(cards(page)).to_contain_text(["two", "one"])
        card(page, "one").drag_to(column(page, "Blocked"))
        dialog(page, "Block: one").get_by_role("button", name="Block").click()
        expect(cards(other, "Blocked")).to_contain_text("one")


def test_who_may_only_read_moves_and_commands_nothing(
    place: PanelSandbox, browser: Browser, fleet: WorkingFleet
) -> None:
    fleet.submit("one", "two")
    with place.logged_in(browser, read_only=True) as page:
        open_board(page, fleet, 2)
        expect(card(page, "two").locator("xpath=ancestor::*[@draggable]")).to_have_attribute(
            "draggable", "false"
        )
        choose(page, "two")
        page.keyboard.press("X")
        page.keyboard.press("K")
        expect(page.get_by_role("dialog")).to_have_count(0)
        card(page, "two").get_by_role("button").click()
        expect(dialog(page, "do two")).to_contain_text("You may only read here.")
    assert [task(fleet, name).task.priority for name in ("one", "two")] == [0, 0]


def test_hostile_texts_of_tasks_are_only_texts(
    page: Page, place: PanelSandbox, fleet: WorkingFleet
) -> None:
    fleet.add("image", HOSTILE)
    claim, _ = fleet.claim()
    fleet.ask_person(claim, HOSTILE)
    page.goto(f"{place.address}/fleets")
    expect(page.get_by_role("article", name="shop")).to_contain_text(HOSTILE)
    open_board(page, fleet, 1)
    card(page, "image").get_by_role("button").click()
    expect(dialog(page, HOSTILE)).to_be_visible()
    page.keyboard.press("Escape")
    page.goto(f"{fleet.address}/image")
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(page.get_by_role("region", name="Questions of its agent")).to_contain_text(HOSTILE)
    expect(page.locator("main img, dialog img")).to_have_count(0)
    assert "owned" not in page.title()
