"""A project that is moved away, with a link in its place: the scope of a run stays where it was."""

from handrail.model import Decision
from tests.supervise.bed import MORE_THAN_A_LOOK, Bed


def test_a_link_in_the_place_of_the_project_does_not_widen_the_scope(bed: Bed) -> None:
    bed.run.before(bed.bash("ls", "a"))
    bed.path.rename(bed.home / "moved")
    bed.path.symlink_to(bed.elsewhere)
    bed.ticks.advance(MORE_THAN_A_LOOK)
    for call, cwd in (("b", bed.elsewhere), ("c", bed.path)):
        verdict = bed.run.before(bed.bash("rm -rf notes", call, cwd))
        assert verdict.decision is Decision.BLOCK


def test_a_project_behind_a_link_is_in_scope_by_both_names(bed: Bed) -> None:
    link = bed.home / "link"
    link.symlink_to(bed.path)
    bed.get("r2", link).before(bed.bash("ls", "a", link))
    for call, cwd in (("b", bed.path), ("c", link)):
        verdict = bed.get("r2", link).before(bed.bash("rm -rf notes", call, cwd))
        assert verdict.decision is Decision.MODIFY
