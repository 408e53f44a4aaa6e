"""Functions by the event that each of them takes."""

from collections.abc import Callable


def by_event(*functions: Callable[..., None]) -> dict[type, Callable[..., None]]:
    """Make a table of functions by event: the type of each parameter `event`."""
    return {function.__annotations__["event"]: function for function in functions}
