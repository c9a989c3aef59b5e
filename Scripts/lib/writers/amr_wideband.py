"""Writes AMR-WB (RFC 4867 section 5) with VisualOn's encoder, through its library: Debian has no program that does."""
import array
import ctypes

MAGIC = b"#!AMR-WB\n"
FRAME_SAMPLES = 320
# kbit/s of each mode.
BIT_RATES = [6.60, 8.85, 12.65, 14.25, 15.85, 18.25, 19.85, 23.05, 23.85]
LIBRARY = "libvo-amrwbenc.so.0"


def is_installed():
    try:
        ctypes.CDLL(LIBRARY)
        return True
    except OSError:
        return False


def encode(samples, mode, is_discontinuous):
    """Frames of 20 ms, headers included. `samples` are bytes of 16-bit mono at 16 kHz in the machine's order, the last
    frame is filled with silence. `mode` gives the mode of each frame; where speech pauses, a discontinuous transmission
    has descriptions of noise (SID), and frames with nothing in them."""
    library = ctypes.CDLL(LIBRARY)
    library.E_IF_init.restype = ctypes.c_void_p
    library.E_IF_encode.argtypes = [
        ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_char_p, ctypes.c_int]
    library.E_IF_exit.argtypes = [ctypes.c_void_p]
    speech = array.array("h", samples)
    speech.extend([0] * (-len(speech) % FRAME_SAMPLES))
    frame = (ctypes.c_short * FRAME_SAMPLES)
    output = ctypes.create_string_buffer(64)
    state = library.E_IF_init()
    frames = []
    for start in range(0, len(speech), FRAME_SAMPLES):
        count = library.E_IF_encode(
            state, mode(start // FRAME_SAMPLES), frame(*speech[start:start + FRAME_SAMPLES]), output,
            int(is_discontinuous))
        assert 0 < count <= 61, count
        frames.append(output.raw[:count])
    library.E_IF_exit(state)
    return frames


# Header included, by frame type: modes, noise, and those without anything (3GPP TS 26.201 table 1a).
_BYTE_COUNTS = dict(enumerate([18, 24, 33, 37, 41, 47, 51, 59, 61, 6])) | {14: 1, 15: 1}


def frames(data):
    """The frames of a file."""
    result, start = [], len(MAGIC)
    while start < len(data):
        size = _BYTE_COUNTS[data[start] >> 3 & 15]
        result.append(data[start:start + size])
        start += size
    return result
