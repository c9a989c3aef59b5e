/// A push parser of audio streams: bytes go in, in pieces of any size; properties and packets come out of the sink.
///
/// The same bytes give the same properties and the same packets however they are cut; only the grouping of packets
/// into calls differs. A parser owns no thread, reads no clock and does no I/O; calls must not overlap.
public protocol AudioPushParser: ~Copyable {
    /// Takes the next bytes.
    /// - Parameters:
    ///   - bytes: as many as there are; they follow the last ones.
    ///   - discontinuity: bytes are missing before these (after a seek or a loss): resynchronise first.
    ///   - sink: is told what they hold.
    /// - Throws: what is wrong with the stream. The parser then refuses all further bytes with the same error.
    mutating func parse<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, discontinuity: Bool, into sink: inout Sink
    ) throws(AudioStreamError)

    /// No more bytes will come: gives what was held back, and says whether the stream was playable at all.
    mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError)
}

/// Why a stream cannot be parsed; the cases are those of Audio File Stream Services that a parser can meet.
public enum AudioStreamError: Error, Hashable, Sendable {
    /// No container that is known, or not the one that the hint named.
    case unsupportedFileType
    /// The container is known; what is in it cannot be played. The text names it.
    case unsupportedDataFormat(String)
    /// The file breaks its own format's rules. The text says where (byte offset) and how.
    case invalidFile(String)
    /// The stream ended before a single packet was found.
    case dataUnavailable
    /// After a discontinuity no place to go on was found.
    case discontinuityCannotRecover
    /// The packet table comes after the audio: this file cannot be played as a stream, only with access to all of it.
    case notOptimized
    /// No property has this identifier.
    case unsupportedProperty
    /// The property has another size than the caller made room for.
    case badPropertySize
    /// There is no packet with this number, or none at this offset.
    case invalidPacketOffset
    /// The stream does not tell, or has not told yet.
    case valueUnknown
    /// The call makes no sense now: after the end, or before the stream is ready.
    case illegalOperation
}
