import AudioCore

extension FoundSong {
    /// The song as a line of fields that are separated by tabs, which other programs read, and other machines: path,
    /// title, artist, album, album artist, composer, genre, disc, track, year, milliseconds. What is not known is
    /// empty.
    public var line: String {
        let numbers = [disc, track, year, duration.map { Int($0.nanoseconds / 1_000_000) }].map { $0.map { "\($0)" } }
        let fields = [path, title, artist, album, albumArtist, composer, genre] + numbers
        return fields.map { Self.field($0 ?? "") }.joined(separator: "\t")
    }

    /// A field holds no tab, no end of a line, and nothing that steers a terminal.
    private static func field(_ text: some StringProtocol) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    private static let fieldCount = 11
    /// Characters of a field: more than any that the index keeps, and than any path.
    private static let fieldLimit = 4_096

    /// - Returns: nil for a line of anything else. Further fields are ignored.
    public init?(line: some StringProtocol) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            .map { Self.field($0.prefix(Self.fieldLimit)) }
        guard fields.count >= Self.fieldCount, !fields[0].isEmpty else { return nil }
        func text(_ index: Int) -> String? { fields[index].isEmpty ? nil : fields[index] }
        func number(_ index: Int) -> Int? { Int(fields[index]).flatMap { $0 >= 0 ? $0 : nil } }
        self.init(
            path: fields[0], title: fields[1], artist: text(2), album: text(3), albumArtist: text(4),
            composer: text(5), genre: text(6), track: number(8), disc: number(7), year: number(9),
            duration: number(10).map { .milliseconds(min(Int64($0), SongTags.longestMilliseconds)) })
    }
}
