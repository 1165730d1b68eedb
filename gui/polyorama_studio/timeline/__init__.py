"""The timeline: transport, ruler, dope sheet, curves and sound, all on one axis of time."""
