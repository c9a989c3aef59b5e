import Broadcasting
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

    /// The same as if somebody else had named it; nil if nobody else can name such a thing.
    var asNamedByOthers: NewItem? {
        // As it is sent to a server.
        guard case .local(let name) = location, let address = WebAddress(name.replacing(" ", with: "%20")) else {
            return nil
        }
        var item = self
        item.location = .web(address)
        return item
    }
}

extension SourceEvent {
    /// The same if the source was named by somebody else: what its list names leads no further than the list itself.
    var asNamedByOthers: SourceEvent {
        guard case .list(let items) = self else { return self }
        let allowed = items.compactMap(\.asNamedByOthers)
        return allowed.isEmpty
            ? .failed("the playlist names nothing that can be added from elsewhere", .nothing)
            : .list(allowed)
    }
}

extension SongFailure {
    /// The songs to play instead, if this is a playlist.
    var songs: [String]? { if case .list(let songs) = kind, !songs.isEmpty { songs } else { nil } }
}
