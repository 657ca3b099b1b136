"""The air: wind, drag and lift on faces."""
