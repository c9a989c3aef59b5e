extension String {
    /// As a word of a shell's command line, in quotes (POSIX.1-2024, XCU 2.2.2).
    var shellQuoted: String { "'" + replacing("'", with: #"'\''"#) + "'" }

    /// The same, without quotes where none are needed.
    var shellWord: String {
        let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_.".contains($0) }
        return isPlain && !isEmpty ? self : shellQuoted
    }
}
