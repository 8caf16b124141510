"""The tile model: classifier, acceptance, profiles of enrolled sets, and the committed weights."""
