import Cryptography
import Peering
import SecureChannel
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
            if pins != stored { try file.write(pins.fileText) }
            return pins
        }
    }
}

/// The file's format: a line that says what it is, and one for each name, with tabs between key, time of the last
/// meeting in seconds since 1970, whether the user named it, and the name; the one met last comes first.
///
///     tutti peers 1
///     6b5a5fda058a87a1a632476c4c43c185b3d2e05e4b7ee0c58f2d66bd8d4f1f3a	1763740800	named	Kitchen
///     0f9c2d7dd9b1b8b3e0f4f0a1f7e0ac8fb3a1c3c9d2f7c7d0a5c1e7d2b6e4a9f8	1763740000	met	Attic
extension PinnedNames {
    private static let header = "tutti peers 1"

    /// Of a file written by anything else nothing is guessed: it is byte for byte what ``fileText`` gives.
    init?(text bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first, first.elementsEqual(Self.header.utf8) else { return nil }
        let pins = lines.dropFirst().compactMap { Pin(line: $0) }
        guard pins.count == lines.count - 1 else { return nil }
        self.init(pins)
        guard fileText == bytes else { return nil }
    }

    var fileText: [UInt8] {
        let pins = all.sorted { ($1.lastMet, $0.name) < ($0.lastMet, $1.name) }
        return Array(([Self.header] + pins.map(\.line)).map { $0 + "\n" }.joined().utf8)
    }
}

extension PinnedNames.Pin {
    fileprivate var line: String { "\(key)\t\(lastMet)\t\(isNamed ? "named" : "met")\t\(name.text)" }

    fileprivate init?(line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 3)
            .compactMap { String(validating: $0, as: UTF8.self) }
        guard fields.count == 4, let key = PeerKey(hex: fields[0]), let time = Int64(fields[1]),
            let name = PeerName(fields[3])
        else { return nil }
        self.init(MetPeer(name, key, isNamed: fields[2] == "named"), lastMet: time)
    }
}

extension PeerKey {
    fileprivate init?(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == 2 * Bytes32.count,
            let bytes = Bytes32((0..<Bytes32.count).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) })
        else { return nil }
        self.init(bytes)
    }
}
