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
    /// What a listener must say.
    enum Word {
        /// How it is set, once more.
        case settings
        /// That it plays by the group's volume, so often since it joined.
        case groupVolume(count: Int)
    }

    var pending: PendingCommand
    /// The listeners that it was sent to and that have not said so yet.
    var awaited: [ConnectionID: Word]
    /// When it counts as done whatever they say.
    let deadline: HostTime
}

/// A command whose song is being opened: its outcome is known when that sounds.
struct PendingCommand {
    let command: Command
    /// Where the peer asked, the last one last: connections may be gone, and listeners of one machine pass on the same
    /// command.
    private(set) var origins: [CommandOrigin]
    /// Name and key of the peer that asked; nil for this machine's.
    let who: String
    let key: PeerKey?
    var text: String

    init(command: Command, origin: CommandOrigin, who: String, key: PeerKey?, text: String) {
        (self.command, origins, self.who, self.key, self.text) = (command, [origin], who, key, text)
    }

    /// Takes note that the same peer asked once more.
    mutating func noteAsked(from origin: CommandOrigin) {
        origins = origins.filter { $0 != origin }.suffix(Self.originCount - 1) + [origin]
    }

    /// Adds something that is to be told with the outcome.
    mutating func add(_ further: String) { text = text.isEmpty ? further : "\(text); \(further)" }

    private static let originCount = 4

    /// Whether it asks for another place of the song.
    var isSeek: Bool {
        switch command.operation {
        case .programme(.seek), .programme(.skip): true
        default: false
        }
    }

    /// Whether it asks for a certain song, so that no other can stand in for it.
    var namesItsTarget: Bool {
        switch command.operation {
        case .programme(.jump), .programme(.previous): true
        default: false
        }
    }
}
