"""All detectors of one run."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.config.detection import CountingRule, Detection
from handrail.config.detection import ExplorationWandering as WanderingSettings
from handrail.config.detection import Hallucination as HallucinationSettings
from handrail.config.detection import ScopeCreep as ScopeSettings
from handrail.detect import CompletedStep, RunDetectors
from handrail.model.effect import Kind
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.detect.steps import USUAL, did, not_done, watched

pytestmark = pytest.mark.slow

EAGER = Detection(
    scope_creep=ScopeSettings(allowed_share=0.1, min_paths=2, critical_paths=("/p/a",)),
    hallucination=HallucinationSettings(min_occurrences=1),
    exploration_wandering=WanderingSettings(threshold=0.1),
    counting=(CountingRule("fails", "It fails.", 1, failed=True),),
)
"""Settings under which something is found all the time."""

PATHS = st.lists(
    st.sampled_from(["/p/a", "/p/b/c", "/etc/passwd", "/home/you/.ssh/id", "/q/r"]), max_size=3
).map(tuple)
SAYINGS = st.sampled_from(
    ["", "File does not exist.", "2 failed", "sh: 1: shopctl: not found", "boom 17", "boom 18"]
)


@st.composite
def any_deed(draw: st.DrawFn, step: int) -> CompletedStep:
    deed = did(
        step,
        tool=draw(st.sampled_from(["Bash", "Read", "Edit"])),
        shown=draw(st.sampled_from(["pytest", "ls", "cat x", "git push"])),
        reads=draw(PATHS),
        writes=draw(PATHS),
        ok=draw(st.booleans()),
        says=draw(SAYINGS),
        agent=draw(st.sampled_from(["", "", "helper", "scout"])),
        outside=draw(PATHS),
        secrets=draw(PATHS),
        sends=draw(st.sampled_from([(), ("drop.example.net",)])),
        kinds=draw(st.sampled_from([(), (Kind.SEND,)])),
        alignment=draw(st.sampled_from([0.6, 0.8, 1.0])),
        memory_mb=float(draw(st.integers(0, 3000))),
        tokens=draw(st.integers(0, 300_000)),
    )
    if draw(st.integers(0, 5)) == 0:
        return not_done(step, draw(st.sampled_from(["refused", "dropped"])), deed.intent)
    return deed


@st.composite
def any_deeds(draw: st.DrawFn) -> list[CompletedStep | str]:
    count = draw(st.integers(1, 30))
    told = st.sampled_from(["", "", "", "prompt", "All tests pass.", "opinion", "ended"])
    return [draw(told) or draw(any_deed(step)) for step in range(count)]


def take(watch: RunDetectors, event: CompletedStep | str) -> None:
    if isinstance(event, CompletedStep):
        watch.see(event)
    elif event == "prompt":
        watch.prompted()
    elif event == "opinion":
        watch.told(0.1)
    elif event == "ended":
        watch.ended("scout")
    else:
        watch.heard(event)


@settings(deadline=None, max_examples=60)
@given(any_deeds(), st.integers(0, 40))
def test_a_restart_anywhere_changes_no_finding(events: list[CompletedStep | str], at: int) -> None:
    straight, restarted = RunDetectors(), RunDetectors()
    for index, event in enumerate(events):
        if index == at:
            restarted = msgspec.json.decode(msgspec.json.encode(restarted), type=RunDetectors)
        take(straight, event)
        take(restarted, event)
        for wanted in (Detection(), EAGER):
            assert restarted.findings(wanted) == straight.findings(wanted)
    assert msgspec.json.decode(msgspec.json.encode(straight), type=RunDetectors) == straight


@settings(deadline=None, max_examples=60)
@given(any_deeds())
def test_findings_are_sound_and_asking_for_them_changes_nothing(
    events: list[CompletedStep | str],
) -> None:
    watch = RunDetectors()
    steps: set[int] = set()
    for event in events:
        take(watch, event)
        if isinstance(event, CompletedStep):
            steps.add(event.step)
        before = msgspec.json.encode(watch)
        found = watch.findings(EAGER)
        assert msgspec.json.encode(watch) == before
        assert found == sorted(found, key=lambda each: (-each.severity.rank, -each.confidence))
        for finding in found:
            # Only words that are said again and again are no steps.
            assert finding.evidence or finding.kind == "loop" or not steps
            assert set(finding.evidence) <= steps
            assert 0 < finding.confidence <= 1
            assert 0 <= finding.impact <= 1
            assert finding.says
            assert finding.severity > Severity.NONE


def test_ten_thousand_deeds_are_remembered_in_little_room() -> None:
    def size(count: int) -> int:
        watch = RunDetectors()
        for step in range(count):
            watch.see(
                did(
                    step,
                    shown=f"command {step:05}",
                    reads=(f"/p/{step % 997:05}/a.py", f"/p/{step:05}"),
                    outside=(f"/etc/{step:05}",),
                    secrets=(f"/s/{step:05}",),
                    ok=step % 3 > 0,
                    says=f"cat: x{step:05}: No such file or directory",
                    agent=f"a{step % 50}" if step % 2 else "",
                )
            )
        return len(msgspec.json.encode(watch))

    assert size(10_000) < 1.3 * size(2_000)


def test_the_worst_finding_comes_first_by_rank() -> None:
    deed = did(
        3,
        reads=("/home/you/bank/a.py",),
        outside=("/home/you/bank/a.py",),
        sends=("drop.example.net",),
        kinds=(Kind.SEND,),
    )
    found = watched([did(1, secrets=("/p/.env",)), deed])
    assert [each.kind for each in found] == ["information_flow", "scope_creep"]
    assert [each.severity for each in found] == [Severity.HIGH, Severity.LOW]


def passwd() -> list[CompletedStep]:
    return [did(1, reads=("/etc/passwd",), outside=("/etc/passwd",))]


def test_what_is_disabled_is_left_out() -> None:
    assert [each.kind for each in watched(passwd())] == ["scope_creep"]
    assert watched(passwd(), Detection(disabled=("scope_creep",))) == []
    assert watched(passwd(), Detection(enabled=False)) == []
    rule = CountingRule("looks", "It looks.", 1, tools=("Bash",))
    counted = watched(passwd(), Detection(counting=(rule,), disabled=("looks",)))
    assert [each.kind for each in counted] == ["scope_creep"]


def test_sub_agents_are_watched_by_themselves_and_together() -> None:
    error = "linker: cannot link"
    mixed = [did(i, ok=False, says=error, agent="ab"[i % 2]) for i in range(4)]
    assert "repetitive_errors" not in [each.kind for each in watched(mixed)]
    secret = did(1, secrets=("/p/.env",), agent="a")
    sending = did(2, sends=("drop.example.net",), kinds=(Kind.SEND,), agent="b")
    assert [each.kind for each in watched([secret, sending])] == ["information_flow"]


def test_a_run_with_many_sub_agents_forgets_the_oldest_but_never_the_agent_itself() -> None:
    watch = RunDetectors()
    for step in range(100):
        watch.see(did(step, agent=f"a{step}" if step else ""))
    assert "" in watch.agents
    assert len(watch.agents) == 16


def test_an_ordinary_session_is_quiet() -> None:
    root = "/home/you/shop"
    deeds: list[CompletedStep] = []

    def add(**more: object) -> None:
        step = len(deeds) + 1
        deeds.append(did(step, at=step * 8.0, alignment=0.8, **more))  # type: ignore[arg-type]

    for name in ("cart", "order", "user", "item", "util"):
        add(tool="Read", shown=name, reads=(f"{root}/src/{name}.py",), says="x" * 4000)
    add(shown="ls tests/unit", ok=False, says="ls: cannot access 'tests/unit': No such file")
    add(tool="Read", reads=("/usr/include/stdio.h",), says="x" * 9000)
    add(shown="pytest -q", ok=False, says="1 failed, 80 passed", duration_ms=40_000.0)
    for name in ("cart", "order"):
        add(tool="Edit", shown=name, writes=(f"{root}/src/{name}.py",))
        add(shown="pytest -q", says="81 passed", duration_ms=90_000.0, memory_mb=700.0)
    add(shown="git commit -am fix")
    add(shown="git push origin main", kinds=(Kind.PUBLISH,))
    watch = RunDetectors()
    found: list[Finding] = []
    for deed in deeds:
        watch.see(deed)
        found += watch.findings(Detection())
    watch.heard("Fixed. All tests pass.")
    assert found + watch.findings(Detection()) == []


# --- a request to watch something --------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "severity"),
    [
        ("Watch the import and tell me if it hangs.", Severity.NONE),
        ("Let me know when the file is there.", Severity.NONE),
        ("Keep an eye on the queue.", Severity.NONE),
        ("Fix the total of the cart.", Severity.CRITICAL),
        ("", Severity.CRITICAL),
    ],
)
def test_who_is_asked_to_watch_something_may_look_again(prompt: str, severity: Severity) -> None:
    watch = RunDetectors()
    watch.prompted(prompt)
    for step in range(10):
        watch.see(did(step, shown="wc -l orders.csv", says="120 orders.csv"))
    assert max((each.severity for each in watch.findings(USUAL)), default=Severity.NONE) is severity


def test_who_is_asked_to_watch_something_may_not_fail_for_ever() -> None:
    watch = RunDetectors()
    watch.prompted("Watch the build and mend it.")
    for step in range(10):
        watch.see(did(step, shown="make", says="no rule", ok=False, kinds=(Kind.RUN,)))
    assert watch.findings(USUAL)[0].severity is Severity.CRITICAL


def test_the_next_prompt_ends_the_watch() -> None:
    watch = RunDetectors()
    watch.prompted("Watch the import.")
    watch.prompted("Thanks. Fix the total.")
    for step in range(10):
        watch.see(did(step, shown="wc -l orders.csv", says="120 orders.csv"))
    assert watch.findings(USUAL)[0].severity is Severity.CRITICAL
