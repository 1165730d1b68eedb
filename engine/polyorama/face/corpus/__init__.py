"""Synthetic speech with true phone times, by eight speakers in eight feelings."""

from __future__ import annotations

from polyorama.face.corpus.making import Clip, Corpus, corpus_clips, load_corpus, speak_clip
from polyorama.face.corpus.plan import ClipPlan, held_out_plan, listener_plan, speaker_plan
from polyorama.face.corpus.sentences import HELD_OUT, SENTENCES
from polyorama.face.corpus.utterance import RATE, Utterance
from polyorama.face.corpus.voices import (
    HELD_OUT_VOICE,
    PROSODY,
    SPEAKERS,
    Prosody,
    Speaker,
    Voice,
    prosody_of,
)

__all__ = [
    "HELD_OUT", "HELD_OUT_VOICE", "PROSODY", "RATE", "SENTENCES", "SPEAKERS", "Clip", "ClipPlan",
    "Corpus", "Prosody", "Speaker", "Utterance", "Voice", "corpus_clips", "held_out_plan",
    "listener_plan", "load_corpus", "prosody_of", "speak_clip", "speaker_plan",
]  # fmt: skip
