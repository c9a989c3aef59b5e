import AudioCore
import AudioFileStreamServices
import StreamTestKit

/// The file with all of it at hand: bytes are brought from where the parser wants them, in pieces of these sizes.
/// - Returns: what was parsed, and how many bytes were brought.
func parseFile(
    _ bytes: [UInt8], pieces: some Sequence<Int> = repeatElement(65_536, count: .max)
) -> (stream: ParsedStream, byteCount: Int) {
    var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
    var recorder = EventRecorder()
    var brought = 0
    var sizes = pieces.makeIterator()
    do throws(AudioStreamError) {
        while parser.nextByteOffset < bytes.count, let size = sizes.next() {
            let start = Int(parser.nextByteOffset)
            let end = min(bytes.count, start + size)
            brought += end - start
            try parser.parse(bytes.span.bytes.extracting(start..<end), discontinuity: false, into: &recorder)
        }
        try parser.finish(into: &recorder)
        precondition(recorder.strayPacketCount == 0, "a packet lay outside its data")
        return (ParsedStream(events: recorder.events), brought)
    } catch {
        return (ParsedStream(events: recorder.events, failure: error), brought)
    }
}

/// What ffprobe says of a file's first stream of sound.
struct Probe {
    var codec = ""
    var sampleRate = 0.0
    var channels = 0
    /// In units of `timeBase`.
    var duration: Int64 = 0
    var timeBase = 1.0
    /// Place and size of each packet.
    var packets: [Range<Int>] = []

    init(_ name: String, in directory: borrowing TemporaryDirectory) throws {
        let options = "-v error -select_streams a:0 -of csv=p=0"
        let fields = "codec_name,sample_rate,channels,time_base,duration_ts"
        try Tool.run("ffprobe \(options) -show_entries stream=\(fields) \(name) > probe", in: directory)
        try Tool.run("ffprobe \(options) -show_entries packet=pos,size \(name) > packets", in: directory)
        let text = String(decoding: try Tool.readFile(directory.path + "/probe"), as: UTF8.self)
        let values = text.split(whereSeparator: \.isNewline)[0].split(separator: ",", omittingEmptySubsequences: false)
        codec = String(values[0])
        sampleRate = Double(values[1]) ?? 0
        channels = Int(values[2]) ?? 0
        let base = values[3].split(separator: "/").compactMap { Double($0) }
        timeBase = base.count == 2 ? base[0] / base[1] : 0
        duration = Int64(values[4]) ?? 0
        let lines = String(decoding: try Tool.readFile(directory.path + "/packets"), as: UTF8.self)
        packets = lines.split(whereSeparator: \.isNewline).compactMap { line in
            let numbers = line.split(separator: ",").compactMap { Int($0) }
            return numbers.count >= 2 ? numbers[1]..<numbers[1] + numbers[0] : nil
        }
    }

    /// Frames.
    var frameCount: Int64 { Int64((Double(duration) * timeBase * sampleRate).rounded()) }
}

extension ParsedStream {
    var reportedProblems: [AudioStreamProblem] {
        properties.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
    }
}
