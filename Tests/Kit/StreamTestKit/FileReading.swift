import AudioCore

/// Whoever reads a file for a parser that may ask for bytes from anywhere in it.
public struct FileReading {
    public var bytes: [UInt8]
    public var pieceByteCount: Int

    public init(_ bytes: [UInt8], pieceByteCount: Int = 50_000) {
        self.bytes = bytes
        self.pieceByteCount = pieceByteCount
    }

    /// Brings bytes from where the parser wants them until it wants those behind the end.
    /// - Parameter next: where that is, after each piece.
    public func read<Parser: AudioPushParser & ~Copyable>(
        with parser: inout Parser, next: (borrowing Parser) -> Int64
    ) -> ParsedStream {
        var recorder = EventRecorder()
        do throws(AudioStreamError) {
            while case let offset = next(parser), offset < Int64(bytes.count) {
                let end = min(bytes.count, Int(offset) + pieceByteCount)
                try parser.parse(
                    bytes.span.bytes.extracting(Int(offset)..<end), discontinuity: false, into: &recorder)
            }
            try parser.finish(into: &recorder)
            return ParsedStream(events: recorder.events)
        } catch {
            return ParsedStream(events: recorder.events, failure: error)
        }
    }
}
