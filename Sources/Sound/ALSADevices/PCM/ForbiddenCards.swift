import CALSA
import Glibc

/// The sound cards that this user may not use.
///
/// libasound skips a card whose control device it may not open, as if it did not exist: it lists none of its devices,
/// and reports that `hw:0` and `default` do not exist. So we check the kernel's device files ourselves.
struct ForbiddenCards {
    /// Ascending.
    let numbers: [Int]

    private static let directory = "/dev/snd"
    /// The greatest `SNDRV_CARDS` and `SNDRV_PCM_DEVICES` of the kernel.
    private static let cardLimit = 256
    private static let deviceLimit = 32

    /// Checks all cards by opening each control device for a moment.
    init() {
        numbers = (0..<Self.cardLimit).filter { number in
            let descriptor = open("\(Self.directory)/controlC\(number)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor < 0 else {
                close(descriptor)
                return false
            }
            return errno == EACCES || errno == EPERM
        }
    }

    /// Whether a name that libasound does not find may stand for one of these cards.
    func mayBe(_ name: String) -> Bool {
        guard !numbers.isEmpty, Self.isDefined(name) else { return false }
        return Self.cardNumber(name).map(numbers.contains) ?? true
    }

    /// Whether a card has a PCM device of this direction.
    static func hasPCM(_ number: Int, _ direction: PCMDirection) -> Bool {
        let suffix = direction == .playback ? "p" : "c"
        return (0..<deviceLimit).contains { access("\(directory)/pcmC\(number)D\($0)\(suffix)", F_OK) == 0 }
    }

    /// Whether ALSA's configuration defines the part of a name before its arguments: `hw` of `hw:0`.
    private static func isDefined(_ name: String) -> Bool {
        var configuration: OpaquePointer?
        guard snd_config_update_ref(&configuration) >= 0, let configuration else { return false }
        defer { snd_config_unref(configuration) }
        var definition: OpaquePointer?
        return snd_config_search(configuration, "pcm." + name.prefix { $0 != ":" }, &definition) >= 0
    }

    /// The card number in a name: `hw:0`, `plughw:CARD=0,DEV=3`.
    private static func cardNumber(_ name: String) -> Int? {
        let arguments = name.drop { $0 != ":" }.dropFirst().split(separator: ",")
        guard let named = arguments.first(where: { $0.hasPrefix("CARD=") }) else {
            return arguments.first.flatMap { Int($0) }
        }
        return Int(named.dropFirst("CARD=".count))
    }
}
