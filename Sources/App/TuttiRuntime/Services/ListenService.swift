/// A listener in your own program: plays a broadcast in step with all others.
///
/// See ``JoinOptions``: by default it plays whatever it finds by mDNS on the default sound device, until stopped. Songs
/// that it cannot decode are sent to it as PCM; see ``DecodeWorkers``.
public final class ListenService: TuttiService {
    private let listener: Listener
    private let service: ServiceRun

    /// - Parameter identity: this peer on the network; by default a new one with the host's name.
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

    /// Commands the broadcast that is heard. Has no effect while none is.
    public func perform(_ operation: ProgrammeOperation) { listener.perform(operation) }

    /// Changes volume, channel role or offset, without a click. Has no effect before ``start()`` has returned; set it
    /// in the options then.
    public func perform(_ command: LoudspeakerCommand) { listener.perform(command) }
}
