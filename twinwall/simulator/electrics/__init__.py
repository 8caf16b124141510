"""What stands between the pins of a board and the mechanics of the table, for firmware that is not Python.

``Electrics`` turns outputs into drives and edges into wires; ``line`` carries both over a socket; ``board`` keeps the
process of the board, which may be killed at any moment as by a power cut.
"""
