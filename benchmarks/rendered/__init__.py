"""Path-traced tables: ``make`` renders them with Blender's Cycles, ``read`` measures the table reader on them.

The simulator's pictures share the reader's simplifications. Path-traced tables have a perspective camera, lens, cloth
with weave, gloss and shadows. ``tables`` and ``looks`` draw a table by chance from its number, ``scene`` renders it,
``sensor`` makes a camera's frame of that, and ``hidden`` says what arms and tiles hide; ``folder`` has the form in
which tables are kept, and ``reading`` compares what the reader says.
"""
