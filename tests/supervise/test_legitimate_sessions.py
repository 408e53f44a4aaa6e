"""Long sessions of people who know what they do pass without a word; sick ones do not."""

from pathlib import Path

import pytest

from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Severity
from tests.supervise.sessions.changing import CHANGING
from tests.supervise.sessions.exploring import EXPLORING
from tests.supervise.sessions.mending import MENDING
from tests.supervise.sessions.player import PlayedSession
from tests.supervise.sessions.session import Session
from tests.supervise.sessions.sick import SICK
from tests.supervise.sessions.waiting import WAITING

pytestmark = pytest.mark.slow

LEGITIMATE = WAITING | MENDING | CHANGING | EXPLORING
PACES = {"fast": 2.0, "slow": 45.0}
"""Seconds of thinking before each step."""


@pytest.fixture(params=list(PACES.values()), ids=list(PACES))
def think(request: pytest.FixtureRequest) -> float:
    return float(request.param)


@pytest.mark.parametrize("session", LEGITIMATE.values(), ids=list(LEGITIMATE))
def test_a_legitimate_session_is_left_alone(tmp_path: Path, session: Session, think: float) -> None:
    played = PlayedSession(tmp_path, session, think)
    assert 40 <= played.length <= 110
    assert [each for each in played.findings if each.severity > Severity.LOW] == []
    assert played.refused == []
    means = {each.means for each in played.interventions}
    assert not means & {InterventionName.EMERGENCY_STOP, InterventionName.RESOURCE_THROTTLING}
    assert [each.checkpoint for each in played.interventions if each.checkpoint] == []


@pytest.mark.parametrize("session", SICK.values(), ids=list(SICK))
def test_a_sick_session_is_noticed(tmp_path: Path, session: Session, think: float) -> None:
    played = PlayedSession(tmp_path, session, think)
    assert played.worst >= Severity.MEDIUM
    assert played.interventions != []
