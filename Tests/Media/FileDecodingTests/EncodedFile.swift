import AudioCore
import AudioDecoding
import AudioFileStreamServices
import StreamTestKit

/// A file that another program makes of noise, and what it must come back as.
struct EncodedFile: Sendable, CustomStringConvertible {
    var name: String
    var program = "ffmpeg"
    /// What the program is told about its output, the name excepted.
    var arguments: String
    var type: AudioFileType
    var codec = Codec.linearPCM
    var sampleRate = 44_100
    var channels = 2
    /// ffmpeg does not read big-endian WAVE.
    var isReferenceSox = false
    /// Frames of noise that are encoded.
    var frameCount = 3_001

    var description: String { "\(name) \(arguments)" }

    /// Makes the file and has the reference decode it; ffprobe says how long it is.
    func make() throws -> (file: [UInt8], reference: [Float], probedFrameCount: Int64?) {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/noise", noise)
        let encode =
            program == "sox"
            ? "sox -D -t raw -e signed -b 32 -L -r \(sampleRate) -c \(channels) noise \(arguments) '\(name)'"
            : "ffmpeg -v error -f s32le -ar \(sampleRate) -ac \(channels) -i noise \(arguments) '\(name)'"
        try Tool.run(encode, in: directory)
        if isReferenceSox {
            try Tool.run(
                "sox -D \(name.hasSuffix(".snd") ? "-t au " : "")'\(name)' -t raw -e float -b 32 -L reference",
                in: directory)
            return (
                try Tool.readFile(directory.path + "/" + name),
                floats(try Tool.readFile(directory.path + "/reference")), nil
            )
        }
        try Tool.run("ffmpeg -v error -i '\(name)' -f f32le reference", in: directory)
        try Tool.run(
            "ffprobe -v error -select_streams a -show_entries stream=duration_ts -of csv=p=0 '\(name)' >probe",
            in: directory)
        let probed = String(decoding: try Tool.readFile(directory.path + "/probe"), as: UTF8.self)
        return (
            try Tool.readFile(directory.path + "/" + name),
            floats(try Tool.readFile(directory.path + "/reference")), Int64(probed.filter(\.isNumber))
        )
    }

    /// Makes the file and has ffprobe take it apart: the size of each packet.
    func makeAndProbe() throws -> (file: [UInt8], packetSizes: [Int]) {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/noise", noise)
        try Tool.run(
            "ffmpeg -v error -f s32le -ar \(sampleRate) -ac \(channels) -i noise \(arguments) '\(name)'", in: directory)
        try Tool.run("ffprobe -v error -show_entries packet=size -of csv=p=0 '\(name)' >probe", in: directory)
        let lines = String(decoding: try Tool.readFile(directory.path + "/probe"), as: UTF8.self)
        return (
            try Tool.readFile(directory.path + "/" + name),
            lines.split(whereSeparator: \.isNewline).compactMap { Int($0) }
        )
    }

    /// Steps of a random walk, so that codecs have something to predict; all of the range comes by.
    private var noise: [UInt8] {
        var generator = SeededGenerator(seed: UInt64(channels))
        var values = [Int64](repeating: 0, count: channels)
        var bytes: [UInt8] = []
        for _ in 0..<frameCount {
            for channel in 0..<channels {
                values[channel] += Int64.random(in: -(1 << 28)...(1 << 28), using: &generator)
                values[channel] = max(-1 << 31, min(1 << 31 - 1, values[channel]))
                bytes.append(littleEndian: Int32(values[channel]))
            }
        }
        return bytes
    }

    private func floats(_ bytes: [UInt8]) -> [Float] {
        bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
            }
        }
    }
}

/// A file parsed and decoded: what a player would hear of it.
struct DecodedFile {
    var stream: ParsedStream
    var samples: [Float] = []
    var damagedPacketCount = 0

    /// Pushes the file, as one that is at hand if `isAtHand`, and decodes its packets.
    init(_ bytes: [UInt8], isAtHand: Bool = false) throws {
        stream =
            isAtHand ? Self.parseAtHand(bytes) : parse(bytes, with: AudioFileStream(), pieces: [max(1, bytes.count)])
        guard let format = stream.format else { return }
        var cookie: [UInt8] = []
        for case .magicCookie(let bytes) in stream.properties { cookie = bytes }
        let decoder = try DecoderCatalog.builtIn.makeDecoder(for: format, magicCookie: cookie)
        for packet in stream.packets {
            var output = [Float](repeating: .nan, count: packet.frameCount * decoder.channelCount)
            var span = output.mutableSpan
            try decoder.decode(packet: packet.bytes.span.bytes, frameCount: packet.frameCount, into: &span)
            samples += output
        }
        damagedPacketCount = decoder.damagedPacketCount
    }

    /// The frames that are heard.
    var audible: ArraySlice<Float> {
        guard let format = stream.format, let table = stream.table, let valid = table.validFrameCount else { return [] }
        let start = table.primingFrameCount * format.channelsPerFrame
        return samples[start..<start + Int(valid) * format.channelsPerFrame]
    }

    static func parseAtHand(_ bytes: [UInt8]) -> ParsedStream {
        var recorder = EventRecorder()
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        do throws(AudioStreamError) {
            while parser.nextByteOffset < Int64(bytes.count) {
                let offset = Int(parser.nextByteOffset)
                let piece = bytes.span.bytes.extracting(offset..<min(bytes.count, offset + 5_000))
                try parser.parse(piece, discontinuity: false, into: &recorder)
            }
            try parser.finish(into: &recorder)
            return ParsedStream(events: recorder.events)
        } catch {
            return ParsedStream(events: recorder.events, failure: error)
        }
    }
}
