"""A first index from the one that the user's repository has: nothing has to be read anew."""

from handrail.checkpoint.git import Git


def seed(git: Git) -> bool:
    """Fill an index that is not there yet; False: there is nothing to fill it from."""
    return False
