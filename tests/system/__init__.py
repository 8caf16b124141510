"""System tests: whole tables of real processes over real wires, killed and unplugged."""
