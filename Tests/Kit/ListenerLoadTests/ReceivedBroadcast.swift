import AudioCore
import NIOCore
import StreamTestKit
import WireProtocol

@testable import ListenerLoad

/// A broadcast of a song of MPEG frames, as far as one listener is told of it, and what its check finds.
struct ReceivedBroadcast {
    static let packetCount = 60
    static let frames: Int64 = 1_152
    static let song = makeSong()

    /// 44.1 kHz, without an encoder's delay: packet n begins at frame n * 1,152.
    private static func makeSong() -> LoadSong {
        guard let song = try? LoadSong(file: MPEGWriter().frames(packetCount).flatMap { $0 }, name: "song") else {
            preconditionFailure("MPEGWriter wrote no song")
        }
        return song
    }

    var check = ReceptionCheck(song: song)
    var margins = DeliveryMargins()
    private var parser = WireParser()
    private let epoch = Epoch(1)

    init() throws {
        let greeting = Greeting(
            roles: .broadcaster, peer: UUIDBytes(high: 1, low: 1), instance: 1, started: 0, name: "b")
        try say(WireEncoder.greeting(greeting))
        try say(WireEncoder.stream(epoch, properties: [.dataFormat(Self.song.format)]))
    }

    static func due(_ packet: Int) -> TimeSpan { TimeSpan(seconds: Double(Int64(packet) * frames) / 44_100) }

    mutating func say(_ message: ByteBuffer, at now: TimeSpan = .zero) throws {
        check.begin(at: HostTime(nanoseconds: now.nanoseconds))
        try parser.parse(message.readableBytesSpan, into: &check)
        check.takeMargins(into: &margins)
    }

    /// - Parameter first: the packet with which the sound begins.
    mutating func enter(at first: Int = 0, lost: UInt32 = 0, now: TimeSpan = .seconds(-10)) throws {
        let frame = FramePosition(Int64(first) * Self.frames)
        try say(WireEncoder.entry(EntryMark(epoch: epoch, frame: frame, lostPacketCount: lost)), at: now)
    }

    /// Frame 0 is due at time 0.
    mutating func anchor(_ epoch: Epoch = Epoch(1)) throws {
        let start = SessionTime(nanoseconds: 0)
        try say(WireEncoder.anchor(Anchor(epoch: epoch, frame: .zero, session: start, framesPerSecond: 44_100)))
    }

    /// Some of the song's packets, as they are or changed.
    mutating func packets(
        _ range: Range<Int>, at now: TimeSpan = .seconds(-1), change: (inout [UInt8]) -> Void = { _ in }
    ) throws {
        let song = Self.song
        var data = Array(song.bytes[song.offsets[range.lowerBound]..<song.offsets[range.upperBound]])
        change(&data)
        let descriptions = range.map { index in
            AudioPacketDescription(
                startOffset: song.offsets[index] - song.offsets[range.lowerBound],
                byteCount: song.offsets[index + 1] - song.offsets[index], frameCount: Int(Self.frames))
        }
        let position = FramePosition(song.positions[range.lowerBound])
        try say(WireEncoder.packets(epoch, at: position, descriptions: descriptions, data: data.span.bytes), at: now)
    }

    mutating func end() throws { try say(WireEncoder.streamEnd(epoch, at: Self.song.end)) }
}
