import AudioCore
import HostSystem
import MusicLibrary
import TuttiRuntime

/// The index of this user's music, and the folders that it is of.
///
/// One that turns out to be damaged is made anew, and told of.
final class UserLibrary {
    /// How its user hears of what happens to it.
    struct Report {
        /// Something is wrong, and no reason to end.
        var warn: (String) -> Void
        /// How far an update is.
        /// - Returns: false to end it.
        var show: (UpdateProgress) -> Bool
        /// The update is over.
        var end: () -> Void = {}
    }

    let folders: [String]
    /// Whether others, and later runs, see what is written to it.
    var isKept: Bool { if case .unkept = index.repair { false } else { true } }
    private let path: String
    private let report: Report
    private var index: MusicIndex

    private static let fileName = "library.sqlite"
    /// A search reads the folders again if the last time is so long ago.
    static let freshSeconds: Int64 = 60

    /// Opens the index.
    init(_ report: Report = .onStandardError()) throws(RuntimeFailure) {
        self.report = report
        guard let state = StateDirectory.standard(), let cache = StateDirectory.cache() else {
            throw RuntimeFailure(.cannotCreate, .other("HOME is not set: there is no place for an index of music"))
        }
        do throws(StateError) {
            folders = try MusicFolders(directory: state).folders()
        } catch {
            throw RuntimeFailure(.cannotCreate, .other("\(error)"))
        }
        // Where it cannot be made, the index is kept for this process alone, which is told.
        try? cache.makeDirectory()
        path = cache.path(of: Self.fileName)
        do throws(LibraryError) { index = try MusicIndex(path: path) } catch { throw RuntimeFailure(error) }
        switch index.repair {
        case .none: break
        case .remade: tellOfDamage()
        case .unkept(let reason):
            report.warn("\(path) \(reason.reading): the index of music is made anew each time")
        }
    }

    /// Returns the index for a look at it: whatever is wrong with it stays as it is.
    static func indexAsItIs() -> MusicIndex? {
        guard let path = StateDirectory.cache()?.path(of: fileName) else { return nil }
        return try? MusicIndex(asItIs: path)
    }

    private func tellOfDamage() { report.warn("the index of music was damaged, and is made anew") }

    // MARK: Reading the folders

    /// Reads the folders anew, if that was not done just now. Whatever cannot be read or kept is told of, and no reason
    /// not to find the rest.
    /// - Parameter watch: what is to watch all directories from then on.
    /// - Returns: whether the index is as the folders are.
    @discardableResult
    func refresh(
        after seconds: Int64 = freshSeconds, watch: FolderWatch? = nil
    ) throws(RuntimeFailure) -> Bool {
        let age = try use { index throws(LibraryError) in try index.secondsSinceUpdate() }
        // A clock that was set back says nothing.
        if let age, (0..<seconds).contains(age) { return true }
        do throws(RuntimeFailure) {
            return try !update(watch: watch).isStopped
        } catch {
            guard error.kind == .temporary || error.kind == .cannotCreate else { throw error }
            report.warn("\(error.sentence): what is new is not in it")
            return false
        }
    }

    /// Reads the folders anew, and says what is wrong with them.
    @discardableResult
    func update(watch: FolderWatch? = nil) throws(RuntimeFailure) -> UpdateOutcome {
        do throws(LibraryError) {
            return try read(watch)
        } catch {
            guard error == .damaged else { throw RuntimeFailure(error) }
            try remake()
            do throws(LibraryError) { return try read(watch) } catch { throw RuntimeFailure(error) }
        }
    }

    private func read(_ watch: FolderWatch?) throws(LibraryError) -> UpdateOutcome {
        defer { report.end() }
        let outcome = try index.update(folders, watch: watch, progress: report.show)
        report.end()
        guard let outcome else { throw .busy }
        warn(of: outcome)
        return outcome
    }

    // MARK: Using it

    func search(
        _ query: SearchQuery, by order: MusicIndex.SearchOrder, limit: Int
    ) throws(RuntimeFailure) -> [FoundSong] {
        try use { index throws(LibraryError) in try index.search(query, by: order, limit: limit) }
    }

    /// What the index knows of each of these paths, in their order.
    func songs(at paths: [String]) throws(RuntimeFailure) -> [FoundSong?] {
        try use { index throws(LibraryError) in try index.songs(at: paths) }
    }

    /// The albums of these paths, in their order.
    func albums(of paths: [String]) throws(RuntimeFailure) -> [Album?] {
        try use { index throws(LibraryError) in try index.albums(of: paths) }
    }

    /// - Parameter query: all where it is nil.
    func albums(_ query: SearchQuery?) throws(RuntimeFailure) -> [FoundAlbum] {
        try use { index throws(LibraryError) in try index.albums(query) }
    }

    /// - Parameter album: its ``Album/id``.
    func songs(ofAlbum album: Int64, limit: Int) throws(RuntimeFailure) -> [FoundSong] {
        try use { index throws(LibraryError) in try index.songs(ofAlbum: album, limit: limit) }
    }

    /// Lists all albums as they are played, at most as many as that.
    func albumList(limit: Int) throws(RuntimeFailure) -> AlbumList {
        try use { index throws(LibraryError) in try index.albumList(limit: limit) }
    }

    /// Returns what to do after a query that found nothing: "did you mean 'simone'?", or where to look.
    func advice(for query: SearchQuery, else other: String) throws(RuntimeFailure) -> String {
        let words = try use { index throws(LibraryError) in try index.suggestions(for: query) }
        return words.isEmpty ? other : "did you mean \(words.map { "'\($0)'" }.joined(separator: ", "))?"
    }

    /// - Parameter folder: of all where it is nil.
    func songCount(in folder: String? = nil) throws(RuntimeFailure) -> Int {
        try use { index throws(LibraryError) in try index.songCount(in: folder) }
    }

    private func use<Result>(_ body: (MusicIndex) throws(LibraryError) -> Result) throws(RuntimeFailure) -> Result {
        do throws(LibraryError) {
            return try body(index)
        } catch {
            guard error == .damaged else { throw RuntimeFailure(error) }
            try remake()
            try update()
            do throws(LibraryError) { return try body(index) } catch { throw RuntimeFailure(error) }
        }
    }

    private func remake() throws(RuntimeFailure) {
        tellOfDamage()
        do throws(LibraryError) { index = try MusicIndex(remaking: path) } catch { throw RuntimeFailure(error) }
    }

    private func warn(of outcome: UpdateOutcome) {
        if outcome.unreadCount > 0 { report.warn("\(outcome.unreadCount) songs cannot be read now") }
        for path in outcome.away { report.warn("'\(path)' cannot be seen now; its songs stay in the index") }
        if outcome.passedCount > 0 {
            report.warn(
                "\(outcome.passedCount) names that are not UTF-8, lie too deep or are too many were passed over")
        }
    }
}

extension UserLibrary.Report {
    /// - Parameter span: how long an update may take; nil for as long as it takes.
    static func onStandardError(atMost span: TimeSpan? = nil) -> UserLibrary.Report {
        let display = UpdateDisplay()
        let end = span.map { HostTime.now() + $0 }
        return UserLibrary.Report(
            warn: SessionRunner.warn,
            show: { progress in
                display.show(progress)
                return end.map { .now() < $0 } ?? true
            },
            end: display.end)
    }
}

/// One line on a terminal, while reading takes longer than a moment.
private final class UpdateDisplay {
    private static let interval = TimeSpan.milliseconds(200)

    private var last = HostTime.now()
    private var isShown = false

    func show(_ progress: UpdateProgress) {
        guard StandardStream.error.isTerminal, HostTime.now() - last >= Self.interval else { return }
        last = .now()
        isShown = true
        StandardStream.error.write(
            "\rreading music: \(progress.songCount) songs, \(progress.readCount) of them new\u{1B}[K")
    }

    func end() {
        if isShown { StandardStream.error.write("\r\u{1B}[K") }
        isShown = false
    }
}

extension LibraryError {
    /// What is wrong with the index, behind its name.
    var reading: String {
        switch self {
        case .noSQLite: "takes SQLite 3.27 or later: install libsqlite3-0"
        case .damaged: "is damaged"
        case .busy: "is in use by another program; try again"
        case .diskFull: "has no room on its disk"
        case .ioError: "is not taken by its disk"
        case .readOnly: "cannot be written"
        case .other(let message): "cannot be used: \(message)"
        }
    }
}

extension RuntimeFailure {
    init(_ error: LibraryError) {
        let kind: Kind =
            switch error {
            case .noSQLite: .unavailable
            case .busy: .temporary
            case .damaged, .diskFull, .ioError, .readOnly: .cannotCreate
            case .other: .lost
            }
        self.init(kind, .other("the index of music \(error.reading)"))
    }
}
