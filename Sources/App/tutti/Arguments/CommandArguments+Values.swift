import AudioCore
import Peering
import TerminalIO
import TuttiRuntime
import enum WireProtocol.WireLimits

extension CommandArguments {
    /// Parses a whole number within a range. Returns nil if the option was not given.
    func integer(
        _ option: CommandSyntax.Option, in range: ClosedRange<Int64>, unit: String = ""
    ) throws(UsageError) -> Int64? {
        guard let text = value(of: option) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            let unit = unit.isEmpty ? "" : " \(unit)"
            throw UsageError(
                option, "takes a whole number from \(range.lowerBound) to \(range.upperBound)\(unit), not '\(text)'")
        }
        return number
    }

    func volume(_ option: CommandSyntax.Option) throws(UsageError) -> Volume? {
        let range = Int64(Volume.range.lowerBound)...Int64(Volume.range.upperBound)
        return try integer(option, in: range, unit: "percent").map { Volume(percent: Int($0)) }
    }

    /// Parses `FROM-TO` or `FROM-TO=PERCENT`, over all uses of the option.
    func quietHours(_ option: CommandSyntax.Option) throws(UsageError) -> [QuietHours] {
        var all: [QuietHours] = []
        for text in values(of: option) {
            guard let hours = QuietHours(text) else {
                throw UsageError(
                    option,
                    "takes two different times of day, and a volume from 0 to 100 if not silence: "
                        + "22:00-07:00 or 22:00-07:00=20, not '\(text)'")
            }
            all.append(hours)
        }
        return all
    }

    func role(_ option: CommandSyntax.Option) throws(UsageError) -> ChannelRole? {
        guard let text = value(of: option) else { return nil }
        if let role = ChannelRole(text) { return role }
        throw UsageError(
            option,
            "takes stereo, left, right, mono, or a channel's number from 1 to "
                + "\(Limits.channelRange.upperBound), not '\(text)'")
    }

    /// `off` if the option was not given.
    func loudness(_ option: CommandSyntax.Option) throws(UsageError) -> LoudnessMode {
        guard let text = value(of: option) else { return .off }
        if let mode = LoudnessMode(rawValue: text) { return mode }
        throw UsageError(option, "takes track, album or off, not '\(text)'")
    }

    /// Parses a length of time in seconds, fractions allowed.
    func seconds(_ option: CommandSyntax.Option, in range: ClosedRange<Double>) throws(UsageError) -> TimeSpan? {
        guard let text = value(of: option) else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw UsageError(
                option, "takes seconds from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return TimeSpan(seconds: number)
    }

    /// Parses a length of time with its unit: `30s`, `5min`, `100us`, `0.5ms`.
    func span(
        _ option: CommandSyntax.Option, in range: ClosedRange<TimeSpan>, example: String
    ) throws(UsageError) -> TimeSpan? {
        guard let text = value(of: option) else { return nil }
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units: [Substring: Double] = ["us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3_600]
        guard let value = Double(number), let unit = units[text[number.endIndex...]] else {
            throw UsageError(option, "takes a time with its unit (us, ms, s, min, h): \(example), not '\(text)'")
        }
        let span = TimeSpan(seconds: value * unit)
        guard range.contains(span) else {
            let bounds = [range.lowerBound, range.upperBound].map { $0.reading(.ascii) }
            throw UsageError(option, "takes \(bounds[0]) to \(bounds[1]), not '\(text)'")
        }
        return span
    }

    /// Parses one peer's name: not empty, printable, no longer than mDNS can carry.
    func peerName(_ option: CommandSyntax.Option) throws(UsageError) -> String? {
        guard let text = value(of: option) else { return nil }
        return try Self.checkedName(text, option)
    }

    /// Parses comma-separated names, over all uses of the option.
    func peerNames(_ option: CommandSyntax.Option) throws(UsageError) -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        for list in values(of: option) {
            for part in list.split(separator: ",", omittingEmptySubsequences: false) {
                let name = try Self.checkedName(part.trimmingSpaces, option)
                if known.insert(name).inserted { names.append(name) }
            }
        }
        return names
    }

    /// Parses `HOST[:PORT]`, over all uses of the option.
    func addresses(_ option: CommandSyntax.Option) throws(UsageError) -> [NetworkAddress] {
        var addresses: [NetworkAddress] = []
        for text in values(of: option) {
            addresses.append(try Self.address(text, for: option.name))
        }
        return addresses
    }

    static func address(_ text: String, for what: String) throws(UsageError) -> NetworkAddress {
        // URLs are for songs. As a host name one would be tried again and again, with a notice each time.
        if !text.contains("/"), let address = NetworkAddress(parsing: text) { return address }
        throw UsageError(valueOf: what, "'\(text)' is no address; write HOST, HOST:PORT, or [IPV6]:PORT")
    }

    private static func checkedName(_ text: String, _ option: CommandSyntax.Option) throws(UsageError) -> String {
        guard !text.isEmpty else { throw UsageError(valueOf: option.name, "a name is empty") }
        guard text.utf8.count <= WireLimits.peerNameByteCount else {
            throw UsageError(valueOf: option.name, "a name has at most \(WireLimits.peerNameByteCount) bytes")
        }
        guard text == text.terminalSafe else {
            throw UsageError(valueOf: option.name, "a name cannot hold control characters")
        }
        return text
    }
}

extension Substring {
    /// The text without spaces at both ends.
    fileprivate var trimmingSpaces: String {
        let front = drop(while: { $0 == " " })
        let end = front.lastIndex(where: { $0 != " " })
        return end.map { String(front[...$0]) } ?? ""
    }
}
