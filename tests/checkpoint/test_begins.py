"""Where an iteration begins is a checkpoint of its own, also where nothing has changed."""

from handrail.checkpoint import CheckpointInfo, CheckpointTrigger, UndoLevel
from handrail.checkpoint.restore.undo_levels import restore_target

from .conftest import CheckpointProject

RUN = "r1"


def save(bench: CheckpointProject, moment: CheckpointTrigger, step: int = 0, run: str = RUN) -> str:
    about = CheckpointInfo(moment, run=run, step=step, by=(run,) if step else ())
    return bench.checkpoints.save(about).record.id


def test_a_prompt_after_a_named_checkpoint_can_be_gone_back_to(project: CheckpointProject) -> None:
    project.write("cart.py", "0")
    project.checkpoints.save(CheckpointInfo(name="before-refactor"))
    begun = save(project, CheckpointTrigger.PROMPT)
    project.write("cart.py", "1")
    save(project, CheckpointTrigger.AFTER_ACTION, 1)
    way = restore_target(list(project.checkpoints.newest_first()), UndoLevel.ITERATION)
    assert (begun, way.target.id, way.run) == ("c2", "c2", RUN)


def test_a_prompt_after_an_action_begins_anew(project: CheckpointProject) -> None:
    project.write("cart.py", "0")
    save(project, CheckpointTrigger.PROMPT)
    project.write("cart.py", "1")
    save(project, CheckpointTrigger.AFTER_ACTION, 1)
    save(project, CheckpointTrigger.ITERATION_END, 1)
    begun = save(project, CheckpointTrigger.PROMPT, 1)
    project.write("cart.py", "2")
    save(project, CheckpointTrigger.AFTER_ACTION, 2)
    assert (
        restore_target(list(project.checkpoints.newest_first()), UndoLevel.ITERATION).target.id
        == begun
    )


def test_prompts_between_which_nothing_changes_are_one_checkpoint(
    project: CheckpointProject,
) -> None:
    project.write("cart.py", "0")
    begun = save(project, CheckpointTrigger.PROMPT)
    assert save(project, CheckpointTrigger.ITERATION_END) == begun
    assert save(project, CheckpointTrigger.PROMPT) == begun
    assert save(project, CheckpointTrigger.PROMPT, run="r2") != begun
