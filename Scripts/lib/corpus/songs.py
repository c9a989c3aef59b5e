"""A song of the corpus: what it is, how it sounds, where it is written."""
import os
import subprocess

# What is encoded may have any of these rates, in hertz, and channels.
RATES = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 176400, 192000]
MPEG_RATES = RATES[:9]
LAYER_2_RATES = [16000, 22050, 24000, 32000, 44100, 48000]
AC3_RATES = [32000, 44100, 48000]
AAC_RATES = RATES[:12]
# What SAMPLES has, after replication; where nothing tells of it, that is looked for up to a core of 24 kHz.
HE_AAC_RATES = [96000, 48000, 16000, 44100]
IMPLICIT_RATES = [rate for rate in HE_AAC_RATES if rate <= 48000]
CHANNELS = range(1, 9)
LAYOUTS = ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"]
# Channels as MPEG-4 and ALAC know them.
MPEG4_LAYOUTS = ["mono", "stereo", "3.0", "4.0", "5.0", "5.1", "6.1(back)", "7.1(wide)"]
SAMPLES = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Samples"))
TITLE, ARTIST, ALBUM = "Prüfung of %d", "Conformance", "Corpus"
EXTENSIONS = {"adts": "aac", "ogg-opus": "opus", "rifx": "wav", "rf64": "wav", "bw64": "wav", "mp4-fragmented": "mp4",
              "mp4-tail": "m4a", "m4a": "m4a", "mp1-free": "mp1"}
FFMPEG = ["ffmpeg", "-y", "-nostdin", "-loglevel", "error", "-threads", "1"]


class Song:
    """One file to be made: what it is, and the sources at hand for it."""

    def __init__(self, directory, number, container, codec, rate, channels, is_short):
        self.number, self.container, self.codec, self.rate, self.channels = number, container, codec, rate, channels
        self.has_tags, self.has_artwork = number % 3 != 0, number % 6 == 1
        # Never a whole number of packets; the shorter the more bytes there are in a second.
        seconds = 4 if rate * channels <= 48000 else 3 if rate * channels <= 96000 else 2
        self.frames = rate // 10 if is_short else seconds * rate + 7 * number % 997
        self.title = TITLE % number
        self.directory = directory
        self.variant = ""

    @property
    def name(self):
        extension = EXTENSIONS.get(self.container, self.container)
        return f"{self.number:03}-{self.codec}-{self.rate}-{self.channels}.{extension}"

    @property
    def path(self):
        return os.path.join(self.directory, self.name)

    @property
    def source(self):
        """The signal as an input of ffmpeg."""
        expressions = "|".join(signal(self.number, channel) for channel in range(self.channels))
        graph = f"aevalsrc=exprs='{expressions}':c={LAYOUTS[self.channels - 1]}:s={self.rate}"
        return ["-f", "lavfi", "-i", f"{graph},atrim=end_sample={self.frames}"]

    def write_source(self, bits):
        """The signal as a WAVE file, which goes with the song's maker."""
        run(FFMPEG + self.source + ["-c:a", f"pcm_s{bits}le", self.source_path])
        return self.source_path

    @property
    def twin_path(self):
        """The same sound where who else reads the song does not know such."""
        return os.path.join(self.directory, f".{self.number:03}.twin")

    @property
    def source_path(self):
        return os.path.join(self.directory, f".{self.number:03}.wav")


def signal(number, channel):
    """An expression for ffmpeg's aevalsrc; each channel has its own."""
    hertz = 110 + 37 * channel
    seed = channel
    return [
        f"0.5*sin(2*PI*t*({hertz}+300*t))",
        # Noise that comes and goes.
        f"0.4*(2*random({seed})-1)*(0.5+0.5*sin(2*PI*t*{2 + channel}))",
        # Vowels and hisses: harmonics under an envelope of syllables.
        f"(0.2*sin(2*PI*{hertz}*t)+0.1*sin(4*PI*{hertz}*t)+0.08*sin(14*PI*{hertz}*t)+0.05*(2*random({seed})-1))"
        f"*gt(sin(2*PI*t*3+{channel}),-0.3)",
        # Silence with a click, and a tone at the end.
        f"0.7*between(t,0.5,0.501)+0.3*gt(t,1.2)*sin(2*PI*{hertz * 3}*t)",
    ][number % 4]


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()[-400:]}")
