import AudioCore
import HostSystem
import NIOCore
import SecureChannel
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime
import WireProtocol

/// What a recorder does about a broadcaster that would fill its disk.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HostileBroadcasterTests {
    private static let rate = 8_000.0
    private let keys = PeerKeyPair.random()

    /// Six minutes of song at once, and in it a gap of ten minutes that would be filled with silence.
    @Test func whatIsSentFasterThanItPlaysIsNotRecorded() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/song.wav"
        let notices = try record(into: path, on: freePort()) { peer in
            var epoch: [ByteBuffer] = [opening, welcome, stream]
            for second in 0..<360 { epoch.append(packet(second: second < 180 ? second : second + 600)) }
            epoch.append(WireEncoder.streamEnd(Epoch(1), at: FramePosition(8_000 * 960)))
            epoch.append(WireEncoder.broadcastEnd(BroadcastEnd(.completed)))
            for message in epoch { peer.say(Array(message.readableBytesView)) }
            _ = peer.hearToEnd()
        }
        #expect(notices.contains(.listening(.tooFarAhead(broadcaster: "attic"))))
        let counts = notices.compactMap {
            if case .recording(.recorded(_, let count, [path], .zero)) = $0 { count } else { nil }
        }
        // Fifteen seconds, and what may have been played while they came.
        #expect(counts.count == 1 && (15 * 8_000...18 * 8_000).contains(counts[0]), "\(notices)")
    }

    /// - Returns: what the recorder told.
    private func record(
        into path: String, on port: UInt16, from broadcaster: (RawPeer) -> Void
    ) throws -> [RuntimeNotice] {
        var options = RecordOptions(path: path)
        options.network.port = port
        options.network.usesDiscovery = false
        let told = Mutex<[RuntimeNotice]>([])
        let recorder = Recorder(options: options, identity: .test("recorder"))
        let thread = try HostThread(name: "recorder") {
            _ = try? recorder.run { event in
                if case .notice(let notice) = event { told.withLock { $0.append(notice) } }
            }
        }
        if let peer = RawPeer(port: port, keys: keys) { broadcaster(peer) } else { recorder.stop() }
        thread.join()
        return told.withLock { $0 }
    }

    // MARK: What it says

    private var opening: ByteBuffer {
        WireEncoder.greeting(
            Greeting(roles: .broadcaster, peer: keys.key.uuid, instance: 7, started: 0, name: "attic"))
    }

    private var welcome: ByteBuffer {
        WireEncoder.welcome(Welcome(clockPort: 9, clockKey: Array(repeating: 9, count: 24)))
    }

    private var stream: ByteBuffer {
        let format = AudioStreamFormat.linearPCM(
            sampleRate: Self.rate, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: .signedInteger)
        var messages = WireEncoder.stream(Epoch(1), properties: [.dataFormat(format)])
        var entry = WireEncoder.entry(EntryMark(epoch: Epoch(1), frame: .zero, lostPacketCount: 0))
        messages.writeBuffer(&entry)
        return messages
    }

    /// A second of silence.
    private func packet(second: Int) -> ByteBuffer {
        let data = [UInt8](repeating: 0, count: 16_000)
        let description = AudioPacketDescription(startOffset: 0, byteCount: 16_000, frameCount: 8_000)
        return WireEncoder.packets(
            Epoch(1), at: FramePosition(Int64(second) * 8_000), descriptions: [description], data: data.span.bytes)
    }
}
