import AudioCore

// How machines tell each other what they find: a line a finding, its fields separated by tabs. Nothing that a peer says
// is believed to be what it should: it is bounded, made fit to be shown, and passed over where it makes no sense.

extension Finding {
    private static let fieldByteCount = 400
    private static let identifierByteCount = 60
    private static let countLimit = 64

    /// Severity, id, what, why and remedy; the last two may be empty.
    public var tabs: String {
        [severity.rawValue, id, what, why ?? "", remedy ?? ""]
            .map { String(displaying: $0, maximumByteCount: Self.fieldByteCount) }.joined(separator: "\t")
    }

    /// What a peer found, but for what is as it should be.
    /// - Parameter machine: the peer's name.
    static func findings(tabs bytes: [UInt8], of machine: String) -> [Finding] {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return Array(lines.lazy.compactMap { Finding(tabs: $0, of: machine) }.prefix(countLimit))
    }

    private init?(tabs line: Substring, of machine: String) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            .map { String(displaying: $0, maximumByteCount: Self.fieldByteCount) }
        guard fields.count >= 5, let severity = Severity(rawValue: fields[0]), severity > .ok, !fields[1].isEmpty else {
            return nil
        }
        self.init(
            String(displaying: fields[1], maximumByteCount: Self.identifierByteCount), severity, fields[2],
            why: fields[3].isEmpty ? nil : fields[3], remedy: fields[4].isEmpty ? nil : fields[4])
        self.machine = String(heard: machine)
    }
}
