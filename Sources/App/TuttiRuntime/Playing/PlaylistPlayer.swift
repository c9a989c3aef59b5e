/// Plays sources one after the other, and all songs of each; skips what cannot be played.
///
/// Runs on the thread that calls ``run()``.
struct PlaylistPlayer {
    private let sources: [String]
    private let inbox: PlayerInbox
    private let output: PlayerOutput
    private let emit: @Sendable (RuntimeEvent) -> Void
    private var settings: PlayerSettings
    private var place = SongPlace()
    private var tally: SongTally

    init(
        _ sources: [String], _ options: PlayOptions, inbox: PlayerInbox,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.sources = sources
        self.inbox = inbox
        self.emit = emit
        settings = PlayerSettings(options)
        output = PlayerOutput(options.output, inbox: inbox)
        tally = SongTally(sourceCount: sources.count)
    }

    /// - Throws: at once what prevents all further playing (the device, for example), or what is wrong with the only
    ///   song; at the end, how many songs could not be played.
    mutating func run() throws(RuntimeFailure) -> RuntimeOutcome {
        while place.index < sources.count {
            do throws(RuntimeFailure) {
                guard try playSource() else { return .interrupted }
            } catch {
                guard tally.songCount > 1, error.isSongAtFault else { throw error }
                note(error)
                place = place.nextSource
            }
        }
        if let failure = tally.failure { throw failure }
        return .completed
    }

    /// Plays the songs of a source from the present place on, and moves to the next place.
    /// - Returns: false if the player was stopped.
    private mutating func playSource() throws(RuntimeFailure) -> Bool {
        var player = try SongPlayer(
            sources[place.index], isLast: place.index + 1 == sources.count, settings: settings, inbox: inbox,
            output: output, emit: emit)
        try player.skip(songCount: place.song)
        var isFurther = true
        while isFurther {
            place.song = player.songsBefore
            tally.begin(place)
            switch try play(&player) {
            case .stopped: return false
            case .previous:
                place = place.previous
                return true
            case .heard, .next: isFurther = player.beginNext()
            case nil: isFurther = player.passOver()
            }
        }
        place = place.nextSource
        return !inbox.isStopped
    }

    /// Plays one song. Returns nil if it cannot be played, and others may follow in its source.
    private mutating func play(_ player: inout SongPlayer) throws(RuntimeFailure) -> SongPlayer.Ending? {
        do throws(RuntimeFailure) {
            return try player.run(&settings)
        } catch {
            guard error.isSongAtFault, place.song > 0 || player.hasNext() else { throw error }
            note(error)
            return nil
        }
    }

    private mutating func note(_ error: RuntimeFailure) {
        tally.fail(place, error)
        emit(.notice(.song(.passedOver(error))))
    }
}

/// A source, and a song in it.
struct SongPlace: Hashable {
    var index = 0
    var song = 0

    var nextSource: SongPlace { SongPlace(index: index + 1) }

    var previous: SongPlace {
        song == 0 ? SongPlace(index: max(0, index - 1)) : SongPlace(index: index, song: song - 1)
    }
}

/// Counts the songs, and those that could not be played.
private struct SongTally {
    private let sourceCount: Int
    /// Songs after the first of their source, as far as they were met.
    private var further: Set<SongPlace> = []
    private var failures: [SongPlace: RuntimeFailure] = [:]

    init(sourceCount: Int) { self.sourceCount = sourceCount }

    var songCount: Int { sourceCount + further.count }

    mutating func begin(_ place: SongPlace) { if place.song > 0 { further.insert(place) } }

    mutating func fail(_ place: SongPlace, _ failure: RuntimeFailure) { failures[place] = failure }

    var failure: RuntimeFailure? {
        let first = failures.min { ($0.key.index, $0.key.song) < ($1.key.index, $1.key.song) }
        guard let kind = first?.value.kind else { return nil }
        return RuntimeFailure(kind, .songsFailed(count: failures.count, of: songCount))
    }
}

extension RuntimeFailure {
    /// Whether only the song is at fault: the next one may play.
    fileprivate var isSongAtFault: Bool { kind == .unusableInput || kind == .missingInput }
}
