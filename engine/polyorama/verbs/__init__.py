"""The public verbs that join files, edits and rendering: what the command line can do, callable."""
