"""Sends a question to the Messages API, by the `anthropic` client."""

import os
import queue
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from handrail.desktop.analyse.vision_request import MAX_TOKENS, SCHEMA, SYSTEM, VisionRequest
from handrail.desktop.errors import AnalysisError, MissingPackageError
from handrail.fleet.reports.one_line import one_line

if TYPE_CHECKING:
    from anthropic import Anthropic, APIStatusError
    from anthropic.types import MessageParam

KEY_VARIABLE = "ANTHROPIC_API_KEY"
ADDRESS_VARIABLE = "ANTHROPIC_BASE_URL"
ADDRESS = "https://api.anthropic.com"
_MAX_SAID = 300

_SAYS: Mapping[int, str] = {
    401: f"the API does not accept the key: look at {KEY_VARIABLE}",
    403: "the key may not use this model",
    404: "the API does not know this model",
    408: "the API took too long",
    413: "the picture is too large for the API",
    429: "the API takes no more requests at the moment",
    529: "the API is overloaded",
}
_TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class CallFailedError(AnalysisError):
    """A request failed."""

    def __init__(
        self, problem: str, *, again: bool = False, charged: bool = True, after: float = 0.0
    ) -> None:
        """`charged`: whether it may have cost money; `after`: when the API wants to be asked."""
        super().__init__(problem)
        self.again = again
        """Whether the same request may succeed later."""
        self.charged = charged
        self.after = after


class MessagesApi:
    """One key at one address. One call at a time; `close` from any thread ends it."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._key = environ.get(KEY_VARIABLE, "")
        self.address = environ.get(ADDRESS_VARIABLE) or ADDRESS
        self._client: Anthropic | None = None
        self._answers: queue.SimpleQueue[bytes | CallFailedError | None] = queue.SimpleQueue()
        self._closed = threading.Event()

    def connect(self) -> None:
        """Load the client, which takes a second; raises AnalysisError or MissingPackageError."""
        if not self._key:
            raise AnalysisError(f"{KEY_VARIABLE} is not set: nothing was sent")
        if self._client is None:
            try:
                from anthropic import Anthropic  # noqa: PLC0415 - optional, and slow to load
            except ImportError:
                raise MissingPackageError(
                    "anthropic", "pip install 'handrail[desktop,judge]'"
                ) from None
            self._client = Anthropic(api_key=self._key, base_url=self.address, max_retries=0)

    def send(self, request: VisionRequest, seconds: float) -> bytes:
        """Return the body of the answer; raises CallFailedError."""
        answers: queue.SimpleQueue[bytes | CallFailedError | None] = queue.SimpleQueue()
        self._answers = answers
        # In a thread of its own: the client limits each read, not the whole answer, and cannot be
        # interrupted.
        threading.Thread(
            target=lambda: answers.put(self._try(request, seconds)),
            name="handrail-vision",
            daemon=True,
        ).start()
        try:
            answer = None if self._closed.is_set() else answers.get(timeout=seconds)
        except queue.Empty:
            answer = CallFailedError(_too_late(seconds))
        if answer is None:
            raise CallFailedError("the watch was stopped")
        if isinstance(answer, CallFailedError):
            raise answer
        return answer

    def wait(self, seconds: float) -> bool:
        """Wait; return True, at once, if the API was closed."""
        return self._closed.wait(seconds)

    def close(self) -> None:
        """Close the connections, and end a call that waits for its answer."""
        self._closed.set()
        self._answers.put(None)
        if self._client is not None:
            self._client.close()

    def _try(self, request: VisionRequest, seconds: float) -> bytes | CallFailedError:
        from anthropic import (  # noqa: PLC0415 - optional, and slow to load
            AnthropicError,
            APIConnectionError,
            APIStatusError,
            APITimeoutError,
        )

        assert self._client is not None
        try:
            raw = self._client.messages.with_raw_response.create(
                model=request.model,
                max_tokens=MAX_TOKENS,
                system=SYSTEM,
                messages=cast("list[MessageParam]", request.messages),
                output_config={"format": {"type": "json_schema", "schema": SCHEMA}},
                timeout=seconds,
            )
            body: bytes = raw.http_response.read()
        except APITimeoutError:
            return CallFailedError(_too_late(seconds))
        except APIConnectionError as error:
            problem = f"the API at {self.address} cannot be reached: {error.__cause__ or error}"
            return CallFailedError(problem, again=True, charged=False)
        except APIStatusError as error:
            return _refused(error)
        except (AnthropicError, ValueError, TypeError, RuntimeError) as error:
            return CallFailedError(f"the request failed: {_said(error)}")
        return body


def _refused(error: "APIStatusError") -> CallFailedError:
    status = error.status_code
    says = _SAYS.get(status) or f"the API said: {_said(error)}"
    try:
        after = float(error.response.headers.get("retry-after", 0))
    except ValueError:
        after = 0.0  # a date
    return CallFailedError(
        f"{says} ({status})", again=status in _TRY_AGAIN, charged=False, after=max(after, 0.0)
    )


def _said(error: Exception) -> str:
    return one_line(str(error), _MAX_SAID)


def _too_late(seconds: float) -> str:
    return f"no answer within {seconds:.3g} s"
