"""Whether the hall's own tables are ready: what the servers on this computer say of phones, cameras and sets, and the steps that follow."""
