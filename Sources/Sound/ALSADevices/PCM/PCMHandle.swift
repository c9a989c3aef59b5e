import AudioCore
import CALSA
import Glibc
import Playout

/// Which way sound goes through a device.
public enum PCMDirection: Sendable {
    case playback, capture
}

/// An open PCM; closes when it goes out of scope.
package struct PCMHandle: ~Copyable, @unchecked Sendable {
    package let pointer: OpaquePointer
    package let name: String

    /// Opens without waiting: a device that is in use is refused, not waited for.
    package init(name: String, _ direction: PCMDirection = .playback) throws(OutputDeviceError) {
        calsa_silence()
        var pointer: OpaquePointer?
        let code = snd_pcm_open(&pointer, name, direction.code, Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let pointer else { throw Self.openError(code, name: name) }
        self.pointer = pointer
        self.name = name
    }

    deinit { snd_pcm_close(pointer) }

    /// Whether a sound card's own interrupts pace this PCM, be it through conversions. PCMs of sound servers and
    /// other plugins have no card; real-time priority there can starve the very process that serves them.
    package var isHardware: Bool { card != nil }

    /// The name, and which card is behind it: `hw:1, Generic USB Audio at usb-0000:00:14.0-2, full speed`. Names go to
    /// another card when something is plugged in or out. Of a sound server nobody tells which card it feeds.
    package var identity: String {
        var parts = [name]
        var longName: UnsafeMutablePointer<CChar>?
        if let card, snd_card_get_longname(card, &longName) >= 0, let longName {
            parts.append(String(cString: longName))
            free(longName)
        }
        return String(displaying: parts.joined(separator: ", "), maximumByteCount: 200)
    }

    /// The number of the sound card; nil where there is none.
    private var card: Int32? {
        var info: OpaquePointer?
        guard snd_pcm_info_malloc(&info) >= 0, let info else { return nil }
        defer { snd_pcm_info_free(info) }
        guard snd_pcm_info(pointer, info) >= 0 else { return nil }
        let card = snd_pcm_info_get_card(info)
        return card >= 0 ? card : nil
    }

    /// What `snd_pcm_open` means by its error numbers. A name that no configuration defines, a card that does not exist
    /// and one that this user may not use are all `ENOENT`, so we look which cards there are.
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

// Not safe for calls from two threads at once: whoever holds the handle is its only user, which ~Copyable enforces.
