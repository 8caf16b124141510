"""The numbers of TWF that belong to no single message (PROTOCOL.md, "Session" and "Rules"); times are wall time."""

HEARTBEAT_MS = 100
"""The host says this often that it is alive."""

QUESTION_REPEAT_MS = 100
"""A question or operation without an answer is sent again after this."""

EVENT_REPEAT_MS = 100
"""Events that are not acknowledged are sent again this often …"""

EVENTS_AT_ONCE = 8
"""… this many of the oldest."""

SAFETY_STOP_MS = 100
"""After an emergency stop, or with the lid open, no motor runs longer than this."""

SERVICE_TYPES = range(0x30, 0x40)
"""Types of operations that change the firmware: only with the service switch."""
