"""Joins looking, recovering and verifying into a run."""
