"""One pass of Adam-mini over a tensor on the CPU.

Every block is read once for its mean square and once more, while it is still in the cache, for the
step; a second moment costs a number a block, so that less memory moves than in Adam.
"""

from __future__ import annotations

import math
from typing import Any

from numba import carray
from numba.core import cgutils, types
from numba.extending import intrinsic

from polyorama.core.compile import kernel
from polyorama.core.simd import WIDTH, fill, load, store, total

__all__ = ["step_tensors"]


@intrinsic
def _pointer(typingctx: Any, address: Any) -> Any:
    """A whole number as an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], cgutils.voidptr_t)

    return types.voidptr(address), codegen


@kernel
def step_blocks(values, gradients, moments, seconds, size, constants):
    """Step flat tensors whose blocks are `size` consecutive numbers; see `step_tensors`.

    `constants` are beta1, beta2, eps, 1 - lr * weight decay, lr / (1 - beta1^t) and
    1 / sqrt(1 - beta2^t).
    """
    beta1, beta2, eps, kept, rate, unbias = constants
    lanes_beta1, lanes_fresh = fill(values, beta1), fill(values, 1.0 - beta1)
    lanes_kept = fill(values, kept)
    whole = size - size % WIDTH
    for block in range(len(seconds)):
        start = block * size
        # Eq. mean(g_b * g_b): two sums, so that additions need not wait for each other.
        even, odd = fill(values, 0.0), fill(values, 0.0)
        pairs = whole - whole % (2 * WIDTH)
        for i in range(start, start + pairs, 2 * WIDTH):
            first, second = load(gradients, i), load(gradients, i + WIDTH)
            even = first * first + even
            odd = second * second + odd
        for i in range(start + pairs, start + whole, WIDTH):
            first = load(gradients, i)
            even = first * first + even
        square = 0.0 + total(even + odd)
        for i in range(start + whole, start + size):
            square += gradients[i] * gradients[i]
        # v_b <- beta2 v_b + (1 - beta2) mean(g_b * g_b)
        seconds[block] = beta2 * seconds[block] + (1.0 - beta2) * square / size
        step = rate / (math.sqrt(seconds[block]) * unbias + eps)
        lanes_step = fill(values, -step)
        for i in range(start, start + whole, WIDTH):
            moment = lanes_beta1 * load(moments, i) + lanes_fresh * load(gradients, i)
            store(moments, i, moment)
            store(values, i, lanes_step * moment + lanes_kept * load(values, i))
        for i in range(start + whole, start + size):
            moments[i] = beta1 * moments[i] + (1.0 - beta1) * gradients[i]
            values[i] = kept * values[i] - step * moments[i]


@kernel
def step_elements(values, gradients, moments, seconds, constants):
    """Step flat tensors whose every number is a block: Adam."""
    beta1, beta2, eps, kept, rate, unbias = constants
    for i in range(len(values)):
        moments[i] = beta1 * moments[i] + (1.0 - beta1) * gradients[i]
        seconds[i] = beta2 * seconds[i] + (1.0 - beta2) * gradients[i] * gradients[i]
        values[i] = kept * values[i] - rate * moments[i] / (math.sqrt(seconds[i]) * unbias + eps)


@kernel
def step_tensors(places, factors, betas, eps, like):
    """Step many tensors in one call, which would else cost more than the arithmetic.

    Parameters
    ----------
    places
        (N, 6) int64: addresses of the values, gradients, first and second moments, then the number
        of blocks and the numbers in each. All are contiguous, of the dtype of `like`.
    factors
        (N, 3) float64: 1 - lr * weight decay, lr / (1 - beta1^t) and 1 / sqrt(1 - beta2^t).
    betas, eps
        Of the method.
    like
        Any array of float32 or float64.
    """
    for i in range(len(places)):
        blocks, size = places[i, 4], places[i, 5]
        values = carray(_pointer(places[i, 0]), (blocks * size,), like.dtype)
        gradients = carray(_pointer(places[i, 1]), (blocks * size,), like.dtype)
        moments = carray(_pointer(places[i, 2]), (blocks * size,), like.dtype)
        seconds = carray(_pointer(places[i, 3]), (blocks,), like.dtype)
        constants = (betas[0], betas[1], eps, factors[i, 0], factors[i, 1], factors[i, 2])
        if size == 1:
            step_elements(values, gradients, moments, seconds, constants)
        else:
            step_blocks(values, gradients, moments, seconds, size, constants)
