/// A broadcaster, a listener or a player in your own program: ``BroadcastService``, ``ListenService``,
/// ``PlayService``.
///
/// A service runs once. It has its own threads, and blocks none of Swift's. ``run()`` is all that a structured program
/// needs. ``start()`` returns when the ports are open; ``stop()`` ends the service from elsewhere. Every method may be
/// called from any task, in any order and more than once. Releasing the last reference stops the service.
public protocol TuttiService: Sendable {
    /// The events in order; ends with the service.
    ///
    /// At most ``eventLimit`` events are buffered: if the reader is too slow, the oldest are dropped. There is one
    /// reader; if it is cancelled, the stream ends for good. Names and texts may come from a peer: sanitise them before
    /// showing.
    var events: AsyncStream<RuntimeEvent> { get }

    /// Starts the service; returns when it can be reached or, for a player, when it plays. Returns at once if it was
    /// stopped before.
    ///
    /// Songs that cannot be opened are skipped. Cancellation stops the service.
    /// - Throws: if it cannot start: no such song, no such device, a port in use.
    func start() async throws(RuntimeFailure)

    /// Starts the service unless it has started; returns when it is over: by itself, by ``stop()``, or because the
    /// calling task was cancelled, which is no error.
    /// - Throws: if it cannot start, or cannot go on.
    func run() async throws(RuntimeFailure)

    /// Stops the service; returns when everything is released: ports, files, the sound device, threads. Returns at once
    /// if it is over.
    ///
    /// Fading out and saying goodbye take some tenths of a second. Cancellation does not shorten that.
    func stop() async
}

extension TuttiService {
    /// The largest number of buffered events.
    public static var eventLimit: Int { 256 }
}
