"""Frequency bands of spectral band replication: ISO/IEC 14496-3 section 4.6.18.3.2."""
import math

# Added to the lowest start band by bs_start_freq, for each rate after replication, in hertz (table 4.82).
START_OFFSETS = {
    16000: [-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7],
    22050: [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13],
    24000: [-5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16],
    32000: [-6, -4, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16],
    44100: [-4, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 20],
    96000: [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 20, 24],
}


class Bands:
    """Borders in bands of the filter bank: `high`, `low` and `noise`, by what a header says."""

    def __init__(self, rate, start, stop, crossover, scale, alter, noise_bands):
        first, last = _range(rate, start, stop)
        limit = 48 if rate <= 32000 else 35 if rate <= 44100 else 32
        assert 0 < last - first <= limit, (rate, first, last)
        master = _linear(first, last, alter) if scale == 0 else _logarithmic(first, last, scale, alter)
        self.high = master[crossover:]
        count = len(self.high) - 1
        assert count > 0 and self.high[0] <= 32 and self.high[-1] <= 64
        self.is_odd = count % 2
        self.low = self.high[:1] + [self.high[2 * k - self.is_odd] for k in range(1, (count + 1) // 2 + 1)]
        self.noise_count = max(1, _nearest(noise_bands * math.log2(last / self.high[0])))
        assert self.noise_count <= 5

    def count(self, is_high):
        return len(self.high if is_high else self.low) - 1


def _nearest(value):
    return int(value + 0.5)


def _range(rate, start, stop):
    table = START_OFFSETS.get(rate) or START_OFFSETS[44100 if rate <= 64000 else 96000]
    hertz = 3000 if rate < 32000 else 4000 if rate < 64000 else 5000
    first = _nearest(hertz * 128 / rate) + table[start]
    if stop >= 14:
        return first, min(64, (stop - 12) * first)
    lowest = _nearest(hertz * 256 / rate)
    widths = sorted(_widths(lowest, 64, 13))
    return first, min(64, lowest + sum(widths[:stop]))


def _widths(first, last, count):
    borders = [_nearest(first * (last / first) ** (k / count)) for k in range(count + 1)]
    return [after - before for before, after in zip(borders, borders[1:])]


def _borders(first, widths):
    result = [first]
    for width in widths:
        assert width > 0
        result.append(result[-1] + width)
    return result


def _linear(first, last, alter):
    width = alter + 1
    count = 2 * ((last - first) // 2) if width == 1 else 2 * _nearest((last - first) / 4)
    widths = [width] * count
    left = last - first - count * width
    if left < 0:
        widths[0] -= 1
        if left < -1:
            widths[1] -= 1
    elif left > 0:
        widths[-1] += 1
    return _borders(first, widths)


def _logarithmic(first, last, scale, alter):
    bands = [None, 12, 10, 8][scale]
    has_two_regions = last / first > 2.2449
    middle = 2 * first if has_two_regions else last
    lower = sorted(_widths(first, middle, 2 * _nearest(bands * math.log2(middle / first) / 2)))
    if not has_two_regions:
        return _borders(first, lower)
    warp = 1.3 if alter else 1.0
    upper = sorted(_widths(middle, last, 2 * _nearest(bands * math.log2(last / middle) / (2 * warp))))
    if upper[0] < lower[-1]:
        change = min(lower[-1] - upper[0], (upper[-1] - upper[0]) // 2)
        upper[0] += change
        upper[-1] -= change
        upper.sort()
    return _borders(first, lower + upper)
