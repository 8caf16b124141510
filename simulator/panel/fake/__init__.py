"""The folder that goes first on PYTHONPATH so that ``import lgpio`` finds the simulated chip."""
