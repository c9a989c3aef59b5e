import AudioCore

/// What `tutti record --from` was asked to do; acted on by ``Recorder``.
public struct RecordOptions: Sendable {
    /// How samples are written.
    public enum Samples: Hashable, Sendable {
        /// Integers in the song's own width, or floats.
        case asTheyAre
        case integer(bits: Int)
        case float
    }

    /// The file; its ending says what kind it is.
    public var path: String
    /// A file of that name is replaced.
    public var replaces = false
    public var samples = Samples.asTheyAre
    /// Ends after so much; nil: with the broadcast.
    public var duration: TimeSpan?
    /// Goes on with the broadcaster's next songs.
    public var follows = false
    /// Names of the only broadcasters that are recorded; empty lets any.
    public var from: [String] = []
    /// A broadcaster dialled by address, with no mDNS needed.
    public var address: NetworkAddress?
    /// The recorder's name on the network; the peer's own, marked as a recorder's, where nil.
    public var name: String?
    public var network = NetworkOptions()

    public init(path: String) { self.path = path }
}
