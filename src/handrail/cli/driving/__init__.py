"""An agent that `handrail run` drives."""
