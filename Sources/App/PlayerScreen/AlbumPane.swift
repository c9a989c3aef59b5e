import MusicLibrary

/// The albums of the library, to choose from.
struct AlbumPane: Sendable {
    private enum State: Sendable {
        /// Nothing was asked for yet, or there may be others by now.
        case outdated
        /// Its answer is to come, or has come.
        case asked
    }

    private var state = State.outdated
    /// Nil before they are known.
    private(set) var list: AlbumList?
    private(set) var cursor = ListCursor<Int64>()

    /// Whether no song of the library is known to it.
    var isEmpty: Bool { list.map { $0.albums.isEmpty && $0.looseSongCount == 0 } ?? true }

    var albums: [Album] { list?.albums ?? [] }
    var selected: Album? { albums.indices.contains(cursor.selected) ? albums[cursor.selected] : nil }

    /// The index has changed.
    mutating func expire() { state = .outdated }

    /// - Returns: whether to ask for the albums, as they are to be seen.
    mutating func ask() -> Bool {
        defer { state = .asked }
        return state == .outdated
    }

    mutating func take(_ list: AlbumList) {
        self.list = list
        cursor.follow(ids)
    }

    mutating func move(by step: Int) { cursor.move(by: step, in: ids) }

    mutating func window(height: Int) -> Range<Int> { cursor.window(height: height, in: albums.count) }

    private var ids: [Int64] { albums.map(\.id) }
}
