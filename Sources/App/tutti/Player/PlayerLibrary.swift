import AudioCore
import Glibc
import HostSystem
import MusicLibrary
import PlayerScreen
import Songs
import Synchronization
import TuttiRuntime

/// This user's music for the player: one thread finds songs, another one reads what is new in the folders meanwhile,
/// and again whenever something changes in them.
final class PlayerLibrary: Sendable {
    /// What the thread that finds is to do.
    private enum Work {
        case search(String)
        case listAlbums
        case findSongs(AlbumRequest)
    }

    private struct State {
        /// In the order in which it is done: at most one search and one list.
        var work: [Work] = []
        /// What the user was warned of: once, though the folders are looked at again and again.
        var told: Set<String> = []
        var isStopped = false
    }

    private let inbox: PlayerInbox
    private let state = Mutex(State())
    private let wake: WakeSignal
    private let readerWake: WakeSignal

    /// How long nothing must change before the folders are read again: whoever copies an album writes for a while.
    private static let quietTime = TimeSpan.seconds(2)
    /// How often they are read where the kernel does not tell of all changes, and where it does.
    private static let interval = TimeSpan.seconds(300)
    private static let longInterval = TimeSpan.seconds(3_600)
    /// While as much waits to be done, no album is taken.
    private static let workLimit = 32
    /// After something went wrong.
    private static let pause = TimeSpan.seconds(5)

    init(inbox: PlayerInbox) throws(DescriptorError) {
        self.inbox = inbox
        wake = try WakeSignal()
        readerWake = try WakeSignal()
    }

    func start() throws(RuntimeFailure) -> [HostThread] {
        do {
            return [
                try HostThread(name: "tutti search") {
                    self.repeating(self.wake) { library in try self.find(library) }
                },
                try HostThread(name: "tutti library") {
                    self.repeating(self.readerWake) { library in try self.read(library) }
                },
            ]
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }

    /// Looks for this instead of what was asked for before.
    func search(_ query: String) {
        enqueue(.search(query)) { if case .search = $0 { true } else { false } }
    }

    /// Lists all albums, once for whoever asks again before it is done.
    func listAlbums() {
        enqueue(.listAlbums) { if case .listAlbums = $0 { true } else { false } }
    }

    /// Finds the songs of an album; no more of whoever holds the key down than can be found.
    func findSongs(of request: AlbumRequest) {
        guard state.withLock({ $0.work.count < Self.workLimit }) else { return }
        enqueue(.findSongs(request)) { _ in false }
    }

    /// - Parameter isReplaced: what waits and need not be done any more.
    private func enqueue(_ work: Work, _ isReplaced: (Work) -> Bool) {
        state.withLock { state in
            state.work.removeAll(where: isReplaced)
            state.work.append(work)
        }
        wake.signal()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
        readerWake.signal()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func warn(_ text: String) {
        if state.withLock({ $0.told.insert(text).inserted }) { inbox.post(.note("warning: \(text)")) }
    }

    /// Opens the index anew whenever something is wrong with it: without a library the player commands all the same.
    private func repeating(_ wake: WakeSignal, _ body: (UserLibrary) throws -> Void) {
        while !isStopped {
            do {
                var last = HostTime.now()
                let report = UserLibrary.Report(warn: warn) { progress in
                    if HostTime.now() - last >= .milliseconds(200) {
                        last = .now()
                        self.inbox.post(.reading(songCount: progress.songCount, isDone: false))
                    }
                    return !self.isStopped
                }
                return try body(UserLibrary(report))
            } catch {
                warn((error as? RuntimeFailure)?.sentence ?? "\(error)")
                wake.wait(atMost: Self.pause)
            }
        }
    }

    /// Finds what is asked for. An index that cannot be kept is read by this thread, as no other one sees it.
    private func find(_ library: UserLibrary) throws(RuntimeFailure) {
        if !library.isKept { try refresh(library, nil) }
        while !isStopped {
            guard let work = state.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) else {
                wake.wait(atMost: .seconds(60))
                continue
            }
            do throws(RuntimeFailure) {
                inbox.post(try event(of: work, library))
            } catch {
                // The screen does not ask again; it is listed after the pause.
                if case .listAlbums = work { state.withLock { $0.work.append(work) } }
                throw error
            }
        }
    }

    private func event(of work: Work, _ library: UserLibrary) throws(RuntimeFailure) -> PlayerEvent {
        switch work {
        case .search(let text):
            .found(
                try library.search(SearchQuery(line: text), by: .relevance, limit: PlayerModel.resultLimit), for: text)
        case .listAlbums: .albums(try library.albumList(limit: PlayerModel.albumLimit))
        case .findSongs(let request):
            .songs(try library.songs(ofAlbum: request.album, limit: SongCollection.countLimit), of: request)
        }
    }

    private func read(_ library: UserLibrary) throws(RuntimeFailure) {
        guard library.isKept else { return }
        inbox.post(.reading(songCount: try library.songCount(), isDone: true))
        let watch = FolderWatch()
        while !isStopped {
            if try refresh(library, watch) {
                waitForChanges(watch, library.folders)
            } else {
                // Another program is at it.
                readerWake.wait(atMost: Self.pause)
            }
        }
    }

    /// - Returns: whether the index is as the folders are.
    @discardableResult
    private func refresh(_ library: UserLibrary, _ watch: FolderWatch?) throws(RuntimeFailure) -> Bool {
        let isWhole = try library.refresh(after: 0, watch: watch)
        inbox.post(.reading(songCount: try library.songCount(), isDone: true))
        return isWhole
    }

    /// Waits until something has changed, and then no longer does.
    private func waitForChanges(_ watch: FolderWatch?, _ folders: [String]) {
        let isComplete = watch?.isComplete == true && folders.allSatisfy { access($0, F_OK) == 0 }
        let end = HostTime.now() + (isComplete ? Self.longInterval : Self.interval)
        var hasChanged = false
        while !isStopped, HostTime.now() < end {
            let left = hasChanged ? Self.quietTime : end - .now()
            guard let watch else { return readerWake.wait(atMost: left) }
            readerWake.wait(atMost: left, orReadable: watch.descriptor)
            if watch.takeChanges() { hasChanged = true } else if hasChanged { return }
        }
    }
}
