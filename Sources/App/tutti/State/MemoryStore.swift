import AudioCore
import Glibc
import TuttiRuntime
import WireProtocol

/// Rates and loudspeaker settings in one small file of the state directory, replaced whole under a lock: processes that
/// write at the same moment do not overwrite each other's records.
struct MemoryStore: ListenerMemory {
    static let fileName = "memory"

    let directory: StateDirectory

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> MemoryStore? { StateDirectory.standard().map(MemoryStore.init) }

    func load() -> [MemorySubject: MemoryRecord] { ((try? contents()) ?? MemoryFile()).records }

    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure) {
        do throws(StateError) {
            try directory.exclusively { () throws(StateError) in
                var file = try contents()
                file.records[subject] = record
                try directory.write(file.bytes, to: Self.fileName)
            }.get()
        } catch {
            throw MemoryFailure("\(error)")
        }
    }

    private func contents() throws(StateError) -> MemoryFile {
        try directory.read(Self.fileName).map(MemoryFile.init) ?? MemoryFile()
    }
}

/// The file's format: a line for each record, with kind, value, time and name separated by tabs.
///
///     clock	12.345	1763740800	00112233-4455-6677-8899-aabbccddeeff
///     card	-34.200	1763740800	hw:1, USB Audio DAC at 48000
///     offset	-35000.000	1763740800	hw:1, USB Audio DAC
///     volume	40.000	1763740800	hw:1, USB Audio DAC
///     muted	1.000	1763740800	hw:1, USB Audio DAC
///     role	-1.000	1763740800	hw:1, USB Audio DAC
///
/// Any other line is left out. Of each kind the ``capacity`` records used last are kept.
struct MemoryFile: Hashable, Sendable {
    static let capacity = 64
    /// Bytes of a name. With ``capacity`` names of six kinds the file stays below what is read of it.
    static let nameByteCount = 256

    var records: [MemorySubject: MemoryRecord] = [:]

    init() {}

    init(_ bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count == 4, let value = Double(fields[1]), abs(value) <= 1e7, let time = Int64(fields[2]),
                let subject = MemorySubject(kind: fields[0], name: fields[3])
            else { continue }
            records[subject] = MemoryRecord(value: value, unixSeconds: time)
        }
    }

    var bytes: [UInt8] {
        let newest = records.sorted { ($0.value.unixSeconds, $0.key.name) > ($1.value.unixSeconds, $1.key.name) }
        var counts: [String: Int] = [:]
        var text = ""
        for (subject, record) in newest {
            counts[subject.kind, default: 0] += 1
            guard counts[subject.kind] ?? 0 <= Self.capacity else { continue }
            text += "\(subject.kind)\t\(record.value.fixed(3))\t\(record.unixSeconds)\t\(subject.name)\n"
        }
        return Array(text.utf8)
    }
}

extension MemorySubject {
    fileprivate init?(kind: Substring, name: Substring) {
        guard name.utf8.count <= MemoryFile.nameByteCount else { return nil }
        switch kind {
        case "clock":
            guard let uuid = UUIDBytes(name) else { return nil }
            self = .clock(uuid)
        case "card": self = .card(String(name))
        case "offset": self = .offset(String(name))
        case "volume": self = .volume(String(name))
        case "muted": self = .muted(String(name))
        case "role": self = .role(String(name))
        default: return nil
        }
    }

    fileprivate var kind: String {
        switch self {
        case .clock: "clock"
        case .card: "card"
        case .offset: "offset"
        case .volume: "volume"
        case .muted: "muted"
        case .role: "role"
        }
    }

    /// The name without anything that could end a line.
    fileprivate var name: String {
        switch self {
        case .clock(let uuid): uuid.description
        case .card(let name), .offset(let name), .volume(let name), .muted(let name), .role(let name):
            String(displaying: name, maximumByteCount: MemoryFile.nameByteCount)
        }
    }
}
