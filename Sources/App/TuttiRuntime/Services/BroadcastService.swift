/// A broadcaster in a program of one's own: songs, one after the other, or what a sound device hears.
///
/// What can be set is in ``BroadcastOptions``; with their defaults it is found by mDNS, and the first song starts when one
/// listener is ready. Where songs have to be decoded on this machine, see ``DecodeWorkers``.
public final class BroadcastService: TuttiService {
    private let service: ServiceRun

    /// Broadcasts songs; over when the last frame of the last one was heard. One that cannot be played is passed over with
    /// a notice, and the end fails then.
    /// - Parameters:
    ///   - songs: paths of songs, directories and playlists, URLs, or `-` for standard input.
    ///   - options: for each of them; their path is not used.
    ///   - identity: who this is on the network; by default a new peer of the host's name.
    public init(songs: [String], options: BroadcastOptions = BroadcastOptions(), identity: Identity = Identity()) {
        let series = BroadcastSeries(paths: songs, options: options, identity: identity)
        service = ServiceRun(
            threadName: "tutti service", eventLimit: Self.eventLimit,
            .init(run: { handler throws(RuntimeFailure) in try series.run(handler) }, stop: { series.stop() }))
    }

    /// Broadcasts what a sound device hears, until it is stopped.
    /// - Parameter options: those of songs, the path and the start, are not used.
    public init(
        capture: CaptureOptions, options: BroadcastOptions = BroadcastOptions(), identity: Identity = Identity()
    ) {
        var options = options
        options.capture = capture
        let broadcaster = Broadcaster(options: options, identity: identity)
        service = ServiceRun(
            threadName: "tutti service", eventLimit: Self.eventLimit,
            .init(
                run: { handler throws(RuntimeFailure) in try broadcaster.run(handler) }, stop: { broadcaster.stop() }))
    }

    deinit { service.requestStop() }

    public var events: AsyncStream<RuntimeEvent> { service.events }

    public func start() async throws(RuntimeFailure) { try await service.start() }

    public func run() async throws(RuntimeFailure) { try await service.run() }

    public func stop() async { await service.stop() }
}
