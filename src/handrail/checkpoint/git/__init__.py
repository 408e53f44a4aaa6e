"""Git plumbing on a private repository, without anybody's settings or hooks."""
