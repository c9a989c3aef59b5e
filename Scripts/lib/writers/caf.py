"""Writes Core Audio Format files (its specification, "Core Audio Format Specification 1.0") with a packet table."""
import struct

from mpeg4 import decoder_descriptor


def _chunk(name, body):
    return name.encode() + struct.pack(">q", len(body)) + body


def _variable(value):
    """Seven bits a byte, the highest first; all but the last are marked."""
    digits = [value & 0x7F]
    while value > 0x7F:
        value >>= 7
        digits.append(value & 0x7F | 0x80)
    return bytes(reversed(digits))


def aac_cookie(config):
    """An AudioSpecificConfig inside an elementary stream's descriptor, as MPEG-4's box "esds" holds it."""
    return bytes(4) + decoder_descriptor(config)


def file(codec, packets, rate, channels, packet_frames, cookie=b"", priming=0, valid=None):
    """Packets of one length in frames; `codec` has four characters, the rate is in hertz. The table comes first."""
    description = struct.pack(">d4sIIIII", rate, codec.encode(), 0, 0, packet_frames, channels, 0)
    total = len(packets) * packet_frames
    valid = total - priming if valid is None else valid
    table = struct.pack(">qqii", len(packets), valid, priming, total - priming - valid)
    table += b"".join(_variable(len(packet)) for packet in packets)
    return (b"caff" + struct.pack(">HH", 1, 0) + _chunk("desc", description) + (_chunk("kuki", cookie) if cookie else b"")
            + _chunk("pakt", table) + _chunk("data", bytes(4) + b"".join(packets)))
