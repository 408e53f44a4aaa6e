"""The past of a run, as reviews see it."""

from handrail.model.history import History


def _failing(times: int) -> History:
    history = History()
    for _ in range(times):
        history.remember("make test", ok=False)
    return history


def test_an_action_that_worked_has_no_failures_before_it() -> None:
    history = _failing(5)
    assert history.failures("make test") == 5
    history.remember("make test", ok=True)
    assert history.failures("make test") == 0


def test_what_failed_before_an_edit_is_not_held_against_the_next_try() -> None:
    history = _failing(5)
    history.remember("edit", ok=True, file_operations=1)
    assert history.failures("make test") == 0


def test_what_only_reads_or_fails_itself_changes_nothing() -> None:
    history = _failing(2)
    history.remember("ls", ok=True)
    history.remember("edit", ok=False)
    assert history.failures("make test") == 2
