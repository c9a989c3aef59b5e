import AudioCore
import NIOCore
import WireProtocol

/// A stream's part of its connection with the broadcast: greets as a listener that can decode MP3 and PCM, and reports
/// how much it has, so that the broadcast sends it more. Bytes and `now` in, bytes out.
struct StreamListener {
    /// What the broadcast said cannot be understood.
    struct Fault: Error {}

    static let reportInterval = TimeSpan.milliseconds(500)
    /// So much more song is reported at once.
    static let receiptSpan = TimeSpan.milliseconds(100)

    var held = HeldBroadcast()
    private var parser = WireParser()
    /// Until all of the other side's preamble came.
    private var early: ByteBuffer? = ByteBuffer()
    private var last: (sent: HostTime, report: ListenerReport?)
    private let greeting: Greeting

    /// By which the broadcast tells it from other processes.
    var instance: UInt64 { greeting.instance }

    /// - Parameters:
    ///   - name: for listener tables.
    ///   - started: in seconds since 1970.
    init(name: String, started: Int64, now: HostTime) {
        greeting = Greeting(
            roles: .listener, peer: .random(), instance: .random(in: 1...(.max)), started: started, name: name,
            codecs: [.mpegLayer3, .linearPCM])
        last = (now, nil)
    }

    /// What it says first.
    var opening: ByteBuffer {
        var bytes = ByteBuffer(bytes: Preamble.bytes(.plain))
        bytes.writeImmutableBuffer(WireEncoder.greeting(greeting))
        return bytes
    }

    mutating func receive(_ bytes: ByteBuffer) throws(Fault) {
        var bytes = bytes
        if var beginning = early {
            beginning.writeImmutableBuffer(bytes)
            do throws(PreambleError) {
                let isComplete = try Preamble.read(from: &beginning, expecting: .plain)
                early = isComplete ? nil : beginning
                guard isComplete else { return }
            } catch { throw Fault() }
            bytes = beginning
        }
        do throws(WireError) {
            try parser.parse(bytes, into: &held)
        } catch { throw Fault() }
    }

    /// Returns what is to be sent now; nil if nothing is due.
    mutating func poll(now: HostTime) -> ByteBuffer? {
        guard held.isWelcome else {
            guard now - last.sent >= Self.reportInterval else { return nil }
            last.sent = now
            return WireEncoder.keepAlive()
        }
        let report = report(at: ClockMapping.identity.session(at: now))
        guard isDue(report, now) else { return nil }
        last = (now, report)
        return WireEncoder.report(report)
    }

    private func report(at session: SessionTime) -> ListenerReport {
        ListenerReport(
            state: held.newest?.state(at: session) ?? .preparing, epoch: held.newest?.id ?? Epoch(0),
            received: held.newest?.received ?? .zero, buffered: .zero)
    }

    private func isDue(_ report: ListenerReport, _ now: HostTime) -> Bool {
        guard let former = last.report, former.state == report.state, former.epoch == report.epoch,
            now - last.sent < Self.reportInterval
        else { return true }
        let rate = held.newest?.format?.sampleRate ?? 48_000
        return Double(report.received - former.received) >= rate * Self.receiptSpan.seconds
    }
}
