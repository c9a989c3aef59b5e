"""Writes parametric stereo's data: ISO/IEC 14496-3 section 8.6.4, differences in intensity and coherence."""
import random

BANDS = [10, 20, 34]
EXTENSION = 2
# Code words by difference (tables 8.B.18 and on), for the coarse steps of intensity.
INTENSITY_IN_FREQUENCY = {
    0: "0", 1: "100", -1: "101", 2: "1100", -2: "1101", 3: "11100", -3: "11101", -4: "111100", 4: "111101"}


def _unary(deltas):
    return {delta: "1" * index + "0" for index, delta in enumerate(deltas)}


INTENSITY_IN_TIME = _unary([0, -1, 1, -2, 2, -3, 3])
COHERENCE = _unary([0, 1, -1, 2, -2, 3, -3])


class ParametricStereoWriter:
    """One stream: bands by mode 0 to 2 (of 10, 20 or 34), mixing A or B (section 8.6.4.6.2)."""

    def __init__(self, mode, has_mixing_b=False, seed=1):
        self.mode, self.has_mixing_b, self.random = mode, has_mixing_b, random.Random(seed)
        self.intensity = [0] * BANDS[mode]
        self.coherence = [0] * BANDS[mode]

    def put(self, bits, has_header):
        """Appends ps_data() of one frame; the first needs a header."""
        bits.put(has_header, 1)
        if has_header:
            bits.put(1, 1)
            bits.put(self.mode, 3)
            bits.put(1, 1)
            bits.put(self.mode + 3 * self.has_mixing_b, 3)
            # No extension: no phases.
            bits.put(0, 1)
        has_borders = self.random.random() < 0.3
        bits.put(has_borders, 1)
        index = self.random.randrange(0 if not (has_header or has_borders) else 1 - has_borders, 4)
        count = index + 1 if has_borders else [0, 1, 2, 4][index]
        bits.put(index, 2)
        if has_borders:
            for border in sorted(self.random.sample(range(2, 31), count - 1)) + [31]:
                bits.put(border, 5)
        self._put_values(bits, count, self.intensity, -7, 7, INTENSITY_IN_FREQUENCY, INTENSITY_IN_TIME, has_header)
        self._put_values(bits, count, self.coherence, 0, 7, COHERENCE, COHERENCE, has_header)

    def _put_values(self, bits, count, values, lowest, highest, in_frequency, in_time, is_first):
        for envelope in range(count):
            by_time = not (is_first and envelope == 0) and self.random.random() < 0.6
            bits.put(by_time, 1)
            before = 0
            for band, old in enumerate(values):
                base, codes = (old, in_time) if by_time else (before, in_frequency)
                delta = self.random.choice([d for d in codes if lowest <= base + d <= highest])
                bits.append(codes[delta])
                before = values[band] = base + delta
