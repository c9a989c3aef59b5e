import MusicLibrary
import TerminalIO
import WireProtocol

// What keys do in the library, and how what is found there comes into the queue.

extension PlayerModel {
    /// - Returns: whether the key is one of text.
    mutating func type(_ key: Key, _ size: ScreenSize) -> Bool {
        switch key {
        case .character(let character): if library.type(character) { search() }
        case .backspace: if library.erase() { search() }
        case .control("u"): if library.eraseAll() { search() }
        case .control("w"): if library.eraseWord() { search() }
        case .escape: library.endTyping()
        case .enter: place(.last)
        case .up, .down, .pageUp, .pageDown: if let step = step(for: key, size) { moveCursor(by: step) }
        // There is no cursor in the text, and the song is not meant.
        case .left, .right, .home, .end, .delete: break
        default: return false
        }
        return true
    }

    mutating func search() {
        actions.append(.search(library.query))
        listAlbums()
    }

    /// Asks for the albums if they are to be seen and not known as they are now.
    mutating func listAlbums() {
        guard page == .library, library.query.isEmpty, library.albums.ask() else { return }
        actions.append(.listAlbums)
    }

    mutating func take(_ list: AlbumList) {
        let wasEmpty = library.albums.isEmpty
        library.albums.take(list)
        if wasEmpty, page == .library, !library.isTyping { library.appear() }
    }

    mutating func pressInLibrary(_ key: Key) {
        switch key {
        case .enter: place(.last)
        case .character("a"): if case .songs = library.list { add(library.songsByAlbum) } else { place(.last) }
        case .character("i"): place(.next)
        case .character("o"): place(.now)
        case .escape: if library.eraseAll() { search() }
        default: break
        }
    }

    /// Puts what is selected into the queue; the songs of an album as soon as they are known.
    private mutating func place(_ placement: Placement) {
        guard broadcast != nil, let selected = library.selected else { return }
        switch selected {
        case .song(let song):
            if placement == .now { albumRequests.forgetNow() }
            place([song], placement)
        case .album(let album): actions.append(.songs(of: albumRequests.ask(album.id, placement)))
        }
    }

    mutating func place(_ songs: [FoundSong], _ placement: Placement) {
        switch placement {
        case .last: add(songs)
        case .next, .now: insert(songs, isPlayed: placement == .now)
        }
    }

    /// Puts songs behind all others, and begins to play if nothing does.
    private mutating func add(_ songs: [FoundSong]) {
        let sources = songs.compactMap { ItemSource(path: $0.path) }
        guard let broadcast, !sources.isEmpty else { return }
        let batches = ItemSource.batches(of: sources)
        for (index, batch) in batches.enumerated() {
            perform(.add(batch))
            if index == 0, !isBeginning { begin(at: broadcast) }
        }
    }

    /// Goes to what was put behind all others just now.
    private mutating func begin(at broadcast: FollowedBroadcast) {
        switch broadcast.state.status.transport {
        case .idle, .stopped:
            isBeginning = true
            performIfDone(.jump(to: .position(broadcast.state.itemCount)))
        case .playing, .paused: break
        }
    }

    /// Puts songs behind the one that plays.
    private mutating func insert(_ songs: [FoundSong], isPlayed: Bool) {
        guard let broadcast else { return }
        let first = broadcast.currentIndex.map { $0 + 1 } ?? broadcast.state.itemCount
        var position = first
        for batch in ItemSource.batches(of: songs.compactMap { ItemSource(path: $0.path) }) {
            perform(.insert(batch, at: position))
            if isPlayed, position == first { performIfDone(.jump(to: .position(first))) }
            position += batch.count
        }
    }
}
