"""Run pipelines: each type of step has a file with what runs it."""
