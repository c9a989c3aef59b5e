import AudioCore
import AudioFileStreamServices
import Glibc

/// A directory of its own for one recording, in memory where there is such a thing; removed at the end.
struct RecordingDirectory: ~Copyable {
    let path: String

    init?() {
        var template = Array(
            "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/tutti-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// What is there beside the files of a recording, or is missing of them.
    func violation(paths: [String]) -> String? {
        let found = names.map { "\(path)/\($0)" }
        return Set(found) == Set(paths)
            ? nil : "the directory holds \(found.sorted()), the recording is \(paths)"
    }

    private var names: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)
                ) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// The files of a recording, as a parser reads them.
struct RecordedFiles {
    private struct File {
        var byteCount: Int64
        var beginning: [UInt8]
        var summary = AudioStreamSummary()
    }

    private var files: [File] = []
    /// The most bytes that are read of one file.
    private static let byteCount = 1 << 20

    init(_ paths: [String]) {
        for path in paths {
            guard let file = Self.read(path) else { continue }
            var sink = SummarySink()
            var parser = AudioFileStream(access: .file(byteCount: file.byteCount))
            _ = try? parser.parse(file.beginning.span.bytes, discontinuity: false, into: &sink)
            files.append(
                File(byteCount: file.byteCount, beginning: file.beginning, summary: sink.summary))
        }
    }

    private static func read(_ path: String) -> (byteCount: Int64, beginning: [UInt8])? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let byteCount = lseek(descriptor, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: min(byteCount, Self.byteCount))
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
        return (Int64(byteCount), bytes)
    }

    /// Whether the files are whole, and together have so many frames.
    func violation(frameCount: Int64) -> String? {
        var sum: Int64 = 0
        for file in files {
            guard let format = file.summary.format, let offset = file.summary.dataOffset,
                let byteCount = file.summary.dataByteCount
            else { return "a file of \(file.byteCount) bytes cannot be read" }
            guard offset + byteCount <= file.byteCount, byteCount % Int64(format.bytesPerFrame) == 0
            else {
                return "a file of \(file.byteCount) bytes has \(byteCount) of sound behind \(offset)"
            }
            sum += byteCount / Int64(format.bytesPerFrame)
        }
        return sum == frameCount ? nil : "\(sum) frames in the files, \(frameCount) counted"
    }

    /// Whether samples that say which frame they are follow each other as they should, but for some places.
    func breakViolation(limit: Int) -> String? {
        var breakCount = 0
        for file in files where file.byteCount <= Self.byteCount {
            guard let format = file.summary.format, let offset = file.summary.dataOffset,
                let byteCount = file.summary.dataByteCount, format.bytesPerFrame == 2
            else { continue }
            let bytes = file.beginning[Int(offset)..<Int(offset + byteCount)]
            breakCount += Self.breakCount(Array(bytes), isBigEndian: format.pcm.contains(.bigEndian))
        }
        return breakCount > limit
            ? "\(breakCount) places where frames do not follow, \(limit) streams" : nil
    }

    /// The sample of a frame.
    static func sample(_ frame: Int64) -> UInt16 {
        0x8000 | UInt16(truncatingIfNeeded: frame & 0x7FFF)
    }

    private static func breakCount(_ bytes: [UInt8], isBigEndian: Bool) -> Int {
        var (count, last) = (0, (frame: 0, sample: UInt16(0)))
        for frame in 0..<bytes.count / 2 {
            let (first, second) = (UInt16(bytes[2 * frame]), UInt16(bytes[2 * frame + 1]))
            let sample = isBigEndian ? first << 8 | second : second << 8 | first
            // What was cut short, or ends in bytes that are no samples, is silence.
            guard sample & 0x8000 != 0 else { continue }
            let follows = (Int(sample) - Int(last.sample) - (frame - last.frame)) & 0x7FFF == 0
            if last.sample != 0, !follows { count += 1 }
            last = (frame, sample)
        }
        return count
    }
}

/// Keeps the properties.
private struct SummarySink: AudioStreamSink {
    private(set) var summary = AudioStreamSummary()

    mutating func streamDidParse(property: AudioStreamProperty) { summary.note(property) }
    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {}
}
