import AudioCore
import WireProtocol

/// The records as text to be stored: a line for each record, with kind, value, time and name separated by tabs.
///
///     clock	12.345	1763740800	00112233-4455-6677-8899-aabbccddeeff
///     card	-34.200	1763740800	hw:1, USB Audio DAC at 48000
///     offset	-35000.000	1763740800	hw:1, USB Audio DAC
///     volume	40.000	1763740800	hw:1, USB Audio DAC
///     muted	1.000	1763740800	hw:1, USB Audio DAC
///     role	-1.000	1763740800	hw:1, USB Audio DAC
///
/// A line of this form, but another kind is left out, and so is one that makes no sense: it marks the file as damaged.
/// Of each kind the ``capacity`` records used last are kept.
package struct MemoryFile: Hashable, Sendable {
    package static let capacity = 64
    /// Bytes of a name. With ``capacity`` names of six kinds the file stays below what is read of it.
    package static let nameByteCount = 256

    package var records: [MemorySubject: MemoryRecord] = [:]
    /// Whether a line made no sense.
    package private(set) var isDamaged = false

    package init() {}

    package init(_ bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count == 4, let value = Double(fields[1]), abs(value) <= 1e7, let time = Int64(fields[2])
            else {
                isDamaged = true
                continue
            }
            if let subject = MemorySubject(kind: fields[0], name: fields[3]) {
                records[subject] = MemoryRecord(value: value, unixSeconds: time)
            } else if MemorySubject.kinds.contains(fields[0]) {
                isDamaged = true
            }
        }
    }

    package var bytes: [UInt8] {
        let newest = records.map { (time: $1.unixSeconds, name: $0.name, kind: $0.kind, value: $1.value) }
            .sorted { ($0.time, $0.name, $0.kind) > ($1.time, $1.name, $1.kind) }
        var counts: [String: Int] = [:]
        var text = ""
        for (time, name, kind, value) in newest {
            counts[kind, default: 0] += 1
            guard counts[kind] ?? 0 <= Self.capacity else { continue }
            text += "\(kind)\t\(value.fixed(3))\t\(time)\t\(name)\n"
        }
        return Array(text.utf8)
    }
}

extension MemorySubject {
    fileprivate static let kinds: Set<Substring> = ["clock", "card", "offset", "volume", "muted", "role"]

    fileprivate init?(kind: Substring, name: Substring) {
        guard name.utf8.count <= MemoryFile.nameByteCount else { return nil }
        switch kind {
        case "clock":
            guard let uuid = UUIDBytes(name) else { return nil }
            self = .clock(uuid)
        case "card": self = .card(Self.displayed(name))
        case "offset": self = .offset(Self.displayed(name))
        case "volume": self = .volume(Self.displayed(name))
        case "muted": self = .muted(Self.displayed(name))
        case "role": self = .role(Self.displayed(name))
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
            Self.displayed(name)
        }
    }

    private static func displayed(_ name: some StringProtocol) -> String {
        String(displaying: name, maximumByteCount: MemoryFile.nameByteCount)
    }
}
