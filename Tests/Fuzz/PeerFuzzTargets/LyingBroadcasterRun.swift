import AudioCore
import ClockSync

/// A broadcaster that has the key, and claims any times.
struct LyingBroadcasterRun {
    private var client = ClockClient(key: DatagramRun.key, seed: 1)
    private var now = DatagramRun.start
    /// Of the broadcaster's clock, while it is honest.
    private static let offset = TimeSpan.seconds(3)

    consuming func violation(_ reader: inout InputReader) -> String? {
        while !reader.isEmpty {
            if let violation = step(&reader) { return violation }
        }
        // It is honest from now on, and this machine has slept.
        client.startAnew(now: now)
        let begun = now
        for _ in 0..<40 {
            now += .milliseconds(300)
            let session = SessionTime(nanoseconds: now.nanoseconds) + Self.offset
            if let violation = exchange(receive: session, transmit: session, previous: nil) { return violation }
        }
        guard let estimate = client.estimate else { return "no estimate" }
        let error = estimate.mapping.session(at: now) - SessionTime(nanoseconds: now.nanoseconds) - Self.offset
        // A rate that was learned of the lies may be believed for a while; it is one that clocks can have.
        return error.magnitude > (now - begun) * 0.01 ? "\(error) off after it is honest" : nil
    }

    private mutating func step(_ reader: inout InputReader) -> String? {
        let operation = reader.byte()
        now += .milliseconds(Int64(operation >> 2))
        let honest = SessionTime(nanoseconds: now.nanoseconds) + Self.offset
        switch operation & 3 {
        case 0: return exchange(receive: honest, transmit: honest, previous: nil)
        case 1:
            let receive = honest + reader.span()
            return exchange(receive: receive, transmit: receive + reader.span(), previous: nil)
        case 2:
            let previous = (reader.number(UInt32.self), honest + reader.span())
            return exchange(receive: honest, transmit: honest, previous: previous)
        default:
            let count = Int(reader.byte() & 31)
            let (step, drift) = (reader.span(), reader.span())
            for turn in 0..<count {
                now += .milliseconds(20)
                let receive = SessionTime(nanoseconds: now.nanoseconds &+ step.nanoseconds) + drift * Double(turn)
                if let violation = exchange(receive: receive, transmit: receive, previous: nil) { return violation }
            }
        }
        return nil
    }

    private mutating func exchange(
        receive: SessionTime, transmit: SessionTime, previous: (sequence: UInt32, transmit: SessionTime)?
    ) -> String? {
        guard let request = client.poll(now: now),
            let datagram = ClockDatagram(request.bytes, under: DatagramRun.key)
        else { return nil }
        var reply = ClockDatagram(
            kind: .reply, keyIdentifier: DatagramRun.key.identifier, sequence: request.sequence,
            cookie: datagram.cookie)
        (reply.receive, reply.transmit) = (receive, transmit)
        if let previous { (reply.previousSequence, reply.previousTransmit) = previous }
        now += .microseconds(200)
        _ = client.receive(reply.encoded(under: DatagramRun.key), at: now)
        guard let estimate = client.estimate else { return nil }
        return estimate.violation
    }
}

extension ClockEstimate {
    /// Whatever was said, what is known of the clock is something that can be reckoned with.
    var violation: String? {
        let numbers = [mapping.skew.value, skewBound.value]
        guard numbers.allSatisfy(\.isFinite), abs(mapping.skew.value) < 1e5, skewBound.value >= 0,
            errorBound >= .zero, roundTrip >= .zero, asymmetryLimit >= .zero
        else { return "estimate \(self)" }
        return nil
    }
}
