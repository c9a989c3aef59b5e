import AudioCore
import ClockSync

/// Clock datagrams of anybody between those of an honest exchange, which must go on as if there were no others.
///
/// The first byte says what is attacked: a responder by those who have no key or one of their own, a client by those
/// who have none, or by its own broadcaster, which may claim any times.
struct DatagramRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    static let key = ClockKey(identifier: 1, secret0: 2, secret1: 3)
    static let otherKey = ClockKey(identifier: 4, secret0: 5, secret1: 6)
    static let start = HostTime(nanoseconds: 10_000_000_000_000)

    func violation() -> String? {
        var reader = InputReader(input)
        return switch reader.byte() % 3 {
        case 0: ResponderRun().violation(&reader)
        case 1: ClientRun().violation(&reader)
        default: LyingBroadcasterRun().violation(&reader)
        }
    }
}

/// Requests of strangers and of another listener at a responder.
private struct ResponderRun {
    private var responder = ClockResponder()
    private var undisturbed = ClockResponder()
    private var honest = ClockClient(key: DatagramRun.key, seed: 1)
    private var now = DatagramRun.start
    private var lastRequest: [UInt8] = []
    private var otherSequence: UInt32 = 0
    private var otherReplyCount = 0

    init() {
        for key in [DatagramRun.key, DatagramRun.otherKey] { register(key) }
    }

    /// A reply names a gap, which follows from the number of keys.
    private mutating func register(_ key: ClockKey) {
        responder.register(key)
        undisturbed.register(key)
    }

    private var session: SessionTime { SessionTime(nanoseconds: now.nanoseconds) }

    consuming func violation(_ reader: inout InputReader) -> String? {
        while !reader.isEmpty {
            if let violation = step(&reader) { return violation }
        }
        for _ in 0..<20 {
            now += .milliseconds(300)
            if let violation = ask() { return violation }
        }
        let spent = (now - DatagramRun.start).seconds
        // A burst, and 150 a second after it.
        return Double(otherReplyCount) > 257 + max(0, spent) * 150 ? "\(otherReplyCount) replies in \(spent) s" : nil
    }

    private mutating func step(_ reader: inout InputReader) -> String? {
        switch reader.byte() % 8 {
        case 0: now += .milliseconds(Int64(reader.byte()))
        case 1: return ask()
        case 2: return reply(to: reader.bytes(64))
        case 3:
            // What was heard on the way, as it was or changed.
            var bytes = lastRequest
            let place = Int(reader.byte())
            if place < bytes.count { bytes[place] ^= reader.byte() }
            return reply(to: bytes)
        case 4: return reply(to: reader.bytes(Int(reader.byte())))
        case 5:
            otherSequence = reader.byte() & 1 == 0 ? otherSequence &+ 1 : reader.number()
            for _ in 0..<Int(reader.byte()) {
                otherSequence &+= 1
                if let violation = askAsOther() { return violation }
            }
        case 6:
            responder.didSend(
                keyIdentifier: DatagramRun.otherKey.identifier, sequence: reader.number(),
                at: SessionTime(nanoseconds: reader.number()))
        default:
            // Keys come and go.
            let key = ClockKey(identifier: UInt64(reader.byte()) + 10, secret0: 1, secret1: 1)
            if reader.byte() & 1 == 0 {
                register(key)
            } else {
                responder.unregister(keyIdentifier: key.identifier)
                undisturbed.unregister(keyIdentifier: key.identifier)
            }
        }
        return nil
    }

    /// The honest listener asks when it wants to; what it is answered is what it would be without all others.
    private mutating func ask() -> String? {
        guard let request = honest.poll(now: now) else { return nil }
        lastRequest = request.bytes
        let replies = (responder.receive(request.bytes, at: session), undisturbed.receive(request.bytes, at: session))
        if replies.0?.bytes(transmit: session) != replies.1?.bytes(transmit: session) {
            return "the reply to request \(request.sequence) is another"
        }
        guard let reply = replies.0 else { return "no reply to request \(request.sequence)" }
        responder.didSend(keyIdentifier: reply.keyIdentifier, sequence: reply.sequence, at: session)
        undisturbed.didSend(keyIdentifier: reply.keyIdentifier, sequence: reply.sequence, at: session)
        _ = honest.receive(reply.bytes(transmit: session), at: now + .microseconds(100))
        return nil
    }

    /// Of these only what bears the other key's tag may be answered, and nothing is longer than what was asked.
    private mutating func reply(to bytes: [UInt8]) -> String? {
        let isOthers = ClockDatagram(bytes, under: DatagramRun.otherKey)?.kind == .request
        guard let reply = responder.receive(bytes, at: session) else { return nil }
        guard isOthers else { return "a stranger is answered" }
        otherReplyCount += 1
        return reply.bytes(transmit: session).count == bytes.count ? nil : "the reply is of another length"
    }

    private mutating func askAsOther() -> String? {
        let datagram = ClockDatagram(
            kind: .request, keyIdentifier: DatagramRun.otherKey.identifier, sequence: otherSequence, cookie: 9)
        return reply(to: datagram.encoded(under: DatagramRun.otherKey))
    }
}

/// Replies of strangers at a client.
private struct ClientRun {
    private var responder = ClockResponder()
    private var client = ClockClient(key: DatagramRun.key, seed: 1)
    private var undisturbed = ClockClient(key: DatagramRun.key, seed: 1)
    private var now = DatagramRun.start
    private var lastReply: [UInt8] = []
    private var lastRequest: [UInt8] = []

    init() { responder.register(DatagramRun.key) }

    consuming func violation(_ reader: inout InputReader) -> String? {
        while !reader.isEmpty {
            if let violation = step(&reader) { return violation }
        }
        for _ in 0..<20 {
            now += .milliseconds(300)
            if let violation = exchange(losing: false) { return violation }
        }
        return client.estimate == nil ? "no estimate" : nil
    }

    private mutating func step(_ reader: inout InputReader) -> String? {
        switch reader.byte() % 6 {
        case 0: now += .milliseconds(Int64(reader.byte()))
        case 1: return exchange(losing: reader.byte() & 3 == 0)
        case 2: return offer(reader.bytes(64))
        case 3:
            // A reply or a request that was heard on the way: late, or changed.
            var bytes = reader.byte() & 1 == 0 ? lastReply : lastRequest
            let place = Int(reader.byte())
            if place < bytes.count { bytes[place] ^= reader.byte() }
            return offer(bytes)
        case 4: return offer(reader.bytes(Int(reader.byte())))
        default:
            client.startAnew(now: now)
            undisturbed.startAnew(now: now)
        }
        return nil
    }

    private mutating func exchange(losing isLost: Bool) -> String? {
        let request = client.poll(now: now)
        guard request?.bytes == undisturbed.poll(now: now)?.bytes else { return "it asks otherwise" }
        guard let request else { return nil }
        lastRequest = request.bytes
        let session = SessionTime(nanoseconds: now.nanoseconds + 5_000_000)
        guard !isLost, let reply = responder.receive(request.bytes, at: session) else { return nil }
        lastReply = reply.bytes(transmit: session)
        let arrival = now + .microseconds(200)
        guard client.receive(lastReply, at: arrival) == undisturbed.receive(lastReply, at: arrival) else {
            return "an honest reply is taken otherwise"
        }
        return client.estimate == undisturbed.estimate ? nil : "another estimate"
    }

    private mutating func offer(_ bytes: [UInt8]) -> String? {
        client.receive(bytes, at: now + .microseconds(150)) == .updated ? "a stranger's datagram is believed" : nil
    }
}

extension DatagramRun {
    static var seeds: [[UInt8]] {
        let request = ClockDatagram(
            kind: .request, keyIdentifier: otherKey.identifier, sequence: 9, cookie: 1
        ).encoded(under: otherKey)
        let foreign: [UInt8] = [2] + request + [4, 64] + request + [3, 56, 1, 3, 200]
        return [
            [0, 1, 0, 20, 1] + foreign + [5, 0, 40, 5, 1, 0, 0, 1, 0, 3, 6, 0, 0, 0, 1] + [7, 1, 0, 7, 1, 1, 1],
            [1, 1, 1, 0, 20, 1, 1] + foreign + [1, 1, 3, 0, 16, 1, 5, 1, 1, 1, 0],
            [2] + Array(repeating: 0x50, count: 30) + [0x51, 2, 0, 9, 1, 0, 3, 0x52, 0, 0, 0, 1, 1, 0, 9]
                + [0x53, 60, 2, 0, 5, 0, 0, 9] + Array(repeating: 0x50, count: 30),
        ]
    }
}
