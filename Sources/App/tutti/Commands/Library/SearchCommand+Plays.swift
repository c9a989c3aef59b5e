import MusicLibrary
import TerminalIO
import TuttiRuntime

extension SearchCommand {
    static let mostPlayed = CommandSyntax.Option.flag(
        "--most-played",
        "What 'tutti play' and this machine's broadcasts played most often comes first. A song counts after half of it, "
            + "or four minutes; one that is renamed or moved loses its count.")

    /// Songs that are compared: more than a library has.
    private static let comparedCount = 1_000_000

    /// Returns what is found, by plays, then by the last one; what was never played follows as albums are played.
    func mostPlayed(
        in library: UserLibrary, _ plays: PlayCounts?, limit: Int
    ) throws(RuntimeFailure) -> [FoundSong] {
        let found = try library.search(query, by: .albums, limit: Self.comparedCount)
        return Array(Self.byPlays(found, plays ?? PlayCounts()).prefix(limit))
    }

    /// Songs of equal plays stay in their order.
    static func byPlays(_ songs: [FoundSong], _ plays: PlayCounts) -> [FoundSong] {
        guard !plays.isEmpty else { return songs }
        let ranked = songs.enumerated().map { index, song in
            let played = plays[song.path]
            return (count: played?.count ?? 0, last: played?.last ?? 0, index: index, song: song)
        }
        return ranked.sorted { ($0.count, $0.last, $1.index) > ($1.count, $1.last, $0.index) }.map(\.song)
    }

    /// With how often each was played in front.
    static func table(_ songs: [FoundSong], _ plays: PlayCounts?) -> Table {
        var table = table(songs)
        table.columns.insert(.init(title: "plays", alignment: .right, dropOrder: 1), at: 0)
        table.rows = zip(songs, table.rows).map { song, row in
            [.init(text: plays?[song.path].map { "\($0.count)" } ?? "")] + row
        }
        return table
    }
}

extension PlayCounts {
    /// What this user has played. What is wrong with the file is told of; nil if it cannot be read.
    static func known() -> PlayCounts? {
        guard let log = PlayLog.standard() else { return nil }
        do throws(StateError) {
            let counts = try log.counts()
            if counts.isDamaged, let warning = try log.setAsideDamaged() { SessionRunner.warn(warning) }
            return counts
        } catch {
            SessionRunner.warn("\(error): how often songs were played is not known")
            return nil
        }
    }

    /// A line for the user; nil if nothing was played.
    var summary: String? {
        guard !isEmpty else { return nil }
        let plays = playCount == 1 ? "1 play" : "\(playCount) plays"
        let songs = songCount == 1 ? "1 song" : "\(songCount) songs"
        return "\(plays) of \(songs); 'tutti search --most-played' goes by them"
    }
}
