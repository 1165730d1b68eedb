"""The studio: widgets over the engine. Imports the engine, is never imported by it."""
