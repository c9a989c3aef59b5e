import Songs
import Synchronization

/// Plays songs on this machine alone, one after the other: `tutti play` without its terminal.
///
/// A song that cannot be played is reported as `tutti inspect` reports it, and skipped.
public final class Player: Sendable {
    private let paths: [String]
    private let options: PlayOptions
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var inbox: PlayerInbox?
    }

    /// - Parameter paths: songs, and directories and playlists of songs (``SongCollection``).
    public init(paths: [String], options: PlayOptions) {
        self.paths = paths
        self.options = options
    }

    /// Runs until the last frame of the last song was heard or ``stop()`` was called; blocks the calling thread.
    /// - Parameter handler: called for every event, one call at a time.
    /// - Throws: at once what prevents all further playing (the device, for example), or what is wrong with the only
    ///   song; at the end, how many songs could not be played.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        let inbox = try PlayerInbox()
        let isStopped = state.withLock { state in
            state.inbox = inbox
            return state.isStopped
        }
        if isStopped { return .interrupted }
        var playlist = PlaylistPlayer(try findSongs(inbox, handler), options, inbox: inbox, emit: handler)
        return try playlist.run()
    }

    /// Fades out and ends. Any thread may call it, also before `run`.
    public func stop() {
        state.withLock { state in
            state.isStopped = true
            state.inbox?.stop()
        }
    }

    /// Sends the player a command. Any thread may call it; has no effect before and after `run`.
    public func perform(_ command: PlayerCommand) { state.withLock { $0.inbox?.post(command) } }

    private func findSongs(
        _ inbox: PlayerInbox, _ handler: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) -> [String] {
        do throws(SongFailure) {
            let collection = try SongCollection(paths) { inbox.isStopped }
            for problem in collection.problems { handler(.notice(.song(.listProblem(problem)))) }
            return collection.songs
        } catch {
            throw RuntimeFailure(error)
        }
    }
}
