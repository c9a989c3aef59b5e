import AudioCore
import Listening
import Peering
import SecureChannel
import Testing
import WireProtocol

/// Connections that their other side ends in the middle of something.
@Suite(.timeLimit(.minutes(5))) struct EarlyEndTests {
    private static let cut = ConnectionSecurityError.handshake(.truncated)

    private func leftEarly(_ error: ConnectionSecurityError, isNamed: Bool) -> ListenNotice {
        .leftEarly("10.0.0.1", reason: "\(error)", isNamed: isNamed)
    }

    @Test func atAnAddressItIsToldOnceAndDialledAgain() throws {
        var listener = ScriptedListener { $0.address = NetworkAddress(host: "10.0.0.1") }
        for id in 1...3 {
            for _ in 0..<1_000 where listener.dials.count < id { listener.wait(.milliseconds(20)) }
            let dial = try #require(listener.dials.last)
            listener.handle(.opened(ConnectionID(id), .dialed, address: "10.0.0.1", dial: dial))
            listener.handle(.broken(ConnectionID(id), Self.cut))
        }
        #expect(listener.dials.count == 3 && listener.closed == [1, 2, 3])
        let told = leftEarly(Self.cut, isNamed: true)
        #expect(told.level == .warning && listener.notices.count { $0 == told } == 1)
        #expect(listener.said.values.allSatisfy { $0.refusal == nil })
    }

    @Test func ofACallerItIsADetail() {
        var listener = ScriptedListener()
        listener.handle(.opened(ConnectionID(1), .accepted, address: "10.0.0.1", dial: nil))
        listener.handle(.broken(ConnectionID(1), Self.cut))
        let told = leftEarly(Self.cut, isNamed: false)
        #expect(listener.notices == [told] && told.level == .detail && listener.closed == [1])
    }

    @Test func withinTheFirstRecordItIsTold() {
        var listener = ScriptedListener()
        listener.handle(.opened(ConnectionID(1), .accepted, address: "10.0.0.1", dial: nil))
        listener.handle(.broken(ConnectionID(1), .record(.truncated)))
        #expect(listener.notices == [leftEarly(.record(.truncated), isNamed: false)])
    }

    /// A broadcaster that was killed while it sent.
    @Test func aBroadcastThatEndsWithinARecordIsLost() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic")
        listener.stream(1)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Attic")
        listener.handle(.broken(ConnectionID(1), .record(.truncated)))
        #expect(listener.notices.contains { if case .lost("Attic", _) = $0 { true } else { false } })
        #expect(!listener.notices.contains { if case .turnedAway = $0 { true } else { false } })
        #expect(listener.said[1]?.refusal == nil && listener.closed == [1])
    }
}
