"""PPO self-play over complete deals."""
