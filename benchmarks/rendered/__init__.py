"""Path-traced tables: ``make`` renders them with Blender's Cycles, ``read`` measures the table reader on them.

The simulator's pictures share the reader's simplifications; path-traced tables have a perspective camera, a lens, woven cloth, gloss and
shadows. ``tables`` and ``looks`` draw a random table from its number and make its frames, ``scene`` renders it, ``making`` computes
what arms and tiles hide, ``folder`` defines the stored form, and ``reading`` evaluates the reader.
"""
