"""What each field does at a point, and where from: pure maths on rows of numbers."""
