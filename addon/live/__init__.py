"""Live: the scene solved in real time in the viewport, with the mouse. Nothing of it is saved in a .blend."""
