"""Functions by the event that each of them takes."""

from collections.abc import Callable


def by_event(*functions: Callable[..., None]) -> dict[type, Callable[..., None]]:
    """A table of functions; the annotation of its parameter `event` says for which one each is."""
    return {function.__annotations__["event"]: function for function in functions}
