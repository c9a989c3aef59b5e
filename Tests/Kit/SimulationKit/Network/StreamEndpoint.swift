import AudioCore
import NIOCore

/// One end of a connection like TCP's: ordered bytes, in pieces of any size, with back-pressure.
///
/// Written bytes wait in the process until the kernel has room for them (64 KiB), travel one segment behind the other
/// at the path's bandwidth, and wait in the other kernel (128 KiB) until that process runs. A segment that the path
/// loses holds up all that follow; one that the network does not carry at all is sent again after longer and longer
/// silence (``Retransmission``). A peer that died acknowledges nothing, and one that was started anew knows nothing of
/// the connection and says so.
public final class StreamEndpoint {
    private static let kernelByteCount = 64 * 1024
    private static let windowByteCount = 128 * 1024
    private static let segmentByteCount = 8 * 1024
    /// What a process closes is closed by then, whatever the other side has taken of it.
    private static let closingTime = TimeSpan.seconds(1)

    /// Of the connection; both ends have the same.
    let number: UInt64
    let network: VirtualNetwork
    let own: VirtualNetwork.Attachment
    let peer: VirtualNetwork.Attachment
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
    private(set) var isClosed = false
    /// Whether it is closed, but waits for the other side's end.
    private(set) var isLingering = false
    /// Bytes in the kernel that the other side has not acknowledged.
    private var unacknowledged = 0
    /// Bytes that this machine acknowledged and its process has not read.
    private var unread = 0
    /// What arrived when the window was full, and how to say that it is not.
    private var unacknowledgedArrivals: [(count: Int, acknowledge: (Int) -> Void)] = []
    /// What a process that reads slowly has not read.
    private var inbox: [ByteBuffer] = []
    /// Counts the changes of its pace.
    private var readingPace = 0
    private var lineFree = TrueTime.start
    private var lastArrival = TrueTime.start
    var retransmission = Retransmission()

    init(
        number: UInt64, network: VirtualNetwork, own: VirtualNetwork.Attachment, peer: VirtualNetwork.Attachment
    ) {
        self.number = number
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

    /// Closes after what was written, or after a second where the other side does not take it. Until that second is
    /// over what still comes is thrown away, and not answered with a reset.
    public func close() {
        guard !isClosed, !isClosing else { return }
        isClosing = true
        own.machine.after(Self.closingTime) { [self] in
            isLingering = false
            guard !isClosed else { return }
            waiting.removeAll()
            sendFIN()
        }
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

    func pump() {
        while !isClosed, let first = waiting.first, unacknowledged < Self.kernelByteCount {
            var rest = first
            let room = min(Self.kernelByteCount - unacknowledged, Self.segmentByteCount)
            let count = min(rest.readableBytes, 1 + Int(network.random.uniform() * Double(room)), room)
            guard let segment = rest.readSlice(length: max(1, count)) else { return }
            if rest.readableBytes == 0 { waiting.removeFirst() } else { waiting[0] = rest }
            unacknowledged += segment.readableBytes
            send(.bytes(segment))
            own.machine.after(.zero) { [self] in tell { [self] in if !isClosed { onWrote?(segment.readableBytes) } } }
        }
        if isClosing, !isClosed, waiting.isEmpty { sendFIN(lingers: true) }
    }

    private func sendFIN(lingers: Bool = false) {
        isClosed = true
        isLingering = lingers
        network.forget(self, of: own)
        send(.end)
        own.machine.after(.zero) { [self] in tellClosed() }
    }

    /// When a segment that is sent now arrives: behind those before it.
    func arrival(byteCount: Int) -> TrueTime {
        let rate = min(own.quality.bytesPerSecond, peer.quality.bytesPerSecond)
        lineFree = max(lineFree, network.loop.now) + TimeSpan(seconds: Double(byteCount) / rate)
        var arrival = lineFree + network.delay(own, peer)
        if network.random.chance(own.quality.segmentLoss + peer.quality.segmentLoss) {
            arrival += Retransmission.firstTimeout
        }
        // What cannot arrive, or leave, is sent again when the machine has woken.
        for machine in [own.machine, peer.machine] where machine.isSuspended {
            arrival = max(arrival, machine.suspendedUntil + Retransmission.firstTimeout)
        }
        lastArrival = max(lastArrival + .nanoseconds(1), arrival)
        return lastArrival
    }

    /// Nothing waits for the line.
    func restartLine() { (lineFree, lastArrival) = (network.loop.now, network.loop.now) }

    /// The other side has these bytes, and it was heard to say so.
    func acknowledged(_ byteCount: Int) { unacknowledged -= byteCount }

    // MARK: Receiving

    /// - Parameter acknowledge: to be called when the sender may send as much more.
    func arrived(_ segment: ByteBuffer, acknowledge: @escaping (Int) -> Void) {
        unacknowledgedArrivals.append((segment.readableBytes, acknowledge))
        acknowledgeArrivals()
        guard inbox.isEmpty, own.reading.isWake(network.loop.now) else {
            inbox.append(segment)
            return inbox.count == 1 ? readNext() : ()
        }
        own.machine.after(.zero) { [self] in read(segment) }
    }

    /// As far as the window has room.
    private func acknowledgeArrivals() {
        while let first = unacknowledgedArrivals.first, unread + first.count <= Self.windowByteCount {
            unacknowledgedArrivals.removeFirst()
            unread += first.count
            first.acknowledge(first.count)
        }
    }

    private func read(_ segment: ByteBuffer) {
        unread -= segment.readableBytes
        acknowledgeArrivals()
        tell { [self] in onReceive?(segment) }
    }

    private func readNext() {
        guard let first = inbox.first else { return }
        let pace = readingPace
        own.machine.at(own.reading.time(of: first.readableBytes, after: network.loop.now)) { [self] in
            guard pace == readingPace, !inbox.isEmpty else { return }
            inbox.removeFirst()
            read(first)
            readNext()
            if inbox.isEmpty, isClosed { tellClosed() }
        }
    }

    /// The process reads faster, or more slowly, from now on.
    func changeReadingPace() {
        readingPace += 1
        readNext()
    }

    /// The other side closed, or does not know of the connection.
    func endArrived() {
        isLingering = false
        guard own.machine.isAlive, !isClosed else { return }
        breakOff()
    }

    /// Nothing comes of this connection any more.
    func breakOff() {
        isClosed = true
        network.forget(self, of: own)
        if inbox.isEmpty { own.machine.after(.zero) { [self] in tellClosed() } }
    }

    /// Nobody asks for it any more.
    func letGo() {
        (onReceive, onWrote, onClosed) = (nil, nil, nil)
        early = []
        unacknowledgedArrivals = []
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
