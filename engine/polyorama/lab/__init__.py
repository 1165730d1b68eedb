"""The lab: published methods as experiments that run, are watched, recorded and compared."""
