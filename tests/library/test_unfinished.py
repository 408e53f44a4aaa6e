"""Never an allow from anything unfinished: whatever an engine answers, or fails to."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.library.engine import PendingCall
from handrail.library.supervisor import Supervisor
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict

pytestmark = pytest.mark.slow

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
ALLOWING = {Decision.ALLOW, Decision.WARN, Decision.MODIFY}
VERDICTS = st.builds(
    Verdict,
    decision=st.sampled_from(Decision),
    reason=st.text(),
    updated_input=st.none() | st.dictionaries(st.text(), st.text()),
    stop=st.booleans(),
)


class Answering:
    """An engine that always says the same."""

    def __init__(self, reply: dict[str, object]) -> None:
        self._reply = reply

    def ask(self, body: bytes, call: PendingCall) -> dict[str, object]:
        return self._reply


def supervisor_of(reply: dict[str, object]) -> Supervisor:
    made = Supervisor.__new__(Supervisor)
    made.run, made.folder = "r", "/"
    made._engine = Answering(reply)  # type: ignore[assignment]
    made._is_closed, made._stopped = False, ""
    return made


@given(st.dictionaries(st.sampled_from(["verdict", "decision", "error"]) | st.text(), JSON))
def test_only_a_whole_verdict_allows(reply: dict[str, object]) -> None:
    verdict = supervisor_of(reply).before("Bash", {"command": "ls"})
    try:
        whole = msgspec.convert(reply.get("verdict"), Verdict)
    except msgspec.ValidationError:
        assert not verdict.allowed
    else:
        assert verdict.allowed <= (whole.decision in ALLOWING)


@given(VERDICTS)
def test_an_allow_is_what_was_decided(verdict: Verdict) -> None:
    given = {"command": "ls"}
    said = supervisor_of({"verdict": msgspec.to_builtins(verdict)}).before("Bash", given)
    if said.allowed:
        assert verdict.decision in ALLOWING
        assert not verdict.stop
        is_changed = verdict.decision is Decision.MODIFY
        assert said.input == (verdict.updated_input if is_changed else given)


@given(VERDICTS)
def test_after_a_stop_that_nobody_wrote_down_nothing_is_allowed(verdict: Verdict) -> None:
    made = supervisor_of({"verdict": msgspec.to_builtins(verdict)})
    made._stopped = "the disk is full"
    assert not made.before("Bash", {"command": "ls"}).allowed
