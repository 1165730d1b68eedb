"""The library: what lies in watched folders, indexed in place and found again."""
