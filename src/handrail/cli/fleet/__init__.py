"""The fleet on the command line: the scheduler, the tasks, and what people see of them."""
