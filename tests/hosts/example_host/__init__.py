"""A host for tests: one package, which one row makes known."""
