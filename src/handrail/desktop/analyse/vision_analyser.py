"""Asks a model about the screen: off by default, within a time limit and a budget."""

import os
import time
from collections.abc import Callable, Mapping, Sequence

from handrail.config.desktop import Desktop
from handrail.config.prices import ModelPrice
from handrail.desktop.analyse.budget import VisionBudget
from handrail.desktop.analyse.exclusion import find_exclusion
from handrail.desktop.analyse.messages_api import CallFailedError, MessagesApi
from handrail.desktop.analyse.model_table import price_of_model
from handrail.desktop.analyse.vision_answer import (
    VisionMessage,
    make_reading,
    read_message,
)
from handrail.desktop.analyse.vision_request import VisionRequest, write_request
from handrail.desktop.errors import AnalysisError
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.redact import Redactor

_LEAST_SECONDS = 0.1


class VisionAnalyser:
    """A ScreenReader that shows the screen to a model. One question at a time."""

    def __init__(
        self,
        settings: Desktop,
        list_titles: Callable[[], Sequence[str]],
        *,
        budget: VisionBudget | None = None,
        prices: Mapping[str, ModelPrice] | None = None,
        redactor: Redactor | None = None,
        environ: Mapping[str, str] = os.environ,
        retry_seconds: float = 0.5,
    ) -> None:
        """Set up; nothing is loaded and nothing sent before the first question.

        `list_titles` returns the titles of all windows that can be seen. `prices` come from the
        project's settings. Several analysers of one session share a `budget`. The first retry
        comes after `retry_seconds`, each later one after twice the time.
        """
        self._settings = settings
        self._list_titles = list_titles
        self.budget = budget or VisionBudget(settings.max_calls, settings.max_cost_usd)
        self._prices = prices or {}
        self._redactor = redactor or Redactor()
        self._api = MessagesApi(environ)
        self._retry_seconds = retry_seconds

    def read(self, question: ScreenQuestion) -> ScreenReading:
        """Return what the model sees; raises DesktopError, with nothing known about the screen.

        An UnusableAnswerError was answered and paid for. `vision_seconds` limits all tries
        together.
        """
        titles = self._list_titles() if self._settings.vision else ()
        if problem := why_not_sent(self._settings, titles):
            raise AnalysisError(f"{problem}: nothing was sent")
        price = price_of_model(self._settings.model, self._prices)
        request = write_request(question, self._settings.model, self._redactor)
        if problem := self.budget.why_spent(request.most_usd(price)):
            raise AnalysisError(problem)
        self._api.connect()
        message, cost = self._ask(request, price)
        return make_reading(message, question, request, cost)

    def close(self) -> None:
        """Close the connections, and end a question that waits for its answer."""
        self._api.close()

    def _ask(self, request: VisionRequest, price: ModelPrice) -> tuple[VisionMessage, float]:
        """Send a request until it succeeds, the time is over or the retries are used."""
        end = time.monotonic() + self._settings.vision_seconds
        retries = 0
        while True:
            try:
                return self._call(request, price, end - time.monotonic())
            except CallFailedError as error:
                if not error.again or retries == self._settings.vision_retries:
                    raise
                wait = max(self._retry_seconds * 2**retries, error.after)
                if end - time.monotonic() - wait < _LEAST_SECONDS:
                    raise AnalysisError(f"{error}; no time is left to try again") from None
            if self._api.wait(wait):
                raise AnalysisError("the watch was stopped")
            retries += 1

    def _call(
        self, request: VisionRequest, price: ModelPrice, seconds: float
    ) -> tuple[VisionMessage, float]:
        with self.budget.call(request.most_usd(price)) as charge:
            try:
                message = read_message(self._api.send(request, seconds))
            except CallFailedError as error:
                if not error.charged:
                    charge.cost_usd = 0.0
                raise
            charge.cost_usd = message.cost_usd(price)
            return message, charge.cost_usd


def why_not_sent(settings: Desktop, titles: Sequence[str]) -> str:
    """Return why a screen with these windows is not shown to a model, or "" if it may be."""
    if not settings.vision:
        return "desktop.vision is off"
    if pattern := find_exclusion(titles, settings.exclude_windows):
        return f"a window on the screen is excluded by desktop.exclude_windows, {pattern!r}"
    return ""
