import AudioCore
import CLoadPolling
import ClockSync
import Glibc
import NIOCore
import SecureChannel
import WireProtocol

/// One listener of a load: its sockets, and what becomes of it.
///
///     away ──dial──▶ connecting ──▶ connected ──the broadcast's end──▶ over
///       ▲────────────────┴──────────────┘ cut off, dropped
final class LoadListener {
    private enum Phase {
        case away(until: HostTime)
        case connecting
        case connected
        case over
    }

    let number: Int
    let behaviour: LoadBehaviour
    /// Whether it computes its clock as a real listener does.
    private let fitsClock: Bool
    private let environment: LoadEnvironment
    private let instance = UInt64.random(in: 1 ... .max)
    private let keys = PeerKeyPair.random()
    private var phase: Phase
    private var part: SimulatedListener
    private var stream: LoadSocket?
    /// Of the present connection, or the next one.
    private var security: ConnectionSecurity
    private var datagrams: LoadSocket?
    /// Of connections that are over.
    private var earlier = ReceptionFigures()
    private var earlierExchanges = ClockExchanges()
    private(set) var byteCount = 0
    private(set) var dialed: HostTime?
    private(set) var joined: HostTime?
    /// When it stops or goes on to read, or is cut off.
    private var disturbance: HostTime?
    private var isStalled = false
    /// What one of half speed may read by now.
    private var allowance = 0.0

    init(
        number: Int, behaviour: LoadBehaviour, fitsClock: Bool, environment: LoadEnvironment, from start: HostTime
    ) {
        self.number = number
        self.behaviour = behaviour
        self.fitsClock = fitsClock
        self.environment = environment
        phase = .away(until: start)
        part = SimulatedListener(song: environment.song, fitsClock: fitsClock, now: start)
        security = ConnectionSecurity(.encrypted(.initiator, keys))
    }

    var isOver: Bool { if case .over = phase { true } else { false } }
    var isPlaying: Bool { part.state == .playing || part.state == .finished }
    var figures: ReceptionFigures {
        var sum = earlier
        sum += part.check.figures
        return sum
    }
    var exchanges: ClockExchanges {
        var sum = earlierExchanges
        if let exchanges = part.clock?.exchanges { sum += exchanges }
        return sum
    }

    var nextDeadline: HostTime {
        let own: HostTime =
            switch phase {
            case .away(let until): until
            case .connecting, .over: HostTime(nanoseconds: .max)
            case .connected: part.nextDeadline
            }
        return disturbance.map { min($0, own) } ?? own
    }

    // MARK: Events

    /// Does what is due.
    func attend(_ now: HostTime) {
        switch phase {
        case .away(let until): if now >= until { dial(now) }
        case .connected:
            if let disturbance, now >= disturbance { disturb(now) }
            poll(now)
        case .connecting, .over: break
        }
    }

    func streamIsReady(_ what: UInt32, _ now: HostTime) {
        switch phase {
        case .connecting: connect(now)
        case .connected:
            if what & UInt32(LOAD_READABLE) != 0 || behaviour == .steady {
                read(atMost: environment.buffer.count, now)
            } else if what & UInt32(LOAD_BROKEN) != 0 {
                lose("its connection broke", now)
            }
        case .away, .over: break
        }
    }

    func datagramIsReady(_ now: HostTime) {
        guard let count = datagrams?.receive(into: environment.buffer), count > 0 else { return }
        let bytes = [UInt8](UnsafeRawBufferPointer(rebasing: environment.buffer[..<count]))
        part.receiveDatagram(bytes, now: .now())
    }

    /// Takes leave.
    func leave(_ now: HostTime) {
        if case .connected = phase { send(WireEncoder.refusal(Refusal(.leaving, "the load ends"))) }
        disconnect()
        phase = .over
    }

    // MARK: The connection

    private func dial(_ now: HostTime) {
        dialed = dialed ?? now
        do throws(LoadSocket.Failure) {
            stream = try LoadSocket(
                .stream, from: source, to: environment.broadcaster, receiveBuffer: behaviour.receiveBuffer)
        } catch {
            environment.complain("load \(number): \(error.call): \(String(cString: strerror(error.code)))")
            phase = .away(until: now + LoadBehaviour.retrySpan)
            return
        }
        phase = .connecting
        watch(LOAD_READABLE | LOAD_WRITABLE, isNew: true)
    }

    private var source: UInt32? {
        environment.sources.isEmpty ? nil : environment.sources[number % environment.sources.count]
    }

    private func connect(_ now: HostTime) {
        let error = stream?.connectionError ?? 0
        guard error == 0 else {
            environment.complain("load \(number): connect: \(String(cString: strerror(error)))")
            stream = nil
            phase = .away(until: now + LoadBehaviour.retrySpan)
            return
        }
        phase = .connected
        part = SimulatedListener(song: environment.song, fitsClock: fitsClock, now: now)
        sendBytes(security.opening)
        watch(behaviour == .halfSpeed ? 0 : LOAD_READABLE)
        switch behaviour {
        case .steady: break
        case .stalling: disturbance = now + .random(in: LoadBehaviour.readSpan)
        case .halfSpeed: disturbance = now + LoadBehaviour.sip
        case .flapping: disturbance = now + .random(in: LoadBehaviour.connectedSpan)
        }
    }

    private func read(atMost byteCount: Int, _ now: HostTime) {
        let room = UnsafeMutableRawBufferPointer(rebasing: environment.buffer[..<byteCount])
        guard let count = stream?.receive(into: room) else { return }
        guard count > 0 else {
            guard count != -Int(EAGAIN), count != -Int(EINTR) else { return }
            return part.isOver ? end() : lose("its connection was closed", now)
        }
        self.byteCount += count
        let read = HostTime.now()
        let isSteady = behaviour == .steady
        do {
            let messages = try messages(in: ByteBuffer(bytes: room[..<count]))
            try part.receive(messages.readableBytesSpan, now: read)
        } catch {
            return lose("\(error)", now)
        }
        if isSteady {
            part.takeMargins(into: &environment.margins.steady)
        } else {
            part.takeMargins(into: &environment.margins.disturbed)
        }
        if let refusal = part.check.refusal { return lose("refused: \(refusal.text)", now) }
        if part.check.farewell != nil { return end() }
        poll(read)
    }

    /// Takes bytes; greets once the handshake is over.
    private func messages(in bytes: ByteBuffer) throws(ConnectionSecurityError) -> ByteBuffer {
        let couldSend = security.canSend
        let reception = try security.receive(bytes)
        if reception.reply.readableBytes > 0 { sendBytes(reception.reply) }
        if !couldSend, security.canSend {
            send(ConnectionSecurity.introduction([]))
            send(
                WireEncoder.greeting(
                    Greeting(
                        roles: .listener, peer: keys.key.uuid, instance: instance, started: environment.started,
                        name: "load \(number + 1)", codecs: [environment.song.format.codec])))
        }
        return reception.messages
    }

    private func poll(_ now: HostTime) {
        openDatagrams(now)
        let output = part.poll(now: now)
        if let message = output.message {
            noteClock(now)
            send(message)
        }
        guard let datagram = output.datagram else { return }
        part.didSendDatagram(at: .now())
        // What the network refuses is as good as lost.
        _ = datagrams?.send(datagram)
    }

    private func noteClock(_ now: HostTime) {
        guard let (error, bound) = part.clockError(at: now) else { return }
        if behaviour == .steady {
            environment.clockErrors.steady.add(error, bound: bound)
        } else {
            environment.clockErrors.disturbed.add(error, bound: bound)
        }
    }

    private func openDatagrams(_ now: HostTime) {
        guard datagrams == nil, let port = part.clockPort else { return }
        joined = joined ?? now
        let address = LoadAddress(host: environment.broadcaster.host, port: port)
        do throws(LoadSocket.Failure) {
            datagrams = try LoadSocket(.datagram, from: source, to: address)
        } catch {
            return environment.complain("load \(number): UDP \(error.call): \(String(cString: strerror(error.code)))")
        }
        environment.poll.watch(
            datagrams?.descriptor ?? -1, for: LOAD_READABLE, tag: UInt64(number) << 1 | 1, isNew: true)
    }

    private func send(_ message: ByteBuffer) {
        guard security.canSend else { return }
        for piece in security.protect([message]) { sendBytes(piece) }
    }

    private func sendBytes(_ bytes: ByteBuffer) {
        let isSent = bytes.withUnsafeReadableBytes { stream?.send($0) }
        if isSent == false { environment.complain("load \(number): a message could not be sent") }
    }

    private func watch(_ what: Int, isNew: Bool = false) {
        environment.poll.watch(stream?.descriptor ?? -1, for: what, tag: UInt64(number) << 1, isNew: isNew)
    }

    // MARK: Ends

    private func lose(_ reason: String, _ now: HostTime) {
        environment.complain("load \(number): \(reason)")
        part.noteLostConnection()
        comeBack(after: LoadBehaviour.retrySpan, now)
    }

    private func comeBack(after span: TimeSpan, _ now: HostTime) {
        disconnect()
        earlier = figures
        earlierExchanges = exchanges
        part = SimulatedListener(song: environment.song, fitsClock: fitsClock, now: now)
        phase = .away(until: now + span)
    }

    private func end() {
        disconnect()
        phase = .over
    }

    private func disconnect() {
        stream = nil
        security = ConnectionSecurity(.encrypted(.initiator, keys))
        datagrams = nil
        disturbance = nil
        isStalled = false
    }

    // MARK: Disturbances

    private func disturb(_ now: HostTime) {
        switch behaviour {
        case .steady: disturbance = nil
        case .stalling:
            isStalled.toggle()
            watch(isStalled ? 0 : LOAD_READABLE)
            disturbance = now + .random(in: isStalled ? LoadBehaviour.stallSpan : LoadBehaviour.readSpan)
        case .halfSpeed:
            disturbance = now + LoadBehaviour.sip
            allowance += environment.song.bytesPerSecond / 2 * LoadBehaviour.sip.seconds
            read(atMost: min(Int(allowance), environment.buffer.count), now)
            allowance = 0
        case .flapping: comeBack(after: .random(in: LoadBehaviour.awaySpan), now)
        }
    }
}

extension TimeSpan {
    fileprivate static func random(in seconds: ClosedRange<Double>) -> TimeSpan {
        TimeSpan(seconds: .random(in: seconds))
    }
}
