"""What kind of place a path is: the tables, the lookup, and the view of the disk."""
