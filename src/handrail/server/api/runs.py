"""The operations that read runs: lists, timelines, actions, findings, charts."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from handrail.api.messages.runs import Overview, RunDetail, RunPage, RunSeries
from handrail.api.messages.timeline import ActionDetail, FindingList, TimelinePage
from handrail.api.rows.action_details import action_detail, find_step
from handrail.api.rows.findings import list_findings, run_series
from handrail.api.rows.run_rows import command_states, run_row
from handrail.api.rows.timeline_rows import timeline_row
from handrail.model.event import Event
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.known_runs import RunFilter, find_run, run_page
from handrail.server.api.live_log import LiveLog
from handrail.server.api.pages import PagePlace
from handrail.server.api.problems import not_found
from handrail.server.api.step_lookup import events_about
from handrail.store.decoding import decode_or_fault
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import topic_of
from handrail.supervise.state.run_state import RunState
from handrail.views.log_feed import LogFeed, loaded_view
from handrail.views.run_groups import order_runs
from handrail.views.run_overview import RunOverview
from handrail.views.timeline_reader import last_seq, read_part

_MAX_PROMPT = 20_000


class RunOperations:
    """Answers from the log alone."""

    def __init__(
        self,
        live: LiveLog,
        clock: Callable[[], float],
        notices: Callable[[], tuple[str, ...]],
        problem: Callable[[], str],
    ) -> None:
        """`notices`: what nobody has seen yet; `problem`: what is wrong with the daemon."""
        self._live = live
        self._clock = clock
        self._notices = notices
        self._problem = problem

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions, by the name of the operation."""
        return {
            "get_overview": self.get_overview,
            "list_runs": self.list_runs,
            "get_run": self.get_run,
            "get_timeline": self.get_timeline,
            "get_action": self.get_action,
            "get_findings": self.get_findings,
            "get_series": self.get_series,
        }

    async def get_overview(self, call: ApiCall) -> Overview:
        """Return the first look."""
        return await self._live.follow(self._overview)

    async def list_runs(self, call: ApiCall) -> RunPage:
        """Return a page of runs."""
        wanted = RunFilter(call.text("state"), call.text("project"), call.text("search"))
        cursor, limit, now = call.text("cursor"), call.number("limit"), self._clock()
        return await self._live.follow(
            lambda store, feed: run_page(store, feed, wanted, cursor, limit, now)
        )

    async def get_run(self, call: ApiCall) -> RunDetail:
        """Return one run with its controls."""
        run = await self._run(call)
        state = await self._live.read(lambda store: read_state(store, run.id, []))
        return _detail(run, state, self._clock())

    async def get_timeline(self, call: ApiCall) -> TimelinePage:
        """Return a part of a timeline: the newest entries, or those after or before one."""
        run = await self._run(call)
        after, before, limit = call.number("after"), call.number("before"), call.number("limit")
        return await self._live.read(
            lambda store: timeline_page(store, run.id, after, before, limit)
        )

    async def get_action(self, call: ApiCall) -> ActionDetail:
        """Return one action in full."""
        step = call.step()
        run = await self._run(call)

        def find(store: Store) -> ActionDetail:
            topic = topic_of(run.id)
            found = find_step(events_about(store, topic, step, last_seq(store, run.id)), step)
            if found is None:
                raise not_found("action", f"{run.name} {step}")
            return action_detail(run.id, found)

        return await self._live.read(find)

    async def get_findings(self, call: ApiCall) -> FindingList:
        """Return the findings of a run."""
        run, place = await self._run(call), PagePlace.of(call)
        found = await self._live.read(lambda store: list_findings(_story(store, run.id)))
        return FindingList(tuple(place.cut(found)), place.following(len(found)))

    async def get_series(self, call: ApiCall) -> RunSeries:
        """Return the values of a run over time."""
        run = await self._run(call)
        return await self._live.read(lambda store: run_series(_story(store, run.id)))

    async def _run(self, call: ApiCall) -> RunOverview:
        return await find_run(self._live, call.path("run"))

    def _overview(self, store: Store, feed: LogFeed) -> Overview:
        now = self._clock()
        rows = [run_row(run, now) for run in order_runs(loaded_view(feed).runs, now)]
        by_state: dict[str, int] = {}
        for row in rows:
            by_state[row.state] = by_state.get(row.state, 0) + 1
        midnight = datetime.fromtimestamp(now).astimezone().replace(hour=0, minute=0, second=0)
        today = [row for row in rows if row.changed >= midnight.timestamp()]
        return Overview(
            needs_you=tuple(row for row in rows if row.needs_you),
            by_state=by_state,
            cost_today_usd=sum(row.cost_usd or 0.0 for row in today),
            tokens_today=sum(row.tokens for row in today),
            stopped_today=sum(row.stopped_actions for row in today),
            changed_today=sum(row.changed_actions for row in today),
            notices=self._notices(),
            problem=self._problem(),
        )


def timeline_page(store: Store, run: str, after: int, before: int, limit: int) -> TimelinePage:
    """Return at most so many entries: before an event, after one, or the newest."""
    last = last_seq(store, run)
    if after:
        part = read_part(store, run, after, min(after + limit, last) + 1)
    else:
        end = min(before or last + 1, last + 1)
        part = read_part(store, run, max(end - 1 - limit, 0), end)
    rows = tuple(map(timeline_row, part.entries))
    newest = store.read(topic_of(run), part.last - 1, 1)
    position = newest[0].position if newest else 0
    return TimelinePage(run, rows, part.first, part.last, position)


def _story(store: Store, run: str) -> Iterator[tuple[int, Event]]:
    """Yield all events of a run with their numbers."""
    after = 0
    while page := store.read(topic_of(run), after):
        for stored in page:
            yield stored.seq, decode_or_fault(stored)
        after = page[-1].seq


def _detail(run: RunOverview, state: RunState, now: float) -> RunDetail:
    loop = state.loop
    values = {} if state.settings is None else state.settings.values
    scope = values.get("scope")
    limits = values.get("limits")
    return RunDetail(
        row=run_row(run, now),
        prompt=(state.first_prompt if loop is None else loop.goal)[:_MAX_PROMPT],
        commands=command_states(run),
        limits={str(key): str(value) for key, value in limits.items()}
        if isinstance(limits, dict)
        else {},
        verify=run.verify,
        scope=tuple(map(str, scope)) if isinstance(scope, list | tuple) else (),
        findings=len(state.course.findings),
        interventions=len(state.course.past.made),
        checkpoints=len(state.course.checkpoints),
        session=run.id,
    )
