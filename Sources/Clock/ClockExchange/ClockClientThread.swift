import AudioCore
import ClockSync
import HostSystem
import Synchronization

/// A listener's clock: a UDP socket and a thread that keeps asking the broadcaster for session time.
///
/// Any thread except a real-time one may call the methods (they take a lock). The thread ends with ``stop()`` or with
/// the last reference.
public final class ClockClientThread: Sendable {
    private let loop: ClientLoop
    private let thread: HostThread

    /// Opens a socket and starts to ask at once.
    /// - Parameters:
    ///   - address: the broadcaster's host, and its clock port from the greeting.
    ///   - key: the connection's key from the greeting.
    ///   - prior: the skew remembered from the last meeting.
    ///   - onUpdate: called on the clock thread with each estimate that must not wait for its taker, which
    ///     ``takeEstimate()`` returns, too: up to 1,000 times a second in the first moments, after ten seconds only if
    ///     the clock stepped. Must not block, nor call ``stop()``.
    /// - Throws: if there is no route to the address, or the process has no descriptor or thread left.
    public init(
        address: DatagramAddress, key: ClockKey, prior: SkewPrior = .unknown,
        onUpdate: @escaping @Sendable (ClockEstimate) -> Void = { _ in }
    ) throws(ClockExchangeError) {
        let socket = try StampedSocket(connectedTo: address)
        let client = ClockClient(key: key, prior: prior, seed: .random(in: .min ... .max))
        let loop = ClientLoop(
            socket: socket, address: address, client: client, wake: try .forClockExchange(), onUpdate: onUpdate)
        thread = try .forClockExchange(name: "clock-ask") { loop.run() }
        self.loop = loop
    }

    deinit { stop() }

    /// The newest estimate; nil until a few exchanges are complete.
    public var estimate: ClockEstimate? {
        loop.state.withLock { $0.client.estimate }
    }

    /// Returns the newest estimate, if it tells more than the one that was taken before: about once a second. Whoever
    /// follows the clock takes it whenever something wakes it, about twice a second.
    public func takeEstimate() -> ClockEstimate? {
        loop.state.withLock { $0.untaken.take() }
    }

    public var statistics: ClockClient.Statistics {
        loop.state.withLock { $0.client.statistics }
    }

    /// Starts another burst, when there is reason to distrust the estimate, such as a new network.
    public func suspectChange() {
        loop.state.withLock { $0.client.suspectChange(now: .now()) }
        loop.wake.signal()
    }

    /// Forgets the offset and asks in a burst, after this machine slept.
    public func startAnew() {
        loop.state.withLock {
            $0.client.startAnew(now: .now())
            $0.untaken = nil
        }
        loop.wake.signal()
    }

    /// Ends the thread and closes the socket; returns when both are done. A second call does nothing.
    public func stop() {
        loop.state.withLock { $0.isStopping = true }
        loop.wake.signal()
        thread.join()
    }
}

private final class ClientLoop: Sendable {
    struct State {
        var client: ClockClient
        /// News that its taker has not fetched.
        var untaken: ClockEstimate?
        var isStopping = false

        /// Returns the request that is due, which is to be sent at once.
        mutating func nextRequest() -> ClockClient.Request? {
            guard let request = client.poll(now: .now()) else { return nil }
            // Until the kernel tells better.
            client.didSend(sequence: request.sequence, at: .now())
            return request
        }
    }

    /// Datagrams handled before the loop turns to anything else.
    private static let batchCount = 64
    /// After this long without an exchange a new socket is tried: this machine's address may have changed.
    private static let patience = TimeSpan.seconds(3)

    let state: Mutex<State>
    let wake: WakeSignal
    private let handover: Mutex<StampedSocket?>
    private let address: DatagramAddress
    private let onUpdate: @Sendable (ClockEstimate) -> Void

    init(
        socket: consuming sending StampedSocket, address: DatagramAddress, client: ClockClient, wake: WakeSignal,
        onUpdate: @escaping @Sendable (ClockEstimate) -> Void
    ) {
        state = Mutex(State(client: client))
        handover = Mutex(socket)
        self.address = address
        self.wake = wake
        self.onUpdate = onUpdate
    }

    func run() {
        guard var socket = handover.withLock({ $0.take() }) else { return }
        var lastSuccess = HostTime.now()
        while !state.withLock({ $0.isStopping }) {
            socket.prepareToWait()
            ask(on: &socket)
            wait(on: socket)
            noteSent(on: &socket)
            if listen(on: &socket) { lastSuccess = .now() }
            if .now() - lastSuccess > Self.patience {
                lastSuccess = .now()
                if let replacement = try? StampedSocket(connectedTo: address) { socket = replacement }
            }
        }
    }

    /// Until a request is due; or a reply is there, unless it may wait until then: one wake instead of two.
    private func wait(on socket: borrowing StampedSocket) {
        let (span, mayRepliesWait) = state.withLock { ($0.client.wait(now: .now()), $0.client.mayRepliesWait) }
        if mayRepliesWait {
            wake.wait(atMost: span)
        } else {
            wake.wait(atMost: span, orReadable: socket.descriptor)
        }
    }

    private func ask(on socket: inout StampedSocket) {
        while let request = state.withLock({ $0.nextRequest() }) { socket.send(request.bytes) }
        noteSent(on: &socket)
    }

    private func noteSent(on socket: inout StampedSocket) {
        for _ in 0..<Self.batchCount {
            switch socket.receiveSent() {
            case .empty: return
            case .unusable: continue
            case .datagram(let sent):
                guard let sequence = ClockDatagram.sequence(of: sent.bytes) else { continue }
                state.withLock { $0.client.didSend(sequence: sequence, at: sent.at) }
            }
        }
    }

    /// Returns whether an exchange was completed.
    private func listen(on socket: inout StampedSocket) -> Bool {
        var success = false
        for _ in 0..<Self.batchCount {
            switch socket.receive() {
            case .empty: return success
            case .unusable: continue
            case .datagram(let datagram): success = take(datagram) || success
            }
        }
        return success
    }

    private func take(_ datagram: StampedSocket.Received) -> Bool {
        let (isUpdated, news) = state.withLock { state in
            let isUpdated = state.client.receive(datagram.bytes, at: datagram.at) == .updated
            let news = isUpdated ? state.client.takeNews() : nil
            if let news { state.untaken = news.estimate }
            return (isUpdated, news)
        }
        if let news, !news.mayWait { onUpdate(news.estimate) }
        return isUpdated
    }
}
