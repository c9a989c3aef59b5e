import AllocationCount
import AudioCore
import AudioFileStreamServices
import Glibc

/// Parses one file as the broadcaster does, and prints what it cost: the part of the benchmark that peers are measured
/// against, in a process of its own as they are.
enum FileParsing {
    /// What there was in a file.
    struct Figures {
        var packetCount: Int64 = 0
        /// Packets of the second half, and how often memory was asked for meanwhile.
        var steadyPacketCount: Int64 = 0
        var steadyAllocationCount = 0
    }

    enum Failure: Error {
        case cannotRead(String)
        case parser(AudioStreamError)
    }

    private static let pieceByteCount = 256 * 1024

    static func parse(_ path: String) throws -> Figures {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw Failure.cannotRead(path) }
        defer { close(descriptor) }
        let byteCount = Int64(status.st_size)
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
        defer { piece.deallocate() }
        var sink = CountingSink()
        var parser = AudioFileStream(access: .file(byteCount: byteCount))
        // Tables have been read by then, even those at the end of the file.
        var (half, countAtHalf) = (Int64?.none, UInt(0))
        while parser.nextByteOffset < byteCount {
            let count = pread(descriptor, piece.baseAddress, piece.count, off_t(parser.nextByteOffset))
            guard count > 0 else { throw Failure.cannotRead(path) }
            let bytes = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: piece[..<count]))
            do throws(AudioStreamError) {
                try parser.parse(bytes, discontinuity: false, into: &sink)
            } catch {
                throw Failure.parser(error)
            }
            if half == nil, parser.nextByteOffset > byteCount / 2, sink.packetCount > 0 {
                (half, countAtHalf) = (sink.packetCount, allocation_count())
            }
        }
        let allocations = Int(allocation_count() - countAtHalf)
        do throws(AudioStreamError) { try parser.finish(into: &sink) } catch { throw Failure.parser(error) }
        return Figures(
            packetCount: sink.packetCount, steadyPacketCount: sink.packetCount - (half ?? 0),
            steadyAllocationCount: allocations)
    }
}

/// Takes note of how much came, and looks at each packet as little as a player of it would have to.
private struct CountingSink: AudioStreamSink {
    var packetCount: Int64 = 0
    var byteCount: Int64 = 0

    mutating func streamDidParse(property: AudioStreamProperty) {}

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        packetCount += Int64(descriptions.count)
        for index in descriptions.indices { byteCount += Int64(descriptions[index].byteCount) }
    }
}
