"""When Claude Code is at rest, and what came of a turn: lines as they were seen."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.claude.stream import (
    BackgroundTasks,
    Line,
    ModelSpoke,
    PromptHeard,
    TaskEnded,
    TokenUsage,
    ToolAnswered,
    TurnEnded,
    WorkBegan,
)
from handrail.hosts.claude.turn_tracker import Activity, TurnTracker
from handrail.hosts.driven_agent import AgentTurn

BEGAN = WorkBegan("m")
NO_TASKS = BackgroundTasks(frozenset(), frozenset())
AGENT = BackgroundTasks(frozenset({"t"}), frozenset({"t"}))
COMMAND = BackgroundTasks(frozenset({"t"}), frozenset())
ENDED = TaskEnded("t", stopped=False)
STOPPED = TaskEnded("t", stopped=True)
NOTHING, LITTLE = TokenUsage(), TokenUsage(10, 0.5)


def result(
    text: str = "done",
    reason: str = "completed",
    *,
    subtype: str = "success",
    is_error: bool = False,
    errors: tuple[str, ...] = (),
    answers: int | None = 1,
    total: TokenUsage = NOTHING,
    used: TokenUsage | None = LITTLE,
) -> TurnEnded:
    return TurnEnded(text, subtype, reason, is_error, errors, answers, total, used)


ABORTED = result("", "aborted_tools", subtype="error_during_execution", is_error=True)


def heard(state: str, prompt: str = "p") -> PromptHeard:
    return PromptHeard(prompt, state)


STARTED = (heard("queued"), heard("started"), BEGAN)


def turns(*lines: Line) -> TurnTracker:
    """After a prompt and what was printed since."""
    turns = TurnTracker()
    turns.send("p")
    for line in lines:
        turns.read(line)
    return turns


def after(turns: TurnTracker, *lines: Line) -> Activity:
    for line in lines:
        turns.read(line)
    return turns.rest


def test_it_rests_before_the_first_prompt_and_works_from_the_prompt_on() -> None:
    assert TurnTracker().rest is Activity.RESTS
    assert turns().rest is Activity.WORKS


def test_a_result_ends_the_turn() -> None:
    done = turns(*STARTED, ModelSpoke("hello", "m2"), result())
    assert done.rest is Activity.RESTS
    assert done.finish_turn() == AgentTurn(says="done", tokens=10, cost_usd=0.5, model="m2")


def test_what_is_heard_of_the_prompt_after_its_result_changes_nothing() -> None:
    done = turns(*STARTED, result(), heard("completed"))
    assert done.rest is Activity.RESTS


def test_versions_that_tell_nothing_of_a_prompt_end_it_with_a_result() -> None:
    assert turns(BEGAN, result()).rest is Activity.RESTS


def test_a_result_before_the_prompt_is_begun_is_that_of_other_work() -> None:
    other: list[Line] = [heard("completed", "before"), BEGAN, heard("queued"), result("other")]
    assert turns(*other).rest is Activity.WORKS
    done = turns(*other, heard("started"), BEGAN, result("mine"))
    assert done.rest is Activity.RESTS
    turn = done.finish_turn()
    assert (turn.says, turn.tokens) == ("mine", 20)


def test_a_sub_agent_that_works_on_keeps_it_at_work() -> None:
    waiting = turns(*STARTED, AGENT, result("I wait."))
    assert after(waiting) is Activity.WORKS
    assert after(waiting, ENDED, NO_TASKS) is Activity.STIRS
    assert after(waiting, BEGAN) is Activity.WORKS
    assert after(waiting, result("It was found.")) is Activity.RESTS
    assert waiting.finish_turn().says == "It was found."


def test_news_that_went_along_with_a_tools_result_wake_nobody_up() -> None:
    told = turns(*STARTED, AGENT, ENDED, NO_TASKS, ToolAnswered(), result())
    assert told.rest is Activity.RESTS


def test_news_that_came_too_late_for_the_model_wake_it_up() -> None:
    assert turns(*STARTED, AGENT, ENDED, NO_TASKS, result()).rest is Activity.STIRS


def test_a_command_in_the_background_keeps_nobody_at_work() -> None:
    done = turns(*STARTED, COMMAND, result())
    assert done.rest is Activity.RESTS
    assert done.has_tasks


def test_a_long_command_in_the_foreground_is_no_news() -> None:
    assert turns(*STARTED, ToolAnswered(), ENDED, result()).rest is Activity.RESTS


def test_it_works_without_a_prompt_too() -> None:
    done = turns(*STARTED, result())
    done.finish_turn()
    assert after(done, BEGAN) is Activity.WORKS
    assert after(done, result("by itself")) is Activity.RESTS
    assert done.finish_turn().says == "by itself"


# Interrupts


def test_what_a_turn_has_used_is_known_before_its_end() -> None:
    said = (
        ModelSpoke("", "m", "msg_1", 40),
        ModelSpoke("x", "m", "msg_1", 45),
        ModelSpoke("", "", "msg_2", 10),
    )
    works = turns(*STARTED, *said)
    assert works.tokens == 55
    works.read(result())
    assert works.tokens == works.finish_turn().tokens
    assert works.tokens == 0


def test_a_turn_that_was_broken_off_is_no_problem() -> None:
    turn = turns(*STARTED, ModelSpoke("I begin.", "m"), ABORTED, heard("cancelled")).finish_turn()
    assert turn == AgentTurn(says="I begin.", interrupted=True, tokens=10, cost_usd=0.5, model="m")


def test_a_turn_that_ended_before_the_interrupt_was_not_broken_off() -> None:
    done = turns(*STARTED)
    done.interrupting = True
    done.read(result())
    assert not done.finish_turn().interrupted


def test_where_no_reason_is_given_it_counts_who_asked() -> None:
    broken = result("", "", subtype="error_during_execution", is_error=True, errors=("x",))
    alone, asked = turns(*STARTED, broken), turns(*STARTED)
    asked.interrupting = True
    asked.read(broken)
    assert alone.finish_turn().problem == "x"
    assert (asked.finish_turn().interrupted, asked.interrupting) == (True, False)


def test_sub_agents_that_are_stopped_alone_have_no_result() -> None:
    waiting = turns(*STARTED, AGENT, result("I wait."), STOPPED, NO_TASKS)
    assert waiting.rest is Activity.RESTS
    assert waiting.finish_turn().interrupted


def test_an_interrupt_that_stops_only_sub_agents_has_broken_something_off() -> None:
    done = turns(*STARTED, AGENT)
    done.interrupting = True
    assert after(done, STOPPED, NO_TASKS, result("I wait.")) is Activity.RESTS
    assert done.finish_turn().interrupted


def test_a_sub_agent_that_its_master_stops_interrupts_nothing() -> None:
    assert not turns(*STARTED, AGENT, STOPPED, NO_TASKS, result()).finish_turn().interrupted


def test_a_prompt_that_is_thrown_away_was_interrupted() -> None:
    thrown = turns(heard("queued"), heard("cancelled"))
    assert thrown.rest is Activity.RESTS
    assert thrown.finish_turn() == AgentTurn(interrupted=True)


def test_a_prompt_that_was_begun_and_thrown_away_may_still_have_a_result() -> None:
    thrown = turns(*STARTED, heard("cancelled"))
    assert thrown.rest is Activity.STIRS
    assert thrown.finish_turn().interrupted


def test_what_becomes_of_no_prompt_is_nothing() -> None:
    assert after(TurnTracker(), heard("started", "")) is Activity.RESTS


# Problems


def test_an_error_is_a_problem_and_not_the_models_words() -> None:
    failed = result("API Error: 529", "api_error", is_error=True)
    turn = turns(
        *STARTED, ModelSpoke("I begin.", "m"), ModelSpoke("API Error: 529", ""), failed
    ).finish_turn()
    assert (turn.problem, turn.says) == ("API Error: 529", "I begin.")


def test_a_prompt_that_never_reached_the_model_is_a_problem() -> None:
    refused = result("blocked by hook: not now", "", answers=0)
    assert turns(*STARTED, refused).finish_turn().problem == "blocked by hook: not now"


def test_a_hook_that_stops_it_is_a_problem() -> None:
    assert turns(*STARTED, result("", "hook_stopped")).finish_turn().problem == "a hook stopped it"


def test_a_limit_of_claude_code_is_a_problem() -> None:
    limit = result("", "", subtype="error_max_budget_usd")
    assert turns(*STARTED, limit).finish_turn().problem == "error_max_budget_usd"


# What was used


def test_where_only_totals_are_told_a_turn_used_what_came_on_top() -> None:
    fold = turns(*STARTED, result(total=TokenUsage(10, 1.0), used=None))
    first = fold.finish_turn()
    fold.send("q")
    after(fold, heard("started", "q"), result(total=TokenUsage(15, 3.0), used=None))
    second = fold.finish_turn()
    assert [(turn.tokens, turn.cost_usd) for turn in (first, second)] == [(10, 1.0), (5, 2.0)]


def test_a_count_that_begins_anew_is_taken_as_it_is() -> None:
    assert TokenUsage(5, 1.0).since(TokenUsage(10, 2.0)) == TokenUsage(5, 1.0)


LINES = st.lists(
    st.sampled_from(
        [
            *STARTED,
            heard("completed"),
            heard("cancelled"),
            heard("started", "other"),
            ModelSpoke("x", "m"),
            ToolAnswered(),
            AGENT,
            COMMAND,
            NO_TASKS,
            ENDED,
            STOPPED,
            result(),
            ABORTED,
        ]
    )
)


@given(LINES)
def test_whatever_was_printed_a_prompt_that_begins_and_ends_is_at_rest(lines: list[Line]) -> None:
    fold = turns(*lines)
    fold.send("q")
    mine = (NO_TASKS, heard("started", "q"), BEGAN, result("mine"))
    assert after(fold, *mine) is Activity.RESTS
    assert fold.finish_turn().says == "mine"
    assert fold.finish_turn() == AgentTurn(model=fold.model)
