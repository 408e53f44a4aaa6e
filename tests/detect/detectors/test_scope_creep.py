"""Work outside of the scope."""

import pytest

from handrail.config.detection import Detection
from handrail.config.detection import ScopeCreep as Settings
from handrail.detect.completed_step import CompletedStep
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
def test_one_access_to_a_critical_path_is_enough(deed: CompletedStep, severity: str) -> None:
    finding = only(found(ScopeCreepDetector(), [deed]))
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


# The edges


@pytest.mark.parametrize(
    ("deed", "sure", "impact", "says"),
    [
        (did(1, secrets=("/mnt/k.pem",), outside=("/mnt/k.pem",)), 0.9, 0.8, "read the secret"),
        (did(1, writes=("/etc/hosts",), outside=("/etc/hosts",)), 0.9, 0.8, "the system's"),
        (did(1, writes=("/mnt/a/b",), outside=("/mnt/a/b",)), 0.8, 0.5, "outside the scope"),
        (did(1, reads=("/etc/hosts",), outside=("/etc/hosts",)), 0.7, 0.3, "use this machine"),
        (did(1, reads=("/root/x/a",), outside=("/root/x/a",)), 0.6, 0.1, "another project"),
    ],
    ids=["secret", "system", "change", "system read", "another project"],
)
def test_a_single_path_weighs_as_much_as_its_reason(
    deed: CompletedStep, sure: float, impact: float, says: str
) -> None:
    finding = only(found(ScopeCreepDetector(), [deed]))
    assert (finding.confidence, finding.impact) == (sure, impact)
    assert says in finding.says


def test_a_path_that_the_settings_name_weighs_much() -> None:
    named = Detection(scope_creep=Settings(critical_paths=(f"{OWN}/2.py",)))
    finding = only(found(ScopeCreepDetector(), [did(1, reads=(f"{OWN}/2.py",))], named))
    assert (finding.confidence, finding.impact) == (0.9, 0.5)


def test_of_several_paths_in_one_step_the_worst_counts() -> None:
    both = ("/home/you/bank/a.py", "/etc/hosts", "/home/you/bank/b.py")
    finding = only(found(ScopeCreepDetector(), [did(1, reads=both, outside=both)]))
    assert finding.facts["path"] == "/etc/hosts"


def test_a_critical_path_counts_more_than_a_share() -> None:
    strays = tuple(f"{STRANGE}/{number}.csv" for number in range(4))
    deeds = [did(0, reads=(f"{OWN}/a.py",))]
    deeds += [did(1, reads=tuple(f"{OWN}/{number}.py" for number in range(5)))]
    deeds += [did(2, reads=(*strays, "/etc/hosts"), outside=(*strays, "/etc/hosts"))]
    finding = found(ScopeCreepDetector(), deeds)[-1]
    assert finding is not None
    assert (finding.severity, finding.facts["path"]) == (Severity.MEDIUM, "/etc/hosts")


def test_a_breach_lingers_for_ten_steps() -> None:
    detector = ScopeCreepDetector()
    assert detector.lately(Detection()) is None
    detector.see(did(0, reads=("/etc/passwd",), outside=("/etc/passwd",)))
    for step in range(1, 11):
        detector.see(did(step))
        assert detector.lately(Detection()) is not None
    detector.see(did(11))
    assert detector.lately(Detection()) is None


def test_the_share_is_that_of_the_last_64_paths() -> None:
    finding = paths(100, 20)[-1]
    assert finding is not None
    assert finding.facts == {"path": f"{STRANGE}/119.csv", "outside": "20", "paths": "64"}
    assert paths(100, 19)[-1] is None


def test_from_three_fifths_on_most_of_the_work_is_elsewhere() -> None:
    severities = [each.severity for each in (paths(4, 6)[-1], paths(5, 7)[-1]) if each]
    assert severities == [Severity.MEDIUM, Severity.LOW]


def test_more_strays_are_surer_and_never_quite_sure() -> None:
    found_here = [paths(0, number)[-1] for number in (6, 9, 15)]
    assert [each.confidence for each in found_here if each] == pytest.approx([0.8, 0.95, 0.95])
    assert [len(each.evidence) for each in found_here if each] == [6, 9, 10]
    assert [each.impact for each in found_here if each] == [0.0] * 3


@pytest.mark.parametrize(
    ("own", "path", "root"),
    [
        (f"{OWN}/0.py", "/mnt/data/in/x.csv", "/mnt/data"),
        (f"{OWN}/0.py", "/home/bob/shop/src/a.py", "/home/bob/shop"),
        ("/srv/shop/a.py", "/srv/mail/in/b.py", "/srv/mail"),
        ("/srv/work/shop/a.py", "/srv/work/mail/in/b.py", "/srv/work/mail"),
    ],
)
def test_a_foreign_place_is_the_folder_that_branches_off(own: str, path: str, root: str) -> None:
    deeds = [did(0, writes=(own,)), did(1, writes=(path,), outside=(path,))]
    assert only(found(ScopeCreepDetector(), deeds)).symptom == root


def test_many_reads_of_another_project_are_worse_than_a_look() -> None:
    deeds = [
        did(step, reads=("/home/you/bank/a.py",), outside=("/home/you/bank/a.py",))
        for step in range(11)
    ]
    severities = [each.severity for each in found(ScopeCreepDetector(), deeds) if each]
    assert severities == [Severity.LOW] * 9 + [Severity.MEDIUM] * 2


@pytest.mark.parametrize(("others", "severity"), [(15, "high"), (16, "medium")])
def test_the_last_sixteen_foreign_places_are_remembered(others: int, severity: str) -> None:
    first = [f"/home/you/first/{number}.py" for number in range(4)]
    between = [f"/home/you/other{number}/a.py" for number in range(others)]
    touched = [*first[:3], *between, first[3]]
    deeds = [did(step, writes=(path,), outside=(path,)) for step, path in enumerate(touched)]
    finding = found(ScopeCreepDetector(), deeds)[-1]
    assert finding is not None
    assert finding.severity.value == severity
