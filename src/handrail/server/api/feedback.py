"""The operations for people's feedback."""

from collections.abc import Mapping, Sequence
from math import inf

import msgspec

from handrail.api.messages.statistics import Done, FeedbackRates, FeedbackRequest, RateRow
from handrail.detect.precision import Precision, last_finding
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.counted_runs import CountedRuns
from handrail.server.api.known_runs import find_run
from handrail.server.api.live_log import LiveLog
from handrail.server.api.problems import ProblemError, not_found
from handrail.server.control.feedback_recorder import FeedbackRecorder
from handrail.store.decoding import decode_or_fault
from handrail.store.port import Store
from handrail.supervise.log.topics import topic_of
from handrail.views.run_counts import RunCounts
from handrail.words.sentence import in_words

_MAX_NOTE = 10_000


class FeedbackOperations:
    """Takes feedback, and tells how often Handrail was right."""

    def __init__(self, recorder: FeedbackRecorder, live: LiveLog, runs: CountedRuns) -> None:
        self._recorder = recorder
        self._live = live
        self._runs = runs

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions."""
        return {
            "give_feedback": self.give_feedback,
            "get_feedback_rates": self.get_feedback_rates,
        }

    async def give_feedback(self, call: ApiCall) -> Done:
        """Record whether a verdict or a finding was right."""
        given = call.body(FeedbackRequest)
        run = await find_run(self._live, call.path("run"))
        if len(given.note) > _MAX_NOTE:
            raise ProblemError(400, "Too long", f"A note has up to {_MAX_NOTE:,} characters.")
        if given.finding:
            step = await self._live.read(lambda store: _step(store, run.id, given))
            given = msgspec.structs.replace(given, step=step)
        await self._recorder.record(run.id, given, call.caller.user)
        about = f"{in_words(given.finding)} in" if given.finding else f"step {given.step} of"
        verdict = "right" if given.right else "wrong"
        return Done(f"Noted: {about} {run.name} was judged {verdict}.")

    async def get_feedback_rates(self, call: ApiCall) -> FeedbackRates:
        """Return how often verdicts and findings were right, over all runs."""
        return await self._runs.read(-inf, lambda found: _rates(list(found)))


def _step(store: Store, run: str, given: FeedbackRequest) -> int:
    """Return the step under which a finding is judged."""
    topic, after = topic_of(run), 0
    last: int | None = None
    while page := store.read(topic, after):
        events = [decode_or_fault(each) for each in page if b'"finding_made"' in each.body]
        found, _ = last_finding(events, given.finding, given.step)
        last = last if found is None else found.step
        after = page[-1].seq
    if last is None:
        raise not_found("finding", given.finding)
    return last


def _rates(found: Sequence[RunCounts]) -> FeedbackRates:
    precision = Precision()
    for each in found:
        precision.add(each.run, each.judged_findings)
    verdicts = RateRow(
        "stopped or changed",
        "Stopped or changed",
        sum(each.right for each in found),
        sum(each.wrong for each in found),
    )
    findings = (
        RateRow(kind, in_words(kind).capitalize(), tally.confirmed, tally.false_alarms)
        for kind, tally in sorted(precision.kinds.items())
    )
    return FeedbackRates((verdicts,), tuple(findings))
