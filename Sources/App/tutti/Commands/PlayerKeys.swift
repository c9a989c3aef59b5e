import AudioCore
import Synchronization
import TerminalIO
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
            case " ": self = .togglePause
            case "+", "=": self = .changeVolume(by: Volume.step)
            case "-": self = .changeVolume(by: -Volume.step)
            case "m": self = .toggleMute
            case "n": self = .nextSong
            case "p": self = .previousSong
            default: return nil
            }
        default: return nil
        }
    }
}

/// Passes keys to a player, and knows whether a key ended it.
final class QuitKey: Sendable {
    private let isPressed = Atomic(false)

    var wasPressed: Bool { isPressed.load(ordering: .acquiring) }

    func take(_ key: Key, _ player: Player) {
        guard key == .character("q") else {
            if let command = PlayerCommand(key) { player.perform(command) }
            return
        }
        isPressed.store(true, ordering: .releasing)
        player.stop()
    }
}
