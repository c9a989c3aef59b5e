import Programmes
import Songs

extension NewItem {
    /// A song of this machine's user.
    /// - Parameter song: a path, a URL, or `-` for standard input; see `SongAddress`.
    init(song: String) {
        let title = (try? SongAddress(song))?.title ?? "untitled"
        self.init(.local(song), title: title)
    }
}

extension SongFailure {
    /// The songs to play instead, if this is a playlist.
    var songs: [String]? { if case .list(let songs) = kind, !songs.isEmpty { songs } else { nil } }
}
