"""cut_songs.py FROM TO: of the MPEG-4 songs in the directory FROM writes copies into TO, of which an edit list (ISO/IEC
14496-12 section 8.6.6) leaves out the two ends; of every second one it has several parts, which is not followed. What
has no table of packets in `moov` is left out."""
import os
import struct
import sys


def rewritten(boxes, change):
    """Boxes with other bodies: `change` gives one for a box's type and body, None to leave the box out."""
    result, place = b"", 0
    while place + 8 <= len(boxes):
        size = struct.unpack_from(">I", boxes, place)[0]
        if size < 8 or place + size > len(boxes):
            break
        body = change(boxes[place + 4:place + 8], boxes[place + 8:place + size])
        if body is not None:
            result += struct.pack(">I", len(body) + 8) + boxes[place + 4:place + 8] + body
        place += size
    return result + boxes[place:]


def edit_list(parts):
    entries = b"".join(struct.pack(">IiI", end - start, start, 0x10000) for start, end in parts)
    body = struct.pack(">II", 0, len(parts)) + entries
    return struct.pack(">I4sI4s", len(body) + 16, b"edts", len(body) + 8, b"elst") + body


def cut(song, parts, timescale, shift=0):
    """The song with these parts, in its media's times; what lies in the file is `shift` bytes farther behind."""
    def table(kind, body):
        if kind in (b"mdia", b"minf", b"stbl"):
            return rewritten(body, table)
        if kind == b"stco":
            count = struct.unpack_from(">I", body, 4)[0]
            offsets = struct.unpack_from(f">{count}I", body, 8)
            return body[:8] + struct.pack(f">{count}I", *(offset + shift for offset in offsets))
        return None if kind == b"edts" else body

    def movie(kind, body):
        if kind == b"mvhd":
            return body[:12] + struct.pack(">I", timescale) + body[16:]
        return edit_list(parts) + rewritten(body, table) if kind == b"trak" else body

    return rewritten(song, lambda kind, body: rewritten(body, movie) if kind == b"moov" else body)


def main(source, target):
    os.makedirs(target, exist_ok=True)
    for number, name in enumerate(sorted(os.listdir(source))):
        if os.path.splitext(name)[1] not in (".m4a", ".mp4", ".mov"):
            continue
        with open(os.path.join(source, name), "rb") as file:
            song = file.read()
        place = song.find(b"mdhd")
        timescale, end = struct.unpack_from(">II", song, place + 16) if place > 0 else (0, 0)
        if end == 0 or b"stco" not in song or b"mvex" in song:
            continue
        parts = [(10, end - end // 16)]
        if number % 2 == 1:
            parts = [(end // 2, end), (10, end // 4)]
        growth = len(cut(song, parts, timescale)) - len(song)
        shift = growth if song.find(b"moov") < song.find(b"mdat") else 0
        with open(os.path.join(target, os.path.splitext(name)[0] + ".m4a"), "wb") as file:
            file.write(cut(song, parts, timescale, shift))


main(*sys.argv[1:])
