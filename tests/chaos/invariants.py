"""Judge a fleet after the faults, by its log, its repository and its processes."""

from collections import Counter

from handrail.fleet.engine import events
from handrail.fleet.engine.engine import StaleAttemptError, Ticket
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult, FleetEvent
from handrail.fleet.tasks.task import TaskStatus
from tests.chaos.fleet_world import FleetWorld

_ENDS = (events.AttemptFinished, events.TaskGivenBack, events.LeaseExpired)


def attempts_at_odds(log: list[FleetEvent]) -> list[str]:
    """Return what is wrong with the attempts in a log; the fleet's own fold is not asked."""
    under_way: dict[str, int] = {}
    last: dict[str, int] = {}
    done: Counter[str] = Counter()
    wrong: list[str] = []
    for event in log:
        if isinstance(event, events.TaskClaimed):
            if event.task in under_way:
                wrong.append(f"{event.task}: claimed while attempt {under_way[event.task]} ran")
            if event.lease.attempt != last.get(event.task, 0) + 1:
                wrong.append(f"{event.task}: attempt {event.lease.attempt} after {last}")
            if done[event.task]:
                wrong.append(f"{event.task}: claimed after it was done")
            under_way[event.task] = last[event.task] = event.lease.attempt
        elif isinstance(event, _ENDS):
            if under_way.pop(event.task, 0) != event.attempt:
                wrong.append(f"{event.task}: {event} ends an attempt that is not under way")
            if isinstance(event, events.AttemptFinished):
                done[event.task] += event.result.outcome is AttemptOutcome.DONE
        elif isinstance(event, events.TaskBlocked):
            wrong.append(f"{event.task}: blocked: {event.says}")
    wrong += [f"{name}: attempt {attempt} has no end" for name, attempt in under_way.items()]
    wrong += [f"{name}: {many} results were accepted" for name, many in done.items() if many != 1]
    return wrong


def slots_at_odds(log: list[FleetEvent], slots: int) -> list[str]:
    """Return the claims of a slot in which another attempt was under way."""
    taken: dict[str, int] = {}
    wrong: list[str] = []
    for event in log:
        if isinstance(event, events.TaskClaimed):
            slot = event.lease.slot
            if slot in taken.values() or not 1 <= slot <= slots:
                wrong.append(f"{event.task}: attempt {event.lease.attempt} in slot {slot}")
            taken[event.task] = slot
        elif isinstance(event, _ENDS):
            taken.pop(event.task, None)
    return wrong


def unexplained_ends(log: list[FleetEvent]) -> list[str]:
    """Return the attempts that were lost without a word about it in the audit log."""
    told = {
        (event.task, event.attempt)
        for event in log
        if isinstance(event, events.TaskAudited) and event.kind in ("crash", "recovery")
    }
    wrong: list[str] = []
    for event in log:
        if not isinstance(event, events.TaskGivenBack | events.LeaseExpired):
            continue
        # What became of the process of an expired attempt, the next attempt says.
        about = {(event.task, event.attempt), (event.task, event.attempt + 1)}
        if not event.says or not about & told:
            wrong.append(f"{event.task}: nothing explains the end of attempt {event.attempt}")
    return wrong


def late_results_taken(world: FleetWorld) -> list[str]:
    """Hand in a result for every lost attempt; return those that were not refused and named."""
    engine = world.engine
    lost = [e for e in world.events() if isinstance(e, events.TaskGivenBack | events.LeaseExpired)]
    before = {name: task.result for name, task in engine.state().tasks.items()}
    wrong: list[str] = []
    for event in lost:
        zombie = Ticket(event.task, event.attempt)
        late = AttemptResult(outcome=AttemptOutcome.DONE, commit=f"late-{event.attempt}")
        try:
            engine.finish(zombie, late)
        except StaleAttemptError:
            continue
        wrong.append(f"{zombie}: its late result was taken")
    after = {name: task.result for name, task in engine.state().tasks.items()}
    wrong += [f"{name}: another result" for name in before if before[name] != after[name]]
    named = {
        (each.task, each.commit)
        for each in world.events()
        if isinstance(each, events.TaskAudited) and each.kind == "refused"
    }
    unnamed = {(each.task, f"late-{each.attempt}") for each in lost} - named
    return wrong + [f"{task}: nothing names {commit}" for task, commit in sorted(unnamed)]


def overlapping_agents(world: FleetWorld) -> list[str]:
    """Return the agents that found another agent in their worktree."""
    file = world.folder / "overlaps"
    return file.read_text().splitlines() if file.exists() else []


def tasks_not_done(world: FleetWorld) -> list[str]:
    """Return the tasks without a result, or with a lease."""
    tasks = world.engine.state().tasks
    return [
        f"{name}: {task.status}, {task.says or task.lease}"
        for name, task in tasks.items()
        if task.status is not TaskStatus.DONE or task.lease is not None
    ]


def processes_left(world: FleetWorld) -> list[str]:
    """Return the processes of the fleet, apart from the daemon and its guardian."""
    with world.processes() as found:
        return [
            f"{each.pid} {each.command}"
            for each in found
            if each.kind not in ("daemon", "guardian")
        ]


def settings_left(world: FleetWorld) -> list[str]:
    """Return the settings files of driven sessions: they hold a token."""
    return [each.name for each in (world.sandbox.bed.state / "driven").glob("*")]


def worktrees_left(world: FleetWorld) -> list[str]:
    """Return the worktrees beside the main one, records of workspaces, and branches."""
    trees = world.git("worktree", "list", "--porcelain").count("worktree ") - 1
    found = [f"{trees} worktrees"] if trees else []
    found += [each.name for each in world.workspaces.all()]
    return found + world.git("branch", "--list", "handrail/*", "--format=%(refname)").split()


def merges_at_odds(world: FleetWorld, names: list[str]) -> list[str]:
    """Return the tasks that were not merged exactly once, by the log and by git.

    An attempt that failed leaves its work as a commit, and the next one goes on from there: older
    commits must be those of attempts whose results the engine took.
    """
    merged = Counter(
        each.task
        for each in world.events()
        if isinstance(each, events.MergeChanged) and each.outcome == "merged"
    )
    wrong = [f"{name}: merged {merged[name]} times" for name in names if merged[name] != 1]
    for name, task in world.engine.state().tasks.items():
        commits = world.git("rev-list", "main", "--", f"work/{name}.txt").split()
        taken = {
            each.result.commit
            for each in world.events()
            if isinstance(each, events.AttemptFinished) and each.task == name
        }
        is_newest = task.result is not None and commits[:1] == [task.result.commit]
        if not is_newest or not taken.issuperset(commits):
            wrong.append(f"{name}: main has {commits}, and the results taken are {taken}")
    return wrong


def work_at_odds(world: FleetWorld, names: list[str], lines: int) -> list[str]:
    """Return the files on the main branch that are not what the tasks ask for."""
    wrong: list[str] = []
    for name in names:
        file = f"work/{name}.txt"
        wanted = "".join(f"{file} line {n}\n" for n in range(1, lines + 1))
        if world.git("show", f"main:{file}") != wanted:
            wrong.append(f"{file} is not as asked for")
    extra = set(world.git("ls-tree", "--name-only", "main", "work/").split())
    return wrong + sorted(extra - {f"work/{name}.txt" for name in names})
