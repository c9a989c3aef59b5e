import AudioCore
import Glibc
import NIOCore
import WireProtocol

/// One browser: follows the broadcast, listens, exchanges the clock and reports as the page does, and plays nothing.
final class LoadBrowser {
    private let events: LoadWebSocket
    private let listening: LoadWebSocket
    private let clock: LoadWebSocket
    private var parser = WireParser()
    private var check = StreamCheck()
    /// Bytes of the preamble that are still to come.
    private var preambleRest = Preamble.byteCount
    private var reported: (time: Int64, received: Int64)?
    private var asked: Int64 = 0
    /// Session time less own time, by the exchange of the shortest round trip so far.
    private var best: (roundTrip: Int64, difference: Int64)?
    private(set) var longestRoundTrip: Int64 = 0
    private(set) var fault: String?

    private static let patience = 10_000
    private static let reportInterval: Int64 = 500_000_000
    private static let questionInterval: Int64 = 1_000_000_000
    /// A report is due at once behind so much song, in seconds.
    private static let receipt = 1.0

    init(_ number: Int, from source: String, to host: String, port: UInt16) throws {
        let events = try LoadWebSocket(from: source, to: host, port: port, target: "/api/v1/events")
        self.events = events
        events.send(#"{"join":{"name":"Browser \#(number)"}}"#)
        var joined: String?
        while joined == nil {
            var ready = pollfd(fd: events.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Int32(Self.patience)) == 1, events.isOpen else {
                throw LoadWebSocket.Failure(description: "browser \(number) was not let in")
            }
            events.receive { if case .text(let text) = $0, text.hasPrefix(#"{"joined""#) { joined = text } }
        }
        guard let ticket = Self.member("ticket", of: joined ?? ""),
            let instance = Self.member("instance", of: joined ?? "").flatMap({ UInt64($0, radix: 16) })
        else { throw LoadWebSocket.Failure(description: "no ticket in \(joined ?? "")") }
        listening = try LoadWebSocket(from: source, to: host, port: port, target: "/listen?ticket=\(ticket)")
        clock = try LoadWebSocket(from: source, to: host, port: port, target: "/clock?ticket=\(ticket)")
        listening.send(Preamble.bytes(.plain))
        let greeting = Greeting(
            roles: .listener, peer: .random(), instance: instance, started: Int64(time(nil)),
            name: "Browser \(number)", codecs: [Codec(rawValue: Self.linearPCM)])
        listening.send(Array(WireEncoder.greeting(greeting).readableBytesView))
    }

    /// "lpcm".
    private static let linearPCM: UInt32 = 0x6C70_636D

    /// A text member of a line of JSON, which has no escapes in what is looked for.
    private static func member(_ name: String, of json: String) -> String? {
        guard let start = json.firstRange(of: "\"\(name)\":\"")?.upperBound else { return nil }
        return String(json[start...].prefix { $0 != "\"" })
    }

    var descriptors: [Int32] { [events.descriptor, listening.descriptor, clock.descriptor] }
    var isWhole: Bool { events.isOpen && listening.isOpen && clock.isOpen && fault == nil }
    var isWelcome: Bool { check.isWelcome }
    var byteCount: Int { listening.byteCount }
    var figures: StreamCheck.Figures { check.figures }

    /// Takes what has come on one of its sockets.
    func takeReady(_ descriptor: Int32) {
        switch descriptor {
        case events.descriptor: events.receive { _ in }
        case clock.descriptor:
            clock.receive { if case .binary(let bytes) = $0 { self.takeAnswer(bytes) } }
        default: listening.receive { if case .binary(let bytes) = $0 { self.takeSong(bytes) } }
        }
    }

    private func takeAnswer(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == 24 else { return }
        let now = Self.now()
        func number(_ from: Int) -> Int64 {
            bytes.dropFirst(from).prefix(8).reduce(0) { $0 &<< 8 | Int64($1) }
        }
        let roundTrip = now - number(0)
        longestRoundTrip = max(longestRoundTrip, roundTrip)
        guard roundTrip < best?.roundTrip ?? .max else { return }
        best = (roundTrip, number(8) / 2 + number(16) / 2 - number(0) / 2 - now / 2)
    }

    private func takeSong(_ bytes: ArraySlice<UInt8>) {
        let rest = bytes.dropFirst(preambleRest)
        preambleRest -= bytes.count - rest.count
        guard !rest.isEmpty, fault == nil else { return }
        check.session = best.map { Self.now() + $0.difference }
        do throws(WireError) {
            try parser.parse(ByteBuffer(bytes: rest), into: &check)
        } catch {
            fault = "\(error)"
        }
    }

    /// Asks and reports what is due.
    func attend() {
        let now = Self.now()
        if now - asked >= Self.questionInterval {
            asked = now
            clock.send((0..<8).map { UInt8(truncatingIfNeeded: now >> (56 - 8 * $0)) })
        }
        guard check.isWelcome else { return }
        let fresh = Double(check.received - (reported?.received ?? 0)) / check.rate
        guard now - (reported?.time ?? 0) >= Self.reportInterval || fresh >= Self.receipt else { return }
        reported = (now, check.received)
        let session = best.map { now + $0.difference }
        listening.send(Array(WireEncoder.report(check.report(session: session)).readableBytesView))
    }

    static func now() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
