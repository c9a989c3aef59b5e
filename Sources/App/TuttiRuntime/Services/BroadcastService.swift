/// A broadcaster in your own program: songs, one after the other, or what a sound device captures.
///
/// See ``BroadcastOptions``: by default it is found by mDNS, and the first song starts when one listener is ready. If
/// songs have to be decoded on this machine, see ``DecodeWorkers``.
public final class BroadcastService: TuttiService {
    private let service: ServiceRun
    private let broadcaster: Broadcaster

    /// Broadcasts songs; over when the last frame of the last one was heard. A song that cannot be played is skipped
    /// with a notice, and ``run()`` throws at the end.
    /// - Parameters:
    ///   - songs: paths of songs, directories and playlists, URLs, or `-` for standard input.
    ///   - options: for every song.
    ///   - identity: this peer on the network; by default a new one with the host's name.
    public convenience init(
        songs: [String], options: BroadcastOptions = BroadcastOptions(), identity: Identity = Identity()
    ) {
        self.init(Broadcaster(songs: songs, options: options, identity: identity))
    }

    /// Broadcasts what a sound device captures, until stopped.
    /// - Parameter options: the start is not used.
    public convenience init(
        capture: CaptureOptions, options: BroadcastOptions = BroadcastOptions(), identity: Identity = Identity()
    ) {
        var options = options
        options.capture = capture
        self.init(Broadcaster(options: options, identity: identity))
    }

    private init(_ broadcaster: Broadcaster) {
        self.broadcaster = broadcaster
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

    /// Changes volume, channel role or offset of the broadcaster's own loudspeakers (``BroadcastOptions/output``),
    /// without a click. Has no effect before ``start()`` has returned.
    public func perform(_ command: LoudspeakerCommand) { broadcaster.perform(command) }

    /// Commands the broadcast: pause, seek, next and the like. A notice tells of one that is refused. Has
    /// no effect before ``start()`` has returned.
    public func perform(_ operation: ProgrammeOperation) { broadcaster.perform(operation) }
}
