import AudioCore
import NIOCore

/// One end of a connection like TCP's: ordered bytes, in pieces of any size, with back-pressure.
///
/// Written bytes wait in the process until the kernel has room for them (64 KiB), travel one segment behind the other
/// at the path's bandwidth, and wait in the other kernel (128 KiB) until that process runs. A segment that the path
/// loses holds up all that follow. A peer that died acknowledges nothing.
public final class StreamEndpoint {
    private static let kernelByteCount = 64 * 1024
    private static let windowByteCount = 128 * 1024
    private static let segmentByteCount = 8 * 1024
    private static let retransmission = TimeSpan.milliseconds(210)

    private let network: VirtualNetwork
    private let own: VirtualNetwork.Attachment
    private let peer: VirtualNetwork.Attachment
    weak var partner: StreamEndpoint?

    private var onReceive: ((ByteBuffer) -> Void)?
    private var onWrote: ((Int) -> Void)?
    private var onClosed: (() -> Void)?
    /// What arrived before anybody wanted to know.
    private var early: [() -> Void] = []
    private var hasBegun = false

    /// Bytes that the process wrote and the kernel did not take.
    private var waiting: [ByteBuffer] = []
    private var isClosing = false
    private var isClosed = false
    /// Bytes in the kernel that the other side has not acknowledged.
    private var unacknowledged = 0
    /// Bytes that this machine received and its process has not read.
    private var unread = 0
    private var lineFree = TrueTime.start
    private var lastArrival = TrueTime.start

    init(network: VirtualNetwork, own: VirtualNetwork.Attachment, peer: VirtualNetwork.Attachment) {
        self.network = network
        self.own = own
        self.peer = peer
    }

    /// The other machine's name.
    public var peerName: String { peer.machine.name }

    /// Says what is to happen with the connection's events. What arrived before is told now, after this call.
    /// - Parameter closed: the other side closed, or the connection is broken. Nothing comes after it.
    public func begin(
        received: @escaping (ByteBuffer) -> Void, wrote: @escaping (Int) -> Void, closed: @escaping () -> Void
    ) {
        (onReceive, onWrote, onClosed) = (received, wrote, closed)
        own.machine.after(.zero) { [self] in
            hasBegun = true
            early.forEach { $0() }
            early.removeAll()
        }
    }

    private func tell(_ body: @escaping () -> Void) {
        if hasBegun { body() } else { early.append(body) }
    }

    public func write(_ bytes: ByteBuffer) {
        guard !isClosed, !isClosing, bytes.readableBytes > 0 else { return }
        waiting.append(bytes)
        pump()
    }

    /// Closes after what was written.
    public func close() {
        guard !isClosed, !isClosing else { return }
        isClosing = true
        pump()
    }

    /// Breaks the connection at once, as a kernel does for a process that was killed.
    func reset() {
        guard !isClosed else { return }
        waiting.removeAll()
        isClosing = true
        sendFIN()
    }

    // MARK: Sending

    private func pump() {
        while !isClosed, let first = waiting.first, unacknowledged < Self.kernelByteCount {
            var rest = first
            let room = min(Self.kernelByteCount - unacknowledged, Self.segmentByteCount)
            let count = min(rest.readableBytes, 1 + Int(network.random.uniform() * Double(room)), room)
            guard let segment = rest.readSlice(length: max(1, count)) else { return }
            if rest.readableBytes == 0 { waiting.removeFirst() } else { waiting[0] = rest }
            transmit(segment)
            own.machine.after(.zero) { [self] in tell { [self] in if !isClosed { onWrote?(segment.readableBytes) } } }
        }
        if isClosing, !isClosed, waiting.isEmpty { sendFIN() }
    }

    private func transmit(_ segment: ByteBuffer) {
        unacknowledged += segment.readableBytes
        guard let partner else { return }
        network.loop.at(arrival(byteCount: segment.readableBytes)) { [self] in
            partner.arrived(
                segment,
                acknowledge: { [self] count in
                    unacknowledged -= count
                    pump()
                })
        }
    }

    private func sendFIN() {
        isClosed = true
        network.forget(self, of: own)
        if let partner { network.loop.at(arrival(byteCount: 40)) { partner.finArrived() } }
        own.machine.after(.zero) { [self] in tellClosed() }
    }

    /// When a segment that is sent now arrives: behind those before it.
    private func arrival(byteCount: Int) -> TrueTime {
        let rate = min(own.quality.bytesPerSecond, peer.quality.bytesPerSecond)
        lineFree = max(lineFree, network.loop.now) + TimeSpan(seconds: Double(byteCount) / rate)
        var arrival = lineFree + network.delay(own, peer)
        if network.random.chance(own.quality.segmentLoss + peer.quality.segmentLoss) { arrival += Self.retransmission }
        // What cannot arrive, or leave, is sent again when the machine has woken.
        for machine in [own.machine, peer.machine] where machine.isSuspended {
            arrival = max(arrival, machine.suspendedUntil + Self.retransmission)
        }
        lastArrival = max(lastArrival + .nanoseconds(1), arrival)
        return lastArrival
    }

    // MARK: Receiving

    private func arrived(_ segment: ByteBuffer, acknowledge: @escaping (Int) -> Void) {
        guard own.machine.isAlive, !isClosed else { return }
        let count = segment.readableBytes
        unread += count
        let isWindowOpen = unread <= Self.windowByteCount
        if isWindowOpen { acknowledge(count) }
        own.machine.after(.zero) { [self] in
            unread -= count
            if !isWindowOpen { acknowledge(count) }
            tell { [self] in onReceive?(segment) }
        }
    }

    private func finArrived() {
        guard own.machine.isAlive, !isClosed else { return }
        isClosed = true
        network.forget(self, of: own)
        own.machine.after(.zero) { [self] in tellClosed() }
    }

    private func tellClosed() {
        tell { [self] in
            onClosed?()
            onClosed = nil
            onReceive = nil
            onWrote = nil
        }
    }
}
