"""A table without a mat: the finder on drawn pictures and on photographs, and whole hands recorded from videos.

``stills`` counts tiles in single pictures, ``make`` draws played hands as videos of a camera over the table, ``videos`` records such files.
``tools.train.finder`` draws them, as in training, but with other seeds, faces that training never used, and the grounds of ``surfaces``.
Tiles, arms and shadows are those of training, so real cameras may see worse. ``make --traced`` renders hands by path tracing (``traced``).
"""
