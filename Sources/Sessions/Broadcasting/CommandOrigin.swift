import AudioCore
import Peering
import SecureChannel
import WireProtocol

/// Where a command came from, which is where its outcome goes.
enum CommandOrigin: Hashable {
    /// The broadcaster's own machine.
    case own(Asker)
    case connection(ConnectionID)
}

/// A command to listeners that have not all said that they are set so.
struct PendingSetting {
    var pending: PendingCommand
    var listeners: Set<ConnectionID>
    /// When it counts as done whatever they say.
    let deadline: HostTime
}

/// A command whose song is being opened: its outcome is known when that sounds.
struct PendingCommand {
    let command: Command
    /// Whoever asked last: the connection over which it was asked first may be gone.
    var origin: CommandOrigin
    /// Name and key of the peer that asked; nil for this machine's.
    let who: String
    let key: PeerKey?
    var text: String

    /// Whether it asks for a certain song, so that no other can stand in for it.
    var namesItsTarget: Bool {
        switch command.operation {
        case .programme(.jump), .programme(.previous): true
        default: false
        }
    }
}
