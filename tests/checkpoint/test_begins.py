"""Where an iteration begins is a checkpoint of its own, also where nothing has changed."""

from handrail.checkpoint import CheckpointInfo, CheckpointTrigger, UndoLevel
from handrail.checkpoint.restore.undo_levels import restore_target

from .conftest import Bench

RUN = "r1"


def save(bench: Bench, moment: CheckpointTrigger, step: int = 0, run: str = RUN) -> str:
    about = CheckpointInfo(moment, run=run, step=step, by=(run,) if step else ())
    return bench.checkpoints.save(about).record.id


def test_a_prompt_after_a_named_checkpoint_can_be_gone_back_to(bench: Bench) -> None:
    bench.write("cart.py", "0")
    bench.checkpoints.save(CheckpointInfo(name="before-refactor"))
    begun = save(bench, CheckpointTrigger.PROMPT)
    bench.write("cart.py", "1")
    save(bench, CheckpointTrigger.AFTER_ACTION, 1)
    way = restore_target(list(bench.checkpoints.newest_first()), UndoLevel.ITERATION)
    assert (begun, way.target.id, way.run) == ("c2", "c2", RUN)


def test_a_prompt_after_an_action_begins_anew(bench: Bench) -> None:
    bench.write("cart.py", "0")
    save(bench, CheckpointTrigger.PROMPT)
    bench.write("cart.py", "1")
    save(bench, CheckpointTrigger.AFTER_ACTION, 1)
    save(bench, CheckpointTrigger.ITERATION_END, 1)
    begun = save(bench, CheckpointTrigger.PROMPT, 1)
    bench.write("cart.py", "2")
    save(bench, CheckpointTrigger.AFTER_ACTION, 2)
    assert (
        restore_target(list(bench.checkpoints.newest_first()), UndoLevel.ITERATION).target.id
        == begun
    )


def test_prompts_between_which_nothing_changes_are_one_checkpoint(bench: Bench) -> None:
    bench.write("cart.py", "0")
    begun = save(bench, CheckpointTrigger.PROMPT)
    assert save(bench, CheckpointTrigger.ITERATION_END) == begun
    assert save(bench, CheckpointTrigger.PROMPT) == begun
    assert save(bench, CheckpointTrigger.PROMPT, run="r2") != begun
