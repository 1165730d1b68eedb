"""Eight float32 lanes as one numba value.

Auto-vectorisation is a hope; these are vectors by construction. Inside a `@kernel`, values made by
`broadcast`, `lanes`, `load` or the `load_*_columns` functions add, subtract, multiply and divide
with each other and with float32 scalars. The code generator maps them to the processor at hand
(one AVX register, two SSE or NEON registers). `a * b + c` is fused where the processor can.
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
    "Float8",
    "broadcast",
    "exp2",
    "float8",
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
    "which_greater",
]

WIDTH = 8
"""Lanes of one vector."""

_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)
_INT_VECTOR = ir.VectorType(ir.IntType(32), WIDTH)
_FLAGS = ("contract",)


class Float8(types.Type):
    """The numba type of eight float32 lanes."""

    def __init__(self) -> None:
        super().__init__(name="Float8")


float8 = Float8()


@register_model(Float8)
class _Float8Model(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, _VECTOR)


def _splat(builder: ir.IRBuilder, scalar: ir.Value) -> ir.Value:
    one = builder.insert_element(
        ir.Constant(_VECTOR, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0)
    )
    zeros = ir.Constant(_INT_VECTOR, [0] * WIDTH)
    return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), zeros)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.gep(data, [offset])


@intrinsic
def broadcast(typingctx: Any, scalar: Any) -> Any:
    """One float32 in every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = context.cast(builder, args[0], signature.args[0], types.float32)
        return _splat(builder, value)

    return float8(scalar), codegen


@intrinsic
def lanes(typingctx: Any) -> Any:
    """The vector 0, 1, ..., 7."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_VECTOR, [float(i) for i in range(WIDTH)])

    return float8(), codegen


@intrinsic
def load(typingctx: Any, array: Any, offset: Any) -> Any:
    """Eight values of a flat float32 array from `offset` on; not bounds-checked."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=4)

    return float8(array, types.intp), codegen


@intrinsic
def store(typingctx: Any, array: Any, offset: Any, vector: Any) -> Any:
    """Write eight values to a flat float32 array from `offset` on; not bounds-checked."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], builder.bitcast(pointer, _VECTOR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, float8), codegen


@intrinsic
def prefetch(typingctx: Any, array: Any, offset: Any) -> Any:
    """Ask for the cache line of an array's element at a flat `offset`; never faults."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, word, word, word]),
            "llvm.prefetch.p0",
        )
        read, keep, data = (ir.Constant(word, value) for value in (0, 3, 1))
        builder.call(function, [builder.bitcast(pointer, byte), read, keep, data])
        return context.get_dummy_value()

    return types.none(array, types.intp), codegen


def _column_loader(stride: int, name: str, doc: str) -> Any:
    """Make an intrinsic that reads eight rows of a (N, stride) array as `stride` columns."""
    wide = ir.VectorType(ir.FloatType(), WIDTH * stride)

    def columns(typingctx: Any, array: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
            rows = builder.load(builder.bitcast(pointer, wide.as_pointer()), align=4)
            parts = [
                builder.shuffle_vector(
                    rows,
                    ir.Constant(wide, ir.Undefined),
                    ir.Constant(_INT_VECTOR, [i * stride + column for i in range(WIDTH)]),
                )
                for column in range(stride)
            ]
            return context.make_tuple(builder, signature.return_type, parts)

        return UniTuple(float8, stride)(array, types.intp), codegen

    columns.__name__ = columns.__qualname__ = name
    columns.__doc__ = doc
    return intrinsic(columns)


load_three_columns = _column_loader(
    3, "load_three_columns", "Eight rows of a flattened (N, 3) float32 array, as three vectors."
)
load_four_columns = _column_loader(
    4, "load_four_columns", "Eight rows of a flattened (N, 4) float32 array, as four vectors."
)


def _binary(name: str) -> Any:
    """Make an intrinsic for one arithmetic instruction on two vectors."""

    def instruction(typingctx: Any, left: Any, right: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, name)(args[0], args[1], flags=_FLAGS)

        return float8(float8, float8), codegen

    instruction.__name__ = instruction.__qualname__ = name
    return intrinsic(instruction)


_add, _subtract, _multiply, _divide = map(_binary, ("fadd", "fsub", "fmul", "fdiv"))


def _overload_operator(function: Any, instruction: Any) -> None:
    """Let a Python operator act on two vectors, or on a vector and a scalar."""

    # Typing and implementation must have the same signature, so neither is annotated.
    def implementation(left, right):
        if isinstance(left, Float8) and isinstance(right, Float8):
            return lambda left, right: instruction(left, right)
        if isinstance(left, Float8) and isinstance(right, types.Float):
            return lambda left, right: instruction(left, broadcast(right))
        if isinstance(left, types.Float) and isinstance(right, Float8):
            return lambda left, right: instruction(broadcast(left), right)
        return None

    overload(function)(implementation)


_overload_operator(operator.add, _add)
_overload_operator(operator.sub, _subtract)
_overload_operator(operator.mul, _multiply)
_overload_operator(operator.truediv, _divide)


@intrinsic
def minimum(typingctx: Any, left: Any, right: Any) -> Any:
    """Lane by lane, the smaller; where either is NaN, the right one."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[0], args[1])

    return float8(float8, float8), codegen


@intrinsic
def maximum(typingctx: Any, left: Any, right: Any) -> Any:
    """Lane by lane, the larger; where either is NaN, the right one."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])

    return float8(float8, float8), codegen


@intrinsic
def select_greater(typingctx: Any, left: Any, right: Any, yes: Any, no: Any) -> Any:
    """Lane by lane, `yes` where left > right, else `no` (also where either is NaN)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return float8(float8, float8, float8, float8), codegen


@intrinsic
def which_greater(typingctx: Any, left: Any, right: Any) -> Any:
    """Bit i is set where left > right in lane i; an int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.bitcast(builder.fcmp_ordered(">", args[0], args[1]), ir.IntType(WIDTH))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(float8, float8), codegen


@intrinsic
def sqrt(typingctx: Any, vector: Any) -> Any:
    """Square root of every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), f"llvm.sqrt.v{WIDTH}f32"
        )
        return builder.call(function, args)

    return float8(float8), codegen


@intrinsic
def negative_magnitude(typingctx: Any, vector: Any) -> Any:
    """-|x| of every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.bitcast(args[0], _INT_VECTOR)
        sign = ir.Constant(_INT_VECTOR, [0x80000000] * WIDTH)
        return builder.bitcast(builder.or_(bits, sign), _VECTOR)

    return float8(float8), codegen


@intrinsic
def _scale_by_power(typingctx: Any, value: Any, shifted: Any) -> Any:
    """`value` times 2^n, where n lies in the low mantissa bits of `shifted`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.bitcast(args[0], _INT_VECTOR)
        exponent = builder.shl(
            builder.bitcast(args[1], _INT_VECTOR), ir.Constant(_INT_VECTOR, [23] * WIDTH)
        )
        return builder.bitcast(builder.add(bits, exponent), _VECTOR)

    return float8(float8, float8), codegen


@intrinsic
def _split_exponent(typingctx: Any, vector: Any) -> Any:
    """(mantissa in [sqrt(1/2), sqrt(2)), exponent as float) of positive normal numbers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def constant(value: int) -> ir.Constant:
            return ir.Constant(_INT_VECTOR, [value] * WIDTH)

        # Adding the distance from sqrt(1/2) to 1 makes the exponent round at sqrt(2).
        bits = builder.bitcast(args[0], _INT_VECTOR)
        moved = builder.add(bits, constant(0x3F800000 - 0x3F3504F3))
        exponent = builder.sub(builder.lshr(moved, constant(23)), constant(127))
        mantissa = builder.add(builder.and_(moved, constant(0x007FFFFF)), constant(0x3F3504F3))
        parts = [builder.bitcast(mantissa, _VECTOR), builder.sitofp(exponent, _VECTOR)]
        return context.make_tuple(builder, signature.return_type, parts)

    return UniTuple(float8, 2)(float8), codegen


def exp2(x: Any) -> Any:
    """2^x for -126 < x < 127; relative error below 3e-7. Only inside a kernel."""
    raise TypeError("polyorama.core.simd.exp2 runs only inside a compiled kernel")


@overload(exp2, inline="always")
def _exp2(x):
    if not isinstance(x, Float8):
        return None

    def implementation(x):
        # Adding 1.5 * 2^23 leaves round(x) in the low mantissa bits.
        shift = broadcast(types.float32(12582912.0))
        shifted = x + shift
        f = x - (shifted - shift)
        # Chebyshev fit of 2^f on [-1/2, 1/2].
        p = broadcast(types.float32(1.34004322e-3)) * f + broadcast(types.float32(9.6760371e-3))
        p = p * f + broadcast(types.float32(5.55032721e-2))
        p = p * f + broadcast(types.float32(2.40221074e-1))
        p = p * f + broadcast(types.float32(6.93147207e-1))
        p = p * f + broadcast(types.float32(1.00000008))
        return _scale_by_power(p, shifted)

    return implementation


def log2(x: Any) -> Any:
    """Binary logarithm of positive normal numbers; error below 1e-6. Only inside a kernel."""
    raise TypeError("polyorama.core.simd.log2 runs only inside a compiled kernel")


@overload(log2, inline="always")
def _log2(x):
    if not isinstance(x, Float8):
        return None

    def implementation(x):
        mantissa, exponent = _split_exponent(x)
        one = broadcast(types.float32(1.0))
        t = (mantissa - one) / (mantissa + one)
        s = t * t
        # log2(m) = 2 / ln 2 * (t + t^3 / 3 + t^5 / 5 + t^7 / 7 + ...)
        p = s * broadcast(types.float32(0.41219858)) + broadcast(types.float32(0.57707802))
        p = p * s + broadcast(types.float32(0.96179669))
        p = p * s + broadcast(types.float32(2.88539008))
        return p * t + exponent

    return implementation
