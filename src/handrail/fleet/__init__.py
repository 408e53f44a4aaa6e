"""Many tasks for many agents: each in a worktree of its own, until all are done."""
