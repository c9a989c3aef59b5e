import Peering
import TuttiRuntime

/// Which name of a peer belongs to which key, in the state directory: a file for the user alone, since whoever can
/// write it decides who is taken for whom.
///
/// Each change reads, merges and writes under the directory's lock: several processes of one user meet peers.
struct PinFile: PinStore {
    static let fileName = "peers"
    /// More than ``PinnedNames/capacity`` lines have: key, time, a word and a name with tabs between them.
    private static let byteCountLimit = PinnedNames.capacity * (64 + 20 + 5 + PeerName.byteCountLimit + 4) + 64

    private let file: PrivateFile

    init(directory: StateDirectory) {
        file = PrivateFile(
            directory: directory, name: Self.fileName, byteCountLimit: Self.byteCountLimit,
            whenDamaged: .setAside(consequence: "whoever comes next under a name is taken for its owner"))
    }

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> PinFile? { StateDirectory.standard().map(PinFile.init) }

    func load() throws(MemoryFailure) -> PinnedNames {
        do throws(PrivateFileError) {
            return try file.load { PinnedNames(text: $0) } ?? PinnedNames()
        } catch {
            throw MemoryFailure("\(error)")
        }
    }

    func note(_ peers: [MetPeer], at time: Int64) throws(MemoryFailure) -> PinnedNames {
        do throws(PrivateFileError) {
            return try change { pins in for peer in peers { pins.note(peer, at: time) } }
        } catch {
            throw MemoryFailure("\(error)")
        }
    }

    /// Lets a name belong to nobody.
    /// - Returns: its pin, nil if there was none; and the pins that are left.
    func forget(_ name: PeerName) throws(PrivateFileError) -> (forgotten: PinnedNames.Pin?, left: PinnedNames) {
        var forgotten: PinnedNames.Pin?
        let left = try change { forgotten = $0.forget(name) }
        return (forgotten, left)
    }

    private func change(_ change: (inout PinnedNames) -> Void) throws(PrivateFileError) -> PinnedNames {
        try file.exclusively { () throws(PrivateFileError) in
            let stored = try file.loadLocked { PinnedNames(text: $0) } ?? PinnedNames()
            var pins = stored
            change(&pins)
            if pins != stored { try file.write(pins.text) }
            return pins
        }
    }
}
