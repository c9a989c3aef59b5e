import AudioCore
import Synchronization
import TuttiRuntime

extension PlayerCommand {
    /// What a key tells the player; nil for one that tells nothing.
    init?(_ key: Key) {
        switch key {
        case .left: self = .seek(by: .seconds(-5))
        case .right: self = .seek(by: .seconds(5))
        case .up: self = .changeVolume(by: 0.05)
        case .down: self = .changeVolume(by: -0.05)
        case .character(let character):
            switch character {
            case UInt8(ascii: " "): self = .togglePause
            case UInt8(ascii: "m"): self = .toggleMute
            case UInt8(ascii: "n"): self = .nextSong
            case UInt8(ascii: "p"): self = .previousSong
            default: return nil
            }
        }
    }
}

/// Brings keys to a player, and knows whether it was one of them that ended it.
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
