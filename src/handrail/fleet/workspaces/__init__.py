"""The worktrees in which tasks are done."""
