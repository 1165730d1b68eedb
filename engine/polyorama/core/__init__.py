"""Values and small services that everything else stands on."""
