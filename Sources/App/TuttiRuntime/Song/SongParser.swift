import AudioCore
import Broadcasting
import HostSystem
import NIOCore
import Programmes
import Songs

/// Delivers a song's next packets on request, as a broadcast's session takes them.
struct SongParser: ~Copyable {
    /// What to do before packets are delivered.
    private enum Stage {
        /// Pass over so many songs of the source.
        case skipping(songCount: Int)
        /// Find the first frame to be heard, once the properties were delivered.
        case describing
        case seeking
        case delivering
    }

    private var stream: SongStream
    private let firstFrame: FramePosition
    private var stage: Stage
    private var isDescribed = false
    private var sink = PacketSink()
    /// To be reported before the next packets.
    private var pendingEvents: [SourceEvent] = []
    private var events: [ByteSourceEvent] = []
    /// Why the song cannot be played, or not to its end.
    private(set) var failure: SongFailure?

    /// - Parameters:
    ///   - songsBefore: songs of the source that are passed over.
    ///   - firstFrame: where to begin. A source that cannot seek is read from the beginning.
    init(_ source: any ByteSource, songsBefore: Int = 0, from firstFrame: FramePosition = .zero) {
        stream = SongStream(source, probe: .trial)
        self.firstFrame = firstFrame
        stage = .skipping(songCount: songsBefore)
    }

    /// Reads until the song ends, or until there are packets and either `byteCount` bytes were read or the source has
    /// no more for now or an event to report.
    /// - Returns: an answer, and before it what belongs before its packets. Nil if the source must be waited for first.
    mutating func next(byteCount: Int) -> [SourceEvent]? {
        var readCount = 0
        while !stream.isFinished, readCount < byteCount || sink.descriptions.isEmpty {
            seekIfDue()
            let passedCount = stream.passedCount
            do throws(SongFailure) {
                readCount += try stream.advance(into: &sink)
            } catch {
                failure = error
            }
            if stream.passedCount != passedCount { sink = PacketSink() }
            events += stream.takeEvents()
            skipSongs()
            if isDescriptionDue { return describe() }
            if stream.isWaiting { return sink.descriptions.isEmpty ? nil : answer() }
            if !events.isEmpty, !sink.descriptions.isEmpty { break }
        }
        if let answer = answer() { return answer }
        let end: SourceEnd = stream.hasNext ? .anotherSong : .nothing
        if let songs = failure?.songs { return takePendingEvents() + [.list(songs.map { NewItem(song: $0) })] }
        return takePendingEvents() + [failure.map { .failed($0.message, end) } ?? .ended(end)]
    }

    private mutating func answer() -> [SourceEvent]? { sink.take().map { takePendingEvents() + [$0] } }

    private mutating func takePendingEvents() -> [SourceEvent] {
        defer { pendingEvents = [] }
        return pendingEvents
    }

    // MARK: Where it begins

    private mutating func skipSongs() {
        guard case .skipping(let count) = stage, stream.packetCount > 0 || stream.isFinished else { return }
        guard stream.songsBefore < count else {
            stage = firstFrame > .zero && stream.isSeekable ? .describing : .delivering
            return
        }
        sink = PacketSink()
        if stream.isFinished, stream.hasNext { stream.beginNext() }
    }

    private var isDescriptionDue: Bool {
        if case .describing = stage { stream.summary.isReady } else { false }
    }

    /// Returns the properties, without packets from the wrong place.
    private mutating func describe() -> [SourceEvent]? {
        stage = .seeking
        let properties = sink.properties
        sink = PacketSink()
        return takePendingEvents() + [.read(properties: properties, packets: [], data: ByteBuffer())]
    }

    private mutating func seekIfDue() {
        guard case .seeking = stage else { return }
        stage = .delivering
        // Where that fails, the song is read from where it is; its first packets are not wanted.
        if let position = try? stream.seek(to: firstFrame) { pendingEvents.append(.sought(position)) }
    }

    // MARK: Several songs

    /// Whether another song follows in the source; known once ``next(byteCount:)`` has ended this one.
    var hasNext: Bool { stream.hasNext }

    /// Moves to it: ``next(byteCount:)`` returns its properties and packets from now on.
    mutating func beginNext() {
        guard stream.hasNext else { return }
        stream.beginNext()
        failure = nil
        isDescribed = false
        sink = PacketSink()
    }

    /// What the source is, once; nil later, and before it is open.
    mutating func takeDescription() -> SourceEvent? {
        guard !isDescribed, stream.isOpen else { return nil }
        isDescribed = true
        return .opened(isLive: stream.isLive, isSeekable: stream.isSeekable)
    }

    /// Takes the source's events since the last call.
    mutating func takeEvents() -> [SourceEvent] {
        defer { events = [] }
        return events.map { event in
            switch event {
            case .notice(let level, let text): .notice(level, text)
            case .title(let title): .title(title)
            }
        }
    }

    /// Waits until the source may have bytes, until a signal, or for `span`.
    func wait(atMost span: TimeSpan, wake: WakeSignal) { stream.wait(atMost: span, wake: wake) }
}

/// Gathers the parser's output into one event.
private struct PacketSink: AudioStreamSink {
    var properties: [AudioStreamProperty] = []
    var descriptions: [AudioPacketDescription] = []
    var data = ByteBuffer()

    mutating func streamDidParse(property: AudioStreamProperty) {
        // Nothing shows pictures yet, and they are large.
        if case .artwork = property { return }
        properties.append(property)
    }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        // Reserved, so that one answer's data is not moved while it grows.
        if descriptions.isEmpty { self.data.reserveCapacity(SongStream.standardPieceByteCount) }
        for index in packets.indices {
            let packet = packets[index]
            descriptions.append(
                AudioPacketDescription(
                    startOffset: self.data.writerIndex, byteCount: packet.byteCount, frameCount: packet.frameCount))
            self.data.writeBytes(data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount))
        }
    }

    /// Takes what was gathered since the last call; nil for nothing.
    mutating func take() -> SourceEvent? {
        guard !properties.isEmpty || !descriptions.isEmpty else { return nil }
        defer { self = PacketSink() }
        return .read(properties: properties, packets: descriptions, data: data)
    }
}
