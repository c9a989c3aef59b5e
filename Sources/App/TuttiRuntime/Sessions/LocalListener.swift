import AudioCore
import AudioDecoding
import ClockSync
import HostSystem
import Listening
import NIOCore
import Peering
import SessionExecution
import WireProtocol

/// The broadcaster's own loudspeakers: a listener in the same process, with the same protocol.
///
/// Its connection is a pair of closures, and its clock needs no exchange: session time is this machine's host time.
/// Confined to its event loop.
final class LocalListener: ListenTransport {
    /// The connection's number on both sides; a network counts from 0.
    static let connection = ConnectionID(-1)

    var onBytes: (ConnectionID, ByteBuffer) -> Void = { _, _ in }
    var onClose: (ConnectionID) -> Void = { _ in }
    var onFailure: (any Error) -> Void = { _ in }

    /// Distinguishes it from every other listener.
    let instance = UInt64.random(in: .min ... .max)
    private let loop: any EventLoop
    private let rateStore: ClockRateStore
    private var driver: ListenDriver?
    private var clockTask: RepeatedTask?

    /// Returns the name of the broadcaster's own loudspeakers among its listeners.
    static func name(_ broadcaster: String) -> String {
        Identity.name(broadcaster, marked: "here")
    }

    init(
        name: String, identity: Identity, output: OutputSelection, settings: LoudspeakerSettings?,
        memory: (any ListenerMemory)?, decoders: DecoderCatalog, loop: any EventLoop,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) {
        self.loop = loop
        let ownName = Self.name(name)
        rateStore = ClockRateStore(memory: memory, loop: loop) { event in
            if case .notice(let notice) = event { emit(.notice(.ownLoudspeakers(name: ownName, notice))) }
        }
        let greeting = Greeting(
            roles: .listener, peer: identity.peer, instance: instance, started: WallClock.seconds(),
            name: ownName, codecs: decoders.codecs.sorted { $0.rawValue < $1.rawValue })
        var configuration = ListenConfiguration(greeting: greeting)
        configuration.allowedNames = [name]
        configuration.once = true
        driver = try ListenDriver(
            loop: loop, configuration: configuration, transport: self,
            makeOutlet: QueueOutlet.maker(output.queueMaker(rateStore, decoders: decoders)),
            settings: settings.map { .exactly($0) } ?? .remembered(), rateStore: rateStore,
            statusInterval: ListenLimits.reportInterval
        ) { event in
            // The broadcast's own display shows this listener among the others.
            guard case .notice(let notice) = event, notice.level == .warning else { return }
            emit(.notice(.ownLoudspeakers(name: ownName, notice)))
        }
        driver?.outcome.whenFailure { [weak self] error in self?.onFailure(error) }
    }

    /// How they play.
    var loudspeakers: LoudspeakerSettings? { driver?.loudspeakers }

    func perform(_ command: LoudspeakerCommand) { driver?.perform(command) }

    func start() {
        driver?.start()
        driver?.handle(.opened(Self.connection, .local, address: "this process", dial: nil))
    }

    /// Takes bytes from the broadcaster. They arrive as from a network: after the current event.
    func receive(_ bytes: ByteBuffer) {
        loop.execute { self.driver?.handle(.received(Self.connection, bytes)) }
    }

    /// Notes that the broadcaster closed the connection.
    func disconnect() {
        loop.execute { self.driver?.handle(.closed(Self.connection)) }
    }

    /// Fades out, unless the broadcast's end did; completes when the fade was heard.
    func fallSilent() -> EventLoopFuture<Void> {
        guard let driver else { return loop.makeSucceededVoidFuture() }
        driver.handle(.stop)
        return driver.outcome.map { _ in }.flatMapErrorThrowing { _ in }.flatMap { self.rateStore.flush() }
    }

    func close() {
        stopClock()
        driver?.close()
        driver = nil
    }

    // MARK: ListenTransport

    func dial(_ dial: Dialer.Dial) {}

    func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        loop.execute { self.onBytes(id, bytes) }
    }

    func close(_ id: ConnectionID) {
        loop.execute { self.onClose(id) }
    }

    func abort(_ id: ConnectionID) { close(id) }

    func startClock(_ id: ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?) {
        clockTask = loop.scheduleRepeatedTask(initialDelay: .zero, delay: .seconds(1)) { [weak self] _ in
            self?.tellClock()
        }
    }

    private func tellClock() { driver?.handle(.clock(.ownClock(now: .now()))) }

    /// Reports the clock at once: session time stopped with this machine's clock.
    func restartClock() { tellClock() }

    func stopClock() {
        clockTask?.cancel()
        clockTask = nil
    }

    /// This machine's own clock is told as it goes.
    func takeEstimate() -> ClockEstimate? { nil }

    func broadcasterDidChange() {}

    // It hears its own process, which has proved no key.

    func lookUp(_ lookup: Lookup, for id: ConnectionID) {}

    func didReceive(household document: ByteBuffer, from id: ConnectionID) {}

    func didMeet(_ peer: MetPeer) {}

    func watchPins() {}
}

// Confined to its event loop.
extension LocalListener: @unchecked Sendable {}

extension ClockEstimate {
    /// Returns the clock of a listener in the broadcaster's own process: exact.
    fileprivate static func ownClock(now: HostTime) -> ClockEstimate {
        ClockEstimate(
            mapping: ClockMapping(host: now, session: ClockMapping.identity.session(at: now), skew: .zero),
            errorBound: .zero, asymmetryLimit: .zero, roundTrip: .zero, skewBound: .zero, generation: 0)
    }
}
