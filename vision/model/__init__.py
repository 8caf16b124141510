"""The tile model: crops in, calibrated kinds or refusals out; profiles of enrolled sets; the committed weights."""
