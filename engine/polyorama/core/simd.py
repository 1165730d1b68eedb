"""Eight lanes of float32 or float64 as one numba value.

Auto-vectorisation is a hope; these are vectors by construction. Inside a `@kernel`, values made by
`load`, `fill`, `lanes` or the `load_*_columns` functions add, subtract, multiply and divide with
each other and with scalars, which take the vector's precision. The code generator maps them to the
processor at hand (one AVX register of float32, two SSE or NEON registers). `a * b + c` is fused
where the processor can. The same kernel serves both precisions: the arrays decide.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.types.containers import UniTuple
from numba.extending import intrinsic, models, overload, register_model

__all__ = [
    "WIDTH",
    "Vector",
    "exp2",
    "fill",
    "lanes",
    "load",
    "load_four_columns",
    "load_three_columns",
    "log2",
    "maximum",
    "minimum",
    "negative_magnitude",
    "prefetch",
    "select_greater",
    "sqrt",
    "store",
    "total",
    "which_greater",
]

WIDTH = 8
"""Lanes of one vector."""

_FLAGS = ("contract",)
_WORD = ir.IntType(32)


class Vector(types.Type):
    """The numba type of eight lanes of one float type."""

    def __init__(self, scalar: types.Float) -> None:
        self.scalar = scalar
        super().__init__(name=f"Vector({scalar})")

    @property
    def double(self) -> bool:
        """Whether the lanes are float64."""
        return bool(self.scalar == types.float64)


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, _llvm(frontend_type))


def _llvm(vector: Vector) -> ir.VectorType:
    return ir.VectorType(ir.DoubleType() if vector.double else ir.FloatType(), WIDTH)


def _llvm_bits(vector: Vector) -> ir.VectorType:
    return ir.VectorType(ir.IntType(64 if vector.double else 32), WIDTH)


def _splat(builder: Any, vector: Vector, scalar: Any) -> Any:
    blank = ir.Constant(_llvm(vector), ir.Undefined)
    one = builder.insert_element(blank, scalar, ir.Constant(_WORD, 0))
    return builder.shuffle_vector(one, blank, ir.Constant(ir.VectorType(_WORD, WIDTH), [0] * WIDTH))


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.gep(data, [offset])


def _external(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


@intrinsic
def fill(typingctx: Any, like: Any, scalar: Any) -> Any:
    """One number in every lane of a vector of the same precision as `like`.

    `like` is a vector or an array.
    """
    vector = like if isinstance(like, Vector) else Vector(like.dtype)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = context.cast(builder, args[1], signature.args[1], vector.scalar)
        return _splat(builder, vector, value)

    return vector(like, scalar), codegen


@intrinsic
def lanes(typingctx: Any, like: Any) -> Any:
    """The vector 0, 1, ..., 7 in the precision of `like`, a vector or an array."""
    vector = like if isinstance(like, Vector) else Vector(like.dtype)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_llvm(vector), [float(i) for i in range(WIDTH)])

    return vector(like), codegen


@intrinsic
def load(typingctx: Any, array: Any, offset: Any) -> Any:
    """Eight values of a flat float array from `offset` on; not bounds-checked."""
    vector = Vector(array.dtype)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load(
            builder.bitcast(pointer, _llvm(vector).as_pointer()), align=8 if vector.double else 4
        )

    return vector(array, types.intp), codegen


@intrinsic
def store(typingctx: Any, array: Any, offset: Any, vector: Any) -> Any:
    """Write eight values to a flat float array from `offset` on; not bounds-checked."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store(
            args[2],
            builder.bitcast(pointer, _llvm(vector).as_pointer()),
            align=8 if vector.double else 4,
        )
        return context.get_dummy_value()

    return types.none(array, types.intp, vector), codegen


@intrinsic
def prefetch(typingctx: Any, array: Any, offset: Any) -> Any:
    """Ask for the cache line of an array's element at a flat `offset`; never faults."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        function = _external(
            builder, "llvm.prefetch.p0", ir.VoidType(), [byte, _WORD, _WORD, _WORD]
        )
        read, keep, data = (ir.Constant(_WORD, value) for value in (0, 3, 1))
        builder.call(function, [builder.bitcast(pointer, byte), read, keep, data])
        return context.get_dummy_value()

    return types.none(array, types.intp), codegen


def _column_loader(stride: int, name: str, doc: str) -> Any:
    """Make an intrinsic that reads eight rows of a (N, stride) array as `stride` columns."""

    def columns(typingctx: Any, array: Any, offset: Any) -> Any:
        vector = Vector(array.dtype)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            wide = ir.VectorType(_llvm(vector).element, WIDTH * stride)
            pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
            rows = builder.load(
                builder.bitcast(pointer, wide.as_pointer()), align=8 if vector.double else 4
            )
            picks = ir.VectorType(_WORD, WIDTH)
            parts = [
                builder.shuffle_vector(
                    rows,
                    ir.Constant(wide, ir.Undefined),
                    ir.Constant(picks, [i * stride + column for i in range(WIDTH)]),
                )
                for column in range(stride)
            ]
            return context.make_tuple(builder, signature.return_type, parts)

        return UniTuple(vector, stride)(array, types.intp), codegen

    columns.__name__ = columns.__qualname__ = name
    columns.__doc__ = doc
    return intrinsic(columns)


load_three_columns = _column_loader(
    3, "load_three_columns", "Eight rows of a flattened (N, 3) float array, as three vectors."
)
load_four_columns = _column_loader(
    4, "load_four_columns", "Eight rows of a flattened (N, 4) float array, as four vectors."
)


def _binary(name: str) -> Any:
    """Make an intrinsic for one arithmetic instruction on two vectors."""

    def instruction(typingctx: Any, left: Any, right: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, name)(args[0], args[1], flags=_FLAGS)

        return left(left, left), codegen

    instruction.__name__ = instruction.__qualname__ = name
    return intrinsic(instruction)


_add, _subtract, _multiply, _divide = map(_binary, ("fadd", "fsub", "fmul", "fdiv"))


def _overload_operator(function: Any, instruction: Any) -> None:
    """Let a Python operator act on two vectors, or on a vector and a scalar."""

    # Typing and implementation must have the same signature, so neither is annotated.
    def implementation(left, right):
        if isinstance(left, Vector) and left == right:
            return lambda left, right: instruction(left, right)
        if isinstance(left, Vector) and isinstance(right, types.Float):
            return lambda left, right: instruction(left, fill(left, right))
        if isinstance(left, types.Float) and isinstance(right, Vector):
            return lambda left, right: instruction(fill(right, left), right)
        return None

    overload(function)(implementation)


_overload_operator(operator.add, _add)
_overload_operator(operator.sub, _subtract)
_overload_operator(operator.mul, _multiply)
_overload_operator(operator.truediv, _divide)


def _picker(name: str, sign: str, doc: str) -> Any:
    """Make an intrinsic that picks the smaller or larger of two vectors, lane by lane."""

    def pick(typingctx: Any, left: Any, right: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.select(builder.fcmp_ordered(sign, args[0], args[1]), args[0], args[1])

        return left(left, left), codegen

    pick.__name__ = pick.__qualname__ = name
    pick.__doc__ = doc
    return intrinsic(pick)


minimum = _picker("minimum", "<", "Lane by lane, the smaller; where either is NaN, the right one.")
maximum = _picker("maximum", ">", "Lane by lane, the larger; where either is NaN, the right one.")


@intrinsic
def select_greater(typingctx: Any, left: Any, right: Any, yes: Any, no: Any) -> Any:
    """Lane by lane, `yes` where left > right, else `no` (also where either is NaN)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return yes(left, left, yes, yes), codegen


@intrinsic
def which_greater(typingctx: Any, left: Any, right: Any) -> Any:
    """Bit i is set where left > right in lane i; an int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.bitcast(builder.fcmp_ordered(">", args[0], args[1]), ir.IntType(WIDTH))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(left, left), codegen


@intrinsic
def sqrt(typingctx: Any, vector: Any) -> Any:
    """Square root of every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = _llvm(vector)
        name = f"llvm.sqrt.v{WIDTH}f{64 if vector.double else 32}"
        return builder.call(_external(builder, name, kind, [kind]), args)

    return vector(vector), codegen


@intrinsic
def total(typingctx: Any, vector: Any) -> Any:
    """Sum of all lanes, by halves: always in the same order."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, count = args[0], WIDTH
        while count > 1:
            count //= 2
            halves = [
                builder.shuffle_vector(
                    value,
                    ir.Constant(value.type, ir.Undefined),
                    ir.Constant(ir.VectorType(_WORD, count), list(range(first, first + count))),
                )
                for first in (0, count)
            ]
            value = builder.fadd(*halves)
        return builder.extract_element(value, ir.Constant(_WORD, 0))

    return vector.scalar(vector), codegen


@intrinsic
def negative_magnitude(typingctx: Any, vector: Any) -> Any:
    """-|x| of every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = _llvm_bits(vector)
        sign = ir.Constant(kind, [1 << (63 if vector.double else 31)] * WIDTH)
        return builder.bitcast(builder.or_(builder.bitcast(args[0], kind), sign), _llvm(vector))

    return vector(vector), codegen


@intrinsic
def _scale_by_power(typingctx: Any, value: Any, shifted: Any) -> Any:
    """`value` times 2^n, where n lies in the low mantissa bits of `shifted`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = _llvm_bits(value)
        mantissa = ir.Constant(kind, [52 if value.double else 23] * WIDTH)
        exponent = builder.shl(builder.bitcast(args[1], kind), mantissa)
        return builder.bitcast(builder.add(builder.bitcast(args[0], kind), exponent), _llvm(value))

    return value(value, value), codegen


@intrinsic
def _split_exponent(typingctx: Any, vector: Any) -> Any:
    """(mantissa in [sqrt(1/2), sqrt(2)), exponent as float) of positive normal numbers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = _llvm_bits(vector)
        if vector.double:
            one, root, bits, bias = 0x3FF0000000000000, 0x3FE6A09E667F3BCD, 52, 1023
        else:
            one, root, bits, bias = 0x3F800000, 0x3F3504F3, 23, 127

        def constant(value: int) -> ir.Constant:
            return ir.Constant(kind, [value] * WIDTH)

        # Adding the distance from sqrt(1/2) to 1 makes the exponent round at sqrt(2).
        moved = builder.add(builder.bitcast(args[0], kind), constant(one - root))
        exponent = builder.sub(builder.lshr(moved, constant(bits)), constant(bias))
        mantissa = builder.add(builder.and_(moved, constant((1 << bits) - 1)), constant(root))
        parts = [
            builder.bitcast(mantissa, _llvm(vector)),
            builder.sitofp(exponent, _llvm(vector)),
        ]
        return context.make_tuple(builder, signature.return_type, parts)

    return UniTuple(vector, 2)(vector), codegen


def exp2(x: Any) -> Any:
    """2^x, for x well inside the exponents of the precision. Only inside a kernel.

    Relative error below 3e-7 in float32 and 1e-15 in float64.
    """
    raise TypeError("polyorama.core.simd.exp2 runs only inside a compiled kernel")


@overload(exp2, inline="always")
def _exp2(x):
    if not isinstance(x, Vector):
        return None
    if x.double:

        def implementation(x):
            # Adding 1.5 * 2^52 leaves round(x) in the low mantissa bits.
            shifted = x + 6755399441055744.0
            f = x - (shifted - 6755399441055744.0)
            # The series of e^(f ln 2) on [-1/2, 1/2], to beyond float64.
            t = f * 0.6931471805599453
            p = t * (1.0 / 6227020800.0) + 1.0 / 479001600.0
            p = p * t + 1.0 / 39916800.0
            p = p * t + 1.0 / 3628800.0
            p = p * t + 1.0 / 362880.0
            p = p * t + 1.0 / 40320.0
            p = p * t + 1.0 / 5040.0
            p = p * t + 1.0 / 720.0
            p = p * t + 1.0 / 120.0
            p = p * t + 1.0 / 24.0
            p = p * t + 1.0 / 6.0
            p = p * t + 0.5
            p = p * t + 1.0
            return _scale_by_power(p * t + 1.0, shifted)

        return implementation

    def single(x):
        # Adding 1.5 * 2^23 leaves round(x) in the low mantissa bits.
        shifted = x + 12582912.0
        f = x - (shifted - 12582912.0)
        # Chebyshev fit of 2^f on [-1/2, 1/2].
        p = f * 1.34004322e-3 + 9.6760371e-3
        p = p * f + 5.55032721e-2
        p = p * f + 2.40221074e-1
        p = p * f + 6.93147207e-1
        return _scale_by_power(p * f + 1.00000008, shifted)

    return single


def log2(x: Any) -> Any:
    """Binary logarithm of positive normal numbers. Only inside a kernel.

    Error below 1e-6 in float32 and 1e-15 (relative, plus 1e-15) in float64.
    """
    raise TypeError("polyorama.core.simd.log2 runs only inside a compiled kernel")


@overload(log2, inline="always")
def _log2(x):
    if not isinstance(x, Vector):
        return None
    if x.double:

        def implementation(x):
            mantissa, exponent = _split_exponent(x)
            t = (mantissa - 1.0) / (mantissa + 1.0)
            s = t * t
            # log2(m) = 2 / ln 2 * (t + t^3 / 3 + t^5 / 5 + ...)
            p = s * (1.0 / 23.0) + 1.0 / 21.0
            p = p * s + 1.0 / 19.0
            p = p * s + 1.0 / 17.0
            p = p * s + 1.0 / 15.0
            p = p * s + 1.0 / 13.0
            p = p * s + 1.0 / 11.0
            p = p * s + 1.0 / 9.0
            p = p * s + 1.0 / 7.0
            p = p * s + 1.0 / 5.0
            p = p * s + 1.0 / 3.0
            return (p * s + 1.0) * t * 2.8853900817779268 + exponent

        return implementation

    def single(x):
        mantissa, exponent = _split_exponent(x)
        t = (mantissa - 1.0) / (mantissa + 1.0)
        s = t * t
        # The same series, cut after t^7.
        p = s * 0.41219858 + 0.57707802
        p = p * s + 0.96179669
        return (p * s + 2.88539008) * t + exponent

    return single
