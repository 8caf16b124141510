"""A table without a mat: the finder on pictures of its own and on photographs, and whole hands recorded from videos.

``stills`` counts tiles in single pictures, ``video`` draws a hand that people play as a camera over the table sees it, ``record`` runs the
recorder on such files. What is drawn is drawn by ``tools.train.finder`` as in training, with other seeds, faces that training has never
seen and the grounds of ``surfaces``. It is no path tracing: ``benchmarks.rendered`` needs some 9 s of two cores for a frame of 1280 × 720,
a hand has 1,000 of them.
"""
