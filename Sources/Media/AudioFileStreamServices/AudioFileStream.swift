import AudioCore

/// A push parser of audio files: detects the container of the bytes and parses it.
///
/// Give it a file's bytes from the first on, in pieces of any size, then call ``finish(into:)``. Properties come first
/// (`readyToProducePackets` is the last of those needed to play), then packets; how the bytes are cut makes no
/// difference. The folders of this target are the containers it knows.
///
/// It is made for pure streams. A caller with random access to the file says so (``ByteAccess/file(byteCount:)``) and
/// brings the bytes from ``nextByteOffset`` on, which may then jump: the parser skips what it does not need, and plays
/// files whose tables come after the audio.
///
/// Memory is bounded by ``AudioFileStreamLimits`` whatever the file says, time is linear in the bytes, and parsing a
/// packet allocates nothing in steady state. Not real-time safe; calls must not overlap.
public struct AudioFileStream: AudioPushParser, ~Copyable {
    private let typeHint: AudioFileType?
    private let access: ByteAccess
    private var container: (any ContainerParser)?
    private var window = ByteWindow()
    private var failure: AudioStreamError?
    private let record = StreamRecord()
    private var hasEnded = false
    /// No bytes were left out or parsed twice.
    private var isContinuous = true
    /// The current stream is over; the bytes in the window belong to the next one.
    public private(set) var hasNextStream = false
    /// Offset in the file of the bytes passed to the last call.
    private var pieceOffset: Int64 = 0

    /// - Parameters:
    ///   - typeHint: the container, if the user knows it (from a MIME type, say). A wrong hint is an error.
    ///   - access: which bytes the parser may ask for.
    public init(typeHint: AudioFileType? = nil, access: ByteAccess = .stream) {
        self.typeHint = typeHint
        self.access = access
    }

    /// The properties known so far.
    public var summary: AudioStreamSummary { record.summary }

    /// Packets delivered so far, and the size of the largest in bytes.
    public var packetCount: Int64 { record.packetCount }
    public var largestPacketByteCount: Int { record.largestPacketByteCount }

    /// Problems met so far, including those beyond the number that is reported.
    public var problemCount: Int { record.problemCount }

    /// Whether the file was parsed from its first byte to its last without a gap.
    var hasSeenAll: Bool { hasEnded && isContinuous }

    var isClosed: Bool { failure == .illegalOperation }

    /// Offset in the file of the first byte that ``parse(_:discontinuity:into:)`` wants next. With
    /// ``ByteAccess/stream`` it follows the last byte given, except after ``seek(toPacket:)``; with random access, look
    /// before each call. With random access it is the file's end once the rest belongs to another stream.
    public var nextByteOffset: Int64 { hasNextStream ? access.fileByteCount ?? window.end : window.end }

    public mutating func parse<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, discontinuity: Bool, into sink: inout Sink
    ) throws(AudioStreamError) {
        if let failure { throw failure }
        if hasNextStream {
            // The caller did not ask for the next stream.
            window.removeAll(movingTo: window.end &+ Int64(bytes.byteCount))
            return
        }
        do throws(AudioStreamError) {
            if discontinuity { try skipGap() }
            pieceOffset = window.end
            var offset = 0
            while offset < bytes.byteCount {
                let end = min(bytes.byteCount, offset + AudioFileStreamLimits.stepByteCount)
                window.append(bytes.extracting(offset..<end))
                let fileOffset = window.end
                try advance(isLast: false, into: &sink)
                if hasNextStream { return }
                let jump = window.end - fileOffset
                // The caller must bring bytes from elsewhere.
                guard jump >= 0, jump <= Int64(bytes.byteCount - end) else { return }
                offset = end + Int(jump)
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Ends the stream: no more bytes will come. Any further call throws `dataUnavailable`.
    public mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        if let failure { throw failure }
        failure = .dataUnavailable
        if !hasNextStream { pieceOffset = window.end }
        do throws(AudioStreamError) {
            try advance(isLast: true, into: &sink)
            guard container != nil else { throw AudioStreamError.dataUnavailable }
            try withUnsafeMutablePointer(to: &sink) { (pointer) throws(AudioStreamError) in
                var observed = ObservedSink(sink: pointer, record: record)
                try container?.finish(into: &observed)
            }
            hasEnded = true
        } catch {
            failure = error
            throw error
        }
    }

    /// Releases what is held and ends the stream. Any further call throws `illegalOperation`.
    public mutating func close() {
        failure = .illegalOperation
        container = nil
        hasNextStream = false
        window.removeAll()
    }

    private mutating func skipGap() throws(AudioStreamError) {
        guard container != nil else { throw .discontinuityCannotRecover }
        try container?.skipGap()
        isContinuous = false
        window.removeAll()
    }

    /// Lets the container take what it can of the window.
    private mutating func advance<Sink: AudioStreamSink & ~Copyable>(
        isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard !hasNextStream, isLast || window.isEnough else { return }
        if container == nil {
            let verdict = try ContainerSniffer.sniff(
                window.storage.span.bytes, isLast: isLast, hint: typeHint, access: access)
            switch verdict {
            case .needsMore(let byteCount):
                window.needed = byteCount
                return
            case .container(let found):
                container = found
            }
        }
        guard var container = container.take() else { return }
        defer { self.container = container }
        let progress = try withUnsafeMutablePointer(to: &sink) { (pointer) throws(AudioStreamError) in
            var observed = ObservedSink(sink: pointer, record: record)
            return try container.consume(
                window.storage.span.bytes, at: window.offset, isLast: isLast, into: &observed)
        }
        window.take(progress)
        hasNextStream = progress.isOver
        // The caller cannot bring more than the file has, and the container looks at what is left there.
        if let byteCount = access.fileByteCount {
            window.needed = max(1, Int(min(Int64(window.needed), byteCount &- window.offset)))
        }
    }
}

// MARK: What follows

extension AudioFileStream {
    /// Returns the parser of the next stream in the same file, which needs a decoder of its own, once ``hasNextStream``
    /// is true (`nextStreamOffset` was reported), by `parse` or by `finish`.
    ///
    /// It has parsed that stream's headers already. Bring it the bytes from *its* ``nextByteOffset`` on, which lies
    /// within the bytes last passed to this parser, or at their end. Its offsets count from the start of the whole
    /// file.
    /// - Returns: nil if there is no next stream, or this parser was given more bytes after its stream ended.
    public func nextStream() -> AudioFileStream? {
        guard hasNextStream, !window.isEmpty, let next = container?.following() else { return nil }
        var stream = AudioFileStream(access: access)
        stream.container = next
        stream.window = window.copy(before: pieceOffset)
        return stream
    }
}

// MARK: Places

extension AudioFileStream {
    /// Seeks to a packet: the next packet delivered is the one in the result, once the bytes from ``nextByteOffset``
    /// (the result's offset) on are brought.
    ///
    /// To decode exactly from a packet on, seek to the packet `decoderPrerollPacketCount` before it.
    /// - Returns: where the packet is. An estimate may be another packet than the requested one and need not be its
    ///   first byte; the parser finds the next packet itself. An exact result may name an earlier packet.
    /// - Throws: `illegalOperation` before the stream is ready; `invalidPacketOffset` if there is no such packet;
    ///   `valueUnknown` if the container does not say. The stream then stays where it was.
    public mutating func seek(toPacket packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        if let failure, failure != .dataUnavailable { throw failure }
        let place = try place(ofPacket: packet)
        try container?.resume(at: place)
        failure = nil
        hasNextStream = false
        if !hasEnded { isContinuous = false }
        window.removeAll(movingTo: place.byteOffset)
        return place
    }

    /// Returns the packet that contains a frame of the decoded stream, priming included, and the frame's offset in that
    /// packet.
    public func packet(containingFrame frame: Int64) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        guard frame >= 0 else { throw .invalidPacketOffset }
        let found = try readyContainer().packet(containingFrame: frame, record.summary)
        guard found.packet < knownPacketCount else { throw .invalidPacketOffset }
        return found
    }

    /// Returns the first frame of a packet in the decoded stream, priming included.
    public func firstFrame(ofPacket packet: Int64) throws(AudioStreamError) -> Int64 {
        // One packet past the last is allowed: it begins where the last one ends.
        guard packet >= 0, packet <= knownPacketCount else { throw .invalidPacketOffset }
        return try readyContainer().firstFrame(ofPacket: packet, record.summary)
    }

    /// Returns where a packet lies; see ``seek(toPacket:)``.
    public func place(ofPacket packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        let container = try readyContainer()
        guard packet < knownPacketCount else { throw .invalidPacketOffset }
        return try container.locate(packet: packet)
    }

    /// Returns the packet that contains a byte of the file.
    public func packet(atByteOffset offset: Int64) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        try readyContainer().packet(atByteOffset: offset, record.summary)
    }

    /// The number of packets once all were parsed; before that, any number is possible.
    private var knownPacketCount: Int64 { hasSeenAll ? record.summary.packetCount ?? .max : .max }

    private func readyContainer() throws(AudioStreamError) -> any ContainerParser {
        guard let container, record.summary.isReady else { throw .illegalOperation }
        return container
    }
}
