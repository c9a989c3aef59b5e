import AudioCore
import NIOCore
import StreamTestKit
import WireProtocol

@testable import WebRemote

/// What a broadcaster says to a stream, in bytes.
struct BroadcastScript {
    /// Of MPEG frames, whose sound means nothing.
    struct Song {
        let frames: [[UInt8]]
        let format = AudioStreamFormat(
            codec: .mpegLayer3, sampleRate: 44_100, framesPerPacket: 1_152, channelsPerFrame: 2)

        init(seconds: Int, seed: Int = 0) {
            frames = (0..<seconds * 44_100 / 1_152).map {
                MPEGWriter().frame(seed: UInt64(seed + $0), isPadded: $0 % 3 == 2)
            }
        }
    }

    static let frameCount = 1_152

    static func opening(isWelcome: Bool = true) -> ByteBuffer {
        var bytes = ByteBuffer(bytes: Preamble.bytes(.plain))
        let greeting = Greeting(roles: .broadcaster, peer: .random(), instance: 1, started: 0, name: "Den")
        bytes.writeImmutableBuffer(WireEncoder.greeting(greeting))
        let key = [UInt8](repeating: 1, count: Welcome.clockKeyByteCount)
        if isWelcome { bytes.writeImmutableBuffer(WireEncoder.welcome(Welcome(clockPort: 1, clockKey: key))) }
        return bytes
    }

    static func begin(
        _ epoch: Epoch, _ format: AudioStreamFormat, at entry: FramePosition = .zero
    ) -> ByteBuffer {
        var bytes = WireEncoder.stream(epoch, properties: [.dataFormat(format), .readyToProducePackets])
        bytes.writeImmutableBuffer(
            WireEncoder.entry(EntryMark(epoch: epoch, frame: entry, lostPacketCount: 0)))
        return bytes
    }

    static func packets(_ epoch: Epoch, _ frames: ArraySlice<[UInt8]>) -> ByteBuffer {
        var (data, descriptions) = ([UInt8](), [AudioPacketDescription]())
        for frame in frames {
            descriptions.append(
                AudioPacketDescription(startOffset: data.count, byteCount: frame.count, frameCount: frameCount))
            data += frame
        }
        return WireEncoder.packets(
            epoch, at: FramePosition(Int64(frames.startIndex * frameCount)), descriptions: descriptions,
            data: data.span.bytes)
    }

    /// 16-bit stereo, a packet for all.
    static func pcm(_ epoch: Epoch, at position: FramePosition, _ samples: [Int16]) -> ByteBuffer {
        let data = samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let packet = AudioPacketDescription(startOffset: 0, byteCount: data.count, frameCount: samples.count / 2)
        return WireEncoder.packets(epoch, at: position, descriptions: [packet], data: data.span.bytes)
    }

    static let pcmFormat = AudioStreamFormat.linearPCM(
        sampleRate: 44_100, channels: 2, bitsPerChannel: 16, bytesPerSample: 2, layout: .signedInteger)

    static func anchor(_ epoch: Epoch, _ frame: FramePosition, at seconds: Double) -> ByteBuffer {
        WireEncoder.anchor(
            Anchor(
                epoch: epoch, frame: frame, session: SessionTime(nanoseconds: 0) + TimeSpan(seconds: seconds),
                framesPerSecond: 44_100))
    }
}

/// A stream's listener and output on a clock of the test's.
struct StreamScene {
    static let tick = TimeSpan.milliseconds(50)

    var listener = StreamListener(name: "radio at 192.0.2.1", started: 0, now: HostTime(nanoseconds: 0))
    var output: StreamOutput
    /// Seconds since the stream began.
    private(set) var seconds = 0.0
    private(set) var streamed: [UInt8] = []

    init(_ makeEncoder: StreamEncoderMaker? = nil) throws {
        output = StreamOutput(makeEncoder)
        try say(BroadcastScript.opening())
    }

    mutating func say(_ bytes: ByteBuffer...) throws { for bytes in bytes { try listener.receive(bytes) } }

    /// Lets time pass.
    /// - Returns: what was streamed meanwhile.
    @discardableResult
    mutating func wait(_ span: Double) -> [UInt8] {
        let before = streamed.count
        let ticks = Int((span / Self.tick.seconds).rounded())
        for _ in 0..<ticks {
            seconds += Self.tick.seconds
            poll()
        }
        return Array(streamed[before...])
    }

    mutating func poll() {
        let now = SessionTime(nanoseconds: 0) + TimeSpan(seconds: seconds)
        streamed += output.poll(&listener.held, now: now).readableBytesView
    }

    /// Takes MPEG frames apart; nil if they are not whole.
    static func frames(_ bytes: [UInt8]) -> [[UInt8]]? {
        var (frames, rest) = ([[UInt8]](), bytes[...])
        while !rest.isEmpty {
            let head = Array(rest.prefix(4))
            guard let header = MPEGFrameHeader(head.span.bytes, at: 0), header.layer == 3,
                rest.count >= header.packetByteCount()
            else { return nil }
            frames.append(Array(rest.prefix(header.packetByteCount())))
            rest = rest.dropFirst(header.packetByteCount())
        }
        return frames
    }

    /// Returns the frames that are not silent.
    static func sounding(_ bytes: [UInt8]) -> [[UInt8]]? {
        frames(bytes)?.filter { frame in !frame.dropFirst(4).allSatisfy { $0 == 0 } }
    }
}
