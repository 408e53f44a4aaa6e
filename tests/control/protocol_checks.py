"""What has to be true of every log of the control protocol, whatever was asked for."""

import msgspec

from handrail.control import message as wire
from handrail.control.message import Ack, Request, Result
from handrail.control.topics import CONTROL, CURRENT
from handrail.control.transitions import TABLE, THEN
from handrail.model.control import HOLDING, ControlCommand, Standing
from handrail.model.event import ControlAnswered, ControlAsked, LoopBegun, LoopEnded
from handrail.store.journal import Journal
from handrail.store.port import Store, StoredEntry
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.run_registry import load_state

S, C = Standing, ControlCommand

CONFIRMS: dict[ControlCommand, frozenset[Standing]] = {
    C.PAUSE: frozenset({S.PAUSING, S.FROZEN}),
    C.INTERRUPT: frozenset({S.INTERRUPTING}),
    C.FREEZE: frozenset({S.FREEZING}),
    C.RESUME: frozenset({*HOLDING, S.STOPPED}),
    C.STOP: frozenset({S.STOPPING, S.STOPPED}),
    C.REASSIGN: frozenset({S.STOPPING, S.STOPPED}),
    C.CANCEL: frozenset({S.CANCELLING, S.CANCELLED, S.DONE}),
}
"""How a run may stand when a command is confirmed."""
FAILS: dict[ControlCommand, frozenset[tuple[Standing, Standing]]] = {
    C.INTERRUPT: frozenset({(S.INTERRUPTING, S.PAUSING), (S.INTERRUPTING, S.FROZEN)}),
    C.FREEZE: frozenset({(S.FREEZING, S.PAUSING)}),
    C.PAUSE: frozenset({(S.PAUSING, S.FROZEN)}),
    C.RESUME: frozenset({(S.FREEZING, S.FROZEN)}),
}
"""From where to where a run may fall when a command fails, beside that it stays as it is."""
WITHOUT_ACK = {"not_found", "bad_request"}


class CurrentFrame(msgspec.Struct):
    """What a row of `loop:current` tells of a run."""

    state: str = "running"


class Current(msgspec.Struct):
    """A row of `loop:current`."""

    event: str
    run_id: str
    stack: list[CurrentFrame] = []


def all_rows(store: Store, topic: str) -> list[StoredEntry]:
    """All rows of a topic."""
    found: list[StoredEntry] = []
    while page := store.read(topic, found[-1].seq if found else 0):
        found += page
    return found


def check_rows(store: Store) -> dict[str, list[str]]:
    """See that each request was answered in order and once; what was said to each."""
    told: dict[str, list[str]] = {}
    finals: dict[str, bytes] = {}
    for row in all_rows(store, CONTROL):
        message = wire.decode(row.body)
        said = told.setdefault(message.request_id, [])
        if isinstance(message, Request):
            continue
        if isinstance(message, Ack):
            assert said == [], f"acknowledged after {said}: {message}"
            said.append("ACK")
            continue
        assert isinstance(message, Result)
        if message.code in {"duplicate", "bad_request"} and said:
            continue  # says something of a retry
        if message.request_id in finals:
            assert row.body == finals[message.request_id], "another answer than before"
            continue
        assert said == ["ACK"] or message.code in WITHOUT_ACK, f"without ACK: {message}"
        if message.code != "bad_request":
            finals[message.request_id] = row.body
        said.append(message.code or "success")
    return told


def check_events(store: Store, run: str) -> None:
    """See that a run only ever went where the table lets it go."""
    standing = S.RUNNING
    resumes: set[str] = set()
    for _, event in Journal(store).read(topic_of(run)):
        if isinstance(event, ControlAsked):
            step = TABLE.get((standing, event.command))
            if step is None and resumes and standing in HOLDING:
                step = TABLE.get((S.RUNNING, event.command))  # it was about to go on
            assert step is not None, f"{event.command} was taken while {standing}"
            assert event.standing == step.now
            standing = event.standing
            resumes |= {event.request} if event.command == C.RESUME else set()
        elif isinstance(event, ControlAnswered):
            _check_answer(standing, event)
            resumes.discard(event.request)
            standing = event.standing
        elif isinstance(event, LoopEnded):
            standing = standing if standing == S.CANCELLED else S.DONE
        elif isinstance(event, LoopBegun) and standing == S.DONE:
            standing = S.RUNNING
    assert load_state(Journal(store), run).hand.standing == standing


def _check_answer(standing: Standing, event: ControlAnswered) -> None:
    if event.standing == standing:
        return
    if event.ok:
        assert event.standing == THEN.get(event.command), event
        assert standing in CONFIRMS[event.command], f"{event} while {standing}"
    else:
        assert (standing, event.standing) in FAILS.get(event.command, ()), f"{event} {standing}"


def check_current(store: Store, run: str) -> None:
    """See that the last row of `loop:current` tells how a run stands, once that is certain."""
    hand = load_state(Journal(store), run).hand
    rows = [msgspec.json.decode(row.body, type=Current) for row in all_rows(store, CURRENT)]
    mine = [row for row in rows if row.run_id == run]
    if not mine or any(each.command in THEN for each in hand.asked.values()):
        return
    if hand.standing == S.CANCELLED:
        assert mine[-1].event == "ABORT"
    elif hand.standing != S.DONE:
        assert mine[-1].event == "STATE"
        assert mine[-1].stack[0].state == hand.standing


def check_under_way(store: Store, run: str) -> None:
    """See that what the topic and the run say of requests under way is the same."""
    told = check_rows(store)
    open_ = {request for request, said in told.items() if said == ["ACK"]}
    asked = load_state(Journal(store), run).hand.asked
    assert set(asked) == open_
