"""Handrail for programs that run an agent themselves; `import handrail` offers what is in here."""
