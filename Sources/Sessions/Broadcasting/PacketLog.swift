import AudioCore
import NIOCore
import WireProtocol

/// The part of the song that listeners may need, as encoded messages that all of them share.
///
/// Messages are numbered from 0; each listener keeps only the number of its next message. The log reaches from the
/// oldest frame that a joiner's decoder needs to the horizon.
struct PacketLog {
    /// One packets message.
    struct Group {
        var position: FramePosition
        var end: FramePosition
        /// Descriptions of the packets in ``data``.
        var packets: [AudioPacketDescription]
        var message: ByteBuffer
        /// Bytes of all earlier messages.
        var byteOffset: Int
        /// Packets of all earlier messages.
        var packetOffset: Int

        var packetCount: Int { packets.count }

        /// The packets' bytes: the end of the message.
        var data: ByteBuffer {
            let byteCount = packets.last.map { $0.startOffset + $0.byteCount } ?? 0
            return message.getSlice(at: message.writerIndex - byteCount, length: byteCount) ?? ByteBuffer()
        }
    }

    private(set) var epoch: Epoch
    private var groups: [Group] = []
    /// Bytes of all messages ever appended.
    private var byteCount = 0
    /// Packets of all messages ever appended.
    private var packetCount = 0
    /// Number of `groups[0]`.
    private(set) var startIndex = 0

    init(epoch: Epoch) { self.epoch = epoch }

    /// Number of the next message to be appended.
    var endIndex: Int { startIndex + groups.count }

    /// The frame after the last packet.
    var end: FramePosition? { groups.last?.end }

    /// Of the messages that are held, the mean; nil if they have no frames.
    var bytesPerFrame: Double? {
        guard let first = groups.first, let last = groups.last, last.end > first.position else { return nil }
        return Double(byteCount - first.byteOffset) / Double(last.end - first.position)
    }

    /// Returns whether the message exists and is not forgotten.
    func holds(_ index: Int) -> Bool { index >= startIndex && index < endIndex }

    /// Returns whether a message does not follow the one before it.
    func hasGap(before index: Int) -> Bool {
        holds(index - 1) && holds(index) && self[index - 1].end != self[index].position
    }

    subscript(index: Int) -> Group { groups[index - startIndex] }

    /// Cuts contiguous packets into messages of at most `frames` frames, and encodes each.
    /// - Returns: the frame after the last packet.
    mutating func append(
        _ descriptions: [AudioPacketDescription], data: ByteBuffer, at position: FramePosition, framesPerGroup: Int
    ) -> FramePosition {
        var position = position
        var start = 0
        while start < descriptions.count {
            var count = 0
            var frames = 0
            while start + count < descriptions.count, count < WireLimits.packetsPerMessage,
                count == 0 || frames + descriptions[start + count].frameCount <= framesPerGroup,
                count == 0 || bytes(descriptions[start...start + count]) <= WireLimits.payloadByteCount / 2
            {
                frames += descriptions[start + count].frameCount
                count += 1
            }
            let part = Array(descriptions[start..<start + count])
            let message = WireEncoder.packets(epoch, at: position, descriptions: part, data: data.readableBytesSpan)
            groups.append(
                Group(
                    position: position, end: position + Int64(frames), packets: Self.closedUp(part), message: message,
                    byteOffset: byteCount, packetOffset: packetCount))
            byteCount += message.readableBytes
            packetCount += count
            position += Int64(frames)
            start += count
        }
        return position
    }

    /// Returns the same packets as those of another epoch. Where some were forgotten, the rest keep their numbers.
    func renumbered(as epoch: Epoch) -> PacketLog {
        var log = self
        log.epoch = epoch
        log.byteCount = groups.first?.byteOffset ?? byteCount
        for index in groups.indices {
            let group = groups[index]
            let message = WireEncoder.packets(
                epoch, at: group.position, descriptions: group.packets, data: group.data.readableBytesSpan)
            (log.groups[index].message, log.groups[index].byteOffset) = (message, log.byteCount)
            log.byteCount += message.readableBytes
        }
        return log
    }

    /// Returns the descriptions with their packets one behind the other, as in a message.
    private static func closedUp(_ descriptions: [AudioPacketDescription]) -> [AudioPacketDescription] {
        var offset = 0
        return descriptions.map { description in
            defer { offset += description.byteCount }
            return AudioPacketDescription(
                startOffset: offset, byteCount: description.byteCount, frameCount: description.frameCount)
        }
    }

    private func bytes(_ descriptions: ArraySlice<AudioPacketDescription>) -> Int {
        descriptions.reduce(0) { $0 + $1.byteCount }
    }

    /// Returns the message that holds `position`, or the first one behind it.
    func index(of position: FramePosition) -> Int {
        var low = 0
        var high = groups.count
        while low < high {
            let middle = (low + high) / 2
            if groups[middle].end <= position { low = middle + 1 } else { high = middle }
        }
        return startIndex + low
    }

    /// Returns the message from which a decoder must begin so that message `index` is decoded exactly.
    func entry(before index: Int, prerollPacketCount: Int) -> Int {
        var start = index
        var missing = prerollPacketCount
        while missing > 0, start > startIndex {
            start -= 1
            missing -= self[start].packetCount
        }
        return start
    }

    /// Returns the bytes of the messages in `range`.
    func byteCount(_ range: Range<Int>) -> Int {
        let range = range.clamped(to: startIndex..<endIndex)
        guard !range.isEmpty else { return 0 }
        let end = range.upperBound == endIndex ? byteCount : self[range.upperBound].byteOffset
        return end - self[range.lowerBound].byteOffset
    }

    /// Returns the number of packets before a message that is held, or that will come next.
    func packetOffset(of index: Int) -> Int { index == endIndex ? packetCount : self[index].packetOffset }

    /// Forgets the messages before `index`.
    mutating func trim(before index: Int) {
        let count = min(max(0, index - startIndex), groups.count)
        // Moves the rest down: a few tenths of a second of messages, a few times a second.
        groups.removeFirst(count)
        startIndex += count
    }
}
