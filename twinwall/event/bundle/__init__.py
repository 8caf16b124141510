"""An evening as a bundle of files that anybody can check: ``making`` writes it, ``bundle_check`` proves it under a start code."""
