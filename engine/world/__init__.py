"""The world: constant model, changing state, controls that come in, frames that leave."""
