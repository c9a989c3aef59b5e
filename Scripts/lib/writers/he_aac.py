"""Takes ADTS apart, and tells of HE-AAC (version 1 and 2) in an AudioSpecificConfig."""
from bits import BitWriter

RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000]
HEADER_SIZE = 7


def frames(data):
    """ADTS frames (14496-3 section 1.A.2.2) that hold one raw data block each and no check."""
    result, start = [], 0
    while start < len(data):
        assert data[start] == 0xFF and data[start + 1] & 0xF7 == 0xF1 and data[start + 6] & 3 == 0
        size = (data[start + 3] & 3) << 11 | data[start + 4] << 3 | data[start + 5] >> 5
        result.append(data[start:start + size])
        start += size
    return result


def config(core_rate, channels, signalling, has_stereo):
    """An AudioSpecificConfig (section 1.6.2.1) that tells of replication, and of parametric stereo: not at all
    ("implicit"), at its end ("compatible"), or by an object type of its own in front ("hierarchical"); or of replication
    alone, in front ("open")."""
    bits = BitWriter()
    if signalling in ("hierarchical", "open"):
        bits.put(29 if has_stereo and signalling != "open" else 5, 5)
        bits.put(RATES.index(core_rate), 4)
        bits.put(channels, 4)
        bits.put(RATES.index(2 * core_rate), 4)
        bits.put(2, 5)
    else:
        bits.put(2, 5)
        bits.put(RATES.index(core_rate), 4)
        bits.put(channels, 4)
    bits.put(0, 3)
    if signalling == "compatible":
        bits.put(0x2B7, 11)
        bits.put(5, 5)
        bits.put(1, 1)
        bits.put(RATES.index(2 * core_rate), 4)
        if channels == 1:
            bits.put(0x548, 11)
            bits.put(has_stereo, 1)
    bits.align()
    return bits.bytes()
