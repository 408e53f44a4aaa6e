"""All runs of the log, the old ones too, a page at a time."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from handrail.api.messages.runs import RunPage, RunRow
from handrail.api.rows.run_rows import run_row
from handrail.server.api.live_log import LiveLog
from handrail.server.api.pages import number_of
from handrail.server.api.problems import ProblemError, not_found
from handrail.store.errors import DamagedError
from handrail.store.port import Store, Topic
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import RUNS, run_of, topic_of
from handrail.supervise.runs.run_names import project_in, short_ids
from handrail.views.log_feed import LogFeed, loaded_view
from handrail.views.run_groups import order_runs
from handrail.views.run_overview import RunOverview
from handrail.views.run_summary import overview_of

_MOST_READ = 300
"""Old runs that one request reads at most; the cursor goes on behind them."""
_OLDER = "older:"


class RunFilter(NamedTuple):
    """The runs that a person wants to see."""

    state: str = ""
    project: str = ""
    search: str = ""

    def accepts(self, row: RunRow) -> bool:
        """Return whether a row is wanted."""
        text = f"{row.name} {row.goal} {row.last_action} {row.task}".lower()
        return (
            self.state in ("", row.state)
            and self.project in ("", row.project)
            and all(word in text for word in self.search.lower().split())
        )


async def find_run(live: LiveLog, name: str) -> RunOverview:
    """Return one run by its id or its name; raises ProblemError if there is none."""
    found = await live.follow(lambda store, feed: read_overview(store, feed, name))
    if found is None:
        raise not_found("run", name)
    return found


def run_page(
    store: Store, feed: LogFeed, wanted: RunFilter, cursor: str, limit: int, now: float
) -> RunPage:
    """Return a page: first the runs that matter now, then the older ones by their last event."""
    recent = order_runs(loaded_view(feed).runs, now)
    topics = store.topics(RUNS)
    if cursor.startswith(_OLDER):
        return _older(store, topics, {run.id for run in recent}, wanted, cursor, limit, now)
    start = number_of(cursor)
    rows = [row for row in (run_row(run, now) for run in recent) if wanted.accepts(row)]
    page = rows[start : start + limit]
    if start + limit < len(rows):
        return RunPage(tuple(page), str(start + limit), len(topics))
    more = f"{_OLDER}{topics[0].changed + 1!r}" if len(topics) > len(recent) else ""
    return RunPage(tuple(page), more, len(topics))


def read_overview(store: Store, feed: LogFeed, run: str) -> RunOverview | None:
    """Return one run, recent or old, by its id or its name; None: there is none."""
    for known in loaded_view(feed).runs:
        if run in (known.id, known.name):
            return known
    topics = store.topics(RUNS)
    ids = [run_of(topic.name) for topic in topics]
    if run not in ids:
        named = (each for each, name in _names(store, topics) if name == run)
        run = next(named, "")
    return _overview(store, run, short_ids(ids)) if run else None


def _names(store: Store, topics: Sequence[Topic]) -> Iterator[tuple[str, str]]:
    short = short_ids([run_of(topic.name) for topic in topics])
    for topic in topics:
        run = run_of(topic.name)
        yield run, f"{project_in(store, topic.name)}-{short[run]}"


def _older(
    store: Store,
    topics: Sequence[Topic],
    recent: set[str],
    wanted: RunFilter,
    cursor: str,
    limit: int,
    now: float,
) -> RunPage:
    before = _moment(cursor.removeprefix(_OLDER))
    short = short_ids([run_of(topic.name) for topic in topics])
    older = (
        topic for topic in topics if topic.changed < before and run_of(topic.name) not in recent
    )
    rows: list[RunRow] = []
    last = 0.0
    for topic in islice(older, _MOST_READ):
        last = topic.changed
        row = run_row(_overview(store, run_of(topic.name), short), now)
        if wanted.accepts(row):
            rows.append(row)
            if len(rows) == limit:
                break
    is_more = next(older, None) is not None
    return RunPage(tuple(rows), f"{_OLDER}{last!r}" if is_more else "", len(topics))


def _overview(store: Store, run: str, short: dict[str, str]) -> RunOverview:
    name = f"{project_in(store, topic_of(run))}-{short.get(run, run)}"
    try:
        state = read_state(store, run)
    except DamagedError as error:
        return RunOverview(run, name, problem=error.problem)
    return overview_of(state, name, incident="")


def _moment(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        says = f"{text[:40]!r} is not the `next` of a page."
        raise ProblemError(400, "No such page", says) from None
