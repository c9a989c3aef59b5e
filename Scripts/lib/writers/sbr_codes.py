"""Code words of spectral band replication for small differences: ISO/IEC 14496-3 tables 4.A.78 to 4.A.87."""


def _codes(deltas, lengths):
    """Code words in ascending order: each is the one before plus one, in its own length."""
    words, value, last = {}, 0, 0
    for delta, length in zip(deltas, lengths, strict=True):
        value <<= length - last
        words[delta] = format(value, f"0{length}b")
        value, last = value + 1, length
    return words


# By direction (differences in time, in frequency), resolution (1.5 dB, 3 dB), and whether it is a balance.
TIME, FREQUENCY = True, False
ENVELOPE = {
    (TIME, 1.5, False): _codes([0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5], [2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]),
    (FREQUENCY, 1.5, False): _codes([0, -1, 1, -2, -3, 2, -4, 3, -5, 4, -6], [2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]),
    (TIME, 1.5, True): _codes([0, 1, -1, 2, -2, 3, -3, 4], [1, 2, 3, 4, 5, 6, 7, 8]),
    (FREQUENCY, 1.5, True): _codes([0, -1, 1, -2, 2, 3, -3, -4], [1, 2, 3, 4, 5, 6, 7, 8]),
    (TIME, 3.0, False): _codes([0, -1, 1, -2, 2, -3, 3, -4], [1, 2, 3, 4, 5, 6, 7, 8]),
    (FREQUENCY, 3.0, False): _codes([0, -1, 1, -2, 2, -3, 3, -4], [1, 2, 3, 4, 5, 6, 8, 8]),
    (TIME, 3.0, True): _codes([0, 1, -1, -2, 2, 3, -3, -4], [1, 2, 3, 4, 5, 6, 7, 8]),
    (FREQUENCY, 3.0, True): _codes([0, -1, 1, -2, 2, 3, -3, -4], [1, 2, 3, 4, 5, 6, 7, 8]),
}
# Noise floors: in frequency as envelopes of 3 dB.
NOISE = {
    (TIME, False): _codes([0, 1, -1, -2, 2, -3], [1, 2, 3, 4, 5, 6]),
    (TIME, True): _codes([0, -1, 1, -2, 2], [1, 2, 3, 5, 6]),
    (FREQUENCY, False): ENVELOPE[FREQUENCY, 3.0, False],
    (FREQUENCY, True): ENVELOPE[FREQUENCY, 3.0, True],
}
