"""What undo, redo, rollback and restore share."""
