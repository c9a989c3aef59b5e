import AudioCore
import HostSystem
import NIOCore
import WebServer

/// One stream's work: a listener of the broadcast, and what is made of it. Confined to the loop of streams, whose
/// thread is not the server's: encoding takes its time.
///
///     idle ──begin──▶ running ──the broadcast ends, or nobody takes any more──▶ over
final class StreamWorker {
    private enum State {
        case idle
        case running(any BrowserPassage)
        /// What is left may still be taken; then nothing more comes, or the client is cut off.
        case over(isCutOff: Bool)
    }

    static let interval = TimeAmount.milliseconds(50)
    /// So many bytes wait for a client before it is cut off: 40 s at 192 kbit/s.
    static let backlogByteCount = 1024 * 1024
    /// Bytes that are handed over at a time: a client is judged by whether it takes them.
    static let pieceByteCount = 32 * 1024
    /// How long the first song is awaited before the answer begins.
    static let headPatience = TimeSpan.seconds(2)

    private let running: RunningLoop
    private let connector: any BrowserConnector
    private let address: String
    private let head: WebResponse
    private let makeEncoder: StreamEncoderMaker?
    private let now: @Sendable () -> HostTime
    private var state = State.idle
    private var listener: StreamListener
    private var output: StreamOutput
    private var backlog = ByteBuffer()
    private var beginning: (since: HostTime, promise: EventLoopPromise<WebResponse>)?
    private var waiting: EventLoopPromise<ByteBuffer?>?

    /// - Parameters:
    ///   - head: what is answered where there is a stream.
    ///   - makeEncoder: nil where none is installed.
    init(
        running: RunningLoop, connector: any BrowserConnector, address: String, head: WebResponse,
        makeEncoder: StreamEncoderMaker?, now: @escaping @Sendable () -> HostTime = { .now() }
    ) {
        self.running = running
        self.connector = connector
        self.address = address
        self.head = head
        self.makeEncoder = makeEncoder
        self.now = now
        listener = StreamListener(name: "radio at \(address)", started: WallClock.seconds(), now: now())
        output = StreamOutput(makeEncoder)
    }

    var loop: any EventLoop { running.loop }

    // MARK: For the server

    /// Joins the broadcast.
    /// - Returns: the head, once it is known whether the present song can be streamed.
    func begin() -> EventLoopFuture<WebResponse> {
        let running = running
        let passage = connector.connect(
            instance: listener.instance, address: address,
            send: { bytes in running.execute { self.receive(bytes) } },
            close: { running.execute { self.end() } })
        guard let passage else {
            state = .over(isCutOff: false)
            return loop.makeFailedFuture(Self.away)
        }
        state = .running(passage)
        passage.receive(listener.opening)
        let promise = loop.makePromise(of: WebResponse.self)
        beginning = (now(), promise)
        keepTime()
        return promise.futureResult
    }

    /// Returns the next piece once there is one; nil at the end.
    func next() -> EventLoopFuture<ByteBuffer?> {
        switch state {
        case .over(isCutOff: true): return loop.makeFailedFuture(WebRefusal(.requestTimeout, "read sooner"))
        case .idle, .running, .over:
            let promise = loop.makePromise(of: ByteBuffer?.self)
            waiting = promise
            handOver()
            return promise.futureResult
        }
    }

    /// Leaves the broadcast; what waits is no longer wanted.
    func abort() {
        backlog.clear()
        end()
    }

    private static let away = WebRefusal(
        .unavailable, "nothing is broadcast at the moment; try again", headers: [("Retry-After", "5")])
    private static let noEncoder = WebRefusal(
        .unavailable,
        "this song is no MP3, and nothing here encodes it: install \(LAMEEncoder.package) on the machine that "
            + "broadcasts")

    // MARK: What comes

    private func receive(_ bytes: ByteBuffer) {
        guard case .running(let passage) = state else { return }
        passage.noteWritten(byteCount: bytes.readableBytes)
        do throws(StreamListener.Fault) {
            try listener.receive(bytes)
        } catch { return end() }
        work()
    }

    private func keepTime() {
        loop.scheduleTask(in: Self.interval) {
            guard case .running = self.state else { return }
            self.work()
            self.keepTime()
        }
    }

    /// Does what is due.
    private func work() {
        guard case .running(let passage) = state else { return }
        let now = now()
        guard listener.held.refusal == nil, listener.held.farewell == nil, !listener.held.isTooLarge else {
            return end()
        }
        answerHead(now)
        if let message = listener.poll(now: now) { passage.receive(message) }
        guard beginning == nil, case .running = state else { return }
        var bytes = output.poll(&listener.held, now: ClockMapping.identity.session(at: now))
        backlog.writeBuffer(&bytes)
        guard backlog.readableBytes <= Self.backlogByteCount else { return cutOff() }
        handOver()
    }

    /// Answers once the present song's codec is known, or nothing plays.
    private func answerHead(_ now: HostTime) {
        guard let (since, promise) = beginning else { return }
        let codec = listener.held.newest?.format?.codec
        guard codec != nil || now - since >= Self.headPatience else { return }
        beginning = nil
        if let codec, codec != .mpegLayer3, makeEncoder == nil {
            end()
            promise.fail(Self.noEncoder)
        } else {
            promise.succeed(head)
        }
    }

    // MARK: What goes

    private func handOver() {
        guard let waiting else { return }
        if let piece = backlog.readSlice(length: min(backlog.readableBytes, Self.pieceByteCount)),
            piece.readableBytes > 0
        {
            self.waiting = nil
            backlog.discardReadBytes()
            return waiting.succeed(piece)
        }
        guard case .over = state else { return }
        self.waiting = nil
        waiting.succeed(nil)
    }

    /// The broadcast is over, or the client is gone.
    private func end() {
        guard case .running(let passage) = state else { return }
        state = .over(isCutOff: false)
        passage.close()
        var rest = output.finish()
        backlog.writeBuffer(&rest)
        beginning?.promise.fail(Self.away)
        beginning = nil
        handOver()
    }

    /// The client does not read.
    private func cutOff() {
        guard case .running(let passage) = state else { return }
        state = .over(isCutOff: true)
        backlog = ByteBuffer()
        passage.close()
    }
}

// Confined to the loop of streams: calls from elsewhere are brought there.
extension StreamWorker: @unchecked Sendable {}
