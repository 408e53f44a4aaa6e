"""The messages of the API, one file per subject. Fields are added, never renamed or removed."""
