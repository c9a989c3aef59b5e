import AudioCore
import Songs
import WireProtocol

/// What is known of the song that plays, beyond its title and length. Each of it is looked up once.
struct SongDetails: Sendable {
    let item: ItemID
    private(set) var lyrics = Found<Lyrics>.expected
    private(set) var waveform: Waveform?
    /// The bytes of an image file.
    private(set) var artwork: [UInt8]?

    enum Found<Value: Sendable>: Sendable {
        case expected
        /// The reason is for people; it is empty where there simply is none.
        case nothing(reason: String)
        case found(Value)
    }

    init(of item: ItemID) { self.item = item }

    /// What is to be looked up.
    func subjects(withArtwork: Bool) -> [LookupSubject] {
        // The loudness last: for it the broadcaster has to read the whole song.
        [.lyrics(of: item)] + (withArtwork ? [.artwork(of: item)] : []) + [.levels(of: item)]
    }

    /// Takes what was found, or nil and why there is nothing.
    mutating func take(_ subject: LookupSubject, _ bytes: [UInt8]?, reason: String = "") {
        switch subject {
        case .lyrics(item):
            lyrics = bytes.flatMap { Lyrics(parsing: $0) }.map { .found($0) } ?? .nothing(reason: reason)
        case .artwork(item): artwork = bytes
        case .levels(item): waveform = bytes.flatMap { LevelEnvelope(encoded: $0) }.map { Waveform($0) }
        case .lyrics, .artwork, .levels, .songs, .findings, .unknown: break
        }
    }

    /// Returns the heights of a waveform's columns.
    mutating func heights(columns: Int) -> [Int]? { waveform?.heights(columns: columns) }
}

/// How loud a song is, as a picture: over the whole song, and now.
struct Waveform: Sendable {
    private let levels: LevelEnvelope
    /// Those that were asked for last: a screen asks for the same ones again and again.
    private var known: [Int] = []

    /// The greatest height.
    static let height = 8
    /// Levels so far below the loudest one have the least height.
    private static let range = 30.0
    /// The lowest level that the meter shows, in dBFS.
    private static let meterFloor = -48.0

    init(_ levels: LevelEnvelope) { self.levels = levels }

    /// Returns a height of 1 to ``height`` for each column, by the loudness of its part of the song.
    mutating func heights(columns: Int) -> [Int] {
        if known.count == columns { return known }
        let loudness = levels.overview(columns: columns).map { LevelScale.decibels(of: $0) ?? -.infinity }
        let loudest = loudness.max() ?? 0
        known = loudness.map { level in
            let share = loudest.isFinite ? 1 - (loudest - level) / Self.range : 0
            return 1 + Int((max(0, share) * Double(Self.height - 1)).rounded())
        }
        return known
    }

    /// Returns how far the meter of each side goes at a time into the song: 0 to 1.
    func meter(at elapsed: TimeSpan) -> (left: Double, right: Double) {
        let level = levels.level(at: elapsed)
        return (Self.share(level.left.peak), Self.share(level.right.peak))
    }

    private static func share(_ byte: UInt8) -> Double {
        LevelScale.decibels(of: byte).map { max(0, 1 - $0 / meterFloor) } ?? 0
    }
}
