"""Parts of the screen, each as lines."""
