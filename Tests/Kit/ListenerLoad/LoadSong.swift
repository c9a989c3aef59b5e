import AudioCore
import AudioFileStreamServices
import Glibc

/// A song as its listeners must get it: every packet with its place on the timeline and its bytes, from its file.
public final class LoadSong: Sendable {
    /// Why a file is no song to compare with.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public let format: AudioStreamFormat
    public let prerollPacketCount: Int
    /// The frame after the last audible one.
    public let end: FramePosition
    /// Where each packet begins; behind them, where the last one ends.
    let positions: [Int64]
    /// Where each packet's bytes begin in ``bytes``; behind them, where the last one's end.
    let offsets: [Int]
    let bytes: [UInt8]

    public var packetCount: Int { positions.count - 1 }

    /// On average.
    var bytesPerSecond: Double {
        Double(bytes.count) / max(1e-3, Double(positions[packetCount] - positions[0]) / format.sampleRate)
    }

    /// Reads and parses a whole file.
    public convenience init(path: String) throws(Failure) {
        guard let file = fopen(path, "re") else {
            throw Failure(description: "\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        try self.init(file: bytes, name: path)
    }

    /// - Parameter name: for messages.
    public init(file: [UInt8], name: String) throws(Failure) {
        var sink = SongSink()
        do throws(AudioStreamError) {
            var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
            while parser.nextByteOffset < file.count {
                let rest = file.span.bytes.extracting(Int(parser.nextByteOffset)...)
                try parser.parse(rest, discontinuity: false, into: &sink)
            }
            try parser.finish(into: &sink)
        } catch {
            throw Failure(description: "\(name): \(error)")
        }
        guard let format = sink.summary.format, !sink.sizes.isEmpty else {
            throw Failure(description: "\(name): no packets")
        }
        var timeline = PacketTimeline(table: sink.summary.packetTable)
        var positions: [Int64] = []
        var offsets = [0]
        for (byteCount, frameCount) in sink.sizes {
            positions.append(timeline.place(frameCount: frameCount).index)
            offsets.append(offsets[offsets.count - 1] + byteCount)
        }
        positions.append(timeline.nextPosition.index)
        timeline.finish()
        self.format = format
        self.positions = positions
        self.offsets = offsets
        bytes = sink.bytes
        end = timeline.end ?? timeline.nextPosition
        prerollPacketCount = sink.summary.decoderPrerollPacketCount
    }

    /// The packet that begins at this frame; nil if none does.
    func packet(at position: FramePosition) -> Int? {
        let index = packet(containing: position)
        return index < packetCount && positions[index] == position.index ? index : nil
    }

    /// The packet that holds this frame; the first for what lies before it, ``packetCount`` for what lies behind.
    func packet(containing position: FramePosition) -> Int {
        var (low, high) = (0, packetCount)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle + 1] <= position.index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// How many of these packets are not those of the song from `index` on.
    func mismatchCount(_ packets: Span<AudioPacketDescription>, _ data: RawSpan, at index: Int) -> Int {
        guard index + packets.count <= packetCount else { return packets.count }
        var count = 0
        for number in packets.indices where !isSame(packets[number], data, index + number) { count += 1 }
        return count
    }

    private func isSame(_ packet: AudioPacketDescription, _ data: RawSpan, _ index: Int) -> Bool {
        guard packet.byteCount == offsets[index + 1] - offsets[index],
            Int64(packet.frameCount) == positions[index + 1] - positions[index],
            packet.startOffset >= 0, packet.startOffset + packet.byteCount <= data.byteCount
        else { return false }
        guard packet.byteCount > 0 else { return true }
        return data.withUnsafeBytes { heard in
            bytes.withUnsafeBytes { told in
                memcmp(heard.baseAddress! + packet.startOffset, told.baseAddress! + offsets[index], packet.byteCount)
                    == 0
            }
        }
    }
}

private struct SongSink: AudioStreamSink {
    var summary = AudioStreamSummary()
    var sizes: [(byteCount: Int, frameCount: Int)] = []
    var bytes: [UInt8] = []

    mutating func streamDidParse(property: AudioStreamProperty) { summary.note(property) }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        for index in packets.indices {
            let packet = packets[index]
            sizes.append((packet.byteCount, packet.frameCount))
            data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount).withUnsafeBytes { bytes += $0 }
        }
    }
}
