import AudioCore
import ClockSync
import Glibc
import HostSystem
import LANKit
import Synchronization
import Testing

@testable import ClockExchange

@Suite(.serialized, .timeLimit(.minutes(5))) struct LoopbackTests {
    /// Collects estimates and wakes the test when there are enough.
    final class Collector: Sendable {
        let estimates = Mutex<[ClockEstimate]>([])
        let enough: WakeSignal
        let count: Int

        init(count: Int) throws {
            self.count = count
            enough = try WakeSignal()
        }

        func take(_ estimate: ClockEstimate) {
            if estimates.withLock({
                $0.append(estimate)
                return $0.count == count
            }) {
                enough.signal()
            }
        }

        func wait() { enough.wait(atMost: .seconds(20)) }
    }

    static func key() -> ClockKey {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func estimateOfTheSameClockIsNearZero(host: String) throws {
        let responder = try ClockResponderThread(port: 0)
        let key = Self.key()
        responder.register(key)
        let address = try #require(DatagramAddress(numericHost: host, port: responder.port))
        let stallLogger = StallLogger()
        let collector = try Collector(count: 60)
        let client = try ClockClientThread(address: address, key: key) { collector.take($0) }
        collector.wait()
        client.stop()
        responder.stop()
        // Whoever did not fetch one gets the newest, once.
        #expect(client.takeEstimate()?.mapping == client.estimate?.mapping)
        #expect(client.takeEstimate() == nil)
        let estimates = collector.estimates.withLock { $0 }
        try #require(estimates.count >= 60)
        // What was estimated within a tenth of a second of a stall is the machine's. All of it, if that leaves too
        // little: a median takes a few bad ones.
        let calm = estimates.filter {
            let host = $0.mapping.host.nanoseconds
            return stallLogger.seconds(from: host - 100_000_000, to: host) == 0
        }
        let errors = (calm.count >= 20 ? calm : estimates).map {
            abs($0.mapping.session(at: $0.mapping.host).nanoseconds &- $0.mapping.host.nanoseconds)
        }
        let median = errors.sorted()[errors.count / 2]
        let last = try #require(estimates.last)
        print(
            "loopback \(host): median error \(median) ns of \(errors.count) estimates, last \(errors.last ?? 0) ns,",
            "bound \(last.errorBound), round trip \(last.roundTrip), skew \(last.skew) +/- \(last.skewBound)")
        #expect(median < 20_000)
    }

    @Test func otherKeysAndNoiseAreIgnored() throws {
        let responder = try ClockResponderThread(port: 0)
        let key = Self.key()
        responder.register(key)
        let address = try #require(DatagramAddress(numericHost: "127.0.0.1", port: responder.port))
        let stranger = try ClockClientThread(address: address, key: Self.key()) { _ in
            Issue.record("a stranger was answered")
        }
        let noise = try StampedSocket(connectedTo: address)
        for length in [0, 1, 63, 64, 65, 512] { noise.send((0..<length).map { _ in UInt8.random(in: 0...255) }) }
        let collector = try Collector(count: 20)
        let client = try ClockClientThread(address: address, key: key) { collector.take($0) }
        collector.wait()
        client.stop()
        stranger.stop()
        #expect(stranger.statistics.completed == 0)
        #expect(stranger.statistics.sent > 0)
        #expect(responder.statistics.unauthenticated > 0)
        #expect(collector.estimates.withLock { $0.count } >= 20)
        responder.stop()
    }

    @Test func takenPortIsAnError() throws {
        let responder = try ClockResponderThread(port: 0)
        #expect(throws: ClockExchangeError(operation: "bind UDP port \(responder.port)", code: EADDRINUSE)) {
            _ = try ClockResponderThread(port: responder.port)
        }
        responder.stop()
        let again = try ClockResponderThread(port: responder.port)
        again.stop()
    }

    @Test func silentPortDoesNotKeepTheClientFromStopping() throws {
        let responder = try ClockResponderThread(port: 0)
        let address = try #require(DatagramAddress(numericHost: "127.0.0.1", port: responder.port))
        responder.stop()
        let client = try ClockClientThread(address: address, key: Self.key())
        while client.statistics.sent < 5 { sched_yield() }
        client.stop()
        client.stop()
        #expect(client.estimate == nil)
    }

    @Test func sentDatagramsAreStampedByTheKernel() throws {
        let responder = try ClockResponderThread(port: 0)
        defer { responder.stop() }
        var socket = try StampedSocket(
            connectedTo: try #require(DatagramAddress(numericHost: "127.0.0.1", port: responder.port)))
        let bytes = ClockDatagram(kind: .request, keyIdentifier: 1, sequence: 5, cookie: 6).encoded(under: Self.key())
        let before = HostTime.now()
        socket.send(bytes)
        guard case .datagram(let sent) = socket.receiveSent() else {
            Issue.record("no stamp")
            return
        }
        #expect(sent.at > before - .microseconds(20))
        #expect(sent.at < .now() + .microseconds(20))
    }

    /// What a program reads late it does not take for late: the kernel stamped it as it arrived.
    @Test func arrivedDatagramsAreStampedByTheKernel() throws {
        var receiver = try StampedSocket(port: 0)
        let sender = try StampedSocket(
            connectedTo: try #require(DatagramAddress(numericHost: "127.0.0.1", port: receiver.port)))
        let bytes = ClockDatagram(kind: .request, keyIdentifier: 1, sequence: 5, cookie: 6).encoded(under: Self.key())
        // Linux begins to stamp what arrives a while after the first socket asked (net_enable_timestamp leaves it to a
        // work queue) and until then gives the time of reading: such a try shows nothing. Twenty of them fail.
        let delay = TimeSpan.milliseconds(20)
        for _ in 0..<20 {
            receiver.prepareToWait()
            let before = HostTime.now()
            sender.send(bytes)
            var request = pollfd(fd: receiver.descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&request, 1, 1_000) == 1)
            let arrived = HostTime.now()
            sleepThread(for: delay)
            guard case .datagram(let received) = receiver.receive() else { continue }
            #expect(received.bytes == bytes)
            #expect(received.at > before - .microseconds(20))
            if received.at < arrived + .microseconds(20) { return }
        }
        Issue.record("not stamped as it arrived")
    }

    @Test func onlyNumericAddressesAreTaken() {
        #expect(DatagramAddress(numericHost: "localhost", port: 1) == nil)
        #expect(DatagramAddress(numericHost: "fe80::1%lo", port: 1) != nil)
        #expect(DatagramAddress(numericHost: "", port: 1) == nil)
    }
}
