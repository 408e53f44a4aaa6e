"""Whether an action reaches the controls of Handrail."""
