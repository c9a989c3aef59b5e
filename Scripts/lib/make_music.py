#!/usr/bin/env python3
"""make_music.py DIRECTORY N: makes N MP3 files with tags, of artists, albums and titles from made-up words, the same
each time. Each has ten frames of silence (MPEG-1 layer III, 128 kbit/s)."""
import os
import random
import sys

SYLLABLES = [consonant + vowel for consonant in "bdklmnrstv" for vowel in "aeiou"]
SILENCE = (bytes([0xFF, 0xFB, 0x90, 0x64]) + bytes(413)) * 10
GENRES = ["Rock", "Jazz", "Pop", "Classical", "Folk"]


def size(count):
    """A number as ID3v2.4 writes it, seven bits in a byte (section 6.2)."""
    return bytes(count >> shift & 127 for shift in (21, 14, 7, 0))


def frame(name, text):
    body = b"\3" + text.encode()
    return name.encode() + size(len(body)) + b"\0\0" + body


def tag(fields):
    frames = b"".join(frame(name, text) for name, text in fields.items())
    return b"ID3\4\0\0" + size(len(frames)) + frames


def main(root, count):
    draw = random.Random(1)
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(20_000)]

    def phrase(least, most):
        return " ".join(draw.choice(words).capitalize() for _ in range(draw.randint(least, most)))

    artists = [phrase(1, 3) for _ in range(count // 50 + 1)]
    made = 0
    while made < count:
        artist, album = draw.choice(artists), phrase(1, 4)
        directory = os.path.join(root, artist, album)
        os.makedirs(directory, exist_ok=True)
        shared = {
            "TPE1": artist, "TALB": album, "TPE2": artist, "TDRC": str(draw.randint(1950, 2024)),
            "TCON": draw.choice(GENRES), "TCOM": draw.choice([artist, phrase(2, 2)]),
        }
        for track in range(1, min(draw.randint(8, 16), count - made) + 1):
            title = phrase(1, 5)
            fields = {"TIT2": title, "TRCK": str(track), **shared}
            with open(os.path.join(directory, f"{track:02} {title}.mp3"), "wb") as file:
                file.write(tag(fields) + SILENCE)
            made += 1


main(sys.argv[1], int(sys.argv[2]))
