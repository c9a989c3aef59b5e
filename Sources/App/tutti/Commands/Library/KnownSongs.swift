import AudioCore
import MusicLibrary
import Songs
import TerminalIO
import TuttiRuntime

/// What the index of music knows of songs, as it is. Without an index, or with a damaged one, nothing is known; nobody
/// is told, and nothing is mended.
struct KnownSongs {
    private let index: MusicIndex?

    init() { self.init(index: UserLibrary.indexAsItIs()) }

    init(index: MusicIndex?) { self.index = index }

    /// Returns what is known of each address, in their order.
    func facts(of addresses: [String]) -> [FoundSong?] {
        (try? index?.songs(at: addresses)) ?? addresses.map { _ in nil }
    }

    /// Returns each address with what is known of it, for a list to choose from.
    func choices(of addresses: [String]) -> [ChoiceList.Song] {
        let albums = (try? index?.albums(of: addresses)) ?? addresses.map { _ in nil }
        return zip(zip(addresses, facts(of: addresses)), albums).map {
            ChoiceList.Song(address: $0.0, known: $0.1, album: $1)
        }
    }

    /// Returns what to write of each song into a playlist.
    /// - Parameter entries: with what other lists say of them, which counts where the index knows nothing.
    func lines(of entries: [Playlist.Entry]) -> [PlaylistSong] {
        zip(entries, facts(of: entries.map(\.address))).map { entry, known in
            PlaylistSong(
                address: entry.address,
                title: (known?.fullTitle ?? entry.title ?? Self.title(of: entry.address)).terminalSafe,
                duration: known?.duration ?? entry.duration)
        }
    }

    /// The name of a file; contains no credentials.
    static func title(of address: String) -> String {
        (try? SongAddress(address))?.title ?? address.withoutCredentials
    }
}

extension FoundSong {
    /// Artist and title, as players show them.
    var fullTitle: String { (artist.map { "\($0) - " } ?? "") + title }
}
