"""Handrail for programs that run an agent themselves: the content of `import handrail`."""
