import AudioCore

/// The parser of one container, behind ``AudioFileStream``: takes bytes from the front of a window.
///
/// Parsers are values: the fields of an object would be guarded at run time against overlapping access, for each packet
/// several times, which took half the time of files with small ones.
///
/// To give the same events however the file is cut, it decides only on bytes that it has seen whole: what it does may
/// depend on the window's end only if `isLast`.
protocol ContainerParser {
    /// Takes what it can; called with a window that holds at least what the last call needed, or ends where a file ends
    /// that is at hand.
    /// - Parameters:
    ///   - bytes: the window. The bytes not consumed come again at the front of the next one.
    ///   - offset: where in the file the window begins.
    ///   - isLast: the window ends where the file ends. This is the last call then, and takes everything.
    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress

    /// After the last call of `consume`: final properties, or why nothing could be played.
    mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError)

    /// The parser of the stream behind this one, whose bytes are those that are in the window; nil where `consume` did not
    /// say that it is over.
    func following() -> (any ContainerParser)?

    /// Bytes are missing: the window was emptied, the next one begins elsewhere in the file.
    mutating func skipGap() throws(AudioStreamError)

    /// Where a packet lies. Nothing changes.
    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek

    /// The window was emptied, the next one begins at this place, which ``locate(packet:)`` gave.
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

    /// Where all packets are equally long.
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

    /// Where all packets have the same size.
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
