import AudioCore
import Broadcasting
import HostSystem
import NIOCore
import Songs

/// Delivers a song's next packets on request, as a broadcast's session takes them.
struct SongParser: ~Copyable {
    private var stream: SongStream
    private var sink = PacketSink()
    private var events: [ByteSourceEvent] = []
    /// Why the song cannot be played, or not to its end.
    private(set) var failure: SongFailure?

    init(_ source: any ByteSource) { stream = SongStream(source, probe: .trial) }

    /// Reads until the song ends, or until there are packets and either `byteCount` bytes were read or the source has
    /// no more for now or an event to report. Returns nil if the source must be waited for first.
    mutating func next(byteCount: Int) -> SourceEvent? {
        var readCount = 0
        while !stream.isFinished, readCount < byteCount || sink.descriptions.isEmpty {
            let passedCount = stream.passedCount
            do throws(SongFailure) {
                readCount += try stream.advance(into: &sink)
            } catch {
                failure = error
            }
            if stream.passedCount != passedCount { sink = PacketSink() }
            events += stream.takeEvents()
            if stream.isWaiting { return sink.descriptions.isEmpty ? nil : sink.take() }
            if !events.isEmpty, !sink.descriptions.isEmpty { break }
        }
        if let event = sink.take() { return event }
        return failure.map { .failed($0.message) } ?? .ended
    }

    /// Whether another song follows in the source; known once ``next(byteCount:)`` has ended this one.
    var hasNext: Bool { stream.hasNext }

    /// Moves to it: ``next(byteCount:)`` returns its properties and packets from now on.
    mutating func beginNext() {
        guard stream.hasNext else { return }
        stream.beginNext()
        failure = nil
        sink = PacketSink()
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
