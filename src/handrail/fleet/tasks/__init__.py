"""Tasks: their file, their order, what each may need."""
