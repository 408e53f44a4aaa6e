"""From a tool call to its verdict."""
