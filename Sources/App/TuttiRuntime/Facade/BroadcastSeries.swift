import AudioCore
import Songs
import Synchronization

/// Several songs, each a broadcast of its own, one after the other.
///
/// A source may hold several songs. A song that cannot be played is reported as `tutti inspect` reports it, and
/// skipped.
public final class BroadcastSeries: Sendable {
    private let paths: [String]
    private let options: BroadcastOptions
    private let identity: Identity
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var current: Broadcaster?
        /// How the own loudspeakers play, from song to song.
        var loudspeakers: LoudspeakerSettings?
    }

    /// - Parameters:
    ///   - paths: songs, and directories and playlists of songs (``SongCollection``).
    ///   - options: for each of them; their `path` is not used.
    public init(paths: [String], options: BroadcastOptions, identity: Identity) {
        self.paths = paths
        self.options = options
        self.identity = identity
    }

    /// Runs until the last frame of the last song was heard or ``stop()`` was called; blocks the calling thread.
    /// - Parameter handler: called for every event, one call at a time.
    /// - Throws: why a broadcast could not begin or go on, unless only the song was at fault and others follow; at the
    ///   end, how many songs could not be played.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        var songs = try findSongs(handler)
        // A source may hold several songs.
        let handover = SongHandover()
        defer { handover.take()?.stop() }
        var furtherCount = 0
        if state.withLock(\.isStopped) { return .interrupted }
        var failures: [RuntimeFailure] = []
        var (index, listCount) = (0, 0)
        while index < songs.count {
            do throws(RuntimeFailure) {
                guard try play(songs[index], handover, handler) == .completed else { return .interrupted }
            } catch {
                // The source is a playlist from a server: its songs take its place.
                if !error.songs.isEmpty, listCount < Self.listCountLimit {
                    listCount += 1
                    songs.replaceSubrange(index...index, with: error.songs)
                    continue
                }
                guard songs.count + furtherCount > 1 || !handover.isEmpty, error.isSongAtFault else { throw error }
                failures.append(error)
                handler(.notice(.song(.passedOver(error))))
            }
            if handover.isEmpty { index += 1 } else { furtherCount += 1 }
        }
        guard let first = failures.first else { return .completed }
        throw RuntimeFailure(
            first.kind, .songsFailed(count: failures.count, of: songs.count + furtherCount))
    }

    /// Playlists may name each other.
    private static let listCountLimit = 100

    /// Ends the current song cleanly, and all after it. Any thread may call it, also before `run`.
    public func stop() {
        let current = state.withLock { state in
            state.isStopped = true
            return state.current
        }
        current?.stop()
    }

    /// Changes how the own loudspeakers play (``BroadcastOptions/output``). From any thread; of no effect while no song
    /// is broadcast.
    public func perform(_ command: LoudspeakerCommand) { state.withLock(\.current)?.perform(command) }

    /// Returns the songs behind the paths, and reports what was skipped.
    private func findSongs(
        _ handler: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) -> [String] {
        do throws(SongFailure) {
            let collection = try SongCollection(paths) { self.state.withLock(\.isStopped) }
            for problem in collection.problems { handler(.notice(.song(.listProblem(problem)))) }
            return collection.songs
        } catch {
            throw RuntimeFailure(error)
        }
    }

    private func play(
        _ path: String, _ handover: SongHandover, _ handler: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) -> RuntimeOutcome {
        var options = options
        options.path = path
        if let settings = state.withLock(\.loudspeakers) { options.loudspeakers = settings }
        let broadcaster = Broadcaster(options: options, identity: identity, handover: handover)
        let isStopped = state.withLock { state in
            state.current = broadcaster
            return state.isStopped
        }
        if isStopped { return .interrupted }
        return try broadcaster.run { event in
            if case .broadcast(let status) = event, let settings = status.loudspeakers {
                self.state.withLock { $0.loudspeakers = settings }
            }
            handler(event)
        }
    }
}

extension RuntimeFailure {
    /// Whether only the song is at fault: the next one may play.
    fileprivate var isSongAtFault: Bool { kind == .unusableInput || kind == .missingInput || kind == .lost }
}
