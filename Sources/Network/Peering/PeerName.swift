import AudioCore

/// A peer's name as names are compared: without white space at its ends, and whatever the case of its letters.
///
/// Two ways of writing one character, such as é and e with an accent, are equal: Swift compares strings by canonical
/// equivalence (Unicode Standard Annex 15), so nothing has to be brought into a normal form first. Letters that only
/// look alike stay different.
public struct PeerName: Sendable {
    /// The most bytes of ``text``. A name of 63 bytes, as greetings have, is never cut: a byte that cannot be shown
    /// becomes three.
    public static let byteCountLimit = 256

    /// The name for display, as it was written but for what cannot be shown.
    public let text: String
    private let folded: String

    /// Returns nil if nothing is left of the name.
    public init?(_ name: some StringProtocol) {
        // A cut may end at a space.
        text = String(displaying: name.trimmed, maximumByteCount: Self.byteCountLimit).trimmed
        guard !text.isEmpty else { return nil }
        // There and back, so that letters with several lower-case forms are equal, as are ß and SS.
        folded = text.uppercased().lowercased()
    }
}

extension StringProtocol {
    /// Without white space at its ends.
    fileprivate var trimmed: String {
        let front = drop { $0.isWhitespace }
        return front.lastIndex { !$0.isWhitespace }.map { String(front[...$0]) } ?? ""
    }
}

extension PeerName: Hashable {
    public static func == (a: PeerName, b: PeerName) -> Bool { a.folded == b.folded }

    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension PeerName: Comparable {
    public static func < (a: PeerName, b: PeerName) -> Bool { a.folded < b.folded }
}

extension String {
    /// A name with a mark in parentheses behind it; the name is cut where both would be too long.
    public init(marking name: String, as mark: String, maximumByteCount: Int) {
        let suffix = " (\(mark))"
        self = name
        while !isEmpty, utf8.count + suffix.utf8.count > maximumByteCount { removeLast() }
        self += suffix
    }
}
