"""A whole centre with its venues on one machine: real programs of other projects, on the files that deploy them for real."""
