"""Watches Handrail's own parts on the disk: notices what changed, puts it back, and says so."""
