import AudioCore

/// What a parser told, with packet groups flattened: what must not depend on how the bytes were cut.
public enum StreamEvent: Hashable, Sendable {
    case property(AudioStreamProperty)
    case packet(bytes: [UInt8], frameCount: Int)
    case lyrics(AudioStreamLyrics)
}

/// A sink that keeps everything, and checks that every packet lies inside the data it came with.
public struct EventRecorder: AudioStreamSink {
    public private(set) var events: [StreamEvent] = []
    /// Packets that did not lie inside their data.
    public private(set) var strayPacketCount = 0

    public init() {}

    public mutating func streamDidParse(property: AudioStreamProperty) {
        events.append(.property(property))
    }

    public mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        for index in descriptions.indices {
            let description = descriptions[index]
            let end = description.startOffset + description.byteCount
            guard description.startOffset >= 0, description.byteCount >= 0, end <= data.byteCount else {
                strayPacketCount += 1
                continue
            }
            let bytes = data.extracting(description.startOffset..<end).withUnsafeBytes { Array($0) }
            events.append(.packet(bytes: bytes, frameCount: description.frameCount))
        }
    }

    public mutating func streamDidParse(lyrics: AudioStreamLyrics) { events.append(.lyrics(lyrics)) }
}

/// The events of one parse, and how it ended.
public struct ParsedStream: Equatable {
    public var events: [StreamEvent]
    public var failure: AudioStreamError?

    public init(events: [StreamEvent], failure: AudioStreamError? = nil) {
        self.events = events
        self.failure = failure
    }

    public var properties: [AudioStreamProperty] {
        events.compactMap { if case .property(let property) = $0 { property } else { nil } }
    }

    public var packets: [(bytes: [UInt8], frameCount: Int)] {
        events.compactMap { if case .packet(let bytes, let frameCount) = $0 { (bytes, frameCount) } else { nil } }
    }

    public var format: AudioStreamFormat? {
        properties.compactMap { if case .dataFormat(let format) = $0 { format } else { nil } }.last
    }

    /// The last word on priming, audible frames and remainder.
    public var table: AudioPacketTableInfo? {
        properties.compactMap { if case .packetTableInfo(let table) = $0 { table } else { nil } }.last
    }

    /// What was said of priming, audible frames and remainder before the first packet.
    public var announcedTable: AudioPacketTableInfo? {
        for event in events {
            switch event {
            case .packet: return nil
            case .property(.packetTableInfo(let table)): return table
            default: continue
            }
        }
        return nil
    }

    public var prerollPacketCount: Int? {
        properties.compactMap { if case .decoderPrerollPacketCount(let count) = $0 { count } else { nil } }.last
    }

    public var bitRate: Int? {
        properties.compactMap { if case .bitRate(let bitRate) = $0 { bitRate } else { nil } }.last
    }

    /// Where other streams were said to follow.
    public var nextStreamOffsets: [Int64] {
        properties.compactMap { if case .nextStreamOffset(let offset) = $0 { offset } else { nil } }
    }

    public var dataOffset: Int64? {
        properties.compactMap { if case .dataOffset(let offset) = $0 { offset } else { nil } }.last
    }

    public var artwork: [[UInt8]] {
        properties.compactMap { if case .artwork(let picture) = $0 { picture } else { nil } }
    }

    public var lyrics: [AudioStreamLyrics] {
        events.compactMap { if case .lyrics(let lyrics) = $0 { lyrics } else { nil } }
    }

    public func info(_ key: AudioInfoKey) -> String? {
        properties.compactMap { if case .info(key, let value) = $0 { value } else { nil } }.last
    }
}

/// Pushes bytes through a parser in pieces, and records what comes out.
/// - Parameter pieces: the sizes of the pieces, over and over; what exceeds the bytes is cut off.
public func parse<Parser: AudioPushParser & ~Copyable>(
    _ bytes: [UInt8], with parser: consuming Parser, pieces: some Sequence<Int>
) -> ParsedStream {
    var recorder = EventRecorder()
    var offset = 0
    do throws(AudioStreamError) {
        for size in pieces {
            guard offset < bytes.count else { break }
            let end = min(bytes.count, offset + size)
            try parser.parse(bytes.span.bytes.extracting(offset..<end), discontinuity: false, into: &recorder)
            offset = end
        }
        try parser.finish(into: &recorder)
        precondition(recorder.strayPacketCount == 0, "a packet lay outside its data")
        return ParsedStream(events: recorder.events, failure: nil)
    } catch {
        return ParsedStream(events: recorder.events, failure: error)
    }
}
