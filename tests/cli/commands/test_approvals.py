"""`handrail approvals`, `approve`, `deny`: what waits is listed, the answer goes to the daemon."""

import json
from collections import Counter
from collections.abc import Iterator
from time import time

import pytest
from tests.cli.commands.test_incident import daemon
from tests.cli.conftest import HandrailShell
from tests.cli.logbook import RunLog, open_logbook
from tests.supervise.test_approvals import STOP

from handrail.api.messages.approvals import ApprovalResult, ApprovalRow, EditVerdict
from handrail.api.operation import PREFIX
from handrail.api.rows.approval_rows import approval_row
from handrail.model.action import Action
from handrail.model.event import ApprovalDecided, IncidentResolved, Intervened
from handrail.server.home import Home
from handrail.views.approval_feed import ApprovalFeed

RUN = "3f2a9c1e-77aa-4b1c-9d2e-1c7a3f6e0001"


@pytest.fixture
def waiting(shell: HandrailShell) -> Iterator[RunLog]:
    """A run that goes on under approval; a call of it waits."""
    now = time()
    with open_logbook(shell, now) as book:
        run = book.start(RUN, "tidy up")
        run.note(Intervened(now, STOP))
        run.note(IncidentResolved(now, "inc-1", "manual_approval", approval=True))
        call(run, "echo x > a.txt")
        yield run


def call(run: RunLog, command: str) -> None:
    """A call of a host that does not wait."""
    run.supervisor.before(Action("Bash", {"command": command}, run.cwd))


def ids(run: RunLog) -> list[str]:
    return [each.id for each in run.supervisor.state.approvals.waiting(run.book.now)]


def question(run: RunLog, *, always: str = "", no_rule: str = "") -> ApprovalRow:
    """What the daemon tells about the call that waits."""
    [view] = ApprovalFeed().all(run.book.store, run.book.now)
    return approval_row(view, run.book.now, always=always, no_rule=no_rule)


def decided(run: RunLog) -> ApprovalResult:
    return ApprovalResult(ok=True, says="", runs="", note="", approval=question(run))


def reviewed(decision: str, reason: str, *, possible: bool = True) -> EditVerdict:
    return EditVerdict(
        input={},
        says="Bash: echo y > a.txt",
        possible=possible,
        decision=decision,
        reason=reason,
        alternative="",
        rewritten=None,
        changes=(),
        effects=(),
        parts=(),
        risk=0.0,
        severity="none",
    )


def test_what_waits_is_listed_with_the_commands_that_answer(
    shell: HandrailShell, waiting: RunLog
) -> None:
    [name] = ids(waiting)
    lines = shell.run("approvals").out.splitlines()
    assert lines[0].startswith(f" ▲ {name}  shop-3f2a  file_write  ")
    assert lines[1] == "   Bash: echo x > a.txt"
    assert lines[0].endswith(" ago, 23 h left") or lines[0].endswith(" ago, 24 h left")
    assert lines[2].startswith("   Why you are asked   Since an incident, a person approves ")
    assert "   It would            creates a.txt" in lines
    assert lines[-1] == (
        f"   handrail approve {name} · handrail approve {name} --edit COMMAND"
        f" · handrail deny {name} --reason TEXT"
    )


@pytest.mark.parametrize("command", ["approve", "deny"])
def test_an_empty_id_answers_nothing(shell: HandrailShell, waiting: RunLog, command: str) -> None:
    with daemon(Home(str(shell.state)), {}) as asked:
        ran = shell.run(command, "")
    assert (ran.code, asked) == (2, [])
    assert ran.err == "handrail: no approval '' is open; see handrail approvals\n"


def test_a_long_action_is_shown_to_its_end(shell: HandrailShell, waiting: RunLog) -> None:
    call(waiting, f"echo {'on and ' * 40}on > b.txt && touch the-end")
    assert "touch the-end" in " ".join(shell.run("approvals").out.split())
    assert shell.run("approvals", "--json").json[1]["says"].endswith("&& touch the-end")
    assert "handrail approve " + ids(waiting)[1] in shell.run("status").out


def test_a_run_that_waits_for_an_approval_needs_you(shell: HandrailShell, waiting: RunLog) -> None:
    assert shell.run("status").out.startswith(" 1 run · 1 needs you")
    assert shell.run("status", "--short").out.startswith("▲ 1 needs you")


def test_what_waits_is_listed_as_json(shell: HandrailShell, waiting: RunLog) -> None:
    [listed] = shell.run("approvals", "--json").json
    assert (listed["id"], listed["run"], listed["kinds"]) == (ids(waiting)[0], RUN, ["file_write"])


def test_status_says_that_a_run_waits(shell: HandrailShell, waiting: RunLog) -> None:
    said = " ".join(shell.run("status").out.split())
    assert (
        f"waits for your approval: Bash: echo x > a.txt → handrail approve {ids(waiting)[0]}"
        in (said)
    )


@pytest.mark.parametrize(
    ("command", "said"), [("approve", "Approved, once: shop-3f2a"), ("deny", "Denied: shop-3f2a")]
)
@pytest.mark.parametrize("typed", ["last", "start", "whole"])
def test_an_answer_goes_to_the_daemon(
    shell: HandrailShell, waiting: RunLog, command: str, said: str, typed: str
) -> None:
    [name] = ids(waiting)
    names = {"last": "last", "start": name[:3], "whole": name}
    with daemon(Home(str(shell.state)), {name: decided(waiting)}) as asked:
        ran = shell.run(command, names[typed], "--reason", "mine")
    assert (ran.code, ran.err) == (0, "")
    assert f" {said}, Bash: echo x > a.txt\n" in ran.out
    path, body = asked[0].split(" ", 2)[1:]
    assert path == f"{PREFIX}/approvals/{name}"
    assert json.loads(body) == {
        "decision": command, "reason": "mine", "edited": None, "always": False,
    }  # fmt: skip


def test_nothing_is_answered_that_does_not_wait(shell: HandrailShell, waiting: RunLog) -> None:
    [name] = ids(waiting)
    assert "no approval 'zz' is open" in shell.run("approve", "zz").err
    now = waiting.book.now
    waiting.note(ApprovalDecided(now, name, approved=True, until=now + 60))
    assert shell.run("approve", name).err == "handrail: No action waits for an approval.\n"
    assert shell.run("approvals").out == " No action waits for an approval.\n"


def test_of_two_that_begin_alike_neither_is_answered(shell: HandrailShell, waiting: RunLog) -> None:
    # Ids are random: among 17 of them, two begin with the same sign.
    for number in range(16):
        call(waiting, f"echo y > {number}.txt")
    by_sign = Counter(name[0] for name in ids(waiting))
    [(sign, times)] = by_sign.most_common(1)
    ran = shell.run("approve", sign)
    assert ran.code == 2
    assert sum(name in ran.err for name in ids(waiting)) == times > 1


@pytest.mark.parametrize("command", ["approve", "deny"])
def test_an_agent_can_neither_approve_nor_deny(
    shell: HandrailShell, waiting: RunLog, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = shell.run(command, "last")
    assert ran.code == 2
    assert "only a person may do this" in ran.err


def test_an_edit_shows_its_verdict_and_goes_to_the_daemon(
    shell: HandrailShell, waiting: RunLog
) -> None:
    [name] = ids(waiting)
    answers = {"review": reviewed("warn", "It is new."), name: decided(waiting)}
    with daemon(Home(str(shell.state)), answers) as asked:
        ran = shell.run("approve", name, "--edit", "echo y > a.txt")
    assert (ran.code, ran.err) == (0, "")
    assert "It may run: It is new." in ran.out
    review, approve = (request.split(" ", 2)[1:] for request in asked)
    assert review[0] == f"{PREFIX}/approvals/{name}/review"
    assert json.loads(review[1]) == {"edited": {"command": "echo y > a.txt"}}
    assert json.loads(approve[1])["edited"] == {"command": "echo y > a.txt"}


@pytest.mark.parametrize(
    ("possible", "says"), [(False, "nobody can approve this"), (True, "add --yes to go ahead")]
)
def test_an_edit_that_is_refused_too_is_not_approved_unasked(
    shell: HandrailShell, waiting: RunLog, possible: bool, says: str
) -> None:
    answers = {"review": reviewed("block", "It deletes too much.", possible=possible)}
    with daemon(Home(str(shell.state)), answers) as asked:
        ran = shell.run("approve", "last", "--edit", "rm -r .")
    assert ran.code == 2
    assert says in ran.err
    assert len(asked) == 1


def test_always_shows_the_rule_and_needs_a_confirmation(
    shell: HandrailShell, waiting: RunLog
) -> None:
    [name] = ids(waiting)
    home = Home(str(shell.state))
    with daemon(home, {name: question(waiting, always="+ always: this")}) as asked:
        ran = shell.run("approve", "last", "--always")
    assert "add --yes to go ahead" in ran.err
    assert "+ always: this" in ran.out
    assert [request.split(" ", 1)[0] for request in asked] == ["GET"]


def test_no_rule_is_written_that_nobody_saw(shell: HandrailShell, waiting: RunLog) -> None:
    [name] = ids(waiting)
    with daemon(Home(str(shell.state)), {name: question(waiting, no_rule="a secret")}) as asked:
        ran = shell.run("approve", "last", "--always", "--yes")
    assert ran.err == "handrail: no rule can allow this for good: a secret\n"
    assert [request.split(" ", 1)[0] for request in asked] == ["GET"]


def test_an_edited_action_is_not_allowed_for_good(shell: HandrailShell, waiting: RunLog) -> None:
    ran = shell.run("approve", "last", "--edit", "ls", "--always")
    assert (ran.code, "not both" in ran.err) == (2, True)
