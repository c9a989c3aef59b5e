import WireProtocol

/// The last commands for this listener's sound that somebody at this machine gave: what comes back from the broadcaster
/// word for word, once, is this machine's own wish. By its number alone it could be made another one.
struct OwnCommands {
    /// Enough for all that are on the way.
    private static let capacity = 16

    private var commands: [Command] = []
    /// In lower case: a name is meant in any.
    private var names: Set<String>

    /// - Parameter name: the listener's.
    init(name: String) { names = [name.lowercased()] }

    /// The listener has another name by now. A broadcaster may know it by a former one.
    mutating func noteName(_ name: String) { names.insert(name.lowercased()) }

    /// Takes note of a command, if it is one for this listener's sound.
    mutating func note(_ command: Command) {
        guard case .listeners(_, let target) = command.operation, concerns(target), !commands.contains(command) else {
            return
        }
        commands.append(command)
        if commands.count > Self.capacity { commands.removeFirst() }
    }

    private func concerns(_ target: ListenerTarget) -> Bool {
        switch target {
        case .all: true
        case .named(let name): names.contains(name.lowercased())
        }
    }

    /// Returns whether a command was asked for here, and has not been obeyed yet.
    mutating func take(_ command: Command) -> Bool {
        guard let index = commands.firstIndex(of: command) else { return false }
        commands.remove(at: index)
        return true
    }

    /// Another broadcaster was asked nothing.
    mutating func forget() { commands = [] }
}
