import SongCollection
import SongReading
import Synchronization

/// Plays songs on this machine alone, one after the other: `tutti play` without its terminal.
///
/// One that cannot be played is told of, as `tutti inspect` does, and passed over.
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
    /// - Throws: why a song could not be played, unless only it was to blame and others follow; at the end, how many
    ///   songs could not be played.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        let inbox = try PlayerInbox()
        let isStopped = state.withLock { state in
            state.inbox = inbox
            return state.isStopped
        }
        if isStopped { return .interrupted }
        let songs = try findSongs(inbox, handler)
        var settings = PlayerSettings(options)
        let output = PlayerOutput(options.output, inbox: inbox)
        var tally = Tally(count: songs.count)
        var place = Tally.Place()
        source: while place.index < songs.count {
            do throws(RuntimeFailure) {
                var player = try SongPlayer(
                    songs[place.index], settings: settings, inbox: inbox, output: output, emit: handler)
                try player.skip(songCount: place.song)
                while true {
                    place.song = player.songsBefore
                    let ending: SongPlayer.Ending
                    do throws(RuntimeFailure) {
                        tally.begin(place)
                        ending = try player.run(&settings)
                    } catch {
                        guard error.isOfSong else { throw error }
                        guard place.song > 0 else {
                            guard player.beginNext() else { throw error }
                            tally.fail(place, error)
                            handler(.notice(.warning, error.message))
                            continue
                        }
                        // It may be long until the next one comes.
                        tally.fail(place, error)
                        handler(.notice(.warning, error.message))
                        if player.passOver() { continue }
                        if inbox.isStopped { return .interrupted }
                        place = Tally.Place(index: place.index + 1)
                        continue source
                    }
                    switch ending {
                    case .stopped: return .interrupted
                    case .heard, .next:
                        if player.beginNext() { continue }
                        place = Tally.Place(index: place.index + 1)
                    case .previous:
                        let isFirst = place.song == 0
                        place =
                            isFirst
                            ? Tally.Place(index: max(0, place.index - 1))
                            : Tally.Place(index: place.index, song: place.song - 1)
                    }
                    continue source
                }
            } catch {
                guard tally.count > 1, error.isOfSong else { throw error }
                tally.fail(place, error)
                handler(.notice(.warning, error.message))
                place = Tally.Place(index: place.index + 1)
            }
        }
        if let failure = tally.failure { throw failure }
        return .completed
    }

    /// Fades out and ends. From any thread, also before `run`.
    public func stop() {
        state.withLock { state in
            state.isStopped = true
            state.inbox?.stop()
        }
    }

    /// Tells the player something. From any thread; of no effect before `run` and after it.
    public func perform(_ command: PlayerCommand) { state.withLock { $0.inbox?.post(command) } }

    private func findSongs(
        _ inbox: PlayerInbox, _ handler: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) -> [String] {
        do throws(SongFailure) {
            let collection = try SongCollection(paths) { inbox.isStopped }
            for problem in collection.problems { handler(.notice(.warning, problem)) }
            return collection.songs
        } catch {
            throw RuntimeFailure(error)
        }
    }
}

/// Which songs there were, and which of them could not be played.
private struct Tally {
    /// A source, and a song in it.
    struct Place: Hashable {
        var index = 0
        var song = 0
    }

    private let sourceCount: Int
    /// Songs behind the first of their source, as far as they were met.
    private var further: Set<Place> = []
    private var failures: [Place: RuntimeFailure] = [:]

    init(count: Int) { sourceCount = count }

    var count: Int { sourceCount + further.count }

    mutating func begin(_ place: Place) { if place.song > 0 { further.insert(place) } }

    mutating func fail(_ place: Place, _ failure: RuntimeFailure) { failures[place] = failure }

    var failure: RuntimeFailure? {
        let first = failures.min { ($0.key.index, $0.key.song) < ($1.key.index, $1.key.song) }
        guard let kind = first?.value.kind else { return nil }
        return RuntimeFailure(kind, "\(failures.count) of \(count) songs could not be played")
    }
}

extension RuntimeFailure {
    /// Whether only the song is to blame: the next one may do.
    fileprivate var isOfSong: Bool { kind == .unusableInput || kind == .missingInput }
}
