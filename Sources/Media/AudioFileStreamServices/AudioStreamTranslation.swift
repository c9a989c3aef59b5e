import AudioCore

/// A packet and a frame of the decoded stream, priming included: `AudioFramePacketTranslation`.
public struct AudioFramePacketTranslation: Hashable, Sendable, BitwiseCopyable {
    public var frame: Int64
    public var packet: Int64
    /// Offset of the frame from the packet's first.
    public var frameOffsetInPacket: Int

    public init(frame: Int64 = 0, packet: Int64 = 0, frameOffsetInPacket: Int = 0) {
        self.frame = frame
        self.packet = packet
        self.frameOffsetInPacket = frameOffsetInPacket
    }
}

/// A packet and a byte: `AudioBytePacketTranslation`. Bytes are counted from the start of the file.
public struct AudioBytePacketTranslation: Hashable, Sendable, BitwiseCopyable {
    public var byte: Int64
    public var packet: Int64
    /// Offset of the byte from the packet's first; zero if only an estimate is known.
    public var byteOffsetInPacket: Int64
    public var isEstimate: Bool

    public init(byte: Int64 = 0, packet: Int64 = 0, byteOffsetInPacket: Int64 = 0, isEstimate: Bool = false) {
        self.byte = byte
        self.packet = packet
        self.byteOffsetInPacket = byteOffsetInPacket
        self.isEstimate = isEstimate
    }
}

/// A packet, and how many packets before it a decoder needs for exact output: `AudioPacketRollDistanceTranslation`.
public struct AudioPacketRollDistanceTranslation: Hashable, Sendable, BitwiseCopyable {
    public var packet: Int64
    public var rollDistance: Int64

    public init(packet: Int64 = 0, rollDistance: Int64 = 0) {
        self.packet = packet
        self.rollDistance = rollDistance
    }
}

/// An argument of ``AudioFileStream/translate(_:_:)``: one of three kinds of places, with one side filled in.
public protocol AudioStreamTranslation {
    /// Fills in the other side.
    mutating func resolve(_ id: AudioStreamPropertyID, in stream: borrowing AudioFileStream) throws(AudioStreamError)
}

extension AudioFramePacketTranslation: AudioStreamTranslation {
    public mutating func resolve(
        _ id: AudioStreamPropertyID, in stream: borrowing AudioFileStream
    ) throws(AudioStreamError) {
        switch id {
        case .packetToFrame:
            frame = try stream.firstFrame(ofPacket: packet)
            frameOffsetInPacket = 0
        case .frameToPacket:
            (packet, frameOffsetInPacket) = try stream.packet(containingFrame: frame)
        default: throw .badPropertySize
        }
    }
}

extension AudioBytePacketTranslation: AudioStreamTranslation {
    public mutating func resolve(
        _ id: AudioStreamPropertyID, in stream: borrowing AudioFileStream
    ) throws(AudioStreamError) {
        switch id {
        case .packetToByte:
            let place = try stream.place(ofPacket: packet)
            byte = place.byteOffset
            byteOffsetInPacket = 0
            // The place may be that of an earlier packet.
            isEstimate = place.isEstimate || place.packet != packet
        case .byteToPacket:
            (packet, isEstimate) = try stream.packet(atByteOffset: byte)
            byteOffsetInPacket = 0
            guard !isEstimate, let place = try? stream.place(ofPacket: packet), place.packet == packet else { return }
            byteOffsetInPacket = byte - place.byteOffset
        default: throw .badPropertySize
        }
    }
}

extension AudioPacketRollDistanceTranslation: AudioStreamTranslation {
    public mutating func resolve(
        _ id: AudioStreamPropertyID, in stream: borrowing AudioFileStream
    ) throws(AudioStreamError) {
        guard id == .packetToRollDistance else { throw .badPropertySize }
        guard packet >= 0 else { throw .invalidPacketOffset }
        guard stream.summary.isReady else { throw .valueUnknown }
        rollDistance = min(packet, Int64(stream.summary.decoderPrerollPacketCount))
    }
}
