import AudioCore
import AudioDecoding
import AudioFileStreamServices
import LibavcodecDecoding
import Songs

/// What our parser says of a song, with packets as they came.
struct Reading {
    struct Packet {
        var range: Range<Int>
        var frameCount: Int
    }

    private var gatherer = Gatherer()
    private(set) var failure: AudioStreamError?
    /// Whether the container, or what is in it, is one that the parser does not know.
    var isUnsupported: Bool {
        switch failure {
        case .unsupportedFileType, .unsupportedDataFormat: true
        default: false
        }
    }
    var summary: AudioStreamSummary { gatherer.summary }
    var packets: [Packet] { gatherer.packets }

    /// Reads as one does who has all of the file at hand: brings the bytes that are asked for, in pieces.
    init(ofFile bytes: [UInt8], pieceByteCount: Int = 50_000) {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        // Each byte is brought once, but for tables that are visited first.
        var stepsLeft = 4 * (bytes.count / pieceByteCount) + 64
        do throws(AudioStreamError) {
            while parser.nextByteOffset < Int64(bytes.count), stepsLeft > 0 {
                stepsLeft -= 1
                let start = Int(parser.nextByteOffset)
                let piece = bytes.span.bytes.extracting(start..<min(bytes.count, start + pieceByteCount))
                try parser.parse(piece, discontinuity: false, into: &gatherer)
            }
            guard stepsLeft > 0 else { throw .invalidFile("the parser keeps jumping") }
            try parser.finish(into: &gatherer)
        } catch {
            failure = error
        }
    }

    /// Reads as a broadcaster does: of AAC, packets are tried where the file cannot tell what comes out of them.
    static func of(_ song: Song) throws -> Reading {
        let isTried = song.codec == "aac" || song.isHEAAC
        return isTried ? try Reading(tryingPacketsOf: song) : Reading(ofFile: try contents(of: song.path))
    }

    private init(tryingPacketsOf song: Song) throws {
        let probe = FormatProbe { format, cookie, packets in
            let program = WorkerProgram(path: Decoding.worker)
            return
                (try? TrialDecoding.decodedFormat(of: format, magicCookie: cookie, packets: packets, program: program))
                ?? format
        }
        var stream = SongStream(try SongFile(path: song.path), probe: probe)
        do throws(SongFailure) {
            while !stream.isFinished { _ = try stream.advance(into: &gatherer) }
        } catch {
            failure = .invalidFile(error.message)
        }
    }

    /// Reads as one does whom bytes reach in order only.
    init(ofStream bytes: [UInt8]) {
        var parser = AudioFileStream()
        do throws(AudioStreamError) {
            try parser.parse(bytes.span.bytes, discontinuity: false, into: &gatherer)
            try parser.finish(into: &gatherer)
        } catch {
            failure = error
        }
    }

    func bytes(of packet: Packet) -> ArraySlice<UInt8> { gatherer.data[packet.range] }

    /// Frames that are heard: as the stream says, or all that comes out of the decoder.
    var audibleFrameCount: Int64 {
        let all = packets.reduce(Int64(0)) { $0 + Int64($1.frameCount) }
        guard let table = summary.packetTable else { return all }
        let rest = all - Int64(table.primingFrameCount) - Int64(table.remainderFrameCount)
        return min(table.validFrameCount ?? rest, max(0, all - Int64(table.primingFrameCount)))
    }

    /// The same events, however they were grouped.
    func isEqual(to other: Reading) -> Bool {
        summary == other.summary && failure == other.failure && gatherer.data == other.gatherer.data
            && packets.elementsEqual(other.packets) { $0.range == $1.range && $0.frameCount == $1.frameCount }
    }
}

private struct Gatherer: AudioStreamSink {
    var summary = AudioStreamSummary()
    var packets: [Reading.Packet] = []
    var data: [UInt8] = []

    mutating func streamDidParse(property: AudioStreamProperty) { summary.note(property) }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data bytes: RawSpan) {
        for index in descriptions.indices {
            let packet = descriptions[index]
            let range = packet.startOffset..<packet.startOffset + packet.byteCount
            let start = data.count
            bytes.extracting(range).withUnsafeBytes { data.append(contentsOf: $0) }
            packets.append(Reading.Packet(range: start..<data.count, frameCount: packet.frameCount))
        }
    }
}
