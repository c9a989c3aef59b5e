import SecureChannel

/// This user's key in the state directory, for the user alone: the seed that all of a peer's keys follow from, as the
/// text of a `PeerKeyPair`.
struct KeyFile: Sendable {
    static let fileName = "key"
    /// More than it has.
    private static let byteCountLimit = 128

    private let file: PrivateFile

    init(directory: StateDirectory) {
        file = PrivateFile(
            directory: directory, name: Self.fileName, byteCountLimit: Self.byteCountLimit,
            whenDamaged: .setAside(
                consequence: "other machines see this one as a new peer, and have to be paired with it again"))
    }

    /// Returns the keys, which are made if there are none.
    func keys() throws(PrivateFileError) -> PeerKeyPair {
        if let keys = try file.load(PeerKeyPair.init(text:)) { return keys }
        return try file.exclusively { () throws(PrivateFileError) in
            // Another process may have been faster.
            if let keys = try file.loadLocked(PeerKeyPair.init(text:)) { return keys }
            let keys = PeerKeyPair.random()
            try file.write(keys.text)
            removeFormerIdentity()
            return keys
        }
    }

    /// Returns the keys; nil if there are none. Changes nothing.
    func existingKeys() throws(PrivateFileError) -> PeerKeyPair? { try file.look(PeerKeyPair.init(text:)) }

    /// Makes new keys, and gives the file of the former ones another name.
    /// - Returns: the path that it has now.
    func replace() throws(PrivateFileError) -> String {
        try file.exclusively { () throws(PrivateFileError) in
            let former = try file.setAside(as: "former")
            try file.write(PeerKeyPair.random().text)
            return former
        }
    }

    /// Releases up to 0.2 kept a random UUID in a file of its own. Should it stay, nobody reads it.
    private func removeFormerIdentity() { try? file.directory.remove("identity") }
}
