"""The docks: one file a panel, each a QWidget made with the session."""
