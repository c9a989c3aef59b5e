"""HE-AAC (version 1 and 2) out of plain AAC: each packet gets a fill element with spectral band replication."""
from bits import BitWriter

RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000]
END, FILL = "111", "110"
REPLICATION = 13


def packets_of_adts(data):
    """Raw data blocks of ADTS frames (14496-3 section 1.A.2.2) that hold one each and no check."""
    packets, start = [], 0
    while start < len(data):
        assert data[start] == 0xFF and data[start + 1] & 0xF7 == 0xF1 and data[start + 6] & 3 == 0
        size = (data[start + 3] & 3) << 11 | data[start + 4] << 3 | data[start + 5] >> 5
        packets.append(data[start + 7:start + size])
        start += size
    return packets


def adts(packets, core_rate, channels):
    """Low Complexity's headers: who reads them learns nothing of replication."""
    frames = []
    for packet in packets:
        header = BitWriter()
        header.put(0xFFF1, 16)
        header.put(1, 2)
        header.put(RATES.index(core_rate), 4)
        header.put(0, 1)
        header.put(channels, 3)
        header.put(0, 4)
        header.put(len(packet) + 7, 13)
        header.put(0x7FF, 11)
        header.put(0, 2)
        frames.append(header.bytes() + packet)
    return b"".join(frames)


def with_replication(packet, writer):
    """The packet with a fill element before its end mark, after the only channel element (tables 4.3, 4.11, 4.57)."""
    text = bin(int.from_bytes(b"\x01" + packet, "big"))[3:].rstrip("0")
    assert text.endswith(END)
    data = BitWriter()
    data.put(REPLICATION, 4)
    writer.put(data)
    data.align()
    count = len(data.bits) // 8
    bits = BitWriter()
    bits.append(text[:-len(END)] + FILL)
    bits.put(min(count, 15), 4)
    if count >= 15:
        # Less one: table 4.11.
        bits.put(count - 14, 8)
    bits.bits += data.bits
    bits.append(END)
    bits.align()
    return bits.bytes()


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
