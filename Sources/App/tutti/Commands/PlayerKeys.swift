import AudioCore
import Synchronization
import TuttiRuntime

extension PlayerCommand {
    /// The command for a key; nil if the key has none.
    init?(_ key: Key) {
        switch key {
        case .left: self = .seek(by: .seconds(-5))
        case .right: self = .seek(by: .seconds(5))
        case .up: self = .changeVolume(by: Volume.step)
        case .down: self = .changeVolume(by: -Volume.step)
        case .character(let character):
            switch character {
            case UInt8(ascii: " "): self = .togglePause
            case UInt8(ascii: "+"), UInt8(ascii: "="): self = .changeVolume(by: Volume.step)
            case UInt8(ascii: "-"): self = .changeVolume(by: -Volume.step)
            case UInt8(ascii: "m"): self = .toggleMute
            case UInt8(ascii: "n"): self = .nextSong
            case UInt8(ascii: "p"): self = .previousSong
            default: return nil
            }
        }
    }
}

/// Passes keys to a player, and knows whether a key ended it.
final class QuitKey: Sendable {
    private let isPressed = Atomic(false)

    var wasPressed: Bool { isPressed.load(ordering: .acquiring) }

    func take(_ key: Key, _ player: Player) {
        guard key == .character(UInt8(ascii: "q")) else {
            if let command = PlayerCommand(key) { player.perform(command) }
            return
        }
        isPressed.store(true, ordering: .releasing)
        player.stop()
    }
}
