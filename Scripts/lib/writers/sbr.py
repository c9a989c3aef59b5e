"""Writes spectral band replication's data: ISO/IEC 14496-3 sections 4.4.2.8 and 4.6.18, for one channel or a pair.

Envelopes and noise floors walk at random, so that what is above the core's band is as loud as it is and changes all the
time; grids of all sorts come in turn, single tones are added now and then.
"""
import random

from parametric_stereo import EXTENSION
from sbr_bands import Bands
from sbr_codes import ENVELOPE, NOISE

FIXFIX, FIXVAR, VARFIX = range(3)


class Header:
    """What sbr_header() says; limiter's gains and so on are left at their defaults."""

    def __init__(self, start=5, stop=9, crossover=0, scale=2, alter=1, noise_bands=2, amplitude=1):
        self.start, self.stop, self.crossover, self.amplitude = start, stop, crossover, amplitude
        self.scale, self.alter, self.noise_bands = scale, alter, noise_bands

    def put(self, bits):
        bits.put(self.amplitude, 1)
        bits.put(self.start, 4)
        bits.put(self.stop, 4)
        bits.put(self.crossover, 3)
        bits.put(0, 2)
        has_bands = (self.scale, self.alter, self.noise_bands) != (2, 1, 2)
        bits.put(has_bands, 1)
        bits.put(0, 1)
        if has_bands:
            bits.put(self.scale, 2)
            bits.put(self.alter, 1)
            bits.put(self.noise_bands, 2)

    @classmethod
    def fitting(cls, rate, **settings):
        """With the highest stop band that the rate allows, up to `stop`. There, bands must not be narrower than the filter
        bank's, which are wide at high rates."""
        stop = settings.pop("stop", 13)
        settings.setdefault("start", 5 if rate <= 64000 else 8)
        while True:
            header = cls(stop=stop, **settings)
            try:
                header.bands(rate)
                return header
            except AssertionError:
                if stop == 0:
                    raise
                stop -= 1

    def bands(self, rate):
        return Bands(rate, self.start, self.stop, self.crossover, self.scale, self.alter, self.noise_bands)


class Grid:
    """Envelopes of a frame: class, resolutions, and what follows the class."""

    def __init__(self, kind, resolutions, border=0, steps=()):
        self.kind, self.resolutions, self.border, self.steps = kind, resolutions, border, list(steps)

    @property
    def noise_count(self):
        return 2 if len(self.resolutions) > 1 else 1

    @property
    def is_single(self):
        return self.kind == FIXFIX and len(self.resolutions) == 1

    def put(self, bits):
        count = len(self.resolutions)
        bits.put(self.kind, 2)
        if self.kind == FIXFIX:
            bits.put(count.bit_length() - 1, 2)
            bits.put(self.resolutions[0], 1)
            return
        bits.put(self.border, 2)
        bits.put(len(self.steps), 2)
        for step in self.steps:
            bits.put(step, 2)
        # No transient is pointed at.
        bits.put(0, count.bit_length())
        for resolution in self.resolutions if self.kind == VARFIX else reversed(self.resolutions):
            bits.put(resolution, 1)


class Channel:
    """Values of one channel, as a decoder has them."""

    def __init__(self, writer, is_balance):
        self.writer, self.random, self.is_balance = writer, writer.random, is_balance
        self.envelope, self.is_high, self.noise = None, True, None
        self.border = 0
        self.step = None
        self.tones = []

    def next_grid(self):
        if self.border:
            border, self.border = self.border, 0
            return Grid(VARFIX, [self.random.randrange(2) for _ in range(2)], border, [self.random.randrange(4)])
        if self.random.random() < 0.25:
            self.border = self.random.randrange(1, 4)
            return Grid(FIXVAR, [self.random.randrange(2) for _ in range(3)], self.border, [0, self.random.randrange(4)])
        return Grid(FIXFIX, [self.random.randrange(2)] * self.random.choice([1, 2, 4]))

    def directions(self, count, is_first):
        """Of each envelope or noise floor whether it is told by differences in time."""
        return [not (is_first and index == 0) and self.random.random() < 0.6 for index in range(count)]

    def steps_of(self, grid):
        """In decibels: a single envelope has the finer ones, whatever the header says."""
        return 1.5 if self.writer.header.amplitude == 0 or grid.is_single else 3.0

    def put_envelopes(self, bits, grid, directions):
        self.step = self.steps_of(grid)
        is_fine = self.step == 1.5
        middle = (12 if is_fine else 6) if self.is_balance else self.writer.level * (2 if is_fine else 1)
        spread = (4 if self.is_balance else 8) // (1 if is_fine else 2)
        width = (5 if self.is_balance else 6) + is_fine
        for is_high, by_time in zip(grid.resolutions, directions):
            old = self._mapped(is_high) if by_time else self.writer.bands.count(is_high) * [None]
            codes = ENVELOPE[by_time, self.step, self.is_balance]
            self.envelope = self._put(bits, old, codes, width, middle, spread)
            self.is_high = is_high

    def put_noise(self, bits, directions):
        for by_time in directions:
            old = self.noise if by_time else self.writer.bands.noise_count * [None]
            middle, spread = (6, 3) if self.is_balance else (8, 6)
            self.noise = self._put(bits, old, NOISE[by_time, self.is_balance], 5, middle, spread)

    def _put(self, bits, old, codes, width, middle, spread):
        """Values about the middle: the first of those that are not told by the old ones whole, the others by what they
        differ from their neighbour."""
        values = []
        for index, base in enumerate(old):
            if base is None and index == 0:
                values.append(self.random.randint(middle - spread, middle + spread))
                bits.put(values[0], width)
                continue
            base = values[-1] if base is None else base
            delta = self.random.choice([d for d in codes if middle - spread <= base + d <= middle + spread])
            bits.append(codes[delta])
            values.append(base + delta)
        return values

    def _mapped(self, is_high):
        """The last envelope in bands of this resolution."""
        bands = self.writer.bands
        if is_high == self.is_high:
            return self.envelope
        if is_high:
            return [self.envelope[(band + bands.is_odd) // 2] for band in range(bands.count(True))]
        return [self.envelope[2 * band - bands.is_odd if band else 0] for band in range(bands.count(False))]

    def put_tones(self, bits, frame):
        if frame % 16 == 0:
            count = self.writer.bands.count(True)
            self.tones = [self.random.random() < 0.15 for _ in range(count)] if self.random.random() < 0.4 else []
        bits.put(bool(self.tones), 1)
        for tone in self.tones:
            bits.put(tone, 1)


class SBRWriter:
    """One stream: its rate after replication in hertz, a header, one channel or two, how loud (steps of 3 dB).

    Parametric stereo goes with one channel. Two may be coupled: their sum, and the balance between them.
    """

    def __init__(self, rate, channels, header=None, is_coupled=False, stereo=None, level=14, seed=1):
        self.header, self.is_coupled, self.stereo, self.level = header or Header.fitting(rate), is_coupled, stereo, level
        self.bands = self.header.bands(rate)
        self.random = random.Random(seed)
        self.channels = [Channel(self, is_coupled and index == 1) for index in range(channels)]
        self.frame = 0

    def put(self, bits):
        """Appends sbr_extension_data() of the next frame, its header in every tenth."""
        is_first, has_header = self.frame == 0, self.frame % 10 == 0
        bits.put(has_header, 1)
        if has_header:
            self.header.put(bits)
        # No reserved bits.
        bits.put(0, 1)
        if len(self.channels) == 2:
            bits.put(self.is_coupled, 1)
        grids = [self.channels[0].next_grid()]
        if len(self.channels) == 2:
            grids.append(grids[0] if self.is_coupled else self.channels[1].next_grid())
        for grid in grids[:1] if self.is_coupled else grids:
            grid.put(bits)
        # A change of steps starts anew.
        directions = [
            (channel.directions(len(grid.resolutions), is_first or channel.step != channel.steps_of(grid)),
             channel.directions(grid.noise_count, is_first))
            for channel, grid in zip(self.channels, grids)]
        for each in directions:
            for by_time in each[0] + each[1]:
                bits.put(by_time, 1)
        for _ in self.channels[:1] if self.is_coupled else self.channels:
            for _ in range(self.bands.noise_count):
                # How much is whitened.
                bits.put(self.random.randrange(4), 2)
        parts = list(zip(self.channels, grids, directions))
        if self.is_coupled:
            for channel, grid, (envelopes, noise) in parts:
                channel.put_envelopes(bits, grid, envelopes)
                channel.put_noise(bits, noise)
        else:
            for channel, grid, (envelopes, _) in parts:
                channel.put_envelopes(bits, grid, envelopes)
            for channel, _, (_, noise) in parts:
                channel.put_noise(bits, noise)
        for channel in self.channels:
            channel.put_tones(bits, self.frame)
        self._put_extension(bits, has_header)
        self.frame += 1

    def _put_extension(self, bits, has_header):
        bits.put(self.stereo is not None, 1)
        if self.stereo is None:
            return
        data = type(bits)()
        data.put(EXTENSION, 2)
        self.stereo.put(data, has_header)
        data.align()
        count = len(data.bits) // 8
        bits.put(min(count, 15), 4)
        if count >= 15:
            bits.put(count - 15, 8)
        bits.bits += data.bits
