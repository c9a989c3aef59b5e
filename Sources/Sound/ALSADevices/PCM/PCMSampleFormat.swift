import CALSA

/// The sample formats that we can exchange with a device, best for playback first.
///
/// All little-endian, as every sound card on the machines that we build for takes them.
package enum PCMSampleFormat: String, CaseIterable, Sendable {
    case float32 = "32-bit float"
    case integer32 = "32-bit"
    /// Three bytes per sample.
    case integer24Packed = "24-bit"
    /// The low three bytes of four.
    case integer24 = "24-bit in 32"
    case integer16 = "16-bit"

    package var code: snd_pcm_format_t {
        switch self {
        case .float32: SND_PCM_FORMAT_FLOAT_LE
        case .integer32: SND_PCM_FORMAT_S32_LE
        case .integer24Packed: SND_PCM_FORMAT_S24_3LE
        case .integer24: SND_PCM_FORMAT_S24_LE
        case .integer16: SND_PCM_FORMAT_S16_LE
        }
    }

    package var byteCount: Int {
        switch self {
        case .float32, .integer32, .integer24: 4
        case .integer24Packed: 3
        case .integer16: 2
        }
    }
}
