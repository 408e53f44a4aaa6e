"""The script and the stage of `handrail demo`."""
