import WireProtocol

/// The last commands that somebody at this machine gave: those that come back from the broadcaster are its own wishes.
struct OwnCommands {
    /// Enough for all that are on the way.
    private static let capacity = 16

    private var ids: [CommandID] = []

    mutating func note(_ id: CommandID) {
        ids.append(id)
        if ids.count > Self.capacity { ids.removeFirst() }
    }

    func contains(_ id: CommandID) -> Bool { ids.contains(id) }
}
