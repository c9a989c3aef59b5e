"""All songs of codecs that have no encoder in Debian, or none that writes the container."""
import copy
import os
import subprocess

import amr_wideband
import caf
import he_aac
import layer1
import mpeg4
import parametric_stereo
import sbr
from encoded import EMPTY_MOOV, MPEG4
from encoders import remuxed, sox
from songs import FFMPEG, HE_AAC_RATES, IMPLICIT_RATES, MPEG_RATES, run


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


def high_efficiency(signalling=None, stereo=None, in_core_time=True, is_coupled=False, **header):
    """Plain AAC by ffmpeg with replication added, and parametric stereo of so many bands (and "B" for mixing B).

    In MPEG-4 or CAF with this signalling; in ADTS frames, which cannot tell, without one.
    """
    def make(song):
        core = copy.copy(song)
        core.rate, core.frames = song.rate // 2, song.frames // 2
        # Noise and speech: of a band in which there is next to nothing, a decoder would amplify its own rounding.
        core.number = 1 + song.number % 2
        if song.codec == "he_aac_v2":
            core.channels = 1
        song.frames = 2 * core.frames
        # Noise would be substituted by each decoder's own.
        plain = subprocess.run(
            FFMPEG + core.source + ["-c:a", "aac", "-aac_pns", "0", "-b:a", f"{core.channels * 32}k", "-f", "adts", "-"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        bands = None if stereo is None else parametric_stereo.ParametricStereoWriter(
            parametric_stereo.BANDS.index(stereo[0]), stereo[1:] == ("B",), seed=song.number)
        writer = sbr.SBRWriter(
            song.rate, core.channels, sbr.Header.fitting(song.rate, **header), is_coupled and core.channels == 2, bands,
            seed=song.number)
        packets = [he_aac.with_replication(packet, writer) for packet in he_aac.packets_of_adts(plain.stdout)]
        config = he_aac.config(core.rate, core.channels, signalling, song.codec == "he_aac_v2")
        if song.container == "caf":
            data = caf.file(
                "aac ", packets, core.rate, core.channels, 1024, caf.aac_cookie(config), 1024, core.frames)
        elif signalling:
            factor = 1 if in_core_time else 2
            data = mpeg4.file(
                packets, config, core.rate * factor, song.channels, core.rate * factor, 1024 * factor, 1024 * factor,
                core.frames * factor)
        else:
            data = he_aac.adts(packets, core.rate, core.channels)
        with open(song.path, "wb") as file:
            file.write(data)
        song.variant = " ".join(
            ["SBR", signalling or "implicit"] + ["coupled"] * is_coupled
            + (["PS of", *map(str, stereo), "bands"] if stereo else []) + [f"{key}={header[key]}" for key in header]
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

    stereos = [(10,), (20,), (34,), (20, "B")]
    yield ("adts", "he_aac", IMPLICIT_RATES, [2], False, [
        high_efficiency(), high_efficiency(is_coupled=True), high_efficiency(scale=0, alter=0, noise_bands=3),
        high_efficiency(amplitude=0, is_coupled=True, crossover=2)])
    # A decoder makes two channels of one, as parametric stereo may come in any packet.
    yield ("adts", "he_aac_v2", IMPLICIT_RATES, [2], False, [
        high_efficiency(stereo=each) for each in stereos] + [high_efficiency()])
    for signalling in ["compatible", "hierarchical"]:
        yield ("m4a", "he_aac", HE_AAC_RATES, [2], True, [
            high_efficiency(signalling), high_efficiency(signalling, is_coupled=True, in_core_time=False)])
        yield ("m4a", "he_aac_v2", HE_AAC_RATES, [2], True, [
            high_efficiency(signalling, stereo=each, in_core_time=each != (20,)) for each in stereos])
    yield ("m4a", "he_aac", HE_AAC_RATES, [1], True, [
        high_efficiency("compatible"), high_efficiency("hierarchical", in_core_time=False)])
    yield ("m4a", "he_aac", IMPLICIT_RATES, [2], True, [high_efficiency("implicit")])
    yield ("m4a", "he_aac_v2", IMPLICIT_RATES, [2], True, [high_efficiency("implicit", stereo=(20,))])
    pair, single = high_efficiency("compatible"), high_efficiency("hierarchical", stereo=(20,), in_core_time=False)
    for container in ["3gp", "3g2", "mov"]:
        yield (container, "he_aac", HE_AAC_RATES, [2], True, [remuxed(pair, "m4a")])
        yield (container, "he_aac_v2", HE_AAC_RATES, [2], True, [remuxed(single, "m4a")])
    yield ("mp4-fragmented", "he_aac", HE_AAC_RATES, [2], True, [remuxed(pair, "m4a", *MPEG4["mp4-fragmented"])])
    yield ("mp4-fragmented", "he_aac_v2", HE_AAC_RATES, [2], True, [remuxed(single, "m4a", *MPEG4["mp4-fragmented"])])
    for signalling in ["compatible", "hierarchical"]:
        yield ("caf", "he_aac", HE_AAC_RATES, [2], True, [high_efficiency(signalling)])
        yield ("caf", "he_aac_v2", HE_AAC_RATES, [2], True, [high_efficiency(signalling, stereo=(20,))])
    yield ("caf", "he_aac", IMPLICIT_RATES, [2], True, [high_efficiency("implicit")])
    yield ("m4a", "he_aac_v2", HE_AAC_RATES, [2], True, [high_efficiency("open", stereo=(20,))])
