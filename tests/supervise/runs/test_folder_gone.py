"""An agent that stands in a folder which is no longer there: the review still sees the disk."""

import pytest

from handrail.model import Decision
from handrail.model.action import Action
from tests.supervise.supervision_setup import SupervisionSetup


@pytest.fixture
def gone(supervision: SupervisionSetup) -> SupervisionSetup:
    """A project with a way out of it, and a run whose folder somebody has moved away."""
    (supervision.path / "out").symlink_to(supervision.home)
    supervision.run.before(supervision.bash("ls", "a"))
    return supervision


def in_gone_folder(bed: SupervisionSetup, tool: str, **given: object) -> Decision:
    return bed.run.before(Action(tool, given, str(bed.path / "gone"), id="b")).decision


@pytest.mark.parametrize("name", [".bashrc", ".ssh/authorized_keys", ".config/handrail/a"])
def test_a_link_out_of_the_project_is_followed(gone: SupervisionSetup, name: str) -> None:
    path = str(gone.path / "out" / name)
    assert in_gone_folder(gone, "Write", file_path=path, content="x") is Decision.BLOCK


def test_a_script_is_read_before_it_runs(gone: SupervisionSetup) -> None:
    script = gone.path / "a.sh"
    script.write_text(f"rm -rf {gone.path}/.git\n")
    assert in_gone_folder(gone, "Bash", command=f"sh {script}") is Decision.BLOCK


def test_what_the_folder_may_hold_again_is_not_taken_for_absent(gone: SupervisionSetup) -> None:
    assert in_gone_folder(gone, "Bash", command="rm -rf notes") is Decision.BLOCK
