import Programmes
import Songs
import WireProtocol

extension NewItem {
    /// A song of this machine's user.
    /// - Parameter song: a path, a URL, or `-` for standard input; see `SongAddress`.
    init(song: String) {
        let title = (try? SongAddress(song))?.title ?? "untitled"
        self.init(.local(song), title: title)
    }

    /// The same, if it is a URL, as if somebody else had named it.
    var asNamedByOthers: NewItem {
        guard case .local(let name) = location, let address = WebAddress(name) else { return self }
        var item = self
        item.location = .web(address)
        return item
    }
}

extension SongFailure {
    /// The songs to play instead, if this is a playlist.
    var songs: [String]? { if case .list(let songs) = kind, !songs.isEmpty { songs } else { nil } }
}
