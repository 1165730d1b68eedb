"""The Lab: experiments that run before the eyes."""
