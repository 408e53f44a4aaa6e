"""Loops: the same few steps again and again, with nothing new."""

from typing import ClassVar, Literal

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import GO_BACK, STUCK, FindingDescription, paragraphs
from handrail.detect.detector import Detector
from handrail.detect.severity_ladder import SeverityLadder
from handrail.model.finding import Finding
from handrail.model.fingerprint import text_key

Nature = Literal["worked", "ran", "failed", "misfit", "waited", "tried", "changed", "said"]
_PATIENT: tuple[Nature, ...] = ("ran", "waited")
"""What people repeat for a reason: to see whether something is ready, or whether it holds."""

_USUAL = SeverityLadder(2, 3, 5, 8)
_LADDERS: dict[Nature, SeverityLadder] = {
    # A malformed call: agents often make and mend these.
    "misfit": SeverityLadder(3, 4, 7, 10),
    # Checking again whether something is ready is plain waiting.
    "waited": SeverityLadder(20, 60, 150, 400),
    # A test or a benchmark is run again to see whether its result holds.
    "ran": SeverityLadder(20, 40, 80, 200),
    # A circle, although the agent changes files on the way.
    "changed": SeverityLadder(3, 4, 6, 9),
    "said": SeverityLadder(2, 3, 4, 6),
}
_SAYS: dict[Nature, str] = {
    "worked": "The same call gave the same result {times} times: {call}",
    "ran": "The same program gave the same result {times} times: {call}",
    "failed": "The same call failed in the same way {times} times: {call}",
    "misfit": "The same call did not fit its tool {times} times: {call}",
    "waited": "The same was looked at {times} times, and nothing has changed: {call}",
    "tried": "The same was tried {times} times: {call}",
    "changed": "The same call was made {times} times, each time with the same result: {call}",
    "said": "The agent stopped {times} times with the same words: {call}",
}

_PERIODS = (1, 2, 3)
_MAX_TRIES = 16
_MAX_STEPS = 10
_MAX_SAID = 100
_SURE = 5


class LoopAttempt(msgspec.Struct, gc=False):
    """One call with one result, since the last progress."""

    steps: tuple[int, ...]
    times: int = 1

    def again(self, step: int) -> None:
        """Count one more attempt."""
        self.times += 1
        self.steps = (*self.steps, step)[-_MAX_STEPS:]


class LoopTurn(msgspec.Struct, frozen=True, gc=False):
    """One step of a possible circle."""

    pair: str
    """The call and its result."""
    call: str
    tool: str
    shown: str
    said: str
    nature: Nature

    @property
    def name(self) -> str:
        """Return the call in a few words: a command speaks for itself, a path needs its tool."""
        alone = self.tool in ("Bash", "bash", "shell", self.shown)
        return self.shown if alone else f"{self.tool} {self.shown}"


class LoopDetector(Detector):
    """Equal calls with equal results, in a row or in circles."""

    kind: ClassVar[str] = "loop"
    per_agent: ClassVar[bool] = True
    order: ClassVar[int] = 1
    saved_as: ClassVar[str] = "loops"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Runs in a loop",
        meaning="The agent repeats the same few calls, and learns nothing new.",
        fitting=GO_BACK,
        hints=paragraphs("""
            The same call (`{call}`) was made {times} times, and each time it ended with `{error}`
            (steps {steps}). Making it again will not change that. Say in one sentence what the
            error claims, check that claim, and change its cause before the next try. If you cannot,
            say what you need.

            {says} Doing it once more will show the same. Say what you expected of it and what you
            got, and take the step you have not taken: read what produces this result. If the task
            is done, say so and stop.

            {says} Something that you take for granted is probably wrong. Check one thing each,
            quickly: is it this file that runs, is it this folder, is your last change saved, is an
            old build or process in the way? Go on with what you learn.

            {says} You cannot get out of this by repeating it. List what you tried and what each try
            showed; then choose a way that is not on the list, or stop and ask for what you need.
        """),
        constraint="Never run the same command a third time without having changed something that "
        "it depends on.",
        example="Instead of running the tests again, open the first failing test and print the "
        "value that it compares.",
        advice=STUCK,
    )
    tries: dict[str, LoopAttempt] = msgspec.field(default_factory=dict)
    """Attempts by call and result, since the last progress."""
    results: dict[str, str] = msgspec.field(default_factory=dict)
    """The last result of each call."""
    turns: list[LoopTurn] = msgspec.field(default_factory=list)
    """The last turns, as many as the longest period has, the newest at the end."""
    steps: list[int] = msgspec.field(default_factory=list)
    """The numbers of the last turns."""
    matches: list[int] = msgspec.field(default_factory=lambda: [0] * len(_PERIODS))
    """For each period, how many of the last steps equal the one a period earlier."""
    words: str = ""
    """The key of the agent's last message."""
    said: str = ""
    times_said: int = 0

    def see(self, done: CompletedStep) -> None:
        """Count the call, and the length of the circles that it closes."""
        self.times_said = 0
        if done.ending == "refused":
            self._break_off()
            return
        intent, tries, results = done.intent, self.tries, self.results
        call = intent.call
        if done.progress:
            tries.clear()
            results.clear()
        # A call without a result counts with its previous result.
        result = done.result or results.get(call, "")
        pair = f"{call}{result}"
        # A call with another result in between has not given the same each time.
        if pair in tries and results.get(call) == result:
            tries[pair].again(done.step)
        else:
            tries[pair] = LoopAttempt((done.step,))
        results[call] = result
        if len(tries) > _MAX_TRIES:
            del tries[next(iter(tries))]
            del results[next(iter(results))]
        turn = LoopTurn(pair, call, intent.tool, intent.shown, done.said, _nature(done))
        self._turn(turn, done.step)

    def find(self, settings: Detection) -> Finding | None:
        """Report the last call if it was repeated too often."""
        if self.times_said:
            return self._repeated_words()
        if not self.turns:
            return None
        last = self.turns[-1]
        tried = self.tries[last.pair]
        times, nature, steps = tried.times, last.nature, tried.steps
        if times == 1 and not any(self.matches):
            return None
        period = self._period()
        rounds = self.matches[period - 1] // period + 1
        circle = self.turns[-period:] if rounds > 1 else [last]
        if rounds > times:
            times, nature = rounds, _shared_nature(circle)
            steps = tuple(self.steps[-rounds * period :])
        says, symptom = _says(nature, times, circle, steps), min(turn.call for turn in circle)
        facts, ladder = {"call": last.name, "error": last.said}, _LADDERS.get(nature, _USUAL)
        return ladder.finding(self.kind, times, steps, says, symptom, facts, sure=_SURE)

    def prompted(self) -> None:
        """Start again: a person may ask for the same."""
        self.tries.clear()
        self.results.clear()
        self._break_off()

    def heard(self, text: str) -> None:
        """Count equal messages with no step between them."""
        words = text_key(text)
        self.times_said = self.times_said + 1 if words == self.words and self.times_said else 1
        self.words = words
        self.said = " ".join(text[:_MAX_SAID].split())

    def _break_off(self) -> None:
        self.turns.clear()
        self.steps.clear()

    def _turn(self, turn: LoopTurn, step: int) -> None:
        turns, steps, pair = self.turns, self.steps, turn.pair
        same = [before.pair == pair for before in turns]
        if True in same:
            for period in _PERIODS:
                again = len(same) >= period and same[-period]
                self.matches[period - 1] = self.matches[period - 1] + 1 if again else 0
        else:
            self.matches = [0] * len(_PERIODS)
        turns.append(turn)
        steps.append(step)
        if len(turns) > _PERIODS[-1]:
            del turns[0]
        if len(steps) > _MAX_STEPS:
            del steps[0]

    def _period(self) -> int:
        """Return the shortest period that the last steps have repeated at least once."""
        for period, same in zip(_PERIODS, self.matches, strict=True):
            if same >= period and (period == 1 or not self._is_one_call(period)):
                return period
        return 1

    def _is_one_call(self, period: int) -> bool:
        """Return whether one call with varying results looks like a circle: it is only flaky."""
        return len({turn.call for turn in self.turns[-period:]}) == 1

    def _repeated_words(self) -> Finding | None:
        times, facts = self.times_said, {"call": self.said}
        says = _SAYS["said"].format(times=times, call=self.said)
        ladder = _LADDERS["said"]
        return ladder.finding(self.kind, times, (), says, self.words, facts, sure=_SURE)


def _nature(done: CompletedStep) -> Nature:
    if done.intent.waits or done.outside:
        return "waited"
    if done.misfit:
        return "misfit"
    if done.ending == "failed":
        return "failed"
    if done.ending == "ok":
        return "ran" if done.runs_code else "worked"
    return "tried"


def _shared_nature(circle: list[LoopTurn]) -> Nature:
    """Return the nature of a circle that changes files on the way, or only looks and checks."""
    natures = {turn.nature for turn in circle}
    if not natures <= set(_PATIENT):
        return "changed"
    return "ran" if "ran" in natures else "waited"


def _says(nature: Nature, times: int, circle: list[LoopTurn], steps: tuple[int, ...]) -> str:
    where = f"(steps {', '.join(map(str, steps))})"
    if len(circle) > 1:
        calls = ", then ".join(turn.name for turn in circle)
        return f"The same {len(circle)} steps were repeated {times} times: {calls} {where}"
    return f"{_SAYS[nature].format(times=times, call=circle[0].name)} {where}"
