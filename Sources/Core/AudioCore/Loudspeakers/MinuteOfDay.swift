/// A time of day by the wall clock, to the minute: from 00:00 to 23:59.
///
/// The day is as the clock shows it: where the clock is put forward or back, minutes are left out or come twice.
public struct MinuteOfDay: Hashable, Sendable, BitwiseCopyable {
    /// Since midnight, from 0 to 1439.
    public let number: Int

    private static let count = 24 * 60

    /// - Parameter number: since a midnight; beyond that day the clock goes round.
    public init(_ number: Int) { self.number = (number % Self.count + Self.count) % Self.count }

    public init(hour: Int, minute: Int) { self.init(hour % 24 * 60 + minute % 60) }

    /// Returns how many minutes after this one the other one comes next: from 0 to 1439.
    public func minutes(until other: MinuteOfDay) -> Int { MinuteOfDay(other.number - number).number }
}

extension MinuteOfDay: LosslessStringConvertible {
    /// Parses `22:00` or `7:05`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 2, parts[1].utf8.count == 2, let hour = Int(digits: parts[0]),
            let minute = Int(digits: parts[1]), hour < 24, minute < 60
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    /// `07:05`
    public var description: String {
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(twoDigits(number / 60)):\(twoDigits(number % 60))"
    }
}

extension Int {
    /// Parses decimal digits and nothing else, no sign either.
    init?(digits text: Substring) {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text)
    }
}
