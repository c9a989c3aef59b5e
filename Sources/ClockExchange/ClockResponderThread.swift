import AudioCore
import ClockSync
import HostSystem
import Synchronization

/// The broadcaster's clock: a UDP port and a thread that answers listeners' requests.
///
/// Answers on every address of the machine, IPv6 and IPv4, and only requests under registered keys. Session time is
/// this machine's host time. All methods may be called from any thread. The thread ends with ``stop()`` or with the
/// last reference.
public final class ClockResponderThread: Sendable {
    private let loop: ResponderLoop
    private let thread: HostThread
    /// The UDP port that answers.
    public let port: UInt16

    /// Binds and starts answering.
    /// - Parameter port: 0 lets the kernel choose one.
    /// - Throws: when the port is taken or the process has no descriptor or thread left.
    public init(port: UInt16) throws(ClockExchangeError) {
        let socket = try StampedSocket(port: port)
        self.port = socket.port
        let loop = ResponderLoop(socket: socket, wake: try .forClockExchange())
        thread = try .forClockExchange(name: "clock-answer") { loop.run() }
        self.loop = loop
    }

    deinit { stop() }

    /// Answers requests under `key` from now on. False when there are too many keys.
    @discardableResult
    public func register(_ key: ClockKey) -> Bool {
        loop.state.withLock { $0.responder.register(key) }
    }

    /// Ignores requests under this key from now on.
    public func unregister(keyIdentifier: UInt64) {
        loop.state.withLock { $0.responder.unregister(keyIdentifier: keyIdentifier) }
    }

    public var statistics: ClockResponder.Statistics {
        loop.state.withLock { $0.responder.statistics }
    }

    /// Ends the thread and closes the port; returns when both are done. Does nothing the second time.
    public func stop() {
        loop.state.withLock { $0.isStopping = true }
        loop.wake.signal()
        thread.join()
    }
}

private final class ResponderLoop: Sendable {
    struct State {
        var responder = ClockResponder()
        var isStopping = false
    }

    /// Datagrams handled before the loop looks at anything else: a flood must not delay the end.
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
        while !state.withLock({ $0.isStopping }) {
            socket.prepareToWait()
            wake.wait(atMost: nil, orReadable: socket.descriptor)
            noteSent(on: &socket)
            answer(on: &socket)
        }
    }

    private func answer(on socket: inout StampedSocket) {
        for _ in 0..<Self.batchCount {
            switch socket.receive() {
            case .empty: return
            case .nothingOfUse: continue
            case .datagram(let datagram): answer(datagram, on: &socket)
            }
        }
    }

    private func answer(_ datagram: StampedSocket.Received, on socket: inout StampedSocket) {
        let receive = SessionTime(nanoseconds: datagram.at.nanoseconds)
        guard let reply = state.withLock({ $0.responder.receive(datagram.bytes, at: receive) }) else { return }
        let bytes = reply.bytes(transmit: SessionTime(nanoseconds: HostTime.now().nanoseconds))
        socket.send(bytes, along: datagram.path)
        noteSent(on: &socket)
    }

    private func noteSent(on socket: inout StampedSocket) {
        for _ in 0..<Self.batchCount {
            switch socket.receiveSent() {
            case .empty: return
            case .nothingOfUse: continue
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
