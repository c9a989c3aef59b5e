import AudioCore
import NIOCore
import Peering
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct PeerConnectionTests {
    private let start = HostTime(nanoseconds: 0)
    private let greeting = Greeting(
        roles: .listener, peer: UUIDBytes(high: 1, low: 2), instance: 3, started: 0, name: "Attic")

    // `#expect` takes no mutating call.
    private func isDue(_ connection: inout PeerConnection, _ now: HostTime) -> Bool { connection.needsKeepAlive(now) }

    @Test func greetingIsRemembered() throws {
        var connection = PeerConnection(direction: .accepted, address: "10.0.0.1", now: start)
        #expect(connection.name == "10.0.0.1")
        let events = try connection.receive(WireEncoder.greeting(greeting), now: start)
        #expect(events == [.message(.greeting(greeting))])
        #expect(connection.name == "Attic")
    }

    @Test func silenceIsDeathWithinThreeSeconds() throws {
        var connection = PeerConnection(direction: .accepted, address: "a", now: start)
        _ = try connection.receive(WireEncoder.greeting(greeting), now: start)
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
        _ = try connection.receive(WireEncoder.greeting(greeting), now: start)
        connection.noteSent(start + .milliseconds(500))
        #expect(!isDue(&connection, start + .milliseconds(1_000)))
        #expect(isDue(&connection, start + .milliseconds(1_300)))
        #expect(!isDue(&connection, start + .milliseconds(1_400)))
    }

    // MARK: Packets

    /// A greeting, and messages of two packets of 1,000 bytes each.
    private func song(messages: Int) -> ByteBuffer {
        var bytes = WireEncoder.greeting(greeting)
        let packets = (0..<2).map {
            AudioPacketDescription(startOffset: $0 * 1_000, byteCount: 1_000, frameCount: 1_152)
        }
        let data = (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for number in 0..<messages {
            let position = FramePosition(Int64(number) * 2_304)
            var message = WireEncoder.packets(Epoch(1), at: position, descriptions: packets, data: data.span.bytes)
            bytes.writeBuffer(&message)
        }
        return bytes
    }

    private func packetData(_ events: [PeerEvent]) -> [ByteBuffer] {
        events.compactMap { if case .packets(_, let data) = $0 { data } else { nil } }
    }

    /// Whether a buffer's bytes are in another's memory.
    private func lies(_ part: ByteBuffer, in whole: ByteBuffer) -> Bool {
        whole.withUnsafeReadableBytes { whole in
            part.withUnsafeReadableBytes { part in
                guard let start = part.baseAddress, let first = whole.baseAddress else { return false }
                return start >= first && start + part.count <= first + whole.count
            }
        }
    }

    @Test func packetsAreSlicesOfWhatCame() throws {
        var connection = PeerConnection(direction: .accepted, address: "a", now: start)
        let bytes = song(messages: 10)
        let data = packetData(try connection.receive(bytes, now: start))
        #expect(data.count == 10)
        #expect(data.allSatisfy { lies($0, in: bytes) })
    }

    /// Only the message that was cut in two is copied.
    @Test func whatCameInTwoPiecesIsTheOnlyCopy() throws {
        var connection = PeerConnection(direction: .accepted, address: "a", now: start)
        let bytes = song(messages: 10)
        let cut = bytes.readableBytes / 2
        let first = try #require(bytes.getSlice(at: 0, length: cut))
        let second = try #require(bytes.getSlice(at: cut, length: bytes.readableBytes - cut))
        let data = packetData(try connection.receive(first, now: start) + connection.receive(second, now: start))
        let uncut = packetData(try whole(bytes))
        #expect(data == uncut)
        #expect(data.count { !lies($0, in: bytes) } == 1)
    }

    private func whole(_ bytes: ByteBuffer) throws -> [PeerEvent] {
        var connection = PeerConnection(direction: .accepted, address: "a", now: start)
        return try connection.receive(bytes, now: start)
    }

    /// A receive buffer may be many times as large as what is kept of it.
    @Test func whatIsKeptKeepsNothingElse() throws {
        let bytes = song(messages: 100)
        let events = try whole(bytes)
        let slice = try #require(packetData(events).first)
        #expect(slice.storageCapacity > 200_000)
        let kept = try #require(packetData(events.map(\.detached)).first)
        #expect(kept == slice)
        #expect(kept.storageCapacity < 2 * slice.readableBytes)
    }
}
