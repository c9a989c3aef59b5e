"""How encoders are started: each of these gives a function that writes a song."""
import copy
import os
import subprocess

from songs import ALBUM, ARTIST, FFMPEG, run


def ffmpeg(codec, container_options=(), layouts=None, **settings):
    options = list(container_options)
    for key, value in settings.items():
        options += ["-" + key.replace("_a", ":a"), str(value)]

    def make(song):
        filters = ["-af", f"aformat=channel_layouts={layouts[song.channels - 1]}"] if layouts else []
        tags, artwork = [], []
        if song.has_tags:
            tags = ["-metadata", f"title={song.title}", "-metadata", f"artist={ARTIST}", "-metadata", f"album={ALBUM}"]
            if song.has_artwork and song.container in ("mp3", "mp4", "m4a", "flac"):
                artwork = ["-i", os.path.join(song.directory, ".cover.jpg"), "-map", "0:a", "-map", "1:v",
                           "-c:v", "copy", "-disposition:v", "attached_pic"]
        else:
            tags = ["-map_metadata", "-1"]
        run(FFMPEG + song.source + artwork + ["-c:a", codec, "-strict", "-2"] + filters + options + tags
            + [song.path])
        song.variant = "ffmpeg " + " ".join([codec] + options)
    return make


def tool(name, *arguments, tags=None, bits=24, output=("-o",)):
    """A command line encoder: arguments, tags (a function of the song), input, output."""
    def make(song):
        tagging = tags(song) if tags and song.has_tags else []
        run([name, *arguments, *tagging, song.write_source(bits), *output, song.path])
        song.variant = " ".join([name, *arguments])
    return make


def lame(*arguments):
    def tags(song):
        version = "--id3v1-only" if song.number % 4 == 1 else "--id3v2-only" if song.number % 4 == 2 else "--add-id3v2"
        artwork = ["--ti", os.path.join(song.directory, ".cover.jpg")] if song.has_artwork else []
        return [version, "--tt", song.title, "--ta", ARTIST, "--tl", ALBUM] + artwork

    def make(song):
        tagging = tags(song) if song.has_tags else []
        rate = ["--resample", str(song.rate / 1000)]
        run(["lame", "--quiet", *rate, *arguments, *tagging, song.write_source(24), song.path])
        song.variant = " ".join(["lame", *arguments])
    return make


def flac(*arguments, bits=24):
    def tags(song):
        artwork = [f"--picture={os.path.join(song.directory, '.cover.jpg')}"] if song.has_artwork else []
        return [f"--tag=TITLE={song.title}", f"--tag=ARTIST={ARTIST}"] + artwork
    return tool("flac", "-s", "-f", "--channel-map=none", "--lax", *arguments, tags=tags, bits=bits)


def vorbis(*arguments):
    return tool("oggenc", "-Q", *arguments, tags=lambda song: ["-t", song.title, "-a", ARTIST])


def opus(*arguments):
    return tool("opusenc", "--quiet", *arguments, output=(),
                tags=lambda song: ["--title", song.title, "--artist", ARTIST])


def sox(*arguments, bits=24):
    def make(song):
        run(["sox", "-D", song.write_source(bits), *arguments, song.path])
        song.variant = " ".join(["sox", *arguments])
    return make


def remuxed(make, extension, *options):
    """The song's packets in another container, by ffmpeg."""
    def remake(song):
        path = song.path
        between = copy.copy(song)
        between.container = extension
        make(between)
        song.frames = between.frames
        os.rename(between.path, song.source_path + "." + extension)
        run(FFMPEG + ["-i", song.source_path + "." + extension, "-c", "copy", *options, path])
        os.remove(song.source_path + "." + extension)
        song.variant = " ".join([between.variant, "ffmpeg -c copy", *options])
    return remake


def renamed(make, old, new):
    """The song with the first four characters of the file others."""
    def remake(song):
        make(song)
        with open(song.path, "r+b") as file:
            assert file.read(4) == old
            file.seek(0)
            file.write(new)
        song.variant += f" as {new.decode()}"
    return remake
