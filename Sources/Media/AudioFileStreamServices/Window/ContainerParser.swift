import AudioCore

/// The parser of one container, behind ``AudioFileStream``: consumes bytes at the front of a window.
///
/// Parsers are values: with classes, run-time exclusivity checks on every field access, several per packet, took half
/// the time for files with small packets.
///
/// To give the same events however the file is cut, a parser decides only on bytes that it has seen whole: its actions
/// may depend on the window's end only if `isLast`.
protocol ContainerParser {
    /// Consumes what it can. The window holds at least what the last call needed, or ends at the end of a file with
    /// random access.
    /// - Parameters:
    ///   - bytes: the window. Bytes not consumed come again at the front of the next one.
    ///   - offset: where in the file the window begins.
    ///   - isLast: the window ends where the file ends. This is the last call, and must consume everything.
    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress

    /// Reports the final properties after the last call of `consume`, or throws why nothing could be played.
    mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError)

    /// Returns the parser of the next stream, whose bytes are those in the window; nil unless `consume` said that this
    /// stream is over.
    func following() -> (any ContainerParser)?

    /// Handles missing bytes: the window was emptied, and the next one begins elsewhere in the file.
    mutating func skipGap() throws(AudioStreamError)

    /// Returns where a packet lies. Changes nothing.
    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek

    /// Continues at a place that ``locate(packet:)`` gave: the window was emptied, and the next one begins there.
    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError)

    /// See ``AudioFileStream/packet(containingFrame:)``; the frame is not negative.
    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int)

    /// See ``AudioFileStream/firstFrame(ofPacket:)``; the packet is not negative.
    func firstFrame(ofPacket packet: Int64, _ summary: AudioStreamSummary) throws(AudioStreamError) -> Int64

    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool)
}

extension ContainerParser {
    func following() -> (any ContainerParser)? { nil }

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek { throw .valueUnknown }

    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) { try skipGap() }

    /// For packets that all have the same frame count.
    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        guard let format = summary.format, format.framesPerPacket > 0 else { throw .valueUnknown }
        let (packet, offset) = frame.quotientAndRemainder(dividingBy: Int64(format.framesPerPacket))
        return (packet, Int(offset))
    }

    func firstFrame(ofPacket packet: Int64, _ summary: AudioStreamSummary) throws(AudioStreamError) -> Int64 {
        guard let format = summary.format, format.framesPerPacket > 0 else { throw .valueUnknown }
        let (frame, overflows) = packet.multipliedReportingOverflow(by: Int64(format.framesPerPacket))
        guard !overflows else { throw .invalidPacketOffset }
        return frame
    }

    /// For packets that all have the same size.
    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        guard let format = summary.format, format.bytesPerPacket > 0, let start = summary.dataOffset else {
            throw .valueUnknown
        }
        guard offset >= start, summary.dataByteCount.map({ offset - start < $0 }) ?? true else {
            throw .invalidPacketOffset
        }
        return ((offset - start) / Int64(format.bytesPerPacket), false)
    }
}
