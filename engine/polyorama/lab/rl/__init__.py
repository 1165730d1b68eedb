"""Reinforcement learning in small worlds whose optimum is known exactly."""
