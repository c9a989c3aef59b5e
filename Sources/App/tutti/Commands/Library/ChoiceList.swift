import MusicLibrary
import TerminalIO

/// Songs in a numbered list, with a heading before each album that is in it as a whole.
struct ChoiceList {
    struct Song: Hashable {
        /// A path or a URL.
        var address: String
        /// Nil for what the index does not know.
        var known: FoundSong?
        /// Nil for what is of no album.
        var album: Album?
    }

    let songs: [Song]

    /// - Parameter width: of the terminal, in cells.
    func lines(width: Int) -> [String] {
        let digits = "\(songs.count)".count
        var lines: [String] = []
        var isApart = false
        var start = 0
        while start < songs.count {
            let run = songs[start...].prefix { $0.album == songs[start].album }
            let album = Self.wholeAlbum(run)
            let isWhole = album != nil
            if !lines.isEmpty, isWhole || isApart { lines.append("") }
            if let album { lines.append(Self.heading(album)) }
            for index in run.indices {
                let number = "\(index + 1)".padded(to: digits, alignment: .right)
                lines.append("\(number)  \(Self.line(songs[index], isUnderHeading: isWhole))")
            }
            isApart = isWhole
            start = run.endIndex
        }
        return lines.map { $0.truncated(to: width) }
    }

    /// Returns the album that these songs are, each once.
    private static func wholeAlbum(_ run: ArraySlice<Song>) -> Album? {
        guard let album = run.first?.album, album.songCount == run.count else { return nil }
        return Set(run.map(\.address)).count == run.count ? album : nil
    }

    private static func heading(_ album: Album) -> String {
        let year = album.year.map { " (\($0))" } ?? ""
        return (album.title + (album.artist.map { " - \($0)" } ?? "") + year).terminalSafe
    }

    private static func line(_ song: Song, isUnderHeading: Bool) -> String {
        var text = song.known?.fullTitle ?? KnownSongs.title(of: song.address)
        if !isUnderHeading, let album = song.known?.album { text += " (\(album))" }
        if let duration = song.known?.duration { text += "  \(duration.clockReading)" }
        return text.terminalSafe
    }
}
