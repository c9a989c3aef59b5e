import AudioCore
import Controlling
import TerminalIO
import WireProtocol

/// The player in the terminal: what it knows of a broadcast and of the music of this machine, and what keys do. Events
/// in, actions out; ``frame(_:now:glyphs:)`` says how it looks. Owns no terminal, thread or clock.
public struct PlayerModel: Sendable {
    enum Page: Int, CaseIterable, Sendable {
        case queue, library, listeners, lyrics, keys
    }

    private(set) var broadcast: FollowedBroadcast?
    /// The name of what is connected and has not told its state yet.
    private var connected: String?
    private(set) var page = Page.queue
    private(set) var queueCursor = ListCursor<ItemID>()
    private(set) var listenerCursor = ListCursor<UInt64>()
    var library = LibraryPane()
    var albumRequests = AlbumRequests()
    private var lyrics = LyricsPane()
    var wantedOffset: WantedOffset?
    /// The first row of the keys that is seen.
    private var keysTop = 0
    private(set) var details: SongDetails?
    /// Whether a picture has the place that is kept for it.
    private(set) var hasPicture = false
    private(set) var note: (text: String, since: HostTime)?
    /// What the next key must repeat soon to do it.
    private var pending: (what: Pending, since: HostTime)?
    /// Whether an edit of the queue was asked for of which nothing was heard: until then it is not clear what stands
    /// where.
    private var isEditing = false
    /// Whether the broadcast was asked to begin to play.
    var isBeginning = false
    /// Files that are still on their way to another machine.
    private(set) var sendingCount = 0
    var actions: [PlayerAction] = []

    /// What takes the same key twice.
    enum Pending { case clear, quit }

    /// Whether the music ends with this process.
    public var ownsBroadcast = false

    /// Whether the terminal can show pictures.
    private var showsPictures = false

    /// The most songs that are to be found at once: those that fit best.
    public static let resultLimit = 500

    /// The most albums that are to be listed.
    public static let albumLimit = 5_000

    static let noteTime = TimeSpan.seconds(5)

    /// Songs to play as soon as there is a broadcast.
    private var opening: [ItemSource]

    /// - Parameter opening: songs to play at once, behind all others.
    public init(opening: [ItemSource] = []) { self.opening = opening }

    /// How soon it looks another way without an event; nil if it does not.
    public func pace(_ size: ScreenSize, _ now: HostTime) -> TimeSpan? {
        guard note != nil || broadcast?.isMoving == true else { return nil }
        let hasMeter = broadcast?.isMoving == true && details?.waveform != nil && ScreenLayout(size, page).isRoomy
        return hasMeter ? Self.meterPace : Self.clockPace
    }

    /// A song's seconds change, and its levels.
    private static let clockPace = TimeSpan.milliseconds(250)
    private static let meterPace = TimeSpan.milliseconds(100)

    /// Handles one event.
    /// - Parameter size: of the terminal: what the mouse hits, and how far a page goes.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: PlayerEvent, _ size: ScreenSize, now: HostTime) -> [PlayerAction] {
        if let note, now - note.since >= Self.noteTime { self.note = nil }
        switch event {
        case .key(let key): press(key, size, now)
        case .answer(let answer): take(answer, now)
        case .lost(let reason):
            (broadcast, connected, sendingCount) = (nil, nil, 0)
            followSong()
            (isEditing, isBeginning) = (false, false)
            albumRequests.forgetAll()
            say(reason, now)
        case .found(let songs, let query): library.take(songs, for: query)
        case .albums(let list): take(list)
        case .songs(let songs, let request):
            guard albumRequests.take(request) else { break }
            if songs.isEmpty { say("the album is no longer there", now) }
            place(songs, request.placement)
        case .reading(let songCount, let isDone):
            if library.note(songCount: songCount, isDone: isDone) { search() }
            listAlbums()
        case .picturesArePossible: showPictures()
        case .picture(let isShown): hasPicture = isShown
        case .note(let text): say(text, now)
        }
        if broadcast?.takeQueueRequest() == true { actions.append(.request(.queue)) }
        defer { actions = [] }
        return actions
    }

    mutating func forgetNote() { note = nil }

    /// Returns the rows of the queue to show.
    mutating func visibleQueue(_ height: Int) -> Range<Int> {
        queueCursor.window(height: height, in: broadcast?.items.count ?? 0)
    }

    mutating func visibleListeners(_ height: Int, _ count: Int) -> Range<Int> {
        listenerCursor.window(height: height, in: count)
    }

    mutating func libraryLines(_ layout: ScreenLayout) -> [StyledLine] { library.lines(layout) }

    mutating func visibleKeys(_ layout: ScreenLayout) -> [StyledLine] {
        keysTop = min(keysTop, max(0, Self.keyLines.count - layout.listHeight))
        return Array(Self.keyLines.dropFirst(keysTop).prefix(layout.listHeight))
    }

    mutating func lyricsLines(_ layout: ScreenLayout, _ now: HostTime) -> [StyledLine] {
        lyrics.lines(details, broadcast?.elapsed(now), layout)
    }

    mutating func waveform(columns: Int) -> [Int]? { details?.heights(columns: columns) }

    private mutating func say(_ text: String, _ now: HostTime) { note = (text, now) }

    // MARK: The broadcast

    private mutating func take(_ answer: ControlAnswer, _ now: HostTime) {
        switch answer {
        case .connected(let name, _): connected = name
        case .state(let state, let change):
            if broadcast == nil { broadcast = FollowedBroadcast(name: connected ?? "", state: state, now: now) }
            broadcast?.take(state, change, now)
            note(change)
            followSong()
            open()
            if case .item(let item)? = change?.kind, item.hasFailed { say("\(item.title): cannot be played", now) }
        case .page(let page): broadcast?.take(page)
        case .outcome(let outcome):
            if case .done = outcome.verdict, !outcome.text.isEmpty { say(outcome.text, now) }
        // The shell has the words, and notes them.
        case .failed:
            broadcast?.noteFailure()
            (isEditing, isBeginning) = (false, false)
        case .sending(let fileCount): sendingCount = fileCount
        case .found(let subject, let bytes): take(subject, bytes)
        case .foundNothing(let subject, let reason): take(subject, nil, reason: reason)
        }
        queueCursor.follow(itemIDs)
        listenerCursor.follow(instances)
    }

    /// Looks up what there is of the song that plays, once.
    private mutating func followSong() {
        let current = broadcast?.state.status.current
        guard current?.id != details?.item else { return }
        if details?.artwork != nil { actions.append(.show(picture: nil)) }
        lyrics.reset()
        details = current.map { SongDetails(of: $0.id) }
        // A station's bytes are nowhere to be read again.
        guard let details, current?.isLive == false else { return }
        actions += details.subjects(withArtwork: showsPictures).map { .request(.lookup($0)) }
    }

    private mutating func showPictures() {
        guard !showsPictures else { return }
        showsPictures = true
        guard let current = broadcast?.state.status.current, !current.isLive else { return }
        actions.append(.request(.lookup(.artwork(of: current.id))))
    }

    private mutating func take(_ subject: LookupSubject, _ bytes: [UInt8]?, reason: String = "") {
        let hadArtwork = details?.artwork != nil
        details?.take(subject, bytes, reason: reason)
        if !hadArtwork, let artwork = details?.artwork { actions.append(.show(picture: artwork)) }
    }

    /// Plays what the player was opened with.
    private mutating func open() {
        guard let broadcast, !opening.isEmpty else { return }
        for (index, batch) in ItemSource.batches(of: opening).enumerated() {
            perform(.add(batch))
            if index == 0 { performIfDone(.jump(to: .position(broadcast.state.itemCount))) }
        }
        opening = []
    }

    private mutating func note(_ change: ProgrammeChange?) {
        switch change?.kind {
        case .queue, nil: isEditing = false
        case .status: isBeginning = false
        case .modes, .item, .volume, .listener, .listenerGone, .command, .unknown: break
        }
    }

    private var itemIDs: [ItemID] { broadcast?.items.map(\.id) ?? [] }
    var instances: [UInt64] { broadcast?.state.listeners.map(\.instance) ?? [] }

    mutating func perform(_ operation: ProgrammeOperation) {
        guard broadcast != nil else { return }
        albumRequests.note(operation)
        actions.append(.request(.command(Command(.programme(operation)))))
    }

    /// The same, if what was asked for just before is done.
    mutating func performIfDone(_ operation: ProgrammeOperation) {
        actions.append(.request(.ifDone(Command(.programme(operation)))))
    }

    mutating func perform(_ operation: ListenerOperation, of target: ListenerTarget) {
        guard broadcast != nil else { return }
        actions.append(.request(.command(Command(.listeners(operation, of: target)))))
    }

    // MARK: Keys

    private mutating func press(_ key: Key, _ size: ScreenSize, _ now: HostTime) {
        let asked = pending.flatMap { now - $0.since < Self.noteTime ? $0.what : nil }
        pending = nil
        note = nil
        if case .mouse(let action, let column, let row) = key { return click(action, column, row, size, now) }
        if page == .library, library.isTyping, type(key, size) { return }
        switch key {
        case .tab: show(Page(rawValue: (page.rawValue + 1) % Page.keys.rawValue) ?? .queue)
        case .backTab: show(Page(rawValue: (page.rawValue + Page.keys.rawValue - 1) % Page.keys.rawValue) ?? .queue)
        case .character("1"): show(.queue)
        case .character("2"): show(.library)
        case .character("3"): show(.listeners)
        case .character("4"), .character("l"): show(.lyrics)
        case .character("?"): show(page == .keys ? .queue : .keys)
        case .character("/"):
            show(.library)
            library.beginTyping()
        case .character("q"), .control("c"): quit(asked, now)
        case .character("b"): if broadcast == nil { actions.append(.begin) }
        case .left: perform(.skip(by: .seconds(-10)))
        case .right: perform(.skip(by: .seconds(10)))
        case .character(" "): perform(.toggle)
        case .character("n"): perform(.next)
        case .character("p"): perform(.previous)
        case .character("s"): perform(.stop)
        case .character("r"): changeRepeat()
        case .character("z"): if let broadcast { perform(.setShuffle(!broadcast.state.modes.isShuffled)) }
        case .character("+"), .character("="): perform(.volume(.step(5)), of: target)
        case .character("-"): perform(.volume(.step(-5)), of: target)
        case .character("m"): perform(.volume(.toggleMute), of: target)
        default: pressInList(key, asked, size, now)
        }
    }

    /// On the listeners' page the one that is selected, elsewhere all.
    private var target: ListenerTarget {
        guard page == .listeners, let listener = selectedListener else { return .all }
        return .named(listener.name)
    }

    var selectedListener: ProgrammeListener? {
        guard let listeners = broadcast?.state.listeners, listeners.indices.contains(listenerCursor.selected) else {
            return nil
        }
        return listeners[listenerCursor.selected]
    }

    mutating func show(_ page: Page) {
        self.page = page
        if page == .library { library.appear() }
        listAlbums()
    }

    private mutating func quit(_ asked: Pending?, _ now: HostTime) {
        let endsMusic = ownsBroadcast && broadcast?.state.status.transport == .playing
        guard asked != .quit, endsMusic || sendingCount > 0 else { return actions.append(.quit) }
        pending = (.quit, now)
        say(
            endsMusic
                ? "press it again to end: the music ends with it"
                : "press it again to end: \(sendingCount) songs are still to be sent", now)
    }

    private mutating func changeRepeat() {
        guard let broadcast else { return }
        let next: RepeatMode =
            switch broadcast.state.modes.repeats {
            case .off: .all
            case .all: .one
            case .one: .off
            }
        perform(.setRepeat(next))
    }

    mutating func pressInList(_ key: Key, _ asked: Pending?, _ size: ScreenSize, _ now: HostTime) {
        if let step = step(for: key, size) { return moveCursor(by: step) }
        switch page {
        case .queue: pressInQueue(key, asked, now)
        case .library: pressInLibrary(key)
        case .listeners: pressInListeners(key, now)
        case .lyrics, .keys: break
        }
    }

    /// Rows by which a key moves the selection; nil if it does not.
    func step(for key: Key, _ size: ScreenSize) -> Int? {
        let pageHeight = max(1, ScreenLayout(size, page).listHeight - 1)
        return switch key {
        case .up, .character("k"): -1
        case .down, .character("j"): 1
        case .pageUp: -pageHeight
        case .pageDown: pageHeight
        case .home: -Int(Int32.max)
        case .end: Int(Int32.max)
        default: nil
        }
    }

    mutating func moveCursor(by step: Int) {
        switch page {
        case .queue: queueCursor.move(by: step, in: itemIDs)
        case .library: library.moveCursor(by: step)
        case .listeners: listenerCursor.move(by: step, in: instances)
        case .lyrics: lyrics.scroll(by: step)
        case .keys: keysTop = min(max(0, keysTop + step), Self.keyLines.count)
        }
    }

    // MARK: The queue

    private mutating func pressInQueue(_ key: Key, _ asked: Pending?, _ now: HostTime) {
        guard let broadcast, broadcast.items.indices.contains(queueCursor.selected) else { return }
        let (item, index) = (broadcast.items[queueCursor.selected].id, queueCursor.selected)
        switch key {
        case .enter: perform(.jump(to: .id(item)))
        case .delete, .backspace, .character("d"): edit(.remove(.id(item)))
        case .character("J") where index + 1 < broadcast.items.count: edit(.move(.id(item), to: index + 1))
        case .character("K") where index > 0: edit(.move(.id(item), to: index - 1))
        case .character("c"):
            guard asked != .clear else { return edit(.clear) }
            pending = (.clear, now)
            say("press c again to empty the queue", now)
        default: break
        }
    }

    /// Changes the queue, once it is as it is shown.
    private mutating func edit(_ operation: ProgrammeOperation) {
        guard !isEditing else { return }
        isEditing = true
        perform(operation)
    }
}
