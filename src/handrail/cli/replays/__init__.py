"""Recorded sessions, reviewed as they would have been then."""
