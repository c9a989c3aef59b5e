import AudioCore
import WireProtocol

/// A snapshot of a broadcaster for display, made a few times a second.
public struct BroadcastStatus: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// Waiting for listeners: how many are ready, and how many are wanted.
        case waiting(ready: Int, wanted: Int)
        case playing
        /// Silent, until somebody resumes.
        case paused
        /// Nothing plays: the broadcast was stopped, or has nothing to play.
        case idle
        /// All packets are sent; listeners play what they hold.
        case finishing
        case ended
    }

    public var name: String
    public var state: State
    /// Nil while nothing is to be played, and before anything is known of the first song.
    public var song: SongStatus?
    public var listeners: [ListenerStatus]
    /// How the broadcaster's own loudspeakers play; nil if it has none.
    public var loudspeakers: LoudspeakerSettings?
    /// What plays next; nil if nothing does.
    public var next: String?
    /// In which order the items follow one another.
    public var modes = PlayModes()
    /// The volume that all listeners' own volumes are scaled by.
    public var groupVolume = VolumeSetting()
    /// Connections refused so far: strangers, floods, peers of another role or without a decoder.
    public var refusedCount: Int

    public init(
        name: String, state: State, song: SongStatus?, listeners: [ListenerStatus], refusedCount: Int = 0
    ) {
        self.name = name
        self.state = state
        self.song = song
        self.listeners = listeners
        self.refusedCount = refusedCount
    }

    /// The two listeners that may be farthest apart, and their largest possible distance: |e1 - e2| + b1 + b2.
    ///
    /// Found in one pass: of two listeners, one may be as late as e1 + b1, and the other as early as e2 - b2.
    public var worstPair: (first: String, second: String, distance: TimeSpan)? {
        var latest = Extremes()
        var earliest = Extremes()
        for (index, listener) in listeners.enumerated() where listener.state == .playing {
            guard let timing = listener.timing else { continue }
            let bound = max(0, timing.errorBound.seconds)
            latest.note(index, timing.error.seconds + bound)
            earliest.note(index, bound - timing.error.seconds)
        }
        var worst: (first: Int, second: Int, distance: Double)?
        for late in latest.entries {
            for early in earliest.entries where early.index != late.index {
                guard late.value + early.value > worst?.distance ?? -1 else { continue }
                worst = (min(late.index, early.index), max(late.index, early.index), late.value + early.value)
            }
        }
        return worst.map { (listeners[$0.first].name, listeners[$0.second].name, TimeSpan(seconds: $0.distance)) }
    }
}

/// The two largest of many values.
private struct Extremes {
    private(set) var entries: [(index: Int, value: Double)] = []

    mutating func note(_ index: Int, _ value: Double) {
        let place = entries.firstIndex { value > $0.value } ?? entries.count
        guard place < 2 else { return }
        entries.insert((index, value), at: place)
        if entries.count > 2 { entries.removeLast() }
    }
}

/// The song and its position.
public struct SongStatus: Hashable, Sendable {
    public var title: String
    public var artist: String?
    /// For people: "MP3 44.1 kHz stereo 128 kbit/s".
    public var format: String
    public var elapsed: TimeSpan
    /// Nil if the source does not say.
    public var total: TimeSpan?
    public var album: String?
    /// Where it lies, as its user named it; nil for what is no file of this machine, and for a listener.
    public var path: String?

    public init(
        title: String, artist: String?, format: String, elapsed: TimeSpan, total: TimeSpan?, album: String? = nil,
        path: String? = nil
    ) {
        self.title = title
        self.artist = artist
        self.format = format
        self.elapsed = elapsed
        self.total = total
        self.album = album
        self.path = path
    }
}
