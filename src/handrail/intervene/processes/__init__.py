"""The processes of a run: find, freeze and end them, and check the result."""
