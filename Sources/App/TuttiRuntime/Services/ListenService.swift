/// A listener in a program of one's own: plays what is broadcast, in step with all others.
///
/// What can be set is in ``JoinOptions``; with their defaults it plays whatever it finds by mDNS on the default sound
/// device, until it is stopped. What it cannot decode it is sent as PCM; see ``DecodeWorkers``.
public final class ListenService: TuttiService {
    private let listener: Listener
    private let service: ServiceRun

    /// - Parameter identity: who this is on the network; by default a new peer of the host's name.
    public init(options: JoinOptions = JoinOptions(), identity: Identity = Identity()) {
        let listener = Listener(options: options, identity: identity)
        self.listener = listener
        service = ServiceRun(
            threadName: "tutti service", eventLimit: Self.eventLimit,
            .init(run: { handler throws(RuntimeFailure) in try listener.run(handler) }, stop: { listener.stop() }))
    }

    deinit { service.requestStop() }

    public var events: AsyncStream<RuntimeEvent> { service.events }

    public func start() async throws(RuntimeFailure) { try await service.start() }

    public func run() async throws(RuntimeFailure) { try await service.run() }

    public func stop() async { await service.stop() }

    /// Changes the volume, from 0 to 1, without a click. Of effect once ``start()`` has returned; before, it is in the
    /// options.
    public func setVolume(_ volume: Float) { listener.setVolume(volume) }
}
