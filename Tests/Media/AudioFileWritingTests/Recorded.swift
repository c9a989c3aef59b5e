import AudioCore
import AudioFileStreamServices
import StreamTestKit

/// What this project's own parser finds in a file that was written.
struct Recorded {
    let stream: ParsedStream

    init(_ bytes: [UInt8]) {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        stream = FileReading(bytes).read(with: &parser) { $0.nextByteOffset }
    }

    init(path: String) throws(Tool.Failure) { self.init(try Tool.readFile(path)) }

    var data: [UInt8] { stream.packets.flatMap(\.bytes) }

    var frameCount: Int { stream.packets.reduce(0) { $0 + $1.frameCount } }

    var problems: [AudioStreamProblem] {
        stream.properties.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
    }
}

/// Samples that no two frames share, of which floats hold every bit.
func ramp(_ count: Int) -> [Float] { (0..<count).map { Float(($0 &* 7_919) % 65_536 - 32_768) * 0x1p-15 } }
