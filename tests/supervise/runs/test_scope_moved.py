"""A project that is moved away, with a link in its place: the scope of a run stays where it was."""

from handrail.model import Decision
from tests.supervise.supervision_setup import MORE_THAN_A_LOOK, SupervisionSetup


def test_a_link_in_the_place_of_the_project_does_not_widen_the_scope(
    supervision: SupervisionSetup,
) -> None:
    supervision.run.before(supervision.bash("ls", "a"))
    supervision.path.rename(supervision.home / "moved")
    supervision.path.symlink_to(supervision.elsewhere)
    supervision.ticks.advance(MORE_THAN_A_LOOK)
    for call, cwd in (("b", supervision.elsewhere), ("c", supervision.path)):
        verdict = supervision.run.before(supervision.bash("rm -rf notes", call, cwd))
        assert verdict.decision is Decision.BLOCK


def test_a_project_behind_a_link_is_in_scope_by_both_names(supervision: SupervisionSetup) -> None:
    link = supervision.home / "link"
    link.symlink_to(supervision.path)
    supervision.get("r2", link).before(supervision.bash("ls", "a", link))
    for call, cwd in (("b", supervision.path), ("c", link)):
        verdict = supervision.get("r2", link).before(supervision.bash("rm -rf notes", call, cwd))
        assert verdict.decision is Decision.MODIFY
