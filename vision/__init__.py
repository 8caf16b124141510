"""Vision: cameras, gate and table readers, calibration, enrolment, and the trained models.

A tile leaves this room as a read with a calibrated probability, or as a refusal with its reason. No frame is sent, or kept in an event.
"""
