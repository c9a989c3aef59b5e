import AudioCore

extension SongFacts {
    /// Reads a file to its end, and describes it; ``failure`` says what is wrong with it.
    /// - Parameters:
    ///   - probe: determines the stream's format as decoded.
    ///   - isStopped: called between pieces; if it returns true, the failure is `stopped`.
    public static func read(
        path: String, probe: FormatProbe? = nil, isStopped: () -> Bool = { false }
    ) -> SongFacts {
        var facts = SongFacts(path: path)
        readSongs(path: path, probe: probe, isStopped: isStopped) { song in
            facts = song
            return false
        }
        do throws(SongFailure) {
            if facts.failure == nil { facts.isStreamable = try canBeStreamed(path) }
        } catch {
            facts.failure = error
        }
        return facts
    }

    /// Reads the songs of a file one after the other, as ``read(path:probe:isStopped:)`` reads the first; does not
    /// check whether they can be streamed.
    /// - Parameter handler: called for each, and at least once; returns whether to continue with the next one.
    public static func readSongs(
        path: String, probe: FormatProbe? = nil, isStopped: () -> Bool = { false }, _ handler: (SongFacts) -> Bool
    ) {
        var facts = SongFacts(path: path)
        do throws(SongFailure) {
            let file = try SongFile(path: path)
            facts.byteCount = file.byteCount
            var stream = SongStream(file, probe: probe)
            let empty = facts
            while true {
                facts = empty
                var sink = CountingSink()
                do throws(SongFailure) {
                    while !stream.isFinished {
                        if isStopped() { throw SongFailure(.stopped, "stopped") }
                        let passedCount = stream.passedCount
                        _ = try stream.advance(into: &sink)
                        if stream.passedCount != passedCount { sink = CountingSink() }
                    }
                } catch {
                    facts.failure = error
                }
                facts.take(sink, stream)
                guard handler(facts), stream.hasNext else { return }
                stream.beginNext()
            }
        } catch {
            facts.failure = error
            _ = handler(facts)
        }
    }

    private mutating func take(_ sink: CountingSink, _ stream: borrowing SongStream) {
        summary = stream.summary
        packetCount = stream.packetCount
        smallestPacketByteCount = sink.smallestByteCount ?? 0
        largestPacketByteCount = stream.largestPacketByteCount
        audioByteCount = sink.byteCount
        framesPerPacket = sink.framesPerPacket
        decodedFrameCount = sink.frameCount
        artwork = sink.artwork
        problems = summary.problems
        problemCount = stream.problemCount
        var timeline = sink.timeline
        timeline.finish()
        primingFrameCount = timeline.primingFrameCount
        frameCount = max(0, timeline.end?.index ?? 0)
    }

    /// Whether reading from front to back only yields a first packet.
    private static func canBeStreamed(_ path: String) throws(SongFailure) -> Bool {
        var stream = SongStream(try SongFile(path: path), isPureStream: true)
        var sink = CountingSink()
        do throws(SongFailure) {
            while !stream.isFinished, stream.packetCount == 0 { _ = try stream.advance(into: &sink) }
        } catch {
            return false
        }
        return stream.packetCount > 0
    }
}

/// Counts packets, and keeps nothing.
struct CountingSink: AudioStreamSink {
    var byteCount: Int64 = 0
    var frameCount: Int64 = 0
    var smallestByteCount: Int?
    var artwork: SongFacts.Artwork?
    /// The timeline as in a listener.
    var timeline = PacketTimeline()
    private var table: AudioPacketTableInfo?
    private var lastFrameCount: Int?
    private var firstFrameCount: Int?
    private var hasVaryingFrameCount = false

    /// Frames of every packet but the last; nil if they vary.
    var framesPerPacket: Int? { hasVaryingFrameCount ? nil : firstFrameCount }

    mutating func streamDidParse(property: AudioStreamProperty) {
        switch property {
        case .packetTableInfo(let table):
            self.table = table
            if firstFrameCount != nil { timeline.revise(table) }
        case .artwork(let bytes):
            artwork = artwork ?? SongFacts.Artwork(bytes)
        default: break
        }
    }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        for index in packets.indices { count(packets[index]) }
    }

    private mutating func count(_ packet: AudioPacketDescription) {
        if firstFrameCount == nil {
            firstFrameCount = packet.frameCount
            timeline = PacketTimeline(table: table)
        }
        // Only the last packet may differ.
        if let lastFrameCount, lastFrameCount != firstFrameCount { hasVaryingFrameCount = true }
        lastFrameCount = packet.frameCount
        _ = timeline.place(frameCount: packet.frameCount)
        byteCount &+= Int64(packet.byteCount)
        frameCount &+= Int64(packet.frameCount)
        smallestByteCount = min(smallestByteCount ?? packet.byteCount, packet.byteCount)
    }
}

extension SongFacts.Artwork {
    /// Detects the format by the picture's first bytes.
    init(_ bytes: [UInt8]) {
        format = PictureFormat(bytes)?.name ?? (bytes.starts(with: "BM".utf8) ? "BMP" : nil)
        byteCount = bytes.count
    }
}
