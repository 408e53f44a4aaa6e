"""Where an iteration begins is a checkpoint of its own, also where nothing has changed."""

from handrail.checkpoint import About, Level, Moment
from handrail.checkpoint.levels import way_back

from .conftest import Bench

RUN = "r1"


def save(bench: Bench, moment: Moment, step: int = 0, run: str = RUN) -> str:
    about = About(moment, run=run, step=step, by=(run,) if step else ())
    return bench.checkpoints.save(about).record.id


def test_a_prompt_after_a_named_checkpoint_can_be_gone_back_to(bench: Bench) -> None:
    bench.write("cart.py", "0")
    bench.checkpoints.save(About(name="before-refactor"))
    begun = save(bench, Moment.PROMPT)
    bench.write("cart.py", "1")
    save(bench, Moment.AFTER_ACTION, 1)
    way = way_back(list(bench.checkpoints.newest_first()), Level.ITERATION)
    assert (begun, way.target.id, way.run) == ("c2", "c2", RUN)


def test_a_prompt_after_an_action_begins_anew(bench: Bench) -> None:
    bench.write("cart.py", "0")
    save(bench, Moment.PROMPT)
    bench.write("cart.py", "1")
    save(bench, Moment.AFTER_ACTION, 1)
    save(bench, Moment.ITERATION_END, 1)
    begun = save(bench, Moment.PROMPT, 1)
    bench.write("cart.py", "2")
    save(bench, Moment.AFTER_ACTION, 2)
    assert way_back(list(bench.checkpoints.newest_first()), Level.ITERATION).target.id == begun


def test_prompts_between_which_nothing_changes_are_one_checkpoint(bench: Bench) -> None:
    bench.write("cart.py", "0")
    begun = save(bench, Moment.PROMPT)
    assert save(bench, Moment.ITERATION_END) == begun
    assert save(bench, Moment.PROMPT) == begun
    assert save(bench, Moment.PROMPT, run="r2") != begun
