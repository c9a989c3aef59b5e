"""All songs that encoders of Debian write."""
from encoders import ffmpeg, flac, lame, opus, renamed, sox, tool, vorbis
from songs import AAC_RATES, AC3_RATES, CHANNELS, LAYER_2_RATES, MPEG4_LAYOUTS, MPEG_RATES, RATES

PCM_WAVE = ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw"]
PCM_BIG = ["pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be"]
FLOAT_BIG = ["pcm_f32be", "pcm_f64be", "pcm_alaw", "pcm_mulaw"]
# Where the sample tables come: before the audio, behind it, or a piece with each fragment.
MPEG4 = {
    "m4a": ["-movflags", "+faststart"],
    "mp4-tail": [],
    "mp4-fragmented": ["-movflags", "+frag_keyframe+delay_moov+default_base_moof", "-frag_duration", "500000"],
}
# With this there is no edit list: nothing tells where the song begins in the first packet.
EMPTY_MOOV = ["-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-frag_duration", "500000"]


def pcm(container, codecs, *options):
    for codec in codecs:
        yield (container, codec, RATES, CHANNELS, True, [ffmpeg(codec, options)])


def kinds():
    """All that can be made: container, codec, rates, channels, whether all frames of the source come back, recipes."""
    yield ("mp3", "mp3", MPEG_RATES, [1, 2], True, [
        lame("-b", "64"), lame("-V", "2", "-m", "j"), lame("--abr", "90", "-m", "s"), ffmpeg("libmp3lame", b_a="64k"),
        ffmpeg("libmp3lame", ["-id3v2_version", "3", "-write_id3v1", "1"], q_a=4), lame("-V", "9"),
        lame("--cbr", "-b", "96", "-m", "f")])
    # No info header: nothing tells how much was padded.
    yield ("mp3", "mp3", MPEG_RATES, [1, 2], False, [
        lame("-t", "-b", "56"), ffmpeg("libmp3lame", ["-write_xing", "0"])])
    yield ("mp2", "mp2", LAYER_2_RATES, [1, 2], False, [
        ffmpeg("mp2", b_a="64k"), ffmpeg("libtwolame", b_a="96k")])
    yield ("mp2", "mp2", LAYER_2_RATES, [2], False, [ffmpeg("libtwolame", ["-mode", "joint_stereo"])])
    yield ("adts", "aac", AAC_RATES, [1, 2, 3, 4, 5, 6, 8], False, [
        ffmpeg("aac", layouts=MPEG4_LAYOUTS), ffmpeg("aac", ["-write_id3v2", "1"], layouts=MPEG4_LAYOUTS, q_a=1)])
    for container, options in MPEG4.items():
        yield (container, "aac", AAC_RATES, CHANNELS, True, [
            ffmpeg("aac", options, layouts=MPEG4_LAYOUTS), ffmpeg("aac", options, layouts=MPEG4_LAYOUTS, q_a=1)])
        yield (container, "alac", RATES, CHANNELS, True, [
            ffmpeg("alac", options, layouts=MPEG4_LAYOUTS, sample_fmt="s16p"),
            ffmpeg("alac", options, layouts=MPEG4_LAYOUTS, sample_fmt="s32p")])
    for container in ["mp4-fragmented", "3gp", "3g2"]:
        yield (container, "aac", AAC_RATES, CHANNELS, False, [ffmpeg("aac", EMPTY_MOOV, layouts=MPEG4_LAYOUTS)])
    # These are of one sort of MPEG-4 file only: .mp4.
    faststart = MPEG4["m4a"]
    yield ("mp4", "mp3", MPEG_RATES[4:], [1, 2], True, [ffmpeg("libmp3lame", faststart)])
    yield ("mp4", "flac", RATES, CHANNELS, True, [ffmpeg("flac", faststart)])
    yield ("mp4", "opus", [48000], CHANNELS, True, [ffmpeg("libopus", faststart)])
    yield ("mp4", "ac3", AC3_RATES, range(1, 7), False, [ffmpeg("ac3", faststart)])
    for container in ["3gp", "3g2"]:
        yield (container, "aac", AAC_RATES, CHANNELS, True, [
            ffmpeg("aac", layouts=MPEG4_LAYOUTS), ffmpeg("aac", MPEG4["mp4-fragmented"], layouts=MPEG4_LAYOUTS)])
    yield ("flac", "flac", RATES, CHANNELS, True, [
        flac("-5"), flac("-8", bits=16), flac("-0", "-b", "1152"), ffmpeg("flac"), ffmpeg("flac", sample_fmt="s16"),
        flac("-8", "-b", "16384")])
    yield from pcm("aiff", PCM_BIG)
    yield from pcm("aifc", FLOAT_BIG + ["pcm_s16le"], "-f", "aiff")
    yield from pcm("caf", PCM_BIG[1:] + PCM_WAVE[1:] + FLOAT_BIG[:2])
    yield ("aifc", "adpcm_ima_qt", RATES, [1, 2], False, [ffmpeg("adpcm_ima_qt", ["-f", "aiff"])])
    yield ("caf", "adpcm_ima_qt", RATES, [1, 2], False, [ffmpeg("adpcm_ima_qt")])
    yield ("caf", "alac", RATES, CHANNELS, True, [
        ffmpeg("alac", layouts=MPEG4_LAYOUTS, sample_fmt=format) for format in ("s16p", "s32p")])
    yield ("caf", "opus", [48000], [1, 2], True, [ffmpeg("libopus")])
    yield from pcm("au", PCM_BIG + FLOAT_BIG)
    yield from pcm("wav", PCM_WAVE)
    yield ("wav", "adpcm_ima_wav", RATES, [1, 2], False, [ffmpeg("adpcm_ima_wav")])
    yield ("wav", "adpcm_ima_wav", RATES, [1, 2], True, [sox("-e", "ima-adpcm", bits=16)])
    yield from pcm("rf64", ["pcm_s16le", "pcm_s24le", "pcm_f32le"], "-rf64", "always")
    yield ("bw64", "pcm_s24le", RATES, CHANNELS, True, [
        renamed(ffmpeg("pcm_s24le", ["-rf64", "always"]), b"RF64", b"BW64")])
    yield ("rifx", "pcm_s16be", RATES, CHANNELS, True, [sox("-B", "-b", "16", bits=16)])
    yield ("rifx", "pcm_s24be", RATES, CHANNELS, True, [sox("-B", "-b", "24")])
    yield ("ogg", "vorbis", RATES, CHANNELS, True, [
        vorbis("-q", "3"), vorbis("-q", "-1"), ffmpeg("libvorbis"), ffmpeg("libvorbis", q_a=6)])
    yield ("ogg", "flac", RATES, CHANNELS, True, [flac("--ogg", "-5"), ffmpeg("flac")])
    yield ("ogg-opus", "opus", [48000], CHANNELS, True, [
        opus("--bitrate", "96"), opus("--hard-cbr", "--bitrate", "64", "--framesize", "10"), ffmpeg("libopus"),
        opus("--cvbr", "--framesize", "60"), ffmpeg("libopus", ["-frame_duration", "2.5"])])
    yield ("ogg-opus", "opus", [8000, 16000, 44100, 96000], CHANNELS, False, [opus()])
    yield ("ac3", "ac3", AC3_RATES, range(1, 7), False, [ffmpeg("ac3"), ffmpeg("ac3", b_a="448k")])
    yield ("amr", "amr_nb", [8000], [1], False, [sox("-t", "amr-nb"), sox("-t", "amr-nb", "-C", "0", bits=16)])


def further_kinds():
    """The same of codecs in containers that are not the usual ones."""
    yield ("wav", "mp3", MPEG_RATES, [1, 2], False, [ffmpeg("libmp3lame")])
    yield ("wav", "mp2", LAYER_2_RATES, [1, 2], False, [ffmpeg("mp2", b_a="96k")])
    yield ("wav", "ac3", AC3_RATES, range(1, 7), False, [ffmpeg("ac3")])
    for codec in ["pcm_u8", "pcm_s16be", "pcm_s16le", "pcm_s24be", "pcm_f32be", "pcm_alaw", "pcm_mulaw"]:
        yield ("mov", codec, [8000, 44100, 96000, 192000], [1, 2, 6], True, [ffmpeg(codec)])
    yield ("mov", "adpcm_ima_qt", RATES, [1, 2], False, [ffmpeg("adpcm_ima_qt")])
    yield ("mov", "mp3", MPEG_RATES, [1, 2], False, [ffmpeg("libmp3lame")])
    yield ("mov", "ac3", AC3_RATES, range(1, 7), False, [ffmpeg("ac3")])
    yield ("mp4", "mp2", LAYER_2_RATES, [1, 2], False, [ffmpeg("mp2", MPEG4["m4a"], b_a="96k")])
    yield ("caf", "mp3", MPEG_RATES, [1, 2], False, [ffmpeg("libmp3lame")])
    yield ("caf", "mp2", LAYER_2_RATES, [1, 2], False, [ffmpeg("mp2", b_a="96k")])
    yield ("caf", "ac3", AC3_RATES, range(1, 7), False, [ffmpeg("ac3")])
