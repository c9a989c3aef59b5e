import AudioCore

/// What a broadcaster shows of itself: a snapshot, made a few times a second.
public struct BroadcastStatus: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// For listeners: how many are ready, and how many are wanted.
        case waiting(ready: Int, wanted: Int)
        case playing
        /// All packets are sent; listeners play what they hold.
        case finishing
        case ended
    }

    public var name: String
    public var state: State
    public var song: SongStatus
    public var listeners: [ListenerStatus]

    public init(name: String, state: State, song: SongStatus, listeners: [ListenerStatus]) {
        self.name = name
        self.state = state
        self.song = song
        self.listeners = listeners
    }

    /// The two listeners that may be farthest apart, and by how much at most: |e1 - e2| + b1 + b2.
    public var worstPair: (first: String, second: String, distance: TimeSpan)? {
        let playing = listeners.filter { $0.state == .playing && $0.timing != nil }
        var worst: (first: String, second: String, distance: TimeSpan)?
        for (index, a) in playing.enumerated() {
            for b in playing[(index + 1)...] {
                guard let first = a.timing, let second = b.timing else { continue }
                let distance = first.distance(to: second)
                if distance > worst?.distance ?? -.seconds(1) { worst = (a.name, b.name, distance) }
            }
        }
        return worst
    }
}

/// The song and where it is.
public struct SongStatus: Hashable, Sendable {
    public var title: String
    public var artist: String?
    /// For people: "MP3 44.1 kHz stereo 128 kbit/s".
    public var format: String
    public var elapsed: TimeSpan
    /// Nil where the source does not say.
    public var total: TimeSpan?

    public init(title: String, artist: String?, format: String, elapsed: TimeSpan, total: TimeSpan?) {
        self.title = title
        self.artist = artist
        self.format = format
        self.elapsed = elapsed
        self.total = total
    }
}
