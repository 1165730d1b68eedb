"""Single cycles of the voice, found by comparing the sound with itself one period later."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from polyorama.core.compile import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["find_cycles"]


@kernel
def find_cycles(
    sound: NDArray[np.float32],
    f0: NDArray[np.float32],
    rate: float,
    fps: float,
    times: NDArray[np.float64],
    periods: NDArray[np.float64],
    sizes: NDArray[np.float64],
    runs: NDArray[np.int64],
) -> int:
    """Follow the cycles through every voiced run.

    From a run's first peak on, the next cycle begins where a stretch of one period is most alike
    (highest normalised correlation) to the stretch before, 0.8 to 1.25 periods later; a parabola
    through three correlations gives the period between samples.

    Parameters
    ----------
    sound
        (n,).
    f0
        (T,) pitch, Hz, 0 where unvoiced; row k is centred at k / fps.
    rate, fps
        Samples and rows in a second, Hz.
    times, periods, sizes, runs
        Filled for each cycle: its middle and its length, in samples; the distance from its lowest
        to its highest sample; which voiced run it belongs to.

    Returns
    -------
    int
        How many cycles were found.
    """
    count = 0
    run = 0
    row = 0
    n = sound.shape[0]
    rows = f0.shape[0]
    while row < rows:
        if f0[row] <= 0.0:
            row += 1
            continue
        first = row
        while row < rows and f0[row] > 0.0:
            row += 1
        start = max(0, int((first - 0.5) * rate / fps))
        stop = min(n, int((row - 0.5) * rate / fps))
        length = rate / f0[first]
        place = start
        highest = -1.0
        for i in range(start, min(stop, start + int(length) + 1)):
            if abs(sound[i]) > highest:
                highest = abs(sound[i])
                place = i
        at = float(place)
        while count < times.shape[0]:
            middle = int(at + 0.5)
            here = min(rows - 1, max(0, int(at * fps / rate + 0.5)))
            if f0[here] > 0.0:
                length = rate / f0[here]
            half = int(0.5 * length)
            shortest = int(0.8 * length)
            longest = int(1.25 * length) + 1
            if middle - half < 0:  # the sound begins inside a cycle
                at += length
                continue
            if middle + longest + 2 + half >= n or at + length >= stop:
                break
            low = sound[middle - half]
            high = low
            power = 1e-12
            for i in range(middle - half, middle + half + 1):
                low = min(low, sound[i])
                high = max(high, sound[i])
                power += float(sound[i]) * float(sound[i])
            best = -2.0
            best_lag = shortest
            left = 0.0
            right = 0.0
            before = -2.0
            take_right = False
            # The power of the later stretch is carried along from lag to lag.
            later = 0.0
            for i in range(middle - half + shortest - 2, middle + half + shortest - 1):
                later += float(sound[i]) * float(sound[i])
            for lag in range(shortest - 1, longest + 2):
                new, old = float(sound[middle + half + lag]), float(sound[middle - half + lag - 1])
                later += new * new - old * old
                cross = 0.0
                cross_2 = 0.0  # two sums keep the processor busier than one
                for i in range(middle - half, middle + half, 2):
                    cross += float(sound[i]) * float(sound[i + lag])
                    cross_2 += float(sound[i + 1]) * float(sound[i + 1 + lag])
                cross += cross_2 + float(sound[middle + half]) * new
                alike = cross / sqrt(power * max(later, 1e-12))
                if take_right:
                    right = alike
                    take_right = False
                if alike > best and shortest <= lag <= longest:
                    best = alike
                    best_lag = lag
                    left = before
                    take_right = True
                before = alike
            bend = 2.0 * best - left - right
            shift = 0.5 * (right - left) / bend if bend > 1e-12 else 0.0
            period = best_lag + max(-0.5, min(0.5, shift))
            times[count] = at
            periods[count] = period
            sizes[count] = high - low
            runs[count] = run
            count += 1
            at += period
        run += 1
    return count
