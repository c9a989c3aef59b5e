import AudioCore
import TuttiRuntime
import WireProtocol

/// The identity of this user's Tutti: a UUID made once and kept in the state directory.
///
/// All of a user's processes share it, however many start at the same moment. Never fails: if it cannot be stored, this
/// process gets one of its own, with a warning.
struct IdentityStore: Sendable {
    struct Loaded {
        var identity: Identity
        var warnings: [String] = []
    }

    private static let fileName = "identity"

    /// Nil if there is no directory to keep anything in.
    let directory: StateDirectory?
    let hostName: String

    static func standard() -> IdentityStore {
        IdentityStore(directory: .standard(), hostName: Identity.hostName)
    }

    /// Returns the identity of this process; its instance is new at each call.
    func identity() -> Loaded {
        var loaded = Loaded(identity: Identity(name: hostName))
        guard let directory else {
            loaded.warnings.append("HOME is not set: this run has an identity of its own, others see it as a new peer")
            return loaded
        }
        do throws(StateError) {
            let kept = try Self.kept(in: directory, orElse: loaded.identity.peer)
            loaded.identity.peer = kept.peer
            if kept.isRepaired {
                let path = directory.path(of: Self.fileName)
                loaded.warnings.append("\(path) was damaged and is made anew: others see this machine as a new peer")
            }
        } catch {
            loaded.warnings.append("\(error): this run has an identity of its own, others see it as a new peer")
        }
        return loaded
    }

    private static func kept(
        in directory: StateDirectory, orElse new: UUIDBytes
    ) throws(StateError) -> (peer: UUIDBytes, isRepaired: Bool) {
        if let peer = try directory.read(fileName).flatMap(parse) { return (peer, false) }
        return try directory.exclusively { () throws(StateError) -> (peer: UUIDBytes, isRepaired: Bool) in
            // Another process may have been faster.
            let bytes = try directory.read(fileName)
            if let peer = bytes.flatMap(parse) { return (peer, false) }
            try directory.write(Array("\(new)\n".utf8), to: fileName)
            return (new, bytes != nil)
        }.get()
    }

    private static func parse(_ bytes: [UInt8]) -> UUIDBytes? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let uuid = UUIDBytes(text.last == "\n" ? text.dropLast() : text[...]) else { return nil }
        return uuid == UUIDBytes(high: 0, low: 0) ? nil : uuid
    }
}
