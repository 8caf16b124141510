"""``python -m cli``: the ``twinwall`` command for programs that start other parts of the project."""

import gc
import sys

from cli import main

code = main()
gc.freeze()  # the interpreter's end collects garbage, which takes a quarter of a second for a table's libraries
sys.exit(code)
