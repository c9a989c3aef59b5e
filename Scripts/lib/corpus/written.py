"""All songs of codecs that have no encoder in Debian, or none that writes the container."""
import copy
import os
import subprocess

import amr_wideband
import caf
import he_aac
import layer1
import mpeg4
from encoded import EMPTY_MOOV, MPEG4
from encoders import remuxed, sox
from songs import FFMPEG, HE_AAC_RATES, IMPLICIT_RATES, MPEG_RATES, SAMPLES, run


def layer_one(mode, has_check=False, is_free=False):
    """Random frames; the lowest and the highest bit rates in turn with others."""
    def make(song):
        is_low = song.rate < 32000
        bit_rates = [rate for rate in layer1.BIT_RATES[2 if is_low else 3] if rate >= (48 if is_low else 96)]
        bit_rate = bit_rates[song.number % len(bit_rates)]
        of_song = layer1.MONO if song.channels == 1 else mode
        count = min(120, song.frames // layer1.FRAME_SAMPLES)
        song.frames = count * layer1.FRAME_SAMPLES

        def write(path, is_free):
            writer = layer1.LayerOneWriter(song.rate, of_song, bit_rate, has_check, is_free, seed=song.number)
            with open(path, "wb") as file:
                file.write(b"".join(writer.frame() for _ in range(count)))
        write(song.path, is_free)
        if is_free:
            write(song.twin_path, False)
        kinds = ["stereo", "joint", "dual", "mono"]
        song.variant = f"layer I {kinds[of_song]} {bit_rate}k" + " check" * has_check + " free format" * is_free
    return make


def amr_wideband_encoder(name, mode, is_discontinuous=False):
    def make(song):
        raw = subprocess.run(
            FFMPEG + song.source + ["-f", "s16le", "-"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        frames = amr_wideband.encode(raw.stdout, mode, is_discontinuous)
        with open(song.path, "wb") as file:
            file.write(amr_wideband.MAGIC + b"".join(frames))
        song.frames = len(frames) * amr_wideband.FRAME_SAMPLES
        song.variant = f"vo-amrwbenc {name}" + " -dtx" * is_discontinuous
    return make


def in_caf(make):
    """Frames of AMR-WB in a container in which nobody else knows them; the twin is the file that they come from."""
    def remake(song):
        between = copy.copy(song)
        between.container = "amr"
        make(between)
        os.rename(between.path, song.twin_path)
        with open(song.twin_path, "rb") as file:
            frames = amr_wideband.frames(file.read())
        with open(song.path, "wb") as file:
            file.write(caf.file("sawb", frames, song.rate, 1, amr_wideband.FRAME_SAMPLES))
        song.frames, song.variant = between.frames, between.variant
    return remake


def high_efficiency(signalling=None, encoded=None, in_core_time=True):
    """Packets of Tests/Samples: those of the song's codec, or those `encoded` so ("mono", "stereo" or "v2").

    In MPEG-4 or CAF with this signalling; in ADTS frames, which cannot tell, without one.
    """
    def make(song):
        kind = encoded or ("v2" if song.codec == "he_aac_v2" else "mono" if song.channels == 1 else "stereo")
        with open(os.path.join(SAMPLES, f"{song.rate}-{kind}.aac"), "rb") as file:
            frames = he_aac.frames(file.read())[:song.frames // 2048 + 2]
        packets = [frame[he_aac.HEADER_SIZE:] for frame in frames]
        rate, channels = song.rate // 2, 2 if kind == "stereo" else 1
        audible = (len(packets) - 1) * 1024 - 7 * song.number % 997
        song.frames = 2 * audible
        config = he_aac.config(rate, channels, signalling, song.codec == "he_aac_v2")
        if song.container == "caf":
            data = caf.file("aac ", packets, rate, channels, 1024, caf.aac_cookie(config), 1024, audible)
        elif signalling:
            factor = 1 if in_core_time else 2
            data = mpeg4.file(
                packets, config, rate * factor, song.channels, rate * factor, 1024 * factor, 1024 * factor,
                audible * factor)
        else:
            data = b"".join(frames)
        with open(song.path, "wb") as file:
            file.write(data)
        song.variant = " ".join(
            ["fdkaac", kind, signalling or "implicit"]
            + ["times of the core" if in_core_time else "times of the output"] * bool(signalling))
    return make


def written_kinds():
    """The same of codecs that have no encoder, or none that writes the container."""
    for container in ["3gp", "3g2", "mov", "caf"]:
        yield (container, "amr_nb", [8000], [1], False, [remuxed(sox("-t", "amr-nb", "-C", "7"), "amr")])
    wide = [
        amr_wideband_encoder(f"{rate}k", lambda frame, mode=mode: mode)
        for mode, rate in enumerate(amr_wideband.BIT_RATES)]
    changing = amr_wideband_encoder("of all modes", lambda frame: frame // 7 % 9)
    pausing = amr_wideband_encoder("12.65k", lambda frame: 2, is_discontinuous=True)
    yield ("amr", "amr_wb", [16000], [1], True, wide + [changing, pausing])
    for container in ["3gp", "3g2", "mov"]:
        yield (container, "amr_wb", [16000], [1], True, [
            remuxed(changing, "amr"), remuxed(pausing, "amr"), remuxed(wide[8], "amr", *EMPTY_MOOV)])
    yield ("caf", "amr_wb", [16000], [1], True, [in_caf(changing), in_caf(pausing)])

    pairs_of = [layer_one(layer1.STEREO), layer_one(layer1.JOINT, has_check=True), layer_one(layer1.JOINT),
                layer_one(layer1.DUAL, has_check=True)]
    singles = [layer_one(layer1.MONO), layer_one(layer1.MONO, has_check=True)]
    free = [layer_one(layer1.STEREO, has_check=True, is_free=True), layer_one(layer1.JOINT, is_free=True)]
    yield ("mp1", "mp1", MPEG_RATES, [2], True, pairs_of)
    yield ("mp1", "mp1", MPEG_RATES, [1], True, singles)
    # The header does not tell the bit rate.
    yield ("mp1-free", "mp1", MPEG_RATES, [2], True, free)
    yield ("mp1-free", "mp1", MPEG_RATES, [1], True, [layer_one(layer1.MONO, is_free=True)])
    yield ("caf", "mp1", MPEG_RATES, [1, 2], True, [remuxed(each, "mp1") for each in pairs_of[:2]])
    yield ("mov", "mp1", MPEG_RATES, [1, 2], True, [remuxed(each, "mp1") for each in pairs_of[2:]])

    yield ("adts", "he_aac", IMPLICIT_RATES, [2], False, [high_efficiency()])
    # A decoder makes two channels of one, as parametric stereo may come in any packet.
    yield ("adts", "he_aac_v2", IMPLICIT_RATES, [2], False, [high_efficiency(), high_efficiency(encoded="mono")])
    for signalling in ["compatible", "hierarchical"]:
        both = [high_efficiency(signalling), high_efficiency(signalling, in_core_time=False)]
        yield ("m4a", "he_aac", HE_AAC_RATES, [2], True, both)
        yield ("m4a", "he_aac_v2", HE_AAC_RATES, [2], True, both)
    yield ("m4a", "he_aac", HE_AAC_RATES, [1], True, [
        high_efficiency("compatible"), high_efficiency("hierarchical", in_core_time=False)])
    yield ("m4a", "he_aac", IMPLICIT_RATES, [2], True, [high_efficiency("implicit")])
    yield ("m4a", "he_aac_v2", IMPLICIT_RATES, [2], True, [high_efficiency("implicit")])
    pair, single = high_efficiency("compatible"), high_efficiency("hierarchical", in_core_time=False)
    for container in ["3gp", "3g2", "mov"]:
        yield (container, "he_aac", HE_AAC_RATES, [2], True, [remuxed(pair, "m4a")])
        yield (container, "he_aac_v2", HE_AAC_RATES, [2], True, [remuxed(single, "m4a")])
    yield ("mp4-fragmented", "he_aac", HE_AAC_RATES, [2], True, [remuxed(pair, "m4a", *MPEG4["mp4-fragmented"])])
    yield ("mp4-fragmented", "he_aac_v2", HE_AAC_RATES, [2], True, [remuxed(single, "m4a", *MPEG4["mp4-fragmented"])])
    for signalling in ["compatible", "hierarchical"]:
        yield ("caf", "he_aac", HE_AAC_RATES, [2], True, [high_efficiency(signalling)])
        yield ("caf", "he_aac_v2", HE_AAC_RATES, [2], True, [high_efficiency(signalling)])
    yield ("caf", "he_aac", IMPLICIT_RATES, [2], True, [high_efficiency("implicit")])
    yield ("m4a", "he_aac_v2", HE_AAC_RATES, [2], True, [high_efficiency("open")])
