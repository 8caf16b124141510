"""Training of the tile model: sheets of faces, rendered frames, a small network, its limits.

``python -m tools.train`` runs all of it. Only this folder needs PyTorch and onnx, which are in the dependency group
``train`` and not installed at a table.
"""
