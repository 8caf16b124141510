"""Whether a table whose computer is the hall's is ready: what its cameras see, its enrolled sets, and a trial of four draws."""
