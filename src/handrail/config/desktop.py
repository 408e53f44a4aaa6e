"""The `desktop` section of `handrail.yaml`: watching an unattended graphical session."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from handrail.config.text_values import FilePath

Share = Annotated[float, Meta(ge=0, le=1)]


class DesktopVerification(Struct, frozen=True, forbid_unknown_fields=True):
    """Comparing files with what a session should have made of them."""

    enabled: Annotated[
        bool, Meta(description="Whether the open file is verified after each recovery.")
    ] = True
    similarity_threshold: Annotated[
        Share, Meta(description="From this ratio of equal lines on, a report says `match`.")
    ] = 0.98
    verify_on_completion: Annotated[
        bool, Meta(description="Whether all files are verified at the end.")
    ] = True


class Desktop(Struct, frozen=True, forbid_unknown_fields=True):
    """The watch over an unattended graphical session."""

    enabled: Annotated[bool, Meta(description="Whether a watch looks at all.")] = True
    interval_seconds: Annotated[
        float, Meta(description="The time between two looks.", gt=0, le=86_400)
    ] = 600
    min_cooldown_seconds: Annotated[
        float,
        Meta(description="The time between two recoveries of the same symptom at least.", ge=0),
    ] = 60
    max_retries: Annotated[
        int,
        Meta(description="How often a symptom is treated before a person has to look.", ge=1),
    ] = 3
    confidence_threshold: Annotated[
        Share, Meta(description="Below this confidence, Handrail only reports.")
    ] = 0.85
    screenshot_backend: Annotated[
        Literal["auto", "mss", "scrot"], Meta(description="What takes the pictures.")
    ] = "auto"
    save_screenshots: Annotated[bool, Meta(description="Whether pictures are kept.")] = True
    screenshot_dir: Annotated[
        FilePath,
        Meta(description="Where they are kept; by default `desktop` in Handrail's state folder."),
    ] = ""
    screenshot_days: Annotated[
        float, Meta(description="How many days a picture is kept.", gt=0)
    ] = 7
    screenshot_mb: Annotated[
        float, Meta(description="How much room all pictures may take; the oldest go first.", gt=0)
    ] = 200
    vision: Annotated[
        bool,
        Meta(
            description="Whether a model is shown the screen when local sensing is not sure. It "
            "needs `pip install 'handrail[desktop,judge]'` and ANTHROPIC_API_KEY, and costs money."
        ),
    ] = False
    model: Annotated[str, Meta(description="Which model.", min_length=1)] = "claude-haiku-5-5"
    vision_seconds: Annotated[
        float, Meta(description="How long Handrail waits for it.", gt=0, le=120)
    ] = 30
    vision_retries: Annotated[
        int, Meta(description="How often it asks again after a failure.", ge=0, le=5)
    ] = 2
    max_calls: Annotated[
        int, Meta(description="How many questions to the model in one session.", ge=0)
    ] = 200
    max_cost_usd: Annotated[float, Meta(description="How much they may cost together.", ge=0)] = 1.0
    exclude_windows: Annotated[
        tuple[str, ...],
        Meta(
            description="Titles of windows as globs (`*Bitwarden*`). A screen that shows one is "
            "neither kept nor sent."
        ),
    ] = ()
    verification: DesktopVerification = DesktopVerification()


def screenshot_folder(settings: Desktop, home: str) -> str:
    """Return the folder of the pictures: the one in the settings, or that in the state folder."""
    return settings.screenshot_dir or f"{home}/desktop"
