"""A driver that waits names the command that lets its run go on."""

from handrail.cli.driving.driven_run import ways_on
from handrail.drive.daemon_client import IterationPermission
from handrail.model.control import Standing


def test_after_a_person_stopped_it_resume_lets_it_go_on() -> None:
    stopped = IterationPermission(standing=Standing.STOPPED, by="ann")
    assert list(ways_on(stopped, "shop-3f2a")) == ["handrail resume shop-3f2a"]


def test_after_an_emergency_stop_the_incident_is_decided_about() -> None:
    stopped = IterationPermission(standing=Standing.STOPPED, by="Handrail", incident="inc-1")
    assert list(ways_on(stopped, "shop-3f2a")) == [
        "handrail incident show inc-1",
        "handrail incident resume inc-1 --option resume_with_limits",
    ]
