"""What is drawn over the 3D view; what to draw is worked out apart from the drawing."""
