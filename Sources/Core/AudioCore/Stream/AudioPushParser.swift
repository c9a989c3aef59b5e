/// A push parser of audio streams: takes bytes in pieces of any size, and gives properties and packets to a sink.
///
/// The same bytes give the same properties and packets however they are cut; only the grouping of packets into calls
/// differs. A parser owns no thread, reads no clock and does no I/O; calls must not overlap.
public protocol AudioPushParser: ~Copyable {
    /// Takes the next bytes.
    /// - Parameters:
    ///   - bytes: any number; they follow the previous ones.
    ///   - discontinuity: whether bytes are missing before these (after a seek or a loss), so that it must
    ///     resynchronise.
    ///   - sink: receives the properties and packets.
    /// - Throws: what is wrong with the stream. The parser then rejects all further bytes with the same error.
    mutating func parse<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, discontinuity: Bool, into sink: inout Sink
    ) throws(AudioStreamError)

    /// Ends the stream: gives what was held back, and throws if nothing was playable.
    mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError)
}

/// Why a stream cannot be parsed; the cases are those errors of Audio File Stream Services that a parser can meet.
public enum AudioStreamError: Error, Hashable, Sendable {
    /// The container is unknown, or not the one that the hint named.
    case unsupportedFileType
    /// The container is known, but its content cannot be played. The text names the content.
    case unsupportedDataFormat(String)
    /// The file breaks its own format's rules. The text says where (byte offset) and how.
    case invalidFile(String)
    /// The stream ended before a single packet was found.
    case dataUnavailable
    /// No place to resume was found after a discontinuity.
    case discontinuityCannotRecover
    /// The packet table follows the audio: the file cannot be streamed, only played with random access.
    case notOptimized
    /// No property has this identifier.
    case unsupportedProperty
    /// The property's size differs from the room that the caller made.
    case badPropertySize
    /// No packet has this number or offset.
    case invalidPacketOffset
    /// The stream does not give the value, or not yet.
    case valueUnknown
    /// The call is not allowed now: after the end, or before the stream is ready.
    case illegalOperation
}
