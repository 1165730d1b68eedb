"""The tools of the viewport: one small class each, one of them active."""
