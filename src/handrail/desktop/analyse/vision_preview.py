"""Shows what a question to the model would send, without sending it: `look --dry-run`."""

import os
from collections.abc import Mapping, Sequence

import msgspec

from handrail.config.desktop import Desktop
from handrail.config.prices import ModelPrice
from handrail.desktop.analyse.messages_api import KEY_VARIABLE, MessagesApi
from handrail.desktop.analyse.model_table import price_of_model
from handrail.desktop.analyse.vision_analyser import why_not_sent
from handrail.desktop.analyse.vision_request import SYSTEM, write_request
from handrail.desktop.errors import AnalysisError
from handrail.desktop.screen_reading import ScreenQuestion
from handrail.redact import Redactor


class VisionPreview(msgspec.Struct, frozen=True):
    """What would be sent, and where."""

    model: str
    address: str
    width: int
    """Of the picture, as it would be sent."""
    height: int
    bytes: int
    tokens: int
    """About how many the model would read."""
    most_usd: float
    """About how much the answer can cost at most; 0: nobody knows the price."""
    system: str
    text: str
    why_not: str = ""
    """Why a real look would send nothing; empty: it would."""


def preview_request(
    question: ScreenQuestion,
    settings: Desktop,
    titles: Sequence[str],
    *,
    prices: Mapping[str, ModelPrice] | None = None,
    redactor: Redactor | None = None,
    environ: Mapping[str, str] = os.environ,
) -> VisionPreview:
    """Return what a question would send; raises AnalysisError if the picture cannot be used."""
    request = write_request(question, settings.model, redactor or Redactor())
    why_not = why_not_sent(settings, titles)
    most = 0.0
    try:
        most = request.most_usd(price_of_model(settings.model, prices or {}))
    except AnalysisError as error:
        why_not = why_not or str(error)
    if not environ.get(KEY_VARIABLE):
        why_not = why_not or f"{KEY_VARIABLE} is not set"
    return VisionPreview(
        settings.model,
        MessagesApi(environ).address,
        request.picture.width,
        request.picture.height,
        len(request.picture.data),
        request.input_tokens,
        most,
        SYSTEM,
        request.text,
        why_not,
    )
