import AudioCore
import AudioFileStreamServices
import StreamTestKit

/// The file pushed whole.
func parse(_ bytes: [UInt8], hint: AudioFileType? = nil) -> ParsedStream {
    parse(bytes, with: AudioFileStream(typeHint: hint), pieces: [max(1, bytes.count)])
}

/// The same file pushed byte by byte and in random pieces (small ones, and of all sizes); nil if all gave the same
/// events, else how the bytes were cut that gave others.
func splitThatDiffers(_ bytes: [UInt8], from whole: ParsedStream) -> String? {
    let single = parse(bytes, with: AudioFileStream(), pieces: repeatElement(1, count: bytes.count))
    guard single == whole else { return "byte by byte" }
    for seed in 1...6 as ClosedRange<UInt64> {
        var generator = SeededGenerator(seed: seed)
        let largest = [7, 100, 1_000, 5_000, 40_000, 200_000][Int(seed) - 1]
        let pieces = sequence(state: ()) { _ in Int.random(in: 0...largest, using: &generator) }
        guard parse(bytes, with: AudioFileStream(), pieces: pieces) == whole else { return "seed \(seed)" }
    }
    return nil
}

extension ParsedStream {
    var packetBytes: [[UInt8]] { packets.map(\.bytes) }
}

/// The file pushed as one that is at hand, from wherever the parser wants bytes.
func parseAtHand(_ bytes: [UInt8], piece: Int) -> ParsedStream {
    var recorder = EventRecorder()
    var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
    do throws(AudioStreamError) {
        while parser.nextByteOffset < Int64(bytes.count) {
            let offset = Int(parser.nextByteOffset)
            let part = bytes.span.bytes.extracting(offset..<min(bytes.count, offset + piece))
            try parser.parse(part, discontinuity: false, into: &recorder)
        }
        try parser.finish(into: &recorder)
        return ParsedStream(events: recorder.events)
    } catch {
        return ParsedStream(events: recorder.events, failure: error)
    }
}

extension AudioFileStream {
    /// Brings a file's bytes as they are asked for, until those at `end` are.
    mutating func bring(
        _ bytes: [UInt8], upTo end: Int, pieces: Int = 4_096, into recorder: inout EventRecorder
    ) throws(AudioStreamError) {
        // After a jump ahead what was asked for is not all there until it goes back.
        var isAway = false
        while nextByteOffset < Int64(isAway ? bytes.count : end) {
            let start = Int(nextByteOffset)
            let stop = min(bytes.count, start + pieces)
            try parse(bytes.span.bytes.extracting(start..<stop), discontinuity: false, into: &recorder)
            isAway = nextByteOffset > Int64(stop) || isAway && nextByteOffset >= Int64(start)
        }
    }
}

/// Each song of a file, pushed in pieces of one size as a stream; nil for all at once.
func parseSongs(_ bytes: [UInt8], pieces: Int? = nil) -> [ParsedStream] {
    var songs: [ParsedStream] = []
    var parser = AudioFileStream()
    var recorder = EventRecorder()
    var offset = 0
    while true {
        do throws(AudioStreamError) {
            while offset < bytes.count, !parser.hasNextStream {
                let end = min(bytes.count, offset + (pieces ?? bytes.count))
                try parser.parse(bytes.span.bytes.extracting(offset..<end), discontinuity: false, into: &recorder)
                offset = end
            }
            try parser.finish(into: &recorder)
            songs.append(ParsedStream(events: recorder.events))
            guard let next = parser.nextStream() else { return songs }
            parser = next
            precondition(
                (0...(pieces ?? bytes.count)).contains(offset - Int(parser.nextByteOffset)), "bytes of an earlier piece"
            )
            offset = Int(parser.nextByteOffset)
            recorder = EventRecorder()
        } catch {
            return songs + [ParsedStream(events: recorder.events, failure: error)]
        }
    }
}

/// Each song of a file that is at hand.
func parseSongsAtHand(_ bytes: [UInt8], pieces: Int = 65_536) -> [ParsedStream] {
    let reading = FileReading(bytes, pieceByteCount: pieces)
    var songs: [ParsedStream] = []
    var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
    while true {
        songs.append(reading.read(with: &parser) { $0.nextByteOffset })
        guard let next = parser.nextStream() else { return songs }
        parser = next
    }
}
