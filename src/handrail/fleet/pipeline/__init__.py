"""Pipelines: a YAML file of steps, each reviewed like the work of an agent."""
