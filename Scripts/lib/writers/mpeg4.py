"""Writes MPEG-4 files (ISO/IEC 14496-12 and 14496-14) with one track of AAC packets of 1,024 frames."""


def box(name, *parts):
    body = b"".join(parts)
    return (len(body) + 8).to_bytes(4, "big") + name.encode() + body


def full_box(name, *parts, flags=0):
    return box(name, flags.to_bytes(4, "big"), *parts)


def numbers(*values):
    return b"".join(value.to_bytes(4, "big") for value in values)


def _descriptor(tag, *parts):
    body = b"".join(parts)
    return bytes([tag, len(body)]) + body


def decoder_descriptor(config):
    """The elementary stream's descriptor (14496-1 section 7.2.6.5) of AAC with this AudioSpecificConfig."""
    decoder = _descriptor(4, bytes([0x40, 0x15, 0, 0, 0]), numbers(0, 0), _descriptor(5, config))
    return _descriptor(3, bytes([0, 1, 0]), decoder, _descriptor(6, bytes([2])))


def file(packets, config, rate, channels, timescale, packet_time, priming, audible):
    """A file whose tables come first.

    `config` is an AudioSpecificConfig; `rate` what the sample description says, in hertz; times are in `timescale`: of a
    packet, before the first that is heard, of all that is.
    """
    kind = box("ftyp", b"M4A ", numbers(0), b"M4A mp42isom")
    # It is as long with any offset.
    head = kind + _movie(packets, config, rate, channels, timescale, packet_time, priming, audible, 0)
    offset = len(head) + 8
    return (kind + _movie(packets, config, rate, channels, timescale, packet_time, priming, audible, offset)
            + box("mdat", *packets))


def _movie(packets, config, rate, channels, timescale, packet_time, priming, audible, offset):
    matrix = numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    duration = len(packets) * packet_time
    stream = full_box("esds", decoder_descriptor(config))
    entry = box("mp4a", bytes([0] * 7 + [1] + [0] * 8), channels.to_bytes(2, "big"), bytes([0, 16, 0, 0, 0, 0]),
                numbers(rate << 16 if rate < 65536 else 0), stream)
    tables = box(
        "stbl", full_box("stsd", numbers(1), entry), full_box("stts", numbers(1, len(packets), packet_time)),
        full_box("stsc", numbers(1, 1, len(packets), 1)),
        full_box("stsz", numbers(0, len(packets), *map(len, packets))), full_box("stco", numbers(1, offset)))
    data = box("dinf", full_box("dref", numbers(1), full_box("url ", flags=1)))
    media = box(
        "mdia", full_box("mdhd", numbers(0, 0, timescale, duration, 0x55C40000)),
        full_box("hdlr", numbers(0), b"soun", bytes(13)), box("minf", full_box("smhd", numbers(0)), data, tables))
    edits = box("edts", full_box("elst", numbers(1, audible, priming, 0x10000)))
    track = box("trak", full_box("tkhd", numbers(0, 0, 1, 0, audible, 0, 0, 0, 0x01000000), matrix, numbers(0, 0),
                                 flags=7), edits, media)
    header = full_box("mvhd", numbers(0, 0, timescale, audible, 0x10000, 0x01000000, 0, 0), matrix, bytes(24), numbers(2))
    return box("moov", header, track)
