"""Writes MPEG audio of layer I: MPEG-1 (ISO/IEC 11172-3), MPEG-2 (13818-3) and 2.5, every mode, with and without check.

There is no model of hearing, and no sound at the start: allocation, scale factors and samples are drawn at random from all
that the format allows. Every decoder must make the same of them, and none of its parts is left out.
"""
import random

from bits import BitWriter

SUBBANDS = 32
# Of one subband in a frame.
SAMPLES = 12
FRAME_SAMPLES = SUBBANDS * SAMPLES
RATES = {44100: 0, 48000: 1, 32000: 2}
# kbit/s by bitrate_index (11172-3 section 2.4.2.3; 13818-3 section 2.4.2.3 for half the sampling rates).
BIT_RATES = {
    3: [0] + [32 * index for index in range(1, 15)],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
}
BIT_RATES[0] = BIT_RATES[2]
STEREO, JOINT, DUAL, MONO = range(4)


class LayerOneWriter:
    """One stream. Rate in hertz; bit rate in kbit/s, which a stream of free format does not tell."""

    def __init__(self, rate, mode, bit_rate, has_check=False, is_free=False, seed=1):
        # The ID bits: 3 MPEG-1, 2 MPEG-2, 0 MPEG-2.5.
        self.version = 3 if rate >= 32000 else 2 if rate >= 16000 else 0
        self.rate_index = RATES[rate << [2, None, 1, 0][self.version]]
        self.rate, self.mode, self.bit_rate, self.has_check = rate, mode, bit_rate, has_check
        self.bit_rate_index = 0 if is_free else BIT_RATES[self.version].index(bit_rate)
        self.random = random.Random(seed)
        # What whole slots of four bytes leave of the bit rate, in slots times hertz (2.4.3.1).
        self.rest = 0

    def frame(self, mode_extension=None):
        is_padded = self._is_padded()
        slots = 12000 * self.bit_rate // self.rate + is_padded
        extension = self.random.randrange(4) if mode_extension is None else mode_extension
        header = BitWriter()
        header.put(0x7FF, 11)
        header.put(self.version, 2)
        # Layer I.
        header.put(3, 2)
        header.put(not self.has_check, 1)
        check_start = len(header.bits)
        header.put(self.bit_rate_index, 4)
        header.put(self.rate_index, 2)
        header.put(is_padded, 1)
        header.put(0, 1)
        header.put(self.mode, 2)
        header.put(extension if self.mode == JOINT else 0, 2)
        # Not copyrighted, original, no emphasis.
        header.put(0b0100, 4)
        channels = 1 if self.mode == MONO else 2
        bound = 4 * (extension + 1) if self.mode == JOINT else SUBBANDS
        allocation = self._allocation(channels, bound, 32 * slots - 32 - 16 * self.has_check)
        body = BitWriter()
        for subband in range(SUBBANDS):
            for bits in self._coded(allocation, subband, bound):
                body.put(bits - 1 if bits else 0, 4)
        if self.has_check:
            header.put(crc(header.bits[check_start:] + body.bits), 16)
        for subband in range(SUBBANDS):
            for bits in allocation[subband]:
                if bits:
                    body.put(self._scale_factor(), 6)
        for _ in range(SAMPLES):
            for subband in range(SUBBANDS):
                for bits in self._coded(allocation, subband, bound):
                    if bits:
                        # All ones are forbidden (2.4.3.2).
                        body.put(self.random.randrange((1 << bits) - 1), bits)
        header.bits += body.bits + [0] * (32 * slots - len(header.bits) - len(body.bits))
        return header.bytes()

    def _is_padded(self):
        self.rest += 12000 * self.bit_rate % self.rate
        if self.rest < self.rate:
            return False
        self.rest -= self.rate
        return True

    @staticmethod
    def _coded(allocation, subband, bound):
        """Channels share samples from the bound of intensity stereo on."""
        return allocation[subband][:1] if subband >= bound else allocation[subband]

    def _allocation(self, channels, bound, bit_count):
        """Bits of a sample of each subband and channel, 0 or 2 to 15, that fit in so many in all."""
        result = [[0] * channels for _ in range(SUBBANDS)]
        left = bit_count - 4 * sum(len(self._coded(result, subband, bound)) for subband in range(SUBBANDS))
        places = [(subband, channel) for subband in range(SUBBANDS)
                  for channel in range(len(self._coded(result, subband, bound)))]
        self.random.shuffle(places)
        for subband, channel in places:
            bits = self.random.choice([0] + list(range(2, 16)))
            shared = channels if subband >= bound else 1
            cost = SAMPLES * bits + 6 * shared
            if bits == 0 or cost > left:
                continue
            left -= cost
            for each in range(shared):
                result[subband][channel + each] = bits
        return result

    def _scale_factor(self):
        """0 is 2.0, every third halves it, 62 is the least; the sum of all bands stays below full scale."""
        return self.random.randrange(18, 63)


def crc(bits):
    """11172-3 section 2.4.3.1: x^16 + x^15 + x^2 + 1, from all ones."""
    value = 0xFFFF
    for bit in bits:
        high = value >> 15
        value = value << 1 & 0xFFFF
        if high != bit:
            value ^= 0x8005
    return value
