"""Git plumbing on a private repository, without settings or hooks of anybody else."""
