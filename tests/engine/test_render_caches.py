"""What drawing keeps goes when a document is closed."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from polyorama.render.caches import forget
from polyorama.render.resolve import flatten
from polyorama.scene.document import Document, Node
from tests.engine.documents import cloud_of, mesh_of


def test_closed_documents_keep_no_clouds() -> None:
    forget()
    document = Document((Node("a", cloud_of(50, 1), id="a"), Node("b", cloud_of(60, 2), id="b")))
    gaussians = flatten(document)
    assert flatten(document) is gaussians
    held = [weakref.ref(gaussians.cloud), weakref.ref(document.nodes[0].content)]
    del document, gaussians
    gc.collect()
    assert all(ref() is not None for ref in held)
    forget()
    gc.collect()
    assert all(ref() is None for ref in held)


def test_closed_documents_keep_no_meshes() -> None:
    pytest.importorskip("open3d")
    forget()
    document = Document((Node("table", mesh_of(), id="table"),))
    count = len(flatten(document).cloud)
    assert count
    held = weakref.ref(document.nodes[0].content)
    del document
    forget()
    gc.collect()
    assert held() is None


def test_what_was_let_go_of_is_made_anew() -> None:
    document = Document((Node("a", cloud_of(50, 1), id="a"), Node("b", cloud_of(60, 2), id="b")))
    before = flatten(document)
    forget()
    after = flatten(document)
    assert after is not before
    assert np.array_equal(after.cloud.means, before.cloud.means)
