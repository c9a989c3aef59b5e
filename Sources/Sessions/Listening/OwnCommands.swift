import WireProtocol

/// The last commands for listeners' sound that somebody at this machine gave: what comes back from the broadcaster word
/// for word is this machine's own wish. By its number alone it could be made another one.
struct OwnCommands {
    /// Enough for all that are on the way.
    private static let capacity = 16

    private var commands: [Command] = []

    /// Takes note of a command, if it is one for a listener's sound.
    mutating func note(_ command: Command) {
        guard case .listeners = command.operation else { return }
        commands.append(command)
        if commands.count > Self.capacity { commands.removeFirst() }
    }

    func contains(_ command: Command) -> Bool { commands.contains(command) }
}
