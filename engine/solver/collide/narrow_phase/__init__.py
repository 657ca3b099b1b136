"""Where two elements touch or will touch: distance, normal, continuous detection."""
