"""Obstacle avoidance of agents: the walls of a world, the search for near ones, and their limits on velocity."""
