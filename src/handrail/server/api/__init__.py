"""The handlers of the API's operations, one file per subject."""
