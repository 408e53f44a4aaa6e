"""How a command prints: text for a terminal, JSON, a pager."""
