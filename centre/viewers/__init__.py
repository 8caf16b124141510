"""The public pages of the centre: files, and streams of their changes through nginx with nchan."""
