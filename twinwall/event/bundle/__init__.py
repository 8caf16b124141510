"""An evening as a bundle of files that anybody can check: ``making`` makes it, ``bundle_check`` proves it under a start code."""
