"""Reads the answer of a model, and believes none of it without a look."""

from pathlib import PurePosixPath

import msgspec

from handrail.config.prices import ModelPrice
from handrail.desktop.analyse.vision_request import MAX_TOKENS, VisionRequest
from handrail.desktop.errors import AnalysisError, RecoveryError
from handrail.desktop.recover.actions import MAX_ACTIONS, MAX_LENGTH, ClickPoint, parse_action
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.fleet.reports.one_line import one_line
from handrail.model.decodable import decodable
from handrail.model.desktop import ScreenStatus

VISION = "vision"
_MAX_DESCRIPTION = 1_000
_MAX_FILE = 400
_MAX_RAW = 8_000
_IDLE = (ScreenStatus.NORMAL, ScreenStatus.UNKNOWN)


class UnusableAnswerError(AnalysisError):
    """A model answered, but not in a usable way."""

    def __init__(self, problem: str, raw_response: str, cost_usd: float) -> None:
        super().__init__(problem)
        self.raw_response = raw_response[:_MAX_RAW]
        self.cost_usd = cost_usd


class AnswerBlock(msgspec.Struct, frozen=True):
    """A part of a model's message."""

    type: str = ""
    text: str = ""


class AnswerUsage(msgspec.Struct, frozen=True):
    """The tokens of a message."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


@decodable
class VisionMessage(msgspec.Struct, frozen=True):
    """The message of a model, as far as it concerns us."""

    content: tuple[AnswerBlock, ...]
    stop_reason: str | None = None
    usage: AnswerUsage = AnswerUsage()

    @property
    def text(self) -> str:
        """All text; thoughts do not count."""
        return "".join(block.text for block in self.content if block.type == "text")

    def cost_usd(self, price: ModelPrice) -> float:
        """Return the cost of question and answer."""
        return price.cost_usd(
            read=self.usage.input_tokens,
            written=self.usage.output_tokens,
            cache_read=self.usage.cache_read_input_tokens or 0,
            cache_write=self.usage.cache_creation_input_tokens or 0,
        )


@decodable
class VisionAnswer(msgspec.Struct, frozen=True):
    """What the model was asked for."""

    status: ScreenStatus
    confidence: float
    description: str = ""
    recovery_actions: tuple[str, ...] = ()
    actual_file: str | None = ""


def read_message(data: bytes) -> VisionMessage:
    """Decode the body of a response; raises AnalysisError."""
    try:
        return msgspec.json.decode(data, type=VisionMessage)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AnalysisError(f"the API's answer cannot be read: {error}") from None


def make_reading(
    message: VisionMessage, question: ScreenQuestion, request: VisionRequest, cost_usd: float
) -> ScreenReading:
    """Return the answer as a reading, with its places in pixels of the screen.

    Raises UnusableAnswerError.
    """
    try:
        answer = _read_answer(message)
    except ValueError as error:
        raise UnusableAnswerError(str(error), message.text, cost_usd) from None
    file = one_line(answer.actual_file or "", _MAX_FILE)
    proposed = () if answer.status in _IDLE else answer.recovery_actions
    return ScreenReading(
        answer.status,
        confidence=answer.confidence,
        description=one_line(answer.description, _MAX_DESCRIPTION),
        recovery_actions=tuple(_on_screen(text, request.picture.scale) for text in proposed),
        expected_file=question.expected_file,
        actual_file=file,
        raw_response=message.text[:_MAX_RAW],
        source=VISION,
        symptom=f"{answer.status}:{PurePosixPath(file).name.casefold()}",
        cost_usd=cost_usd,
    )


def _read_answer(message: VisionMessage) -> VisionAnswer:
    """Return what a model says; raises ValueError if that is nothing usable."""
    if message.stop_reason == "refusal":
        raise ValueError("the model refused to answer")
    if message.stop_reason == "max_tokens":
        raise ValueError(f"the answer was cut off after {MAX_TOKENS} tokens")
    text = message.text
    if not text.strip():
        raise ValueError("the answer is empty")
    try:
        answer = msgspec.json.decode(_object_in(text), type=VisionAnswer)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise ValueError(f"the answer cannot be read: {error}") from None
    if not 0 <= answer.confidence <= 1:
        raise ValueError(f"the answer has a confidence of {answer.confidence:g}")
    if len(answer.recovery_actions) > MAX_ACTIONS:
        raise ValueError(f"the answer has {len(answer.recovery_actions)} actions")
    return answer


def _on_screen(text: str, scale: float) -> str:
    """Return a proposal with a place on the screen in place of one on the picture."""
    try:
        action = parse_action(text)
    except RecoveryError:
        return one_line(text, MAX_LENGTH)
    if isinstance(action, ClickPoint):
        return ClickPoint(round(action.x / scale), round(action.y / scale)).text
    return action.text


def _object_in(text: str) -> str:
    """Return the JSON object in a text; some models put a fence around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
