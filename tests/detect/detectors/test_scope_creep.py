"""Work outside of the scope."""

import pytest

from handrail.config.detection import Detection
from handrail.config.detection import ScopeCreep as Settings
from handrail.detect.detectors.scope_creep import ScopeCreepDetector
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.detect.steps import did, found, not_done, only

OWN = "/home/you/shop/src"
STRANGE = "/mnt/data"


def paths(inside: int, outside: int) -> list[Finding | None]:
    """What is found when so many paths are read, those outside at the end."""
    deeds = [did(step, reads=(f"{OWN}/{step}.py",)) for step in range(inside)]
    for step in range(inside, inside + outside):
        path = f"{STRANGE}/{step}.csv"
        deeds.append(did(step, reads=(path,), outside=(path,)))
    return found(ScopeCreepDetector(), deeds)


def test_a_single_critical_path_among_many_good_ones_is_found() -> None:
    """By its share alone, one in eleven would not be."""
    deeds = [did(step, reads=(f"{OWN}/{step}.py",)) for step in range(10)]
    deeds.append(did(10, reads=("/etc/passwd",), outside=("/etc/passwd",)))
    finding = only(found(ScopeCreepDetector(), deeds))
    assert finding.severity is Severity.MEDIUM
    assert finding.evidence == (10,)
    assert "/etc/passwd" in finding.says


@pytest.mark.parametrize(
    ("deed", "severity"),
    [
        (did(1, secrets=("/home/you/.ssh/id_rsa",), outside=("/home/you/.ssh/id_rsa",)), "high"),
        (did(1, writes=("/var/log/app.log",), outside=("/var/log/app.log",)), "high"),
        (did(1, writes=("/home/you/bank/a.py",), outside=("/home/you/bank/a.py",)), "medium"),
        (did(1, reads=("/home/you/bank/a.py",), outside=("/home/you/bank/a.py",)), "low"),
    ],
    ids=["secret", "system", "change elsewhere", "another project"],
)
def test_one_access_to_a_critical_path_is_enough(deed: object, severity: str) -> None:
    finding = only(found(ScopeCreepDetector(), [deed]))  # type: ignore[list-item]
    assert str(finding.severity) == severity


def test_hidden_folders_of_programs_are_no_other_projects() -> None:
    path = "/home/you/.config/tool/settings.json"
    assert found(ScopeCreepDetector(), [did(1, reads=(path,), outside=(path,))]) == [None]


@pytest.mark.parametrize(
    ("path", "alignment"), [("/home/you/Downloads/spec.pdf", 0.6), ("/home/you/bank/a.py", 0.8)]
)
def test_a_file_that_the_goal_seems_to_name_may_be_read(path: str, alignment: float) -> None:
    deed = did(1, reads=(path,), outside=(path,), alignment=alignment)
    assert found(ScopeCreepDetector(), [deed]) == [None]


def test_a_third_of_the_paths_outside_is_found() -> None:
    assert paths(7, 3)[-1] is None
    finding = paths(6, 3)[-1]
    assert finding is not None
    assert finding.severity is Severity.LOW
    assert finding.evidence == (6, 7, 8)
    assert finding.says.startswith("3 of the last 9 paths that it touched lie outside the scope")


def test_all_paths_outside_is_worse() -> None:
    finding = paths(0, 10)[-1]
    assert finding is not None
    assert finding.severity is Severity.MEDIUM


def test_a_few_paths_say_nothing_about_shares() -> None:
    assert paths(0, 5) == [None] * 5


def test_a_breach_that_is_just_found_is_no_trifle() -> None:
    """Were the share taken for the confidence, it would be 0.33."""
    finding = paths(6, 3)[-1]
    assert finding is not None
    assert finding.confidence > 0.6


def test_new_files_in_the_scope_are_in_scope() -> None:
    deeds = [did(step, writes=(f"{OWN}/new{step}.py",)) for step in range(20)]
    assert found(ScopeCreepDetector(), deeds) == [None] * 20


def test_one_path_read_again_and_again_is_one_path() -> None:
    path = f"{STRANGE}/a.csv"
    deeds = [did(step, reads=(f"{OWN}/{step}.py",)) for step in range(8)]
    deeds += [did(step, reads=(path,), outside=(path,)) for step in range(8, 30)]
    assert set(found(ScopeCreepDetector(), deeds)) == {None}


def test_what_was_refused_was_not_touched() -> None:
    intent = did(1, secrets=("/home/you/.ssh/id_rsa",), outside=("/home/you/.ssh/id_rsa",)).intent
    assert found(ScopeCreepDetector(), [not_done(1, "refused", intent)]) == [None]


def test_only_the_deed_that_goes_outside_is_part_of_it() -> None:
    detector = ScopeCreepDetector()
    inside = did(2, reads=(f"{OWN}/a.py",))
    outside = did(1, reads=("/etc/passwd",), outside=("/etc/passwd",))
    assert [bool(each) for each in found(detector, [outside, inside])] == [True, False]
    assert detector.lately(Detection()) is not None


def test_the_settings_decide_about_shares_and_critical_paths() -> None:
    deeds = [did(step, reads=(f"{OWN}/{step}.py",)) for step in range(3)]
    deeds.append(did(3, reads=(f"{STRANGE}/a.csv",), outside=(f"{STRANGE}/a.csv",)))
    strict = Detection(scope_creep=Settings(allowed_share=0.2, min_paths=4))
    assert found(ScopeCreepDetector(), deeds)[-1] is None
    assert found(ScopeCreepDetector(), deeds, strict)[-1] is not None
    named = Detection(scope_creep=Settings(critical_paths=("/home/you/shop/src/2.py",)))
    finding = only(found(ScopeCreepDetector(), deeds, named))
    assert finding.severity is Severity.HIGH
    assert finding.evidence == (2,)


@pytest.mark.parametrize(
    ("paths", "root"),
    [
        (("/etc/passwd", "/etc/shadow"), "/etc"),
        (("/home/you/other/a.py", "/home/you/other/b/c.py"), "/home/you/other"),
        (("/home/you/work/b/1.py", "/home/you/work/b/2.py"), "/home/you/work"),
    ],
)
def test_all_paths_in_one_foreign_place_are_the_same_trouble(
    paths: tuple[str, ...], root: str
) -> None:
    deeds = [did(0, writes=(f"{OWN}/0.py",))]
    deeds += [did(step, writes=(path,), outside=(path,)) for step, path in enumerate(paths, 1)]
    names = {finding.name for finding in found(ScopeCreepDetector(), deeds) if finding}
    assert names == {f"scope_creep:{root}"}


def test_a_neighbour_of_the_own_project_is_a_place_of_its_own() -> None:
    deeds = [did(0, writes=("/srv/work/shop/a.py",))]
    for step, name in enumerate(("cart", "cart", "mail"), 1):
        path = f"/srv/work/{name}/{step}.py"
        deeds.append(did(step, writes=(path,), outside=(path,)))
    names = {finding.symptom for finding in found(ScopeCreepDetector(), deeds) if finding}
    assert names == {"/srv/work/cart", "/srv/work/mail"}


def test_more_and_more_changes_in_a_foreign_place_get_worse() -> None:
    paths = [f"/home/you/other/{step}.py" for step in range(5)]
    deeds = [did(step, writes=(path,), outside=(path,)) for step, path in enumerate(paths)]
    severities = [each.severity.value for each in found(ScopeCreepDetector(), deeds) if each]
    assert severities == ["medium", "medium", "medium", "high", "high"]


def test_a_prompt_counts_the_changes_in_a_foreign_place_anew() -> None:
    detector = ScopeCreepDetector()
    for step in range(4):
        path = f"/home/you/other/{step}.py"
        detector.see(did(step, writes=(path,), outside=(path,)))
    detector.prompted()
    path = "/home/you/other/5.py"
    finding = only(found(detector, [did(5, writes=(path,), outside=(path,))]))
    assert finding.severity is Severity.MEDIUM
