import AudioCore
import CALSA
import Glibc
import Playout

/// The direction of sound through a device.
public enum PCMDirection: Sendable {
    case playback, capture
}

/// An open PCM; closes when it goes out of scope.
package struct PCMHandle: ~Copyable, @unchecked Sendable {
    package let pointer: OpaquePointer
    package let name: String

    /// Opens a PCM without waiting: a busy device is refused.
    package init(name: String, _ direction: PCMDirection = .playback) throws(OutputDeviceError) {
        calsa_silence()
        var pointer: OpaquePointer?
        let code = snd_pcm_open(&pointer, name, direction.code, Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let pointer else { throw Self.openError(code, name: name) }
        self.pointer = pointer
        self.name = name
    }

    deinit { snd_pcm_close(pointer) }

    /// Whether a sound card's own interrupts pace this PCM, even through conversions. PCMs of sound servers and other
    /// plugins have no card; real-time priority can then starve the very process that serves them.
    package var isHardware: Bool { card != nil }

    /// The name, and the card behind it: `hw:1, Generic USB Audio at usb-0000:00:14.0-2, full speed`. The same name may
    /// mean another card after something was plugged in or out. Which card a sound server feeds is unknown.
    package var identity: String {
        var parts = [name]
        var longName: UnsafeMutablePointer<CChar>?
        if let card, snd_card_get_longname(card, &longName) >= 0, let longName {
            parts.append(String(cString: longName))
            free(longName)
        }
        return String(displaying: parts.joined(separator: ", "), maximumByteCount: 200)
    }

    /// The number of the sound card, if there is one.
    private var card: Int32? {
        var info: OpaquePointer?
        guard snd_pcm_info_malloc(&info) >= 0, let info else { return nil }
        defer { snd_pcm_info_free(info) }
        guard snd_pcm_info(pointer, info) >= 0 else { return nil }
        let card = snd_pcm_info_get_card(info)
        return card >= 0 ? card : nil
    }

    /// Whether the plugin of a sound server is at the end of the chain. Those for PulseAudio, PipeWire and JACK call
    /// themselves `ALSA <-> … PCM I/O Plugin`.
    var isSoundServer: Bool { chain.contains("ALSA <-> ") }

    /// ALSA's words for the plugins that are behind the name.
    private var chain: String {
        var output: OpaquePointer?
        guard snd_output_buffer_open(&output) >= 0, let output else { return "" }
        defer { snd_output_close(output) }
        var text: UnsafeMutablePointer<CChar>?
        guard snd_pcm_dump(pointer, output) >= 0, case let count = snd_output_buffer_string(output, &text), let text
        else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// Interprets the error numbers of `snd_pcm_open`. An undefined name, a card that does not exist and a card that
    /// this user may not use are all `ENOENT`, so we check which cards exist.
    private static func openError(_ code: Int32, name: String) -> OutputDeviceError {
        switch -code {
        case ENOENT, ENODEV, ENXIO, EINVAL:
            if ForbiddenCards().mayBe(name) {
                .notPermitted(device: name)
            } else {
                name == "default" && !hasCard ? .noDevice : .unknownDevice(name: name)
            }
        default:
            ALSACall.error(code, "open", device: name)
        }
    }

    private static var hasCard: Bool {
        var card: Int32 = -1
        return snd_card_next(&card) >= 0 && card >= 0
    }
}

extension PCMDirection {
    fileprivate var code: snd_pcm_stream_t {
        self == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    }
}

// Not thread-safe: whoever holds the handle is its only user, which ~Copyable enforces.
