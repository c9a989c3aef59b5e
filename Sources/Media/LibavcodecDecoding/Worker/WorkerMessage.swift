import AudioCore

// The protocol between a program and its decode worker, on one stream socket. Both ends are the same binary, so numbers
// are in the machine's byte order and the protocol has no version.
//
// A message is a header and a body: kind (u32), bytes in the body (u32), body.
//
// | kind | from | body |
// |---|---|---|
// | ready | worker | major versions of libavcodec and libavutil (u32 each), 0: none could be loaded. Said first, once |
// | open | program | codec (u32), channels (u32), hertz (f64), find implicit SBR (u32), integers (u32), magic cookie |
// | opened | worker | a `WorkerStatus` (u32), the library's number (i32) |
// | decode | program | one packet |
// | frames | worker | 1: undamaged, 0: damaged (u32); hertz, channels, frames (u32 each); zero (u32); samples |
// | reset | program | nothing; not answered |
//
// Samples are frames x channels f32; if `open` asked for integers (1), frames x channels i32 at full scale.
//
// The worker answers in order. It is not trusted: readers of its answers check every number.

/// The kind of a message.
public enum WorkerMessageKind: UInt32, Sendable {
    case open = 1
    case decode, reset
    case ready = 0x8000_0000
    case opened, frames
}

/// The result of `open`.
public enum WorkerStatus: UInt32, Sendable {
    case fine, missingDecoder, refused
}

/// The header of a message.
public struct WorkerMessageHeader: Sendable {
    public static let byteCount = 8
    /// Bytes of a `ready` body.
    public static let readyByteCount = 8
    /// Bytes in front of the samples in a `frames` body.
    public static let framesByteCount = 20
    /// Bytes before the magic cookie in an `open` body.
    public static let openByteCount = 24
    /// Size of the largest body that a worker accepts.
    public static let largestRequest = max(Limits.packetByteCount, Limits.magicCookieByteCount + openByteCount)
    /// Size of the largest body that a worker sends.
    public static let largestAnswer =
        framesByteCount + Limits.packetFrameCount * Limits.channelRange.upperBound * MemoryLayout<Float>.stride

    /// A ``WorkerMessageKind``, or an invalid number.
    public var kind: UInt32
    public var bodyByteCount: Int

    public init(kind: UInt32, bodyByteCount: Int) {
        self.kind = kind
        self.bodyByteCount = bodyByteCount
    }

    /// - Parameter bytes: at least ``byteCount``.
    public init(_ bytes: UnsafeRawBufferPointer) {
        kind = bytes.loadUnaligned(as: UInt32.self)
        bodyByteCount = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }

    /// The header's bytes as in memory.
    public var words: [2 of UInt32] { [kind, UInt32(bodyByteCount)] }

    /// - Parameter bytes: at least ``byteCount``.
    public func store(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeBytes(of: kind, as: UInt32.self)
        bytes.storeBytes(of: UInt32(bodyByteCount), toByteOffset: 4, as: UInt32.self)
    }
}

extension LibraryDecoderSetup {
    /// The body of an `open` message.
    public var message: [UInt8] {
        var body: [UInt8] = []
        func append(_ value: some BitwiseCopyable) { withUnsafeBytes(of: value) { body += $0 } }
        append(codec.rawValue)
        append(UInt32(channelCount))
        append(sampleRate)
        append(UInt32(findsImplicitSBR ? 1 : 0))
        append(UInt32(outputsIntegers ? 1 : 0))
        return body + magicCookie
    }

    /// Returns nil if the body is invalid.
    init?(message: UnsafeRawBufferPointer) {
        guard message.count >= WorkerMessageHeader.openByteCount else { return nil }
        self.init(
            codec: Codec(rawValue: message.loadUnaligned(as: UInt32.self)),
            sampleRate: message.loadUnaligned(fromByteOffset: 8, as: Double.self),
            channelCount: Int(message.loadUnaligned(fromByteOffset: 4, as: UInt32.self)),
            magicCookie: Array(message[WorkerMessageHeader.openByteCount...]),
            findsImplicitSBR: message.loadUnaligned(fromByteOffset: 16, as: UInt32.self) != 0,
            outputsIntegers: message.loadUnaligned(fromByteOffset: 20, as: UInt32.self) != 0)
    }
}
