"""A table without a mat: the finder on pictures of its own and on photographs, and whole hands recorded from videos.

``stills`` counts tiles in single pictures, ``make`` draws hands that people play as a camera over the table sees them, ``videos`` records
such files. What is drawn is drawn by ``tools.train.finder`` as in training, with other seeds, faces that training has never seen and the
grounds of ``surfaces``: tiles, arms and shadows are those of training, so real cameras may see worse. ``make --traced`` renders hands by
path tracing (``traced``).
"""
