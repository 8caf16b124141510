"""Vision: cameras, the gate reader, the table reader, calibration, enrolment, and the training of the model.

A tile that is seen leaves this room as a read with a calibrated probability, or as a refusal with its reason. The
controller decides what follows. No frame is kept or sent.
"""
