import AudioCore
import ClockSync
import HostSystem
import Synchronization

/// The broadcaster's clock: a UDP port and a thread that answers listeners' requests.
///
/// Answers on every address of the machine, IPv6 and IPv4, and only requests under registered keys. Session time is
/// this machine's host time. Any thread may call the methods. The thread ends with ``stop()`` or with the last
/// reference.
public final class ClockResponderThread: Sendable {
    private let loop: ResponderLoop
    private let thread: HostThread
    /// The UDP port at which it answers.
    public let port: UInt16

    /// Binds the port and starts to answer.
    /// - Parameter port: 0 lets the kernel choose one.
    /// - Throws: if the port is taken, or the process has no descriptor or thread left.
    public init(port: UInt16) throws(ClockExchangeError) {
        let socket = try StampedSocket(port: port)
        self.port = socket.port
        let loop = ResponderLoop(socket: socket, wake: try .forClockExchange())
        thread = try .forClockExchange(name: "clock-answer") { loop.run() }
        self.loop = loop
    }

    deinit { stop() }

    /// Answers requests under `key` from now on. Returns false if there are too many keys.
    @discardableResult
    public func register(_ key: ClockKey) -> Bool {
        let isKnown = loop.state.withLock { state in
            state.urgentUntil = .now() + ClockLimits.joinerTime
            return state.responder.register(key)
        }
        loop.wake.signal()
        return isKnown
    }

    /// Ignores requests under this key from now on.
    public func unregister(keyIdentifier: UInt64) {
        loop.state.withLock { $0.responder.unregister(keyIdentifier: keyIdentifier) }
    }

    public var statistics: ClockResponder.Statistics {
        loop.state.withLock { $0.responder.statistics }
    }

    /// Ends the thread and closes the port; returns when both are done. A second call does nothing.
    public func stop() {
        loop.state.withLock { $0.isStopping = true }
        loop.wake.signal()
        thread.join()
    }
}

// A wake-up costs more than an answer. The kernel stamps the arrival of a request, however late it is read, and the
// exchange does not count the time until the reply. So while no listener is in a hurry, requests gather in the socket,
// and one wake-up answers them all. With 50 listeners that is a third of the work.

private final class ResponderLoop: Sendable {
    struct State {
        var responder = ClockResponder()
        var isStopping = false
        /// Until when some listener is in a hurry for replies.
        var urgentUntil = HostTime(nanoseconds: 0)
    }

    /// Datagrams handled before the loop turns to anything else: a flood must not delay the end.
    private static let batchCount = 64

    let state = Mutex(State())
    let wake: WakeSignal
    private let handover: Mutex<StampedSocket?>

    init(socket: consuming sending StampedSocket, wake: WakeSignal) {
        self.wake = wake
        handover = Mutex(socket)
    }

    func run() {
        guard var socket = handover.withLock({ $0.take() }) else { return }
        var gathering = RequestGathering()
        var count = 0
        while let urgentUntil = state.withLock({ $0.isStopping ? nil : $0.urgentUntil }) {
            socket.prepareToWait()
            let mayGather = (1..<Self.batchCount).contains(count) && urgentUntil < .now()
            if mayGather {
                wake.wait(atMost: gathering.span)
            } else {
                wake.wait(atMost: nil, orReadable: socket.descriptor)
            }
            noteSent(on: &socket)
            count = answer(on: &socket)
            if mayGather { gathering.note(count: count) }
        }
    }

    /// - Returns: the number of datagrams.
    private func answer(on socket: inout StampedSocket) -> Int {
        for count in 0..<Self.batchCount {
            switch socket.receive() {
            case .empty: return count
            case .unusable: continue
            case .datagram(let datagram): answer(datagram, on: &socket)
            }
        }
        return Self.batchCount
    }

    private func answer(_ datagram: StampedSocket.Received, on socket: inout StampedSocket) {
        let receive = SessionTime(nanoseconds: datagram.at.nanoseconds)
        let reply = state.withLock { state in
            let reply = state.responder.receive(datagram.bytes, at: receive)
            if reply?.isUrgent == true { state.urgentUntil = datagram.at + ClockLimits.urgentTime }
            return reply
        }
        guard let reply else { return }
        let bytes = reply.bytes(transmit: SessionTime(nanoseconds: HostTime.now().nanoseconds))
        socket.send(bytes, along: datagram.path)
    }

    private func noteSent(on socket: inout StampedSocket) {
        for _ in 0..<Self.batchCount {
            switch socket.receiveSent() {
            case .empty: return
            case .unusable: continue
            case .datagram(let sent):
                guard let identifier = ClockDatagram.keyIdentifier(of: sent.bytes),
                    let sequence = ClockDatagram.sequence(of: sent.bytes)
                else { continue }
                let transmit = SessionTime(nanoseconds: sent.at.nanoseconds)
                state.withLock {
                    $0.responder.didSend(keyIdentifier: identifier, sequence: sequence, at: transmit)
                }
            }
        }
    }
}
