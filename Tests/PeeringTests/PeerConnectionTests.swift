import AudioCore
import NIOCore
import Peering
import Testing
import WireProtocol

@Suite struct PeerConnectionTests {
    private let start = HostTime(nanoseconds: 0)
    private let greeting = Greeting(
        roles: .listener, peer: UUIDBytes(high: 1, low: 2), instance: 3, started: 0, name: "Attic")

    // `#expect` takes no mutating call.
    private func isDue(_ connection: inout PeerConnection, _ now: HostTime) -> Bool { connection.needsKeepAlive(now) }

    @Test func greetingIsRemembered() throws {
        var connection = PeerConnection(direction: .accepted, address: "10.0.0.1", now: start)
        #expect(connection.name == "10.0.0.1")
        let events = try connection.receive(WireEncoder.opening(greeting), now: start)
        #expect(events == [.message(.greeting(greeting))])
        #expect(connection.name == "Attic")
    }

    @Test func silenceIsDeathWithinThreeSeconds() throws {
        var connection = PeerConnection(direction: .accepted, address: "a", now: start)
        _ = try connection.receive(WireEncoder.opening(greeting), now: start)
        #expect(!connection.liveness.isSilent(start + .milliseconds(2_400)))
        #expect(connection.liveness.isSilent(start + .milliseconds(2_600)))
        _ = try connection.receive(WireEncoder.keepAlive(), now: start + .milliseconds(2_000))
        #expect(!connection.liveness.isSilent(start + .milliseconds(4_400)))
    }

    @Test func aPeerThatNeverGreetsIsDropped() {
        let connection = PeerConnection(direction: .accepted, address: "a", now: start)
        #expect(!connection.liveness.isSilent(start + .milliseconds(1_900)))
        #expect(connection.liveness.isSilent(start + .milliseconds(2_100)))
    }

    @Test func keepAlivesAreDueOnlyInSilence() throws {
        var connection = PeerConnection(direction: .dialed, address: "a", now: start)
        #expect(!isDue(&connection, start + .seconds(1)))
        _ = try connection.receive(WireEncoder.opening(greeting), now: start)
        connection.said(start + .milliseconds(500))
        #expect(!isDue(&connection, start + .milliseconds(1_000)))
        #expect(isDue(&connection, start + .milliseconds(1_300)))
        #expect(!isDue(&connection, start + .milliseconds(1_400)))
    }
}
