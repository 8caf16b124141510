"""An event as a bundle of files that anybody can check: ``bundle_files`` makes it, ``bundle_check`` proves it under a start code."""
