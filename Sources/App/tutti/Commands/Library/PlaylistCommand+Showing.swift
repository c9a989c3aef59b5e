import AudioCore
import MusicLibrary
import ProgrammeJSON
import Songs
import TerminalIO
import TuttiRuntime

extension PlaylistCommand {
    /// A line of the list of playlists.
    struct Summary: Hashable {
        var name: String
        var songCount: Int
        /// Songs of which the length is known, and their lengths together.
        var timedCount: Int
        var duration: TimeSpan

        init(_ name: String, _ facts: [FoundSong?]) {
            self.name = name
            songCount = facts.count
            let times = facts.compactMap { $0?.duration }
            timedCount = times.count
            duration = times.reduce(.zero) { $0 + $1 }
        }

        /// With a plus sign if it is longer; empty if nothing is known.
        var durationReading: String {
            timedCount == 0 ? "" : duration.clockReading + (timedCount < songCount ? "+" : "")
        }

        var json: JSONValue {
            .object([
                "name": .string(name), "songCount": .integer(Int64(songCount)),
                "timedSongCount": .integer(Int64(timedCount)), "seconds": .number(duration.seconds, decimals: 3),
            ])
        }
    }

    /// What is wrong with one list is told of, and no reason not to show the others.
    func list(_ playlists: SavedPlaylists) throws(RuntimeFailure) {
        let known = KnownSongs()
        var summaries: [Summary] = []
        for name in try playlists.names() {
            do throws(RuntimeFailure) {
                summaries.append(Summary(name.text, known.facts(of: try playlists.songs(of: name))))
            } catch {
                SessionRunner.warn(error.sentence)
            }
        }
        if isJSON {
            ListOutput.write(summaries.map(\.json))
        } else if summaries.isEmpty {
            StandardStream.output.write("there are no playlists; 'tutti playlist save NAME FILE' makes one\n")
        } else {
            ListOutput.write(Self.table(summaries))
        }
    }

    static func table(_ summaries: [Summary]) -> Table {
        var table = Table(columns: [
            .init(title: "playlist", dropOrder: 0), .init(title: "songs", alignment: .right, dropOrder: 1),
            .init(title: "length", alignment: .right, dropOrder: 2),
        ])
        table.rows = summaries.map {
            [
                .init(text: $0.name.terminalSafe, style: .strong), .init(text: "\($0.songCount)"),
                .init(text: $0.durationReading),
            ]
        }
        return table
    }

    // MARK: One of them

    /// A song of a playlist.
    struct Song: Hashable {
        var address: String
        /// Nil for what the index does not know.
        var known: FoundSong?
        /// Whether there is no file where it should be.
        var isGone: Bool
        /// The list's own title for it.
        var listedTitle: String?

        var title: String { known?.title ?? listedTitle ?? KnownSongs.title(of: address) }
    }

    func show(_ entries: [Playlist.Entry]) throws(RuntimeFailure) {
        let addresses = entries.map(\.address)
        if showsPaths {
            StandardStream.output.write(addresses.map { $0 + "\n" }.joined())
            return
        }
        let songs = zip(entries, KnownSongs().facts(of: addresses)).map { entry, known in
            Song(
                address: entry.address, known: known, isGone: SavedPlaylists.isGone(entry.address),
                listedTitle: entry.title)
        }
        if isJSON {
            ListOutput.write(songs.enumerated().map { Self.json($1, position: $0 + 1) })
        } else {
            ListOutput.write(Self.table(songs))
        }
    }

    static func json(_ song: Song, position: Int) -> JSONValue {
        .object([
            "position": .integer(Int64(position)), "path": .string(song.address), "title": .string(song.title),
            "artist": .optional(song.known?.artist), "album": .optional(song.known?.album),
            "seconds": song.known?.duration.map { .number($0.seconds, decimals: 3) } ?? .null,
            "gone": .bool(song.isGone),
        ])
    }

    static func table(_ songs: [Song]) -> Table {
        var table = Table(columns: [
            .init(title: "no", alignment: .right, dropOrder: 1), .init(title: "title", dropOrder: 0),
            .init(title: "artist", dropOrder: 2), .init(title: "length", alignment: .right, dropOrder: 3),
        ])
        table.rows = songs.enumerated().map { index, song in
            [
                .init(text: "\(index + 1)"),
                .init(
                    text: song.title.terminalSafe.truncated(to: 48) + (song.isGone ? " (not there)" : ""),
                    style: .strong),
                .init(text: (song.known?.artist ?? "").terminalSafe.truncated(to: 32)),
                .init(text: song.known?.duration?.clockReading ?? ""),
            ]
        }
        return table
    }
}
