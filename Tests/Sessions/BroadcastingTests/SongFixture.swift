import AudioCore
import NIOCore
import WireProtocol

@testable import Broadcasting

/// A song of 8,000 frames a second, in packets of 50 ms and messages of 100 ms.
enum SongFixture {
    static let rate = 8_000.0
    static let format = AudioStreamFormat.linearPCM(
        sampleRate: rate, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: [])

    /// As much as was read of it so far.
    static func song(seconds: Int, epoch: Epoch = Epoch(1), statedFrameCount: Int64? = nil) -> BroadcastSong {
        var song = BroadcastSong(epoch: epoch, fallbackTitle: "fallback")
        let table = AudioPacketTableInfo(
            validFrameCount: statedFrameCount, primingFrameCount: 0, remainderFrameCount: 0)
        _ = song.read([.dataFormat(format), .packetTableInfo(table), .readyToProducePackets], [], ByteBuffer())
        song.give(seconds: seconds)
        return song
    }

    /// The same song on a timeline.
    static func track(seconds: Int, epoch: Epoch = Epoch(1)) -> BroadcastTrack {
        let configuration = BroadcastConfiguration(greeting: ScriptedBroadcast.greeting, clockPort: 1)
        var track = BroadcastTrack(epoch, configuration, item: nil, title: "fallback")
        track.song = song(seconds: seconds, epoch: epoch)
        return track
    }
}

extension BroadcastSong {
    mutating func give(seconds: Int) {
        let packets = (0..<20).map { AudioPacketDescription(startOffset: $0 * 800, byteCount: 800, frameCount: 400) }
        for _ in 0..<seconds { _ = read([], packets, ByteBuffer(repeating: 7, count: 16_000)) }
    }
}

extension ListenerFeed.Portion {
    /// What is sent, message by message.
    var messages: [ByteBuffer] {
        items.flatMap { item in
            switch item {
            case .message(let message): [message]
            case .packets(let run): run.messages
            }
        }
    }
}
