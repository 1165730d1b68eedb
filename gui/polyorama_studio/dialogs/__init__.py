"""The dialogs, a module each."""
