import NIOCore
import NIOPosix
import NIOWebSocket

/// One WebSocket. Every method must be called on its loop; calls after its end do nothing.
public final class WebSocketConnection {
    /// The client's numeric address.
    public let address: String
    public let loop: any EventLoop
    /// Bytes of messages that were sent and that the kernel has not taken. Beyond ``WebLimits/backlogBytes`` the
    /// connection is aborted.
    public private(set) var backlog = 0

    private let channel: any Channel
    private let limits: WebLimits
    private let budget: WriteBudget
    /// The backlog, among those of all connections.
    private let share: WriteBudget.Share
    /// Nil once it has been told of the end.
    private var handler: (any WebSocketHandler)?
    private var assembler: MessageAssembler
    private var state = State.open
    /// What to send in this turn of the loop.
    private var outbox: [WebSocketFrame] = []
    /// How many bytes of messages are in the outbox.
    private var outboxByteCount = 0
    private var pong = Pong.none
    private var lastReceived: NIODeadline
    /// The next ping while it is open, then when the client is given up.
    private var timer: Deadline?

    ///     open ──either side says that it ends──▶ closing ──the other does, or is given up──▶ closed
    private enum State {
        case open
        /// A close frame was sent; nothing is sent any more.
        case closing
        case closed
    }

    /// A client may ping as much as it likes: only its last ping need be answered (RFC 6455 section 5.5.3).
    private enum Pong {
        case none
        /// One is on its way; the next is sent once the kernel has taken that.
        case sent(next: ByteBuffer?)
    }

    init(
        channel: any Channel, address: String, handler: any WebSocketHandler, limits: WebLimits, budget: WriteBudget
    ) {
        self.budget = budget
        // Whoever sends something at the moment does not expect its end.
        share = WriteBudget.Share { channel.eventLoop.execute { channel.abort() } }
        self.channel = channel
        self.address = address
        self.handler = handler
        self.limits = limits
        loop = channel.eventLoop
        assembler = MessageAssembler(byteLimit: handler.messageByteLimit)
        lastReceived = loop.now
    }

    // MARK: What is sent

    /// Sends at the end of this turn of the loop, in one piece with all else that is sent in it.
    public func send(text: String) { send(.text, ByteBuffer(string: text)) }

    /// Sends at the end of this turn of the loop, in one piece with all else that is sent in it.
    public func send(binary: ByteBuffer) { send(.binary, binary) }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        loop.preconditionInEventLoop()
        guard case .open = state else { return }
        backlog += data.readableBytes
        if backlog > limits.backlogBytes {
            // What it is sent may be the answer to what it sends: that ends with this turn.
            (outbox, outboxByteCount) = ([], 0)
            return loop.execute { self.abort() }
        }
        budget.add(data.readableBytes, to: share)
        outboxByteCount += data.readableBytes
        enqueue(opcode, data)
    }

    private func enqueue(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        if outbox.isEmpty { loop.execute { self.flush() } }
        outbox.append(WebSocketFrame(fin: true, opcode: opcode, data: data))
    }

    private func flush() {
        let (frames, byteCount) = (outbox, outboxByteCount)
        (outbox, outboxByteCount) = ([], 0)
        guard case .open = state, let last = frames.last else { return }
        for frame in frames.dropLast() { channel.write(frame, promise: nil) }
        let hasPong = frames.contains { $0.opcode == .pong }
        channel.writeAndFlush(last).whenSuccess { self.noteWritten(byteCount, hasPong: hasPong) }
    }

    private func noteWritten(_ byteCount: Int, hasPong: Bool) {
        backlog -= byteCount
        budget.remove(byteCount, from: share)
        if byteCount > 0 { handler?.wrote(byteCount: byteCount) }
        guard hasPong, case .sent(let next) = pong else { return }
        pong = .none
        if let next { answer(ping: next) }
    }

    private func answer(ping data: ByteBuffer) {
        guard case .open = state else { return }
        switch pong {
        case .none:
            pong = .sent(next: nil)
            enqueue(.pong, data)
        case .sent: pong = .sent(next: data)
        }
    }

    /// Closes after what was sent, and once the client has closed, too, or after ``WebLimits/lingerTime``.
    /// - Parameters:
    ///   - code: RFC 6455 section 7.4, for example 1000.
    ///   - reason: one line; what is longer than 123 bytes is cut off.
    public func close(code: UInt16, reason: String = "") {
        loop.preconditionInEventLoop()
        guard case .open = state else { return }
        end(with: CloseReason(code, reason), awaitsClient: true)
    }

    private func end(with reason: CloseReason, awaitsClient: Bool) {
        flush()
        state = .closing
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .connectionClose, data: reason.payload))
            .whenComplete { _ in if !awaitsClient { self.channel.close(promise: nil) } }
        timer?.set(limits.lingerTime)
    }

    /// Ends the connection without regard to what was sent.
    public func abort() {
        loop.preconditionInEventLoop()
        if case .closed = state { return }
        state = .closing
        channel.abort()
    }

    // MARK: What happens

    func open() {
        lastReceived = loop.now
        timer = Deadline(on: loop) { [weak self] in self?.timeIsUp() }
        timer?.set(limits.pingInterval)
        handler?.opened(self)
    }

    private func timeIsUp() {
        guard case .open = state, loop.now - lastReceived < limits.silenceTime else { return abort() }
        enqueue(.ping, ByteBuffer())
        timer?.set(limits.pingInterval)
    }

    func receive(_ frame: WebSocketFrame) {
        lastReceived = loop.now
        switch state {
        case .open: break
        case .closing where frame.opcode == .connectionClose: return channel.close(promise: nil)
        case .closing, .closed: return
        }
        do throws(CloseReason) {
            switch try assembler.take(frame) {
            case .text(let text)?: handler?.received(text: text)
            case .binary(let bytes)?: handler?.received(binary: bytes)
            case .ping(let data)?: answer(ping: data)
            case .close(let reason)?: end(with: CloseReason(reason.code), awaitsClient: false)
            case .pong?, nil: break
            }
        } catch { fail(error) }
    }

    /// The client breaks the protocol; what else it sends means nothing.
    func fail(_ reason: CloseReason) {
        guard case .open = state else { return }
        end(with: reason, awaitsClient: true)
    }

    func closed() {
        if case .closed = state { return }
        state = .closed
        budget.remove(share)
        let handler = handler
        self.handler = nil
        outbox = []
        timer?.end()
        timer = nil
        handler?.closed()
    }
}

// Confined to its event loop, which every method demands.
extension WebSocketConnection: @unchecked Sendable {}
