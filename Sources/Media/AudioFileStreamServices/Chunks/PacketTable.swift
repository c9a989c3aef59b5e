import AudioCore

// CAF specification, "Packet Table Chunk": for each packet its size, if sizes vary, and its frame count, if those vary,
// as numbers of seven bits per byte with the high bit set in all bytes but the last. Kept in this form, one or two
// bytes per packet; the position of every 256th packet is noted.

/// The sizes and frame counts of packets, one after another.
struct PacketTable {
    private let bytes: [UInt8]
    /// Zero if sizes are in the table.
    private let bytesPerPacket: Int
    private let framesPerPacket: Int
    private let frameScale: Int
    private var checkpoints: [PacketCursor] = []
    private(set) var length = StreamLength()
    private(set) var largestPacketByteCount = 0
    private(set) var smallestPacketByteCount = 0

    private static let checkpointPacketCount: Int64 = 256

    /// Takes the valid part of a table: up to its end, or to the first packet that is empty or exceeds
    /// `AudioCore.Limits`.
    /// - Parameters:
    ///   - format: the sizes that do not vary.
    ///   - packetCount: the number of packets that the table claims to have.
    ///   - frameScale: frames of the decoded stream per frame of the table.
    init(_ bytes: [UInt8], _ format: AudioStreamFormat, packetCount: Int64, frameScale: Int = 1) {
        self.bytes = bytes
        bytesPerPacket = format.bytesPerPacket
        framesPerPacket = format.framesPerPacket
        self.frameScale = frameScale
        var cursor = PacketCursor()
        while cursor.length.packetCount < packetCount, let packet = read(at: cursor) {
            if cursor.length.packetCount % Self.checkpointPacketCount == 0 { checkpoints.append(cursor) }
            let isFirst = cursor.length.packetCount == 0
            smallestPacketByteCount = isFirst ? packet.byteCount : min(smallestPacketByteCount, packet.byteCount)
            largestPacketByteCount = max(largestPacketByteCount, packet.byteCount)
            cursor.pass(packet)
        }
        length = cursor.length
    }

    /// Returns the packet at a cursor; nil after the last one.
    func packet(at cursor: PacketCursor) -> TablePacket? {
        cursor.length.packetCount < length.packetCount ? read(at: cursor) : nil
    }

    /// Returns the start of the last packet for which `isBehind` is still false, or the table's first packet.
    func cursor(before isBehind: (StreamLength) -> Bool) -> PacketCursor {
        var low = 0
        var high = checkpoints.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if isBehind(checkpoints[middle].length) { high = middle } else { low = middle }
        }
        var cursor = checkpoints.isEmpty ? PacketCursor() : checkpoints[low]
        while let packet = packet(at: cursor) {
            var following = cursor
            following.pass(packet)
            if isBehind(following.length) { break }
            cursor = following
        }
        return cursor
    }

    private func read(at cursor: PacketCursor) -> TablePacket? {
        var place = cursor.place
        guard let byteCount = bytesPerPacket > 0 ? bytesPerPacket : number(at: &place),
            let frameCount = framesPerPacket > 0 ? framesPerPacket : number(at: &place).map({ $0 * frameScale }),
            byteCount > 0, byteCount <= Limits.packetByteCount, frameCount > 0, frameCount <= Limits.packetFrameCount
        else { return nil }
        return TablePacket(byteCount: byteCount, frameCount: frameCount, end: place)
    }

    /// Reads a number of at most four bytes: longer ones exceed all limits.
    private func number(at place: inout Int) -> Int? {
        var value = 0
        for _ in 0..<4 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            value = value << 7 | Int(byte & 0x7F)
            if byte < 0x80 { return value }
        }
        return nil
    }
}

/// One packet of a table.
struct TablePacket {
    var byteCount: Int
    var frameCount: Int
    /// Position of the next packet in the table.
    fileprivate var end: Int
}

/// A position between packets.
struct PacketCursor: Equatable {
    /// What lies before it.
    var length = StreamLength()
    /// Position in the table, if there is one.
    fileprivate var place = 0

    init() {}

    init(length: StreamLength) { self.length = length }

    mutating func pass(_ packet: TablePacket) {
        length.add(byteCount: packet.byteCount, frameCount: packet.frameCount)
        place = packet.end
    }
}
