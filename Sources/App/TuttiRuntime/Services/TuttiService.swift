/// A broadcaster, a listener or a player inside a program of one's own: ``BroadcastService``, ``ListenService``,
/// ``PlayService``.
///
/// A service runs once. It has threads of its own, and blocks none of Swift's. ``run()`` is all that a structured program
/// needs; ``start()`` and ``stop()`` are for one that wants to know when its ports are open, or ends it from elsewhere.
/// Every method may be called from any task, in any order and more than once. Letting go of a service stops it.
public protocol TuttiService: Sendable {
    /// What happens, in order; ends with the service.
    ///
    /// At most ``eventLimit`` events wait: where nobody reads, or not as fast, the oldest are dropped. For one reader, whose
    /// cancellation ends the stream for good. Names and texts may be those of a peer: make them safe before they are shown.
    var events: AsyncStream<RuntimeEvent> { get }

    /// Starts it and returns when it can be reached, or a player is heard; at once where it was stopped before.
    ///
    /// Of songs, the first that can be opened is. Cancellation stops the service.
    /// - Throws: why it could not begin: no such song, no such device, a port that is taken.
    func start() async throws(RuntimeFailure)

    /// Starts it, where that was not done, and returns when it is over: by itself, by ``stop()`` or, cleanly too, because
    /// the calling task was cancelled.
    /// - Throws: why it could not begin, or not go on.
    func run() async throws(RuntimeFailure)

    /// Ends it and returns when all is released: ports, files, the sound device, threads. At once where it is over.
    ///
    /// It fades out and says goodbye, which takes some tenths of a second. Cancellation does not shorten that.
    func stop() async
}

extension TuttiService {
    /// Events that wait for a reader.
    public static var eventLimit: Int { 256 }
}
