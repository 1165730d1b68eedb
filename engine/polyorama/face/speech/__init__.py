"""Speech: sound, alignment of transcripts, recognition, prosody, and phones as a track to edit."""
