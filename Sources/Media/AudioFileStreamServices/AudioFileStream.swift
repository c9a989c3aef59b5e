import AudioCore

/// A push parser of audio files: finds out which container the bytes are in, and parses it.
///
/// Give it a file's bytes from the first on, in pieces of any size, then ``finish(into:)``. Properties come first
/// (`readyToProducePackets` last of those needed to play), then packets; the same however the bytes are cut. What
/// containers it knows are the folders of this target.
///
/// It is made for pure streams. Who can read anywhere in the file says so (``ByteAccess/file(byteCount:)``), and brings
/// the bytes from ``nextByteOffset`` on, which need not follow the last ones then: what is of no use is passed over,
/// and files whose tables come after the audio can be played.
///
/// Memory is bounded by ``AudioFileStreamLimits`` whatever the file says, time is linear in the bytes, and nothing is
/// allocated for a packet in steady state. Not real-time safe; calls must not overlap.
public struct AudioFileStream: AudioPushParser, ~Copyable {
    private let typeHint: AudioFileType?
    private let access: ByteAccess
    private var container: (any ContainerParser)?
    private var window = ByteWindow()
    private var failure: AudioStreamError?
    private let record = StreamRecord()
    private var hasEnded = false
    /// Nothing was left out, or came twice.
    private var isContinuous = true
    /// The container is over, and what is in the window belongs to the stream that follows.
    public private(set) var hasNextStream = false
    /// Where the bytes begin that were last brought.
    private var pieceOffset: Int64 = 0

    /// - Parameters:
    ///   - typeHint: the container, if the user knows it (from a MIME type, say). A wrong hint is an error.
    ///   - access: where bytes may be asked from.
    public init(typeHint: AudioFileType? = nil, access: ByteAccess = .stream) {
        self.typeHint = typeHint
        self.access = access
    }

    /// The properties so far.
    public var summary: AudioStreamSummary { record.summary }

    /// Packets given so far, and the largest of them in bytes.
    public var packetCount: Int64 { record.packetCount }
    public var largestPacketByteCount: Int { record.largestPacketByteCount }

    /// Problems met so far, those included that were too many to be told.
    public var problemCount: Int { record.problemCount }

    /// Whether the file went by from its first byte to its last.
    var hasSeenAll: Bool { hasEnded && isContinuous }

    var isClosed: Bool { failure == .illegalOperation }

    /// Offset in the file of the first byte that ``parse(_:discontinuity:into:)`` wants next. With
    /// ``ByteAccess/stream`` it follows the last one given, except after ``seek(toPacket:)``; otherwise look before each
    /// call. With all of the file at hand it is the file's end where the rest belongs to another stream.
    public var nextByteOffset: Int64 { hasNextStream ? access.fileByteCount ?? window.end : window.end }

    public mutating func parse<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, discontinuity: Bool, into sink: inout Sink
    ) throws(AudioStreamError) {
        if let failure { throw failure }
        if hasNextStream {
            // Nobody wanted what follows.
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
                // What lies elsewhere must be brought from there.
                guard jump >= 0, jump <= Int64(bytes.byteCount - end) else { return }
                offset = end + Int(jump)
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// No more bytes will come. The stream is over then: any further call throws `dataUnavailable`.
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

    /// Lets go of what is held. The stream is over then: any further call throws `illegalOperation`.
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

    /// Lets the container take what it can from the window.
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
        // Nobody can bring more than there is, and a container that knows where the file ends looks at what is left.
        if let byteCount = access.fileByteCount {
            window.needed = max(1, Int(min(Int64(window.needed), byteCount &- window.offset)))
        }
    }
}

// MARK: What follows

extension AudioFileStream {
    /// The parser of the stream that follows in the same file and needs a decoder of its own, once ``hasNextStream`` is
    /// true (`nextStreamOffset` was told), by `parse` or by `finish`.
    ///
    /// It has taken that stream's headers already. Bring it the bytes from *its* ``nextByteOffset`` on, which lies within
    /// the bytes that were last brought to this one, or at their end. Its offsets are those in the whole file.
    /// - Returns: nil where nothing follows, or more bytes were brought to this stream since it was over.
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
    /// Goes to a packet: the next packet given is the one that the answer names, once the bytes from
    /// ``nextByteOffset`` (the answer's offset) on are brought.
    ///
    /// Where decoding is to begin exact at a packet, seek to the one that lies `decoderPrerollPacketCount` before it.
    /// - Returns: where the packet is. An estimate need not be the packet that was asked for, nor lie on its first byte;
    ///   the parser finds the next one itself. What is exact may begin with an earlier packet than was asked for.
    /// - Throws: `illegalOperation` before the stream is ready, `invalidPacketOffset` where there is no such packet,
    ///   `valueUnknown` where the container does not tell. The stream stays where it was then.
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

    /// The packet that holds a frame of the decoded stream, priming included, and the frame's distance from the
    /// packet's first.
    public func packet(containingFrame frame: Int64) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        guard frame >= 0 else { throw .invalidPacketOffset }
        let found = try readyContainer().packet(containingFrame: frame, record.summary)
        guard found.packet < knownPacketCount else { throw .invalidPacketOffset }
        return found
    }

    /// The first frame of a packet in the decoded stream, priming included.
    public func firstFrame(ofPacket packet: Int64) throws(AudioStreamError) -> Int64 {
        // That of the one behind the last is where the last one ends.
        guard packet >= 0, packet <= knownPacketCount else { throw .invalidPacketOffset }
        return try readyContainer().firstFrame(ofPacket: packet, record.summary)
    }

    /// Where a packet lies; see ``seek(toPacket:)``.
    public func place(ofPacket packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        let container = try readyContainer()
        guard packet < knownPacketCount else { throw .invalidPacketOffset }
        return try container.locate(packet: packet)
    }

    /// The packet that holds a byte of the file.
    public func packet(atByteOffset offset: Int64) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        try readyContainer().packet(atByteOffset: offset, record.summary)
    }

    /// How many packets there are, if all have gone by; else there may be any number.
    private var knownPacketCount: Int64 { hasSeenAll ? record.summary.packetCount ?? .max : .max }

    private func readyContainer() throws(AudioStreamError) -> any ContainerParser {
        guard let container, record.summary.isReady else { throw .illegalOperation }
        return container
    }
}
